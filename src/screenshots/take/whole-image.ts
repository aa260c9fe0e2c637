/** Reads cached images for requests that have waited for the same capture. */

import { readInChunks } from "../../shared/turns.ts";
import { readWholeMaxMs } from "../../storage/read-stored.ts";
import type { CaptureCache, IndexedEntry } from "./cache.ts";

/**
 * Returns a function that reads a cached image whole, or returns undefined if it can't be read. Waiters share a single buffer, also if their
 * requests differ in options such as `timeout`: an image may have 48 MB, and any number of requests may be waiting for it.
 */
export function createImageReader(cache: Pick<CaptureCache, "open">): (entry: IndexedEntry) => Promise<Buffer | undefined> {
  const reads = new Map<string, Promise<Buffer | undefined>>();
  const images = new Map<string, WeakRef<Buffer>>();
  const collected = new FinalizationRegistry((key: string) => {
    if (images.get(key)?.deref() === undefined) images.delete(key);
  });

  const read = async (entry: IndexedEntry): Promise<Buffer | undefined> => {
    const body = await cache.open(entry, AbortSignal.timeout(readWholeMaxMs));
    if (!body || Buffer.isBuffer(body)) return body;
    const image = await readInChunks(body);
    images.set(entry.objectKey, new WeakRef(image));
    collected.register(image, entry.objectKey);
    return image;
  };

  return async (entry: IndexedEntry): Promise<Buffer | undefined> => {
    const { objectKey: key } = entry;
    const image = images.get(key)?.deref();
    if (image) return image;
    const reading =
      reads.get(key) ??
      read(entry)
        .catch(() => undefined)
        .finally(() => reads.delete(key));
    reads.set(key, reading);
    return await reading;
  };
}
