/** The statements of the quota: each moves a counter and its record in `screenshots` together. */

import type pg from "pg";
import type { Caller } from "../keys/authenticate.ts";
import type { ReservedCapture, SettledImage } from "./quota.ts";

/** False when the period has no screenshot left. The counter's row is locked, so reservations of one account pass one by one. */
export async function insertPending(pool: pg.Pool, caller: Caller, periodStart: Date, capture: ReservedCapture): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "reserve_screenshot",
    text: `with admitted as (
             insert into usage_periods as u (user_id, period_start, used)
             select $1::uuid, $2::timestamptz, 1 where $3::integer is null or $3 > 0
             on conflict (user_id, period_start) do update set used = u.used + 1 where $3 is null or u.used < $3
             returning user_id, period_start
           )
           insert into screenshots (id, user_id, key_id, period_start, url, options, cache_key, lease_until, expires_at)
           select $4::uuid, user_id, $5::uuid, period_start, $6, $7::jsonb, $8, now() + $9 * interval '1 millisecond', $10
             from admitted`,
    values: [
      caller.userId,
      periodStart,
      caller.monthlyQuota,
      capture.id,
      caller.id,
      capture.url,
      jsonbText(capture.options),
      capture.cacheKey,
      capture.leaseMs,
      capture.expiresAt,
    ],
  });
  return rowCount === 1;
}

/** JSON as `jsonb` takes it: no NUL and no half of a surrogate pair, which callers can send and JSON can spell. */
function jsonbText(value: object): string {
  return JSON.stringify(value, (_name, part) => (typeof part === "string" ? part.toWellFormed().replaceAll("\0", "\ufffd") : part));
}

/** False when the record is no longer pending. */
export async function markDone(pool: pg.Pool, id: string, image: SettledImage): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "settle_screenshot",
    text: `update screenshots
              set status = 'done', lease_until = null, format = $2, width = $3, height = $4, bytes = $5, duration_ms = $6, object_key = $7
            where id = $1 and status = 'pending'`,
    values: [id, image.format, image.width, image.height, image.bytes, Math.round(image.durationMs), image.objectKey],
  });
  return rowCount === 1;
}

/** False when the record is no longer pending. */
export async function markFailed(pool: pg.Pool, id: string, errorCode: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "refund_screenshot",
    text: `with failed as (
             update screenshots set status = 'failed', lease_until = null, error = $2
              where id = $1 and status = 'pending'
             returning user_id, period_start
           ), given_back as (
             update usage_periods u set used = greatest(u.used - 1, 0)
               from failed f where u.user_id = f.user_id and u.period_start = f.period_start
           )
           select 1 from failed`,
    values: [id, errorCode],
  });
  return rowCount === 1;
}

/**
 * Refunds at most `batchSize` records whose lease is over; how many there were. Records that another replica is at are skipped;
 * counters are locked in one order, so that two sweeps don't deadlock.
 */
export async function sweepExpired(pool: pg.Pool, batchSize: number): Promise<number> {
  const { rows } = await pool.query<{ swept: number }>({
    name: "sweep_screenshots",
    text: `with expired as (
             select id from screenshots
              where status = 'pending' and lease_until < now()
              order by lease_until limit $1 for update skip locked
           ), failed as (
             update screenshots s set status = 'failed', lease_until = null, error = 'abandoned'
               from expired where s.id = expired.id
             returning s.user_id, s.period_start
           ), owed as (
             select user_id, period_start, count(*)::integer as screenshots from failed group by user_id, period_start
           ), held as (
             select u.user_id, u.period_start from usage_periods u
               join owed on owed.user_id = u.user_id and owed.period_start = u.period_start
              order by u.user_id, u.period_start for no key update of u
           ), given_back as (
             update usage_periods u set used = greatest(u.used - owed.screenshots, 0)
               from owed join held on held.user_id = owed.user_id and held.period_start = owed.period_start
              where u.user_id = owed.user_id and u.period_start = owed.period_start
           )
           select count(*)::integer as swept from failed`,
    values: [batchSize],
  });
  return rows[0]?.swept ?? 0;
}
