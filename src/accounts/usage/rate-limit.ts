/** Counts requests per key and per address, in Redis; while it is away, in this process. */

import { isIPv6 } from "node:net";
import type { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import { type Clock, systemClock } from "../../clock.ts";
import { createGatherer } from "../../coalesce.ts";

export interface RateLimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix time in seconds at which the window ends. */
  resetAtSeconds: number;
  /** At least 1 when refused, else 0. */
  retryAfterSeconds: number;
}

export interface RateLimiter {
  /** Counts one request of `id`, also when it is refused. `limit` is per minute; null: `maxRequests` per `windowMs`. */
  consume(bucket: { id: string; limit: number | null }): Promise<RateLimitState>;
  /** Counts one request of an address, with `maxRequests` per `windowMs`; an IPv6 address counts as its /64. */
  consumeAddress(ip: string): Promise<RateLimitState>;
}

const minuteSeconds = 60;

/**
 * Windows are fixed: they begin with a bucket's first request. `windowMs` is rounded up to whole seconds.
 * While Redis is away each replica counts by itself, so the most that passes is the limit times the number of replicas.
 */
export function createRateLimiter(
  redis: Redis,
  settings: { windowMs: number; maxRequests: number },
  clock: Clock = systemClock,
): RateLimiter {
  const windowSeconds = Math.ceil(settings.windowMs / 1000);
  // Requests of one moment are counted in one step, and each gets the number that it would have got alone.
  const gathering = (counter: RateLimiterRedis) => createGatherer((id, requests) => counter.consume(id, requests));
  const perMinute = gathering(createCounter(redis, "rate:minute", minuteSeconds));
  const perWindow = gathering(createCounter(redis, "rate:window", windowSeconds));
  const perAddress = gathering(createCounter(redis, "rate:address", windowSeconds));

  async function count(counter: typeof perMinute, id: string, limit: number): Promise<RateLimitState> {
    const { answer, place, together } = await counter(id);
    const { msBeforeNext } = answer;
    const consumedPoints = answer.consumedPoints - together + place;
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

/** Only counts: its own limit is never reached, so one counter serves buckets of every limit. */
export function createCounter(redis: Redis, keyPrefix: string, seconds: number): RateLimiterRedis {
  const shape = { keyPrefix, points: Number.MAX_SAFE_INTEGER, duration: seconds };
  return new RateLimiterRedis({
    ...shape,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(shape),
  });
}

/** One customer of a provider usually has a whole /64, so a limit per single IPv6 address would be none. */
export function addressBucket(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped) return mapped;
  const address = ip.replace(/%.*$/, "");
  if (!isIPv6(address)) return ip;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail ? tail.split(":") : [];
  const zeros = Array<string>(tail === undefined ? 0 : 8 - front.length - back.length).fill("0");
  return `${[...front, ...zeros, ...back].slice(0, 4).join(":")}::`;
}
