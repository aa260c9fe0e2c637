/** Finds the stored screenshot of an earlier, identical capture: its entry in Redis, its image in memory or in object storage. */

import type { Readable } from "node:stream";
import type { Redis } from "ioredis";
import { LRUCache } from "lru-cache";
import type { BaseLogger } from "pino";
import type { Clock } from "../../shared/clock.ts";
import { createCoalescer } from "../../shared/coalesce.ts";
import { abortAfter } from "../../shared/deadline.ts";
import { readInChunks } from "../../shared/turns.ts";
import { DamagedFile, type ImageStore } from "../../storage/store.ts";
import { type CacheEntry, parseCacheEntry } from "./cache-entry.ts";

/** An entry with its key in the index; shared by concurrent lookups. */
export type IndexedEntry = Readonly<CacheEntry & { indexKey: string }>;

/**
 * Best effort: while Redis is down, lookups find nothing; while object storage is down, `open` finds no image. Only `forget` and an aborted
 * `open` reject.
 */
export interface CaptureCache {
  /** The account's screenshot with this `identity`, if it was captured less than `ttlSeconds` ago. Concurrent lookups are coalesced. */
  find(account: string, identity: Buffer, ttlSeconds: number): Promise<IndexedEntry | undefined>;
  /** Adds a screenshot to the index for `keepSeconds`, unless the index already has a newer one. Its image must already be stored. */
  remember(account: string, identity: Buffer, entry: CacheEntry, keepSeconds: number): Promise<void>;
  /** The image's bytes if they are in memory. */
  inMemory(cached: IndexedEntry): Buffer | undefined;
  /**
   * The image, which has exactly `cached.bytes` bytes; a large image is a stream from object storage. Undefined if unavailable. The caller
   * must read or destroy the stream; an abort also destroys it.
   * @throws the signal's reason, if it aborts before the bytes arrive.
   */
  open(cached: IndexedEntry, signal: AbortSignal): Promise<Buffer | Readable | undefined>;
  /** Removes screenshot `id`, or the screenshot it is a slice of, from the index for all replicas. @throws if Redis fails. */
  forget(account: string, identity: Buffer, id: string): Promise<void>;
}

interface CaptureCacheParts {
  /** Should have a short command timeout: a slow lookup can cost more than a new capture. */
  redis: Redis;
  store: ImageStore;
  clock: Clock;
  log: BaseLogger;
  /** Limit for images held in memory. */
  memoryBytesMax: number;
}

const openTimeoutMs = 5_000;
const parsedEntriesMax = 2_000;
/** Maximum size of an image kept in memory; larger ones are streamed, so that slow readers occupy little memory. */
export const imageInMemoryBytesMax = 512 * 1024;
/** Memory overhead per cached image. */
const overheadBytes = 512;

export function createCaptureCache({ redis, store, clock, log, memoryBytesMax }: CaptureCacheParts): CaptureCache {
  const index = createIndex(redis, log);
  const images = createImagesInMemory(memoryBytesMax);
  const outage = outageLog(log, "the storage of cached images");

  /** Small images are read whole, larger ones streamed. Undefined if the image is gone or was replaced. */
  async function openStored({ objectKey, bytes }: IndexedEntry, signal: AbortSignal): Promise<Buffer | Readable | undefined> {
    try {
      const found = await store.get(objectKey, signal, { bytes });
      return found && (bytes > imageInMemoryBytesMax ? found.stream : await readInChunks(found.stream));
    } catch (error) {
      if (error instanceof DamagedFile) return undefined;
      throw error;
    }
  }

  return {
    async find(account, identity, ttlSeconds) {
      const { result: found } = await index.find(indexKeyOf(account, identity));
      return found && clock.now() - found.capturedAt < ttlSeconds * 1000 ? found : undefined;
    },
    remember: (account, identity, entry, keepSeconds) => index.store(indexKeyOf(account, identity), entry, keepSeconds),
    inMemory: ({ objectKey }) => images.get(objectKey),
    async open(cached, signal) {
      const kept = images.get(cached.objectKey);
      if (kept) return kept;
      try {
        const opened = await abortAfter(openTimeoutMs, (opening) => openStored(cached, opening), signal);
        outage.over();
        if (Buffer.isBuffer(opened)) images.set(cached.objectKey, opened);
        if (opened) return opened;
        log.info({ imageId: cached.id }, "removed a cache entry whose image no longer exists");
        await index.remove(cached.indexKey);
      } catch (error) {
        signal.throwIfAborted();
        outage.failed(error);
      }
      return undefined;
    },
    async forget(account, identity, id) {
      const indexKey = indexKeyOf(account, identity);
      const entry = parseCacheEntry((await redis.get(indexKey)) ?? "");
      const files = entry ? [entry, ...(entry.slices ?? [])] : [];
      if (!files.some((file) => file.id === id)) return;
      await redis.del(indexKey);
      for (const { objectKey } of files) images.delete(objectKey);
    },
  };
}

/** LRU cache keyed by object key. Doesn't hold images larger than `imageInMemoryBytesMax`. */
export function createImagesInMemory(bytesMax: number): LRUCache<string, Buffer> {
  return new LRUCache<string, Buffer>({
    maxSize: bytesMax,
    maxEntrySize: imageInMemoryBytesMax + overheadBytes,
    sizeCalculation: ({ length }) => length + overheadBytes,
  });
}

/** The index in Redis. None of its functions rejects. */
function createIndex(redis: Redis, log: BaseLogger) {
  const outage = outageLog(log, "the cache index");
  /** Avoids parsing the same entry again; the request to Redis is still made. */
  const parsed = new LRUCache<string, { text: string; found: IndexedEntry }>({ max: parsedEntriesMax });

  /** Undefined if Redis fails. */
  async function attempt<T>(command: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await command();
      outage.over();
      return result;
    } catch (error) {
      outage.failed(error);
      return undefined;
    }
  }

  const lookUp = createCoalescer(async (indexKey): Promise<IndexedEntry | undefined> => {
    const text = await attempt(() => redis.get(indexKey));
    if (text === undefined || text === null) return undefined;
    const before = parsed.get(indexKey);
    if (before?.text === text) return before.found;
    const entry = parseCacheEntry(text);
    if (entry) {
      const found = Object.freeze({ ...entry, indexKey });
      parsed.set(indexKey, { text, found });
      return found;
    }
    log.warn({ indexKey }, "removed an unreadable cache entry");
    await attempt(() => redis.del(indexKey));
    return undefined;
  });

  return {
    find: lookUp,
    async store(indexKey: string, entry: CacheEntry, keepSeconds: number): Promise<void> {
      // After a storage outage, images may not be stored in the order in which they were captured.
      const present = parseCacheEntry((await attempt(() => redis.get(indexKey))) ?? "");
      if (present && present.capturedAt > entry.capturedAt) return;
      await attempt(() => redis.set(indexKey, JSON.stringify(entry), "EX", keepSeconds));
    },
    remove: async (indexKey: string) => void (await attempt(() => redis.del(indexKey))),
  };
}

/** Includes the account, so that no account can receive another's screenshot. */
function indexKeyOf(account: string, identity: Buffer): string {
  const before = indexKeys.get(identity);
  if (before?.account === account) return before.key;
  const key = `tintype:capture:${account}:${identity.toString("base64url")}`;
  indexKeys.set(identity, { account, key });
  return key;
}

/** Index keys already built, each kept for as long as its identity's buffer is in memory. */
const indexKeys = new WeakMap<Buffer, { account: string; key: string }>();

/** Logs the first failure in an outage and the end of the outage, but not every failure in between. */
function outageLog(log: BaseLogger, what: string) {
  let isDown = false;
  return {
    over() {
      if (isDown) log.info(`${what} is available again`);
      isDown = false;
    },
    failed(error: unknown) {
      if (!isDown) log.warn({ err: error }, `${what} is unavailable: requests are not served from the cache`);
      isDown = true;
    },
  };
}
