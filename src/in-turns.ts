/** Works on many bytes in several turns of the event loop: at once, 50 MB would keep all other requests waiting for 100 ms or more. */

import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";

/** Takes a few milliseconds. */
export const bytesPerTurn = 512 * 1024;

/** Each in its own turn. */
export async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += bytesPerTurn) {
    if (start > 0) await setImmediate();
    yield bytes.subarray(start, start + bytesPerTurn);
  }
}

/** @param parts of at most `bytesPerTurn`. */
export async function joinInTurns(parts: Buffer[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    if (end > 0) await setImmediate();
    end += part.copy(joined, end);
  }
  return joined;
}

/** Unlike `subtle.digest`, which copies all bytes on this thread first. */
export async function sha256(bytes: Buffer): Promise<Buffer> {
  const hash = createHash("sha256");
  for await (const piece of piecesOf(bytes)) hash.update(piece);
  return hash.digest();
}
