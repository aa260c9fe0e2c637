/** Reads a stored image whole, as long as the storage goes on sending it. */

import { DeadlineExceeded, untilAborted } from "../deadline.ts";
import type { ImageStore } from "./store.ts";

/** How long the storage may send nothing. */
const stalledDefaultMs = 10_000;
/** An end for a storage that sends a byte now and then: 200 MB, more than any file has, at 2 MB/s. */
const readingMaxMs = 100_000;
/** Longest time from the call to its end. */
export const readWholeMaxMs = readingMaxMs;

/**
 * @returns undefined if there is no such object.
 * @throws {DeadlineExceeded} once the storage has sent nothing for `stalledMs`; the storage's error; the reason of `signal`.
 */
export async function readWhole(
  store: Pick<ImageStore, "get">,
  key: string,
  signal: AbortSignal,
  stalledMs = stalledDefaultMs,
): Promise<Buffer | undefined> {
  const late = new AbortController();
  const timers = [stalledMs, readingMaxMs].map((ms) => setTimeout(() => late.abort(new DeadlineExceeded(ms, "the storage")), ms));
  const ended = AbortSignal.any([signal, late.signal]);
  const read = async () => {
    const opened = await store.get(key, ended);
    if (!opened) return undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of opened.stream) {
      chunks.push(chunk);
      timers[0]?.refresh();
    }
    const bytes = Buffer.concat(chunks);
    if (bytes.length !== opened.bytes) throw new Error(`the storage sent ${bytes.length} of ${opened.bytes} bytes`);
    return bytes;
  };
  try {
    return await untilAborted(read(), ended);
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}
