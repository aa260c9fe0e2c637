/** Refunds reservations with an expired lease, and unanswered captures: their process died, or the database was down for too long. */

import type { BaseLogger } from "pino";
import type { Database } from "../../database/database.ts";
import { createLoop, type Loop } from "../../shared/loop.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { sweepUnanswered } from "./answers.ts";

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
    for (const refund of [refundExpired, (from: Database) => sweepUnanswered(from, batchSize)]) {
      for (let count = batchSize; count === batchSize && !closing?.aborted; total += count) count = await refund(database);
    }
    if (total > 0) {
      metrics?.quotaRefunds.inc({ reason: "swept" }, total);
      log.warn({ reservations: total }, "refunded abandoned reservations");
    }
    return total;
  }

  return { run, ...createLoop(run, (error) => log.warn({ err: error }, "failed to refund abandoned reservations")) };
}

/** Refunds one batch. Skips records locked by another replica; locks counters in a fixed order, so that two sweeps don't deadlock. */
async function refundExpired(database: Database): Promise<number> {
  const { rows } = await database.query<{ swept: number }>({
    name: "sweep_screenshots",
    timeoutMs: Number.POSITIVE_INFINITY,
    text: `with expired as (
             select id from screenshots
              where status = 'pending' and lease_until < now()
              order by lease_until limit $1 for update skip locked
           ), failed as (
             update screenshots s set status = 'failed', lease_until = null, error = 'abandoned'
               from expired where s.id = expired.id
             returning s.user_id, s.period_start, s.costs
           ), owed as (
             select user_id, period_start, sum(costs)::integer as screenshots from failed group by user_id, period_start
           ), held as (
             select u.user_id, u.period_start from usage_periods u
               join owed on owed.user_id = u.user_id and owed.period_start = u.period_start
              order by u.user_id, u.period_start for no key update of u
           ), refunded as (
             update usage_periods u set used = greatest(u.used - owed.screenshots, 0)
               from owed join held on held.user_id = owed.user_id and held.period_start = owed.period_start
              where u.user_id = owed.user_id and u.period_start = owed.period_start
           )
           select count(*)::integer as swept from failed`,
    values: [batchSize],
  });
  return rows[0]?.swept ?? 0;
}
