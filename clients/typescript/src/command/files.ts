/** Saves the files of a capture in a batch. */

import { randomUUID } from "node:crypto";
import { access, constants, mkdir, readlink, realpath, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, extname, join, resolve } from "node:path";
import type { BatchResult } from "../batches.ts";
import { UsageError } from "./say.ts";

interface BatchFile {
  url?: string | null;
  bytes?: number;
}

const tries = 3;
/** Time limit for downloading one file. */
const downloadMaxMs = 120_000;
/** File systems round a file's time. */
const roundingMs = 2_000;

/** Creates the folder. @throws {UsageError} if nothing can be saved there. */
export async function openFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`Files can't be saved in ${folder}: ${(error as Error).message}.`);
  }
}

/**
 * Saves as `NAME.EXTENSION`, or in a folder with that name if there are several files. If a file of the batch is already there, it is
 * kept. @returns what went wrong.
 */
export async function saveFiles(folder: string, { batch: { name }, outputs = [], ended_at }: BatchResult): Promise<string[]> {
  const safe = name.replace(/[/\\]/g, "-").replace(/^\.+/, "_");
  const files = outputs.flatMap(({ name: output, slices, ...only }): (BatchFile & { own: string })[] =>
    slices ? slices.map((slice, index) => ({ ...slice, own: sliceName(output, index) })) : [{ ...only, own: output }],
  );
  const at = new Date(ended_at ?? Date.now());
  const wrong: string[] = [];
  for (const { own, ...file } of files) {
    if (file.url === null) wrong.push(`The service could not store ${own}.`);
    if (!file.url) continue;
    const stem = files.length === 1 ? safe : join(safe, own.replace(/[/\\]/g, "-"));
    const path = join(folder, stem + extname(new URL(file.url).pathname));
    await save(path, file.url, file, at).catch((error: Error) => wrong.push(`${own} could not be saved: ${error.message}.`));
  }
  return wrong;
}

/** The same name as in the zip. */
function sliceName(output: string, index: number): string {
  return `${output}-${String(index + 1).padStart(2, "0")}`;
}

/** The file's time is set to when its capture ended, by which the file is recognized later. */
async function save(path: string, url: string, { bytes }: BatchFile, at: Date): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there && there.size === bytes && Math.abs(there.mtimeMs - at.getTime()) <= roundingMs) return;
  await writeWhole(path, await download(url), at);
}

/**
 * Writes a file, and the folders that it needs, atomically: afterwards it is either complete or unchanged. @param at the file's time;
 * now by default.
 */
export async function writeWhole(path: string, data: Uint8Array, at?: Date): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const target = await linkedFrom(path);
  const there = await stat(target).catch(() => undefined);
  if (there && !there.isFile()) return await writeFile(target, data); // /dev/null, or a named pipe
  const part = join(dirname(target), `.${randomUUID()}.part`); // a name that no user file has
  try {
    await writeFile(part, data, there ? { mode: there.mode & 0o777 } : {});
    if (at) await utimes(part, at, at);
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** A symlink stays a symlink, even if its target doesn't exist yet. */
async function linkedFrom(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const to = await readlink(path).catch(() => undefined);
    return to === undefined ? path : resolve(dirname(path), to);
  }
}

/** @throws {UsageError} for a path that can't be a file, before anything is charged. */
export async function assertFile(path: string): Promise<void> {
  if (path === "") throw new UsageError("-o needs the name of a file.");
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory() || /[/\\]$/.test(path)) throw new UsageError(`${path} is a folder: give the name of a file in it.`);
}

async function download(url: string): Promise<Buffer> {
  for (let left = tries; ; left -= 1) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(downloadMaxMs) });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return Buffer.from(await response.arrayBuffer());
    } catch (error) {
      const { message, cause } = error as Error & { cause?: Error };
      if (left <= 1) throw new Error(cause?.message || message, { cause: error });
    }
  }
}
