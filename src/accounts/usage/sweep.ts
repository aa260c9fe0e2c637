/**
 * Refunds reservations whose lease has expired, and captures whose response was never confirmed: their process died, or the database was
 * down for too long.
 */

import type { BaseLogger } from "pino";
import type { Database } from "../../database/database.ts";
import { createLoop, type Loop } from "../../shared/loop.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { sweepExpired, sweepUnanswered } from "./refund.ts";

export interface QuotaSweep extends Loop {
  /** Refunds abandoned reservations of all replicas; returns their number. @throws {AppError} `unavailable`. */
  run(closing?: AbortSignal): Promise<number>;
}

const batchSize = 500;

interface Dependencies {
  database: Database;
  log: BaseLogger;
  metrics?: Pick<Metrics, "quotaRefunds">;
}

export function createQuotaSweep({ database, log, metrics }: Dependencies): QuotaSweep {
  async function run(closing?: AbortSignal): Promise<number> {
    let total = 0;
    for (const refund of [sweepExpired, sweepUnanswered])
      for (let count = batchSize; count === batchSize && !closing?.aborted; total += count) count = await refund(database, batchSize);
    if (total > 0) {
      metrics?.quotaRefunds.inc({ reason: "swept" }, total);
      log.warn({ reservations: total }, "refunded abandoned reservations");
    }
    return total;
  }

  return { run, ...createLoop(run, (error) => log.warn({ err: error }, "failed to refund abandoned reservations")) };
}
