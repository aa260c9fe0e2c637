/** Keeps the pictures that are asked for again and again in memory. */

import { LRUCache } from "lru-cache";

export interface HotPictures {
  /** Larger pictures are not kept; in bytes. */
  readonly pictureBytesMax: number;
  get(objectKey: string): Buffer | undefined;
  /** Whoever was asked for longest ago makes room. */
  keep(objectKey: string, bytes: Buffer): void;
  forget(objectKey: string): void;
}

/** Hundreds of ordinary pictures; what is larger is streamed, so that slow readers hold little of it in memory. */
const pictureBytesMax = 512 * 1024;
/** What an entry takes besides its picture. */
const entryBytes = 512;

export function createHotPictures(bytesMax: number): HotPictures {
  const pictures = new LRUCache<string, Buffer>({ maxSize: bytesMax, sizeCalculation: (bytes) => bytes.length + entryBytes });
  return {
    pictureBytesMax,
    get: (objectKey) => pictures.get(objectKey),
    keep(objectKey, bytes) {
      if (bytes.length <= pictureBytesMax) pictures.set(objectKey, bytes);
    },
    forget: (objectKey) => void pictures.delete(objectKey),
  };
}
