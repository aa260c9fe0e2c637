/** Reserves the slices of an output, whose number is known only after the capture. */

import { v7 } from "uuid";
import type { Queries } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";

/** One for each slice. */
export type SliceNames = [first: string, ...others: string[]];

/**
 * The output's record becomes that of its first slice; the others are copies of it that cost nothing.
 * @param output id of a pending record. @returns the ids of the other slices.
 * @throws {AppError} `unavailable`, including when the record is no longer pending.
 */
export async function insertSlices(database: Queries, output: string, [first, ...others]: SliceNames): Promise<string[]> {
  const ids = others.map(() => v7());
  const { rows } = await database.query<{ renamed: number; inserted: number }>({
    name: "reserve_slices",
    text: `with first as (
             update screenshots set output = $2 where id = $1 and status = 'pending'
             returning user_id, key_id, period_start, capture_id, lease_until, expires_at, url, options, cache_key
           ), others as (
             insert into screenshots
                    (id, user_id, key_id, period_start, capture_id, lease_until, expires_at, url, options, cache_key, output, costs)
             select o.id, f.user_id, f.key_id, f.period_start, f.capture_id, f.lease_until, f.expires_at, f.url, f.options, f.cache_key, o.name, 0
               from first f, unnest($3::uuid[], $4::text[]) as o (id, name)
             returning 1
           )
           select (select count(*)::integer from first) as renamed, (select count(*)::integer from others) as inserted`,
    values: [output, first, ids, others],
  });
  if (rows[0]?.renamed !== 1 || rows[0].inserted !== ids.length) throw new AppError("unavailable");
  return ids;
}
