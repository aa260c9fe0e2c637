/** Limits attempts, in Redis; during an outage of Redis, per process. */

import type { Redis } from "ioredis";
import { AppError } from "../../shared/errors.ts";
import { createCounter } from "./rate-limit.ts";

/** Counts an attempt by `id`, even one that is refused here. @throws {AppError} `rate_limited`. */
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
