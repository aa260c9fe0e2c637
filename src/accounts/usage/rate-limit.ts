/** Limits requests by key and IP address, as well as sign-ins and other attempts. Counts in Redis, or per process during a Redis outage. */

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { isIPv6 } from "node:net";
import type { Redis } from "ioredis";
import type * as Limiters from "rate-limiter-flexible";
import { type Clock, systemClock } from "../../shared/clock.ts";
import { createCoalescer } from "../../shared/coalesce.ts";
import { AppError } from "../../shared/errors.ts";

// The package's index would load the limiters for all stores: 36 modules, which cost 20 ms at each start.
const require = createRequire(import.meta.url);
const RateLimiterMemory: typeof Limiters.RateLimiterMemory = require("rate-limiter-flexible/lib/RateLimiterMemory.js");
const RateLimiterRedis: typeof Limiters.RateLimiterRedis = require("rate-limiter-flexible/lib/RateLimiterRedis.js");
type RateLimiterRedis = Limiters.RateLimiterRedis;

export interface RateLimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix time in seconds at which the window ends. */
  resetAtSeconds: number;
  /** At least 1 if the request is refused, otherwise 0. */
  retryAfterSeconds: number;
}

export interface RateLimiter {
  /** Counts one request from `id`, even if it is refused. `limit` is per minute; if null, `maxRequests` per `windowMs` applies. */
  consume(bucket: { id: string; limit: number | null }): Promise<RateLimitState>;
  /** Counts one request from an IP address, with `maxRequests` per `windowMs`; IPv6 addresses in the same /64 share one count. */
  consumeAddress(ip: string): Promise<RateLimitState>;
}

const minuteSeconds = 60;

/**
 * Windows are fixed: each starts with a bucket's first request. `windowMs` is rounded up to whole seconds. During a Redis outage each
 * replica counts on its own, so the effective limit is multiplied by the number of replicas.
 */
export function createRateLimiter(
  redis: Redis,
  settings: { windowMs: number; maxRequests: number },
  clock: Clock = systemClock,
): RateLimiter {
  const windowSeconds = Math.ceil(settings.windowMs / 1000);
  // Concurrent requests are counted in one step; each gets the count that it would have gotten on its own.
  const coalesced = (counter: RateLimiterRedis) => createCoalescer((id, requests) => counter.consume(id, requests));
  const perMinute = coalesced(createCounter(redis, "rate:minute", minuteSeconds));
  const perWindow = coalesced(createCounter(redis, "rate:window", windowSeconds));
  const perAddress = coalesced(createCounter(redis, "rate:address", windowSeconds));

  async function count(counter: typeof perMinute, id: string, limit: number): Promise<RateLimitState> {
    const { result, position, batchSize } = await counter(id);
    const { msBeforeNext } = result;
    const consumedPoints = result.consumedPoints - batchSize + position;
    const allowed = consumedPoints <= limit;
    return {
      allowed,
      limit,
      remaining: Math.max(limit - consumedPoints, 0),
      resetAtSeconds: Math.ceil((clock.now() + msBeforeNext) / 1000),
      retryAfterSeconds: allowed ? 0 : Math.max(Math.ceil(msBeforeNext / 1000), 1),
    };
  }

  return {
    consume: ({ id, limit }) => (limit === null ? count(perWindow, id, settings.maxRequests) : count(perMinute, id, limit)),
    consumeAddress: (ip) => count(perAddress, addressBucket(ip), settings.maxRequests),
  };
}

/** A counter that never refuses on its own, so that it can be used with any limit. */
export function createCounter(redis: Redis, keyPrefix: string, seconds: number): RateLimiterRedis {
  const shape = { keyPrefix, points: Number.MAX_SAFE_INTEGER, duration: seconds };
  return new RateLimiterRedis({
    ...shape,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(shape),
  });
}

/**
 * Internet providers usually assign each customer a whole /64, so a limit per IPv6 address would have no effect.
 * @param ip undefined if the connection has closed; requests without an address share one limit.
 */
export function addressBucket(ip: string | undefined): string {
  if (ip === undefined) return "closed";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped) return mapped;
  const [address = ""] = ip.split("%", 1);
  if (!isIPv6(address)) return ip;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail ? tail.split(":") : [];
  const zeros = Array<string>(tail === undefined ? 0 : 8 - front.length - back.length).fill("0");
  return `${[...front, ...zeros, ...back].slice(0, 4).join(":")}::`;
}

/** The largest network that providers usually assign to a customer: of IPv6, the /48. One customer may have thousands of `addressBucket`s. */
export function siteOf(ip: string): string {
  const bucket = addressBucket(ip);
  return bucket.endsWith("::") ? `${bucket.split(":", 3).join(":")}::` : bucket;
}

/** Counts an attempt by `id`, refused or not. @throws {AppError} `rate_limited`. */
export type CountAttempt = (id: string) => Promise<void>;

/** @param name unique. @param limit attempts per window of `seconds`, which starts with the first attempt. */
export function createAttemptLimit(redis: Redis, name: string, limit: { attempts: number; seconds: number }): CountAttempt {
  const counter = createCounter(redis, name, limit.seconds);
  return async (id) => {
    const { consumedPoints, msBeforeNext } = await counter.consume(id);
    if (consumedPoints <= limit.attempts) return;
    const retryAfterSeconds = Math.max(Math.ceil(msBeforeNext / 1000), 1);
    throw new AppError("rate_limited", { message: `Too many attempts; try again in ${retryAfterSeconds} s.`, retryAfterSeconds });
  };
}

/** For an account's changes in the dashboard, in all its sessions: more than a person makes, and each may add to the audit log. */
export const createChangeLimit = (redis: Redis) => createAttemptLimit(redis, "dashboard:changes", { attempts: 120, seconds: 60 });

/** For webhooks and destination tests that an account triggers manually, because each may go to an arbitrary address. */
export const createSendLimit = (redis: Redis) => createAttemptLimit(redis, "webhooks:sent", { attempts: 30, seconds: 60 });

/** Maximum number of canceled captures per hour: ten times the largest batch. Their records are kept for an hour. */
export const canceledPerHourMax = 10_000;

/**
 * Limits the number of batch captures that an account may cancel: canceled captures don't use the quota, but each requires a record, a job
 * and a reservation.
 */
export interface CanceledLimit {
  count(userId: string, captures: number): Promise<void>;
  /** Called before another batch is queued. @throws {AppError} `rate_limited`. */
  assertWithin(userId: string): Promise<void>;
}

/** Counts in Redis, or per process during a Redis outage. */
export function createCanceledLimit(redis: Redis, max = canceledPerHourMax): CanceledLimit {
  const counter = createCounter(redis, "captures:canceled", 3_600);
  return {
    count: async (userId, captures) => void (captures > 0 && (await counter.consume(userId, captures))),
    async assertWithin(userId) {
      const { consumedPoints = 0, msBeforeNext = 0 } = (await counter.get(userId)) ?? {};
      if (consumedPoints < max) return;
      const retryAfterSeconds = Math.max(Math.ceil(msBeforeNext / 1000), 1);
      const message = `The account has canceled ${consumedPoints} batch captures within an hour; try again in ${retryAfterSeconds} s.`;
      throw new AppError("rate_limited", { message, retryAfterSeconds });
    },
  };
}

/** Counts every attempt, including successful and refused ones. @throws {AppError} `rate_limited`. */
export type CountSignInAttempt = (ip: string, email?: string) => Promise<void>;

const perAddress = { attempts: 20, seconds: 60 };
/** Slows down attempts to guess one user's password from many addresses. Generous, because it also locks out the user. */
const perEmail = { attempts: 20, seconds: 15 * 60 };

export function createSignInLimit(redis: Redis): CountSignInAttempt {
  const countAddress = createAttemptLimit(redis, "sign-in:address", perAddress);
  const countEmail = createAttemptLimit(redis, "sign-in:email", perEmail);
  return async (ip, email) => {
    await countAddress(addressBucket(ip));
    // Hashed, so that keys have a fixed length and Redis doesn't hold e-mail addresses.
    if (email !== undefined) await countEmail(hashOf(email));
  };
}

function hashOf(email: string): string {
  return createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");
}
