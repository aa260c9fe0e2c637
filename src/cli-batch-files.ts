/** Saves the files of a capture of a batch. */

import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import type { BatchFile, BatchOutput } from "./cli-batch-client.ts";

const tries = 3;

/** `NAME.EXTENSION`, or in a folder of that name if there are several. Files that are there already are kept. @returns what went wrong. */
export async function saveFiles(folder: string, name: string, outputs: BatchOutput[]): Promise<string[]> {
  const safe = name.replace(/[/\\]/g, "-").replace(/^\.+/, "_");
  const files = outputs.flatMap(({ name: output, slices, ...only }) =>
    slices ? slices.map((slice, index) => ({ ...slice, own: `${output}-${index + 1}` })) : [{ ...only, own: output }],
  );
  const wrong: string[] = [];
  for (const { own, ...file } of files) {
    if (file.url === null) wrong.push(`The service could not store ${own}.`);
    if (!file.url) continue;
    const stem = files.length === 1 ? safe : join(safe, own.replace(/[/\\]/g, "-"));
    const path = join(folder, stem + extname(new URL(file.url).pathname));
    await save(path, file.url, file).catch((error: Error) => wrong.push(`${own} could not be saved: ${error.message}.`));
  }
  return wrong;
}

async function save(path: string, url: string, { bytes }: BatchFile): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there && there.size === bytes) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.part`, await download(url));
  await rename(`${path}.part`, path); // so that a file is whole or not there
}

async function download(url: string): Promise<Buffer> {
  for (let left = tries; ; left -= 1) {
    try {
      const response = await fetch(url);
      if (!response.ok) throw new Error(`status ${response.status}`);
      return Buffer.from(await response.arrayBuffer());
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}
