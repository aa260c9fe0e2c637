/** Pending screenshots of queued captures: resumed after their process died, or removed because no capture is needed. */

import type { Queries } from "../../database/database.ts";

/** Names of an output, and of its first slice in case it is split. */
export interface OutputNames {
  name: string;
  firstSlice: string;
}

/**
 * Makes every output of the capture pending, including outputs that an earlier attempt had settled before its process died. The first
 * carries the capture's cost, unless all of them had been refunded. Other slices of the earlier attempt are marked as failed, so that
 * their files are removed eventually.
 */
export async function resume(
  database: Queries,
  captureId: string,
  outputs: OutputNames[],
  leaseMs: number,
): Promise<{ id: string; output: string }[]> {
  const { rows } = await database.query<{ id: string; output: string }>(
    `with own as (
       select s.id, s.costs, s.status, w.name
         from screenshots s
         left join unnest($3::text[], $4::text[]) as w (name, slice) on s.output in (w.name, w.slice)
        where s.capture_id = $1 for update of s
     ), paid as (
       select coalesce(max(costs) filter (where status <> 'failed'), 0) as costs from own
     ), first as (
       select id from own where name is not null order by id limit 1
     ), abandoned as (
       update screenshots s set status = 'failed', lease_until = null, error = 'abandoned', costs = 0
         from own where s.id = own.id and own.name is null
     )
     update screenshots s
        set status = 'pending', lease_until = now() + $2 * interval '1 millisecond', error = null, explanation = null, output = own.name,
            costs = case when s.id = (select id from first) then (select costs from paid) else 0 end
       from own where s.id = own.id and own.name is not null
     returning s.id, s.output`,
    [captureId, leaseMs, outputs.map(({ name }) => name), outputs.map(({ firstSlice }) => firstSlice)],
  );
  return rows;
}

/** Deletes and refunds pending screenshots. @param ids of screenshots, or of captures with all their outputs. False if none was pending. */
export async function remove(database: Queries, ids: string[]): Promise<boolean> {
  const { rows } = await database.query<{ removed: number }>(
    `with removed as (
       delete from screenshots where (id = any($1::uuid[]) or capture_id = any($1::uuid[])) and status = 'pending' returning user_id, period_start, costs
     ), owed as (
       select user_id, period_start, sum(costs)::integer as screenshots from removed group by user_id, period_start
     ), refunded as (
       update usage_periods u set used = greatest(u.used - o.screenshots, 0)
         from owed o where u.user_id = o.user_id and u.period_start = o.period_start
     )
     select count(*)::integer as removed from removed`,
    [ids],
  );
  return (rows[0]?.removed ?? 0) > 0;
}
