/** The month's quota: reserved before a capture, settled when the picture is there, given back when it fails. */

import type pg from "pg";
import type { BaseLogger } from "pino";
import type { Clock } from "../../clock.ts";
import { answerInTime, isDatabaseAway } from "../../database.ts";
import { AppError } from "../../errors.ts";
import type { Metrics } from "../../metrics.ts";
import type { Caller } from "../keys/authenticate.ts";
import { type Period, quotaPeriod } from "./period.ts";
import { insertPending, markDone, markFailed, sweepExpired } from "./quota-queries.ts";

/** What is reserved for; `id` is a UUIDv7 of the caller's. */
export interface ReservedCapture {
  id: string;
  url: string;
  /** Without the values of cookies, headers and authorization. */
  options: object;
  cacheKey: Buffer;
  /** How long the capture may take before its reservation counts as abandoned; by the database's clock. */
  leaseMs: number;
  /** End of the record's retention. */
  expiresAt: Date;
}

export interface SettledImage {
  format: string;
  width: number;
  height: number;
  bytes: number;
  durationMs: number;
  /** null: delivered, but not stored. */
  objectKey: string | null;
}

export interface Reservation {
  id: string;
  /** Until then, by the clock, a capture that was delivered can be settled; afterwards a sweep may have given it back. Unix milliseconds. */
  endsAtMs: number;
  /** The capture counts. False, and nothing changes, when the reservation was settled, refunded or swept before. */
  settle(image: SettledImage): Promise<boolean>;
  /** The capture failed and costs nothing. False, and nothing changes, when the reservation was settled, refunded or swept before. */
  refund(errorCode: string): Promise<boolean>;
}

export interface Quota {
  /**
   * Takes one of the month's screenshots. Without a quota it is counted all the same. Waits for the database for 5 s at most; a
   * reservation that comes about later is given back at once, one whose answer is lost when its lease is over.
   * @throws {AppError} `quota_exceeded` when none is left; `unavailable` when the database is away; `invalid_api_key` when the account
   * has been deleted meanwhile.
   */
  reserve(caller: Caller, capture: ReservedCapture): Promise<Reservation>;
  /** Refunds reservations whose lease is over, those of other replicas too; how many there were. */
  sweep(): Promise<number>;
  /** Sweeps again and again until `close`. */
  startSweeping(everyMs: number): void;
  /** Waits for a sweep that is under way; the pool stays open. */
  close(): Promise<void>;
}

const sweepBatchSize = 500;
const foreignKeyViolation = "23503";

interface Dependencies {
  pool: pg.Pool;
  clock: Clock;
  log: BaseLogger;
  metrics?: Pick<Metrics, "quotaRefunds">;
}

/** Every step is one statement guarded by the reservation's state, so a process may die between any two of them. */
export function createQuota({ pool, clock, log, metrics }: Dependencies): Quota {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<number> | undefined;
  let closed = false;

  async function reserve(caller: Caller, capture: ReservedCapture): Promise<Reservation> {
    const period = quotaPeriod(caller.anchor, new Date(clock.now()));
    const endsAtMs = clock.now() + capture.leaseMs;
    const admitting = answerInTime(insertPending(pool, caller, period.start, capture), {
      late: (admitted) => admitted && void refund(capture.id, "unavailable").catch(() => {}), // the sweeper does it then
    });
    const admitted = await orUnavailable(admitting).catch((error) => {
      if ((error as { code?: unknown }).code === foreignKeyViolation) throw new AppError("invalid_api_key", { cause: error });
      throw error;
    });
    if (!admitted) throw quotaExceeded(caller.monthlyQuota, period);
    return {
      id: capture.id,
      endsAtMs,
      settle: (image) => orUnavailable(markDone(pool, capture.id, image)),
      refund: (errorCode) => orUnavailable(answerInTime(refund(capture.id, errorCode))),
    };
  }

  async function refund(id: string, errorCode: string): Promise<boolean> {
    const refunded = await markFailed(pool, id, errorCode);
    if (refunded) metrics?.quotaRefunds.inc({ reason: "failed" });
    return refunded;
  }

  async function sweepAll(): Promise<number> {
    let total = 0;
    let count: number;
    do {
      count = await orUnavailable(sweepExpired(pool, sweepBatchSize));
      total += count;
    } while (count === sweepBatchSize && !closed);
    if (total > 0) {
      metrics?.quotaRefunds.inc({ reason: "swept" }, total);
      log.warn({ reservations: total }, "abandoned reservations were refunded");
    }
    return total;
  }

  function sweep(): Promise<number> {
    sweeping ??= sweepAll().finally(() => {
      sweeping = undefined;
    });
    return sweeping;
  }

  return {
    reserve,
    sweep,
    startSweeping(everyMs) {
      clearInterval(timer);
      const run = () => void sweep().catch((error) => log.warn({ err: error }, "abandoned reservations could not be refunded"));
      timer = setInterval(run, everyMs).unref();
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await sweeping?.catch(() => {});
    },
  };
}

function quotaExceeded(quota: number | null, period: Period): AppError {
  const reset = `${period.end.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return new AppError("quota_exceeded", { message: `This month's ${quota} screenshots are used up; the next month begins on ${reset}.` });
}

async function orUnavailable<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    if (isDatabaseAway(error)) throw new AppError("unavailable", { retryAfterSeconds: 5, cause: error });
    throw error;
  }
}
