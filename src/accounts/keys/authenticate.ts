/** Authenticates API keys, using a one-minute cache and the database (`findKey` in caller.ts). Also generates and hashes keys. */

import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { BaseLogger } from "pino";
import { asUnavailable, type Database, type DatabaseSettings } from "../../database/database.ts";
import type { Clock } from "../../shared/clock.ts";
import { DeadlineExceeded, withDeadline } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import { type ApiKey, findKey } from "./caller.ts";
import { listenForKeyChanges } from "./changes.ts";

export interface Keys {
  /**
   * @throws {AppError} `invalid_api_key`, with the same message whether the key is malformed, unknown, revoked, disabled or expired;
   *   `unavailable` if the database is down and the key hasn't been loaded in the last ten minutes.
   */
  authenticate(key: string): Promise<ApiKey>;
  /** The key, if it is in the one-minute cache and hasn't expired. Synchronous, so that most requests don't have to wait. */
  known(key: string): ApiKey | undefined;
  /** Evicts the user's keys from this process's cache immediately. Other replicas evict them when the database announces the change. */
  forget(userId: string): void;
  /** Stops listening for changes. */
  close(): Promise<void>;
}

/** Maximum number of entries in each cache. */
const cachedMax = 10_000;
/** How long a loaded key is used before it is read again. */
const freshMs = 60_000;
/** How long a loaded key keeps working while the database is down. */
const outageMs = 600_000;
/** How long a nonexistent key is rejected without a query. */
const unknownMs = 5_000;
/** How long known keys are served from memory during an outage before the database is tried again. */
const outagePauseMs = 2_000;
/** Deadline for reloading a known key. */
const knownKeyTimeoutMs = 1_000;
const unknownKeyTimeoutMs = 5_000;

interface Dependencies {
  database: Database;
  clock: Clock;
  log: BaseLogger;
  /** Connection settings for change notifications. */
  listen: DatabaseSettings;
}

/**
 * Known keys are reloaded after a minute, and unknown keys after five seconds. A change evicts both on every replica through the `accounts`
 * channel.
 */
export function createKeys({ database, clock, log, listen }: Dependencies): Keys {
  const cache = createKeyCache(clock);
  const loading = new Map<string, Promise<ApiKey | null>>();
  let pausedUntilMs = 0;

  function drop(userId: string | "*"): void {
    cache.drop(userId);
    loading.clear(); // later requests must not get a result that was read before the change
  }
  const changes = listenForKeyChanges(listen, log, { onChange: drop, onListening: () => drop("*") });

  function load(text: string): Promise<ApiKey | null> {
    const running = loading.get(text);
    if (running) return running;
    const generation = cache.generation();
    const started = findKey(database, hashKey(text))
      .then((key) => {
        cache.store(text, key, generation);
        return key;
      })
      .finally(() => {
        if (loading.get(text) === started) loading.delete(text);
      });
    loading.set(text, started);
    return started;
  }

  async function find(text: string): Promise<ApiKey | null> {
    const cached = cache.fresh(text) ?? (clock.now() < pausedUntilMs ? cache.stale(text) : undefined);
    if (cached) return cached;
    if (cache.isUnknown(text)) return null;
    const timeoutMs = cache.stale(text) ? knownKeyTimeoutMs : unknownKeyTimeoutMs;
    try {
      return await withDeadline(load(text), timeoutMs, () => {
        throw asUnavailable(new DeadlineExceeded(timeoutMs, "the database"));
      });
    } catch (error) {
      if (!(error instanceof AppError && /^(unavailable|rate_limited)$/.test(error.code))) throw error;
      if (error.code === "unavailable") pausedUntilMs = clock.now() + outagePauseMs;
      const stale = cache.stale(text);
      if (stale) return stale;
      throw error;
    }
  }

  /** Checked on every use, so that a cached key expires on time. */
  const isExpired = ({ expiresAt }: ApiKey) => expiresAt !== null && expiresAt.getTime() <= clock.now();
  const known: Keys["known"] = (text) => {
    const key = cache.fresh(text);
    return key && !isExpired(key) ? key : undefined;
  };

  return {
    known,
    async authenticate(text) {
      const key = known(text) ?? (isWellFormedKey(text) ? await find(text) : null);
      if (!key || isExpired(key)) throw new AppError("invalid_api_key");
      return key;
    },
    forget: drop,
    close: () => changes.close(),
  };
}

/**
 * Entries are keyed by the API keys themselves, which have at most 57 characters: hashing a key for each request would cost more than the
 * lookup. Known and unknown keys have separate caches, so that a flood of unknown keys can't evict known ones. Each drop starts a new
 * generation. A result read in an earlier generation may be stale and is not stored.
 */
function createKeyCache(clock: Clock) {
  const bounds = { max: cachedMax, perf: clock, ttlResolution: 0 };
  const known = new LRUCache<string, { key: ApiKey; freshUntilMs: number }>({ ...bounds, ttl: outageMs });
  const unknown = new LRUCache<string, true>({ ...bounds, ttl: unknownMs });
  let generation = 0;

  return {
    generation: () => generation,
    fresh(text: string): ApiKey | undefined {
      const found = known.get(text);
      return found && clock.now() < found.freshUntilMs ? found.key : undefined;
    },
    /** Used while the database is down. */
    stale: (text: string) => known.get(text)?.key,
    isUnknown: (text: string) => unknown.has(text),
    store(text: string, key: ApiKey | null, readInGeneration: number): void {
      if (readInGeneration !== generation) return;
      known.delete(text);
      unknown.delete(text);
      if (key) known.set(text, { key, freshUntilMs: clock.now() + freshMs });
      else unknown.set(text, true);
    },
    /** Drops the keys of `userId`, or of all users for `*`, and all unknown keys, since any of them may exist by now. */
    drop(userId: string | "*"): void {
      generation += 1;
      unknown.clear();
      for (const [text, { key }] of [...known.entries()]) if (userId === "*" || key.userId === userId) known.delete(text);
    },
  };
}

// Key format: `<prefix>_<30 base62 characters><CRC-32 as 6 base62 characters>`.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const bodyLength = 30;
const checksumLength = 6;
const prefixLengthMax = 20;
const keyLengthMax = prefixLengthMax + 1 + bodyLength + checksumLength;
const prefixPattern = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const tailPattern = /^[0-9A-Za-z]{36}$/;

/**
 * Generates a key from 178 random bits, with a checksum over the prefix and the body.
 * @throws if `prefix` is not `[a-z][a-z0-9]*(_[a-z0-9]+)*` with at most 20 characters.
 */
export function generateKey(prefix: string): string {
  if (!isPrefix(prefix))
    throw new Error("The prefix of an API key must consist of at most 20 lower-case letters, digits and single underscores.");
  const body = Array.from({ length: bodyLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  return `${prefix}_${body}${checksumOf(`${prefix}_${body}`)}`;
}

/** Whether `text` has the key format, with any prefix. Filters out garbage and typos before a lookup. */
export function isWellFormedKey(text: string): boolean {
  if (text.length > keyLengthMax) return false;
  const end = text.lastIndexOf("_");
  if (!tailPattern.test(text.slice(end + 1)) || !isPrefix(text.slice(0, Math.max(end, 0)))) return false;
  return checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** SHA-256 of the whole key, 32 bytes. Unsalted, because 178 random bits can't be guessed. */
export function hashKey(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/** Abbreviates a key for display: `ss_Ab12…x9Zk`. */
export function keyHint(key: string): string {
  const body = key.lastIndexOf("_") + 1;
  return `${key.slice(0, body + 4)}…${key.slice(-4)}`;
}

function isPrefix(text: string): boolean {
  return text.length <= prefixLengthMax && prefixPattern.test(text);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let checksum = "";
  for (let digit = 0; digit < checksumLength; digit++) {
    checksum = alphabet.charAt(rest % alphabet.length) + checksum;
    rest = Math.floor(rest / alphabet.length);
  }
  return checksum;
}
