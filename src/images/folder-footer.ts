/** Reads older files of the image folder, in which a footer with the content type follows the image. */

import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type StoredImage, streamUntilAborted } from "./store.ts";

/** A file is the image, JSON with the content type, its length in bytes (4), and these 4 bytes. */
const mark = Buffer.from("TTY1");
const tailBytes = 4 + mark.length;

/** Such files are named after the hash of their key. */
export function pathWithFooter(folder: string, key: string): string {
  const name = createHash("sha256").update(key).digest("hex");
  return join(folder, name.slice(0, 2), name.slice(2, 4), name.slice(4));
}

/** The image without its footer; undefined after `onDamaged` if the file is damaged. Closes `file`, at the latest with the stream. */
export async function openFileWithFooter(
  file: FileHandle,
  signal: AbortSignal,
  from: number,
  onDamaged: () => void,
): Promise<StoredImage | undefined> {
  try {
    const found = await readFooter(file);
    if (found && found.bytes > 0) {
      const stream = file.createReadStream({ start: from, end: found.bytes - 1 });
      return { stream: streamUntilAborted(stream, signal), ...found };
    }
    await file.close();
    if (found) return { stream: Readable.from([]), ...found };
  } catch (error) {
    await file.close();
    throw error;
  }
  onDamaged();
  return undefined;
}

/** Undefined if the file is damaged. `bytes`: of the image. */
async function readFooter(file: FileHandle): Promise<{ contentType: string; bytes: number } | undefined> {
  const { size } = await file.stat();
  if (size < tailBytes) return undefined;
  const tail = Buffer.alloc(tailBytes);
  await file.read(tail, 0, tailBytes, size - tailBytes);
  const jsonBytes = tail.readUInt32BE(0);
  const bytes = size - tailBytes - jsonBytes;
  if (!tail.subarray(4).equals(mark) || bytes < 0) return undefined;
  const json = Buffer.alloc(jsonBytes);
  await file.read(json, 0, jsonBytes, bytes);
  try {
    const { contentType } = JSON.parse(json.toString()) as { contentType: string };
    return { contentType, bytes };
  } catch {
    return undefined;
  }
}
