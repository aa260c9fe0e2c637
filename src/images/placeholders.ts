/** Draws placeholders within limits: one at a time, and equal ones once. */

import { LRUCache } from "lru-cache";
import { drawPlaceholder, type Placeholder } from "./placeholder.ts";

/** Undefined if too many placeholders wait to be drawn. @throws if it can't be drawn. */
export type DrawPlaceholder = (placeholder: Placeholder) => Promise<Buffer | undefined>;

const rememberedBytesMax = 16 * 1024 * 1024;
/** What an image in memory takes besides its bytes. */
const overheadBytes = 512;
const waitingMax = 32;

export function createPlaceholders(): DrawPlaceholder {
  const drawn = new LRUCache<string, Buffer>({ maxSize: rememberedBytesMax, sizeCalculation: ({ length }) => length + overheadBytes });
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  return async (placeholder) => {
    const key = JSON.stringify(placeholder);
    const before = drawn.get(key);
    if (before || waiting === waitingMax) return before;
    waiting += 1;
    const drawing = last.then(async () => {
      const bytes = drawn.get(key) ?? (await drawPlaceholder(placeholder));
      drawn.set(key, bytes);
      return bytes;
    });
    last = drawing.catch(() => {}).finally(() => (waiting -= 1));
    return await drawing;
  };
}
