/** Charges for captures that a worker makes while an API process waits: a capture is charged only once its response has been sent. */

import type { Queries } from "../../database/database.ts";

export interface Answers {
  /** Charges the capture: its response has been sent. False if the sweep had already refunded it. */
  confirm(captureId: string): Promise<boolean>;
  /** Refunds the capture: its caller got no image. False if it had already been confirmed or refunded. */
  release(captureId: string): Promise<boolean>;
}

export function createAnswers(database: Queries): Answers {
  return {
    async confirm(captureId) {
      const { rowCount } = await database.query("update captures set answer_by = null where id = $1 and answer_by is not null", [
        captureId,
      ]);
      return rowCount === 1;
    },
    release: async (captureId) => (await refundUnanswered(database, "id = $1", [captureId])) === 1,
  };
}

/** Refunds captures whose process died before confirming the response. @returns their number, at most `limit`. */
export function sweepUnanswered(database: Queries, limit: number): Promise<number> {
  return refundUnanswered(database, "answer_by < now() order by answer_by limit $1 for update skip locked", [limit]);
}

/** Keeps the records and their files. Locks counters in a fixed order, so that two sweeps don't deadlock. @param which SQL condition. */
async function refundUnanswered(database: Queries, which: string, values: unknown[]): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `with unanswered as (
       update captures set answer_by = null where answer_by is not null and id in (select id from captures where ${which}) returning id
     ), freed as (
       update screenshots s set costs = 0 from unanswered a
        where s.capture_id = a.id and s.costs > 0 and s.status <> 'failed'
       returning s.user_id, s.period_start
     ), owed as (
       select user_id, period_start, count(*)::integer as screenshots from freed group by user_id, period_start
     ), held as (
       select u.user_id, u.period_start from usage_periods u
         join owed on owed.user_id = u.user_id and owed.period_start = u.period_start
        order by u.user_id, u.period_start for no key update of u
     ), refunded as (
       update usage_periods u set used = greatest(u.used - owed.screenshots, 0)
         from owed join held on held.user_id = owed.user_id and held.period_start = owed.period_start
        where u.user_id = owed.user_id and u.period_start = owed.period_start
     )
     select count(*)::integer as count from unanswered`,
    values,
  );
  return rows[0]?.count ?? 0;
}
