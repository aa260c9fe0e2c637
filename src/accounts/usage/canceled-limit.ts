/**
 * Limits the number of batch captures that an account cancels: they don't use the quota, but each one requires a record, a job and a
 * reservation.
 */

import type { Redis } from "ioredis";
import { AppError } from "../../shared/errors.ts";
import { createCounter } from "./rate-limit.ts";

/** Maximum canceled captures per hour, the time for which their records are kept. Ten times the largest batch. */
export const canceledPerHourMax = 10_000;

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
