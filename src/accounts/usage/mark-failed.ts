/** Marks the records of a failed capture and refunds its cost. */

import { jsonbText, type Queries } from "../../database/database.ts";

/** False when the record is no longer pending. */
export async function markFailed(database: Queries, id: string, errorCode: string, explanation?: object): Promise<boolean> {
  const { rowCount } = await database.query({
    name: "refund_screenshot",
    text: `with failed as (
             update screenshots set status = 'failed', lease_until = null, error = $2, explanation = $3::jsonb
              where id = $1 and status = 'pending'
             returning user_id, period_start, costs
           ), refunded as (
             update usage_periods u set used = greatest(u.used - f.costs, 0)
               from failed f where u.user_id = f.user_id and u.period_start = f.period_start
           )
           select 1 from failed`,
    values: [id, errorCode, explanation ? jsonbText(explanation) : null],
  });
  return rowCount === 1;
}

/** The same for all pending outputs of a capture. */
export async function markCaptureFailed(queries: Queries, captureId: string, errorCode: string): Promise<void> {
  await queries.query(
    `with failed as (
       update screenshots set status = 'failed', lease_until = null, error = $2
        where capture_id = $1 and status = 'pending'
       returning user_id, period_start, costs
     ), owed as (
       select user_id, period_start, sum(costs)::integer as screenshots from failed group by user_id, period_start
     )
     update usage_periods u set used = greatest(u.used - o.screenshots, 0)
       from owed o where u.user_id = o.user_id and u.period_start = o.period_start`,
    [captureId, errorCode],
  );
}
