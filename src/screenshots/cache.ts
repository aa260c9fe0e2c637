/** Finds the stored picture of an earlier, identical capture. */

import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Redis } from "ioredis";
import { LRUCache } from "lru-cache";
import type { BaseLogger } from "pino";
import type { Clock } from "../clock.ts";
import { createCoalescer } from "../coalesce.ts";
import { abortAfter, withDeadline } from "../deadline.ts";
import type { ImageStore } from "../images/store.ts";
import { type CacheEntry, readEntry } from "./cache-entry.ts";
import type { HotPictures } from "./hot-images.ts";

/** An entry that was found, and where; shared by all who asked at the same moment. */
export type CachedImage = Readonly<CacheEntry & { indexKey: string }>;

/** An optimisation: none of it fails for want of Redis or the storage, it misses. */
export interface CaptureCache {
  /** The picture that `account` took with the same `identity` less than `ttlSeconds` ago. Who asks at the same moment is answered together. */
  find(account: string, identity: Buffer, ttlSeconds: number): Promise<CachedImage | undefined>;
  /** Lets the picture be found for `keepSeconds`, unless a newer one is; call it when the picture is stored. */
  remember(account: string, identity: Buffer, entry: CacheEntry, keepSeconds: number): Promise<void>;
  /** The bytes of a picture that is asked for often: `open` without a wait, where that is possible. */
  inMemory(cached: CachedImage): Buffer | undefined;
  /**
   * The picture's bytes, `cached.bytes` of them: from memory, or a stream that reads from the storage as fast as it is taken; `undefined`
   * when they cannot be had. The caller reads or destroys the stream; an abort destroys it.
   * @throws the signal's reason when `signal` aborts before the bytes come.
   */
  open(cached: CachedImage, signal: AbortSignal): Promise<Buffer | Readable | undefined>;
  /**
   * Lets the picture `id` be found no more, at any replica: none answers from memory what the index doesn't have.
   * @throws when Redis does not answer well in time.
   */
  forget(account: string, identity: Buffer, id: string): Promise<void>;
}

interface CaptureCacheParts {
  redis: Redis;
  store: ImageStore;
  hot: HotPictures;
  clock: Clock;
  log: BaseLogger;
  /** For one command to Redis, 250 ms. Longer than that a new capture is the better use of the time. */
  indexTimeoutMs?: number;
}

const openTimeoutMs = 5_000;
const readEntriesMax = 2_000;

export function createCaptureCache({ redis, store, hot, clock, log, indexTimeoutMs = 250 }: CaptureCacheParts): CaptureCache {
  const index = outageLog(log, "the cache index");
  const storage = outageLog(log, "the storage of cached images");

  /** `undefined` when Redis does not answer well in time. */
  async function ask<T>(command: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await withIndexDeadline(command(), indexTimeoutMs);
      index.works();
      return answer;
    } catch (error) {
      index.fails(error);
      return undefined;
    }
  }

  /** Saves reading what Redis says, never asking it. */
  const read = new LRUCache<string, { text: string; found: CachedImage }>({ max: readEntriesMax });
  const lookUp = createCoalescer(async (indexKey): Promise<CachedImage | undefined> => {
    const text = await ask(() => redis.get(indexKey));
    if (text === undefined || text === null) return undefined;
    const before = read.get(indexKey);
    if (before?.text === text) return before.found;
    const entry = readEntry(text);
    if (entry) {
      const found = Object.freeze({ ...entry, indexKey });
      read.set(indexKey, { text, found });
      return found;
    }
    log.warn({ indexKey }, "removed an unreadable cache entry");
    await ask(() => redis.del(indexKey));
    return undefined;
  });

  /** What memory may hold is read, what is larger is opened; `undefined` when it is gone, or another one. */
  async function openWhole({ objectKey, bytes }: CachedImage, signal: AbortSignal): Promise<Buffer | Readable | undefined> {
    const found = await store.get(objectKey, signal);
    if (found?.bytes === bytes) return bytes > hot.pictureBytesMax ? found.stream : await buffer(found.stream);
    found?.stream.destroy();
    return undefined;
  }

  return {
    async find(account, identity, ttlSeconds) {
      const { result: found } = await lookUp(indexKeyOf(account, identity));
      return found && clock.now() - found.capturedAt < ttlSeconds * 1000 ? found : undefined;
    },
    async remember(account, identity, entry, keepSeconds) {
      const indexKey = indexKeyOf(account, identity);
      // While the storage is away, images may be stored in another order than they were captured in.
      const present = readEntry((await ask(() => redis.get(indexKey))) ?? "");
      if (present && present.capturedAt > entry.capturedAt) return;
      await ask(() => redis.set(indexKey, JSON.stringify(entry), "EX", keepSeconds));
    },
    inMemory: ({ objectKey }) => hot.get(objectKey),
    async open(cached, signal) {
      const kept = hot.get(cached.objectKey);
      if (kept) return kept;
      try {
        const opened = await abortAfter(openTimeoutMs, (opening) => openWhole(cached, opening), signal);
        storage.works();
        if (Buffer.isBuffer(opened)) hot.keep(cached.objectKey, opened);
        if (opened) return opened;
        log.info({ imageId: cached.id }, "removed a cache entry whose image no longer exists");
        await ask(() => redis.del(cached.indexKey));
      } catch (error) {
        signal.throwIfAborted();
        storage.fails(error);
      }
      return undefined;
    },
    async forget(account, identity, id) {
      const indexKey = indexKeyOf(account, identity);
      const entry = readEntry((await withIndexDeadline(redis.get(indexKey), indexTimeoutMs)) ?? "");
      if (entry?.id !== id) return;
      await withIndexDeadline(redis.del(indexKey), indexTimeoutMs);
      hot.forget(entry.objectKey);
    },
  };
}

/** Without a signal, which for each request would cost more than the rest of the look-up. */
async function withIndexDeadline<T>(answer: Promise<T>, ms: number): Promise<T> {
  return await withDeadline(answer, ms, () => {
    throw new Error("Redis did not answer in time");
  });
}

/** The account is part of the key, so that no account is ever answered with another's picture. */
function indexKeyOf(account: string, identity: Buffer): string {
  return `tintype:capture:${account}:${identity.toString("base64url")}`;
}

/** Logs the first failure of an outage and its end, not every request in between. */
function outageLog(log: BaseLogger, what: string) {
  let away = false;
  return {
    works() {
      if (away) log.info(`${what} is available again`);
      away = false;
    },
    fails(error: unknown) {
      if (!away) log.warn({ err: error }, `${what} is unavailable: requests are not answered from the cache`);
      away = true;
    },
  };
}
