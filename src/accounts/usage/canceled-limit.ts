/** Limits how many batch captures an account cancels: they cost no quota, but each takes a record, a job and a reservation. */

import type { Redis } from "ioredis";
import { AppError } from "../../shared/errors.ts";
import { createCounter } from "./rate-limit.ts";

/** Canceled captures per hour, which is how long their records are kept. Ten times the largest batch. */
export const canceledPerHourMax = 10_000;

export interface CanceledLimit {
  count(userId: string, captures: number): Promise<void>;
  /** Called before another batch is queued. @throws {AppError} `rate_limited`. */
  assertWithin(userId: string): Promise<void>;
}

/** Counts in Redis; during an outage of Redis, per process. */
export function createCanceledLimit(redis: Redis, max = canceledPerHourMax): CanceledLimit {
  const counter = createCounter(redis, "captures:canceled", 3_600);
  return {
    count: async (userId, captures) => void (captures > 0 && (await counter.consume(userId, captures))),
    async assertWithin(userId) {
      const { consumedPoints = 0, msBeforeNext = 0 } = (await counter.get(userId)) ?? {};
      if (consumedPoints < max) return;
      const retryAfterSeconds = Math.max(Math.ceil(msBeforeNext / 1000), 1);
      const message = `The account has canceled ${consumedPoints} captures of batches within an hour; try again in ${retryAfterSeconds} s.`;
      throw new AppError("rate_limited", { message, retryAfterSeconds });
    },
  };
}
