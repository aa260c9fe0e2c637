/** The statements behind `Charge.refund` and the sweep: they return records' costs to the monthly counters that were charged. */

import { jsonbText, type Queries } from "../../database/database.ts";

/**
 * Returns the costs of the records in `freed`, a CTE in the statement, to their months. Locks counters in a fixed order, so that two sweeps
 * don't deadlock.
 */
export const refunded = (freed: string) => `owed as (
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

/**
 * Moves the cost of each record in `lost` to another output of its capture that has a file or may still get one; if there is none, returns
 * the cost to its month. Requires two CTEs: `own`, which contains all outputs of these captures, and `lost`, whose costs the statement
 * itself must reset, unless it marks the records as failed and their costs are refunded rather than moved.
 */
export const inherited = `heir as (
    select distinct on (l.id) l.id as carrier, l.costs, o.id
      from lost l join own o on o.capture_id = l.capture_id
     where l.costs > 0 and o.id not in (select id from lost) and (o.status = 'pending' or o.status = 'done' and o.object_key is not null)
     order by l.id, o.status = 'done' desc, o.id
  ), moved as (
    update screenshots s set costs = heir.costs from heir where s.id = heir.id
  ), freed as (
    select user_id, period_start, costs from lost where costs > 0 and id not in (select carrier from heir)
  ), ${refunded("freed")}`;

/**
 * Columns of `own` and `lost`. Statements lock the rows in id order, so that two statements that affect the same capture don't deadlock.
 */
export const outputColumns = "s.id, s.capture_id, s.user_id, s.period_start, s.status, s.costs, s.object_key, s.lease_until";

/**
 * Assignments that mark a record as failed. A stored image, such as one from a killed attempt, expires immediately: it can't be read
 * anymore, and retention removes its file.
 */
export const failing = `status = 'failed', lease_until = null,
  expires_at = case when s.object_key is null then s.expires_at else least(s.expires_at, now()) end`;

/** Marks a pending record as failed and refunds it. Returns false if it isn't pending. */
export async function refundRecord(database: Queries, id: string, error: string, explanation?: object): Promise<boolean> {
  const { rows } = await database.query<{ count: number }>({
    name: "refund_screenshot",
    text: `with failed as (
             update screenshots s set ${failing}, error = $2, explanation = $3::jsonb where id = $1 and status = 'pending'
             returning user_id, period_start, costs
           ), ${refunded("failed")}
           select count(*)::integer as count from failed`,
    values: [id, error, explanation ? jsonbText(explanation) : null],
  });
  return isAny(rows);
}

/** Deletes pending records and refunds them. @param ids ids of screenshots or captures; a capture's id stands for all its outputs. */
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

/**
 * Settles the cost of a queued capture that has ended: the cost moves from an output without a file to an output that is stored or may
 * still be stored. If there is none, the cost is refunded.
 */
export async function refundUnstored(database: Queries, captureId: string): Promise<boolean> {
  const { rows } = await database.query<{ count: number }>(
    `with own as (
       select ${outputColumns} from screenshots s where capture_id = $1 order by id for update
     ), lost as (
       select * from own where costs > 0 and status = 'done' and object_key is null
     ), taken as (
       update screenshots s set costs = 0 from lost where s.id = lost.id
     ), ${inherited}
     select count(*)::integer as count from freed`,
    [captureId],
  );
  return isAny(rows);
}

/**
 * Refunds a capture that a worker made for an API process, unless its charge has already been confirmed; keeps its records and files.
 */
export async function refundUnreadable(database: Queries, captureId: string): Promise<boolean> {
  const { rows } = await database.query<{ count: number }>(
    `with unanswered as (
       update captures set answer_by = null where id = $1 and answer_by is not null returning id
     ), charged as (
       select s.id, s.costs from screenshots s join unanswered a on a.id = s.capture_id
        where s.costs > 0 and s.status <> 'failed' for update of s
     ), freed as (
       update screenshots s set costs = 0 from charged where s.id = charged.id returning s.user_id, s.period_start, charged.costs
     ), ${refunded("freed")}
     select count(*)::integer as count from unanswered`,
    [captureId],
  );
  return isAny(rows);
}

/**
 * Refunds reservations with an expired lease, except those of queued captures that have not ended: another attempt may store their images.
 * If another output of the capture is stored or may still be stored, the cost moves to it. Leaves a capture to the next run if another
 * statement has locked one of its outputs. @returns the number of reservations ended, at most `limit`.
 */
export async function sweepExpired(database: Queries, limit: number): Promise<number> {
  const { rows } = await database.query<{ count: number }>({
    name: "sweep_screenshots",
    timeoutMs: Number.POSITIVE_INFINITY,
    text: `with due as (
             select id, capture_id from screenshots s
              where status = 'pending' and lease_until < now()
                and not exists (select from captures c where c.id = s.capture_id and c.status in ('queued', 'running'))
              order by lease_until limit $1
           ), own as (
             select ${outputColumns} from screenshots s
              where id = any(array(select id from due)) or capture_id = any(array(select capture_id from due))
              order by id for update skip locked
           ), lost as (
             select * from own
              where id in (select id from due) and status = 'pending' and lease_until < now()
                and not exists (select from screenshots o where o.capture_id = own.capture_id and o.id not in (select id from own))
           ), ${inherited}, failed as (
             update screenshots s
                set ${failing}, error = 'abandoned', costs = case when s.id in (select carrier from heir) then 0 else s.costs end
               from lost where s.id = lost.id
             returning 1
           )
           select count(*)::integer as count from failed`,
    values: [limit],
  });
  return rows[0]?.count ?? 0;
}

function isAny(rows: { count: number }[]): boolean {
  return (rows[0]?.count ?? 0) > 0;
}
