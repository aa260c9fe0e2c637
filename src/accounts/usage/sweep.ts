/**
 * Refunds reservations whose lease has expired, and drops captures whose response was never confirmed because their process died or the
 * database was down for too long.
 */

import type { BaseLogger } from "pino";
import type { Database } from "../../database/database.ts";
import { createLoop, type Loop } from "../../shared/loop.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { type OnDropped, sweepUnanswered } from "./drop.ts";
import { sweepExpired } from "./refund.ts";

export interface QuotaSweep extends Loop {
  /** Ends all replicas' abandoned reservations and unanswered captures; returns how many there were. @throws {AppError} `unavailable`. */
  run(closing?: AbortSignal): Promise<number>;
}

const batchSize = 500;

interface Dependencies {
  database: Database;
  log: BaseLogger;
  metrics?: Pick<Metrics, "quotaRefunds">;
  onDropped?: OnDropped;
}

export function createQuotaSweep({ database, log, metrics, onDropped }: Dependencies): QuotaSweep {
  async function dropUnanswered(): Promise<number> {
    const { count, images } = await sweepUnanswered(database, batchSize);
    if (images.length > 0) await onDropped?.(images);
    return count;
  }

  async function run(closing?: AbortSignal): Promise<number> {
    let total = 0;
    for (const refund of [() => sweepExpired(database, batchSize), dropUnanswered])
      for (let count = batchSize; count === batchSize && !closing?.aborted; total += count) count = await refund();
    if (total > 0) {
      metrics?.quotaRefunds.inc({ reason: "swept" }, total);
      log.warn({ reservations: total }, "refunded abandoned reservations");
    }
    return total;
  }

  return { run, ...createLoop(run, (error) => log.warn({ err: error }, "failed to refund abandoned reservations")) };
}
