/** Draws placeholders one at a time, within limits, and caches them. */

import { LRUCache } from "lru-cache";
import { createOwnerSums } from "../shared/owner-sums.ts";
import { drawPlaceholder, type Placeholder } from "./placeholder.ts";

/**
 * Undefined if too many placeholders are waiting to be drawn, in total or for this account.
 * @throws if drawing fails.
 */
export type DrawPlaceholder = (account: string, placeholder: Placeholder) => Promise<Buffer | undefined>;

const rememberedBytesMax = 16 * 1024 * 1024;
/** Memory overhead of a cached image. */
const overheadBytes = 512;
const waitingMax = 32;
/**
 * Maximum number of queued placeholders per account, so that an image waits for at most this many of another account, which takes less
 * than two seconds.
 */
const perAccountMax = 8;

export function createPlaceholders(): DrawPlaceholder {
  const drawn = new LRUCache<string, Buffer>({ maxSize: rememberedBytesMax, sizeCalculation: ({ length }) => length + overheadBytes });
  let last: Promise<unknown> = Promise.resolve();
  const waiting = createOwnerSums();

  return async (account, placeholder) => {
    const key = JSON.stringify(placeholder);
    const before = drawn.get(key);
    if (before || waiting.total() === waitingMax || waiting.of(account) === perAccountMax) return before;
    waiting.add(account, 1);
    const drawing = last.then(async () => {
      const bytes = drawn.get(key) ?? (await drawPlaceholder(placeholder));
      drawn.set(key, bytes);
      return bytes;
    });
    last = drawing.catch(() => {}).finally(() => waiting.add(account, -1));
    return await drawing;
  };
}
