/** Processes large buffers over several turns of the event loop: in one turn, 50 MB would block all other requests for 100 ms or more. */

import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";

/** Bytes that take a few milliseconds to process. */
export const bytesPerTurn = 512 * 1024;

/** Yields each piece in its own turn of the event loop. */
export async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += bytesPerTurn) {
    if (start > 0) await setImmediate();
    yield bytes.subarray(start, start + bytesPerTurn);
  }
}

/** @param parts each at most `bytesPerTurn` long. */
export async function joinInChunks(parts: Buffer[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    if (end > 0) await setImmediate();
    end += part.copy(joined, end);
  }
  return joined;
}

/** Avoids `subtle.digest`, which first copies all bytes on this thread. */
export async function sha256(bytes: Buffer): Promise<Buffer> {
  const hash = createHash("sha256");
  for await (const piece of piecesOf(bytes)) hash.update(piece);
  return hash.digest();
}

/** A multiple of four, because four characters encode three bytes. */
const charactersPerTurn = 1024 * 1024;

/** Decodes Base64; in a single turn if the text is short. */
export async function decodeInChunks(base64: string): Promise<Buffer> {
  if (base64.length <= charactersPerTurn) return Buffer.from(base64, "base64");
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(base64, "base64"));
  let end = 0;
  for (let start = 0; start < base64.length; start += charactersPerTurn) {
    await setImmediate();
    end += bytes.write(base64.slice(start, start + charactersPerTurn), end, "base64");
  }
  return bytes.subarray(0, end);
}
