/** The statements behind `Charge.refund` and the sweep: each ends records and returns their cost to the counters of their months. */

import { jsonbText, type Queries } from "../../database/database.ts";

/**
 * Returns the costs of the records in `freed`, a common table of the statement, to their months. Locks counters in a fixed order, so that
 * two sweeps don't deadlock.
 */
const refunded = (freed: string) => `owed as (
    select user_id, period_start, sum(costs)::integer as screenshots from ${freed} group by user_id, period_start
  ), held as (
    select u.user_id, u.period_start from usage_periods u
      join owed on owed.user_id = u.user_id and owed.period_start = u.period_start
     order by u.user_id, u.period_start for no key update of u
  ), refunded as (
    update usage_periods u set used = greatest(u.used - owed.screenshots, 0)
      from owed join held on held.user_id = owed.user_id and held.period_start = owed.period_start
     where u.user_id = owed.user_id and u.period_start = owed.period_start
  )`;

/** @param of selects the output with this `id`, or all outputs with this `capture_id`. */
export async function refundRecord(
  database: Queries,
  of: { column: "id" | "capture_id"; id: string },
  error: string,
  explanation?: object,
): Promise<boolean> {
  const { rows } = await database.query<{ count: number }>({
    name: `refund_screenshots_by_${of.column}`,
    text: `with failed as (
             update screenshots set status = 'failed', lease_until = null, error = $2, explanation = $3::jsonb
              where ${of.column} = $1 and status = 'pending'
             returning user_id, period_start, costs
           ), ${refunded("failed")}
           select count(*)::integer as count from failed`,
    values: [of.id, error, explanation ? jsonbText(explanation) : null],
  });
  return isAny(rows);
}

/** Deletes the records. @param ids ids of screenshots, or of captures with all their outputs. */
export async function refundUnneeded(database: Queries, ids: string[]): Promise<boolean> {
  const { rows } = await database.query<{ count: number }>(
    `with removed as (
       delete from screenshots where (id = any($1::uuid[]) or capture_id = any($1::uuid[])) and status = 'pending'
       returning user_id, period_start, costs
     ), ${refunded("removed")}
     select count(*)::integer as count from removed`,
    [ids],
  );
  return isAny(rows);
}

export async function refundUnanswered(database: Queries, captureId: string): Promise<boolean> {
  return (await endUnanswered(database, "id = $1", [captureId])) > 0;
}

/** Pending records stay pending, and will be settled at no cost. @param id of a screenshot, or of a capture with all its outputs. */
export async function refundUndelivered(database: Queries, id: string): Promise<boolean> {
  const { rows } = await database.query<{ count: number }>(
    `with freed as (
       update screenshots set costs = 0 where (id = $1 or capture_id = $1) and costs > 0 and status <> 'failed'
       returning user_id, period_start, 1 as costs
     ), ${refunded("freed")}
     select count(*)::integer as count from freed`,
    [id],
  );
  return isAny(rows);
}

/** Refunds captures whose process died before confirming the response. @returns their number, at most `limit`. */
export async function sweepUnanswered(database: Queries, limit: number): Promise<number> {
  return await endUnanswered(database, "answer_by < now() order by answer_by limit $1 for update skip locked", [limit]);
}

/** Keeps the records and their files. @param which SQL condition. */
async function endUnanswered(database: Queries, which: string, values: unknown[]): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `with unanswered as (
       update captures set answer_by = null where answer_by is not null and id in (select id from captures where ${which}) returning id
     ), freed as (
       update screenshots s set costs = 0 from unanswered a
        where s.capture_id = a.id and s.costs > 0 and s.status <> 'failed'
       returning s.user_id, s.period_start, 1 as costs
     ), ${refunded("freed")}
     select count(*)::integer as count from unanswered`,
    values,
  );
  return rows[0]?.count ?? 0;
}

/** Refunds reservations with an expired lease. Skips records locked by another replica. @returns their number, at most `limit`. */
export async function sweepExpired(database: Queries, limit: number): Promise<number> {
  const { rows } = await database.query<{ count: number }>({
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
           ), ${refunded("failed")}
           select count(*)::integer as count from failed`,
    values: [limit],
  });
  return rows[0]?.count ?? 0;
}

function isAny(rows: { count: number }[]): boolean {
  return (rows[0]?.count ?? 0) > 0;
}
