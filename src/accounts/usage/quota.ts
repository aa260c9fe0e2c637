/** The monthly quota: its period, the errors thrown when it is used up, and the statements behind the `reserve…` methods of `Charge`. */

import { v7 } from "uuid";
import { jsonbText, type Queries } from "../../database/database.ts";
import { isForeignKeyViolation } from "../../database/violations.ts";
import type { Clock } from "../../shared/clock.ts";
import { AppError } from "../../shared/errors.ts";
import type { Caller } from "../keys/caller.ts";
import type { OutputNames, Reservation, ReservedCapture, ReservedOutput, SliceNames } from "./reservation.ts";

/** `end`: the first moment of the next period. */
export interface Period {
  start: Date;
  end: Date;
}

/**
 * The quota month that contains `now`. Without an anchor, it is the calendar month in UTC. With an anchor, it starts each month on the
 * anchor's day, at its time of day (UTC), or on the last day of a shorter month: Jan 31, Feb 28, Mar 31.
 */
export function quotaPeriod(anchor: Date | null, now: Date): Period {
  const first = anchor ?? new Date(0);
  let months = (now.getUTCFullYear() - first.getUTCFullYear()) * 12 + now.getUTCMonth() - first.getUTCMonth();
  if (monthsAfter(first, months) > now) months -= 1;
  return { start: monthsAfter(first, months), end: monthsAfter(first, months + 1) };
}

/** Counts from the anchor itself, so that a short month doesn't shift later months. */
function monthsAfter(anchor: Date, months: number): Date {
  const [year, month] = [anchor.getUTCFullYear(), anchor.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const timeOfDayMs = anchor.getTime() - Date.UTC(year, anchor.getUTCMonth(), anchor.getUTCDate());
  return new Date(Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay)) + timeOfDayMs);
}

export function quotaExceeded({ monthlyQuota }: Caller, end: Date): AppError {
  return new AppError("quota_exceeded", {
    message: `The monthly quota of ${monthlyQuota === 1 ? "1 screenshot" : `${monthlyQuota} screenshots`} is used up; it resets on ${shown(end)}.`,
  });
}

/** Screenshots left in the period; infinity if the plan is unlimited. Locks the counter for the rest of the transaction. */
export async function quotaLeft(database: Queries, { userId, monthlyQuota }: Caller, { start }: Period): Promise<number> {
  if (monthlyQuota === null) return Number.POSITIVE_INFINITY;
  const { rows } = await database.query<{ used: number }>(
    "select used from usage_periods where user_id = $1::uuid and period_start = $2::timestamptz for no key update",
    [userId, start],
  );
  return Math.max(0, monthlyQuota - (rows[0]?.used ?? 0));
}

/** Error for a request that costs more screenshots than are left; states both numbers. */
async function tooManyScreenshots(database: Queries, caller: Caller, period: Period, count: number): Promise<AppError> {
  const left = await quotaLeft(database, caller, period);
  return new AppError("quota_exceeded", {
    message: `The request costs ${count} screenshots, but the monthly quota of ${caller.monthlyQuota} has only ${left} left; it resets on ${shown(period.end)}.`,
  });
}

function shown(end: Date): string {
  return `${end.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** See `Charge.reserve`. */
export type Reserve = (
  caller: Caller,
  captures: ReservedCapture[],
  charged?: number,
) => Promise<[first: Reservation, ...others: Reservation[]]>;

/** @param refund called for each output that was recorded only after the statement's deadline. */
export function createReserve(database: Queries, clock: Clock, refund: (output: ReservedOutput) => Promise<unknown>): Reserve {
  return async (caller, captures, charged = captures.reduce((sum, { costs = 1 }) => sum + costs, 0)) => {
    const now = clock.now();
    const refundLate = (output: ReservedOutput) => void refund(output).catch(() => {}); // if this fails, the sweep refunds the output
    const reserved = await insertPending(database, caller, { captures, charged, now: new Date(now), refundLate });
    const [first, ...others] = reserved.map(({ id, reservedMs }): Reservation => ({ id, endsAtMs: now + reservedMs }));
    if (!first) throw new Error("a capture has at least one output");
    return [first, ...others];
  };
}

interface Pending {
  captures: ReservedCapture[];
  /** Cost in screenshots. */
  charged: number;
  now: Date;
  /** Called for each output if the insert succeeds only after the statement's deadline. */
  refundLate: (output: ReservedOutput) => void;
}

/**
 * Charges and inserts, or does neither. @returns the outputs of all captures. @throws {AppError} `quota_exceeded`; `unavailable`;
 * `invalid_api_key` if the account's row is gone.
 */
async function insertPending(
  database: Queries,
  caller: Caller,
  { captures, charged, now, refundLate }: Pending,
): Promise<ReservedOutput[]> {
  const period = quotaPeriod(caller.anchor, now);
  const outputs = captures.flatMap((one) =>
    one.outputs.map((output, index) => ({ ...output, captureId: one.captureId ?? null, costs: index === 0 ? (one.costs ?? 1) : 0 })),
  );
  const inserting = database.query({
    name: "reserve_screenshot",
    text: `with admitted as (
             insert into usage_periods as u (user_id, period_start, used)
             select $1::uuid, $2::timestamptz, $5::integer where $3::integer is null or $3 >= $5
             on conflict (user_id, period_start) do update set used = u.used + $5 where $3 is null or u.used + $5 <= $3
             returning user_id, period_start
           )
           insert into screenshots (id, user_id, key_id, period_start, capture_id, lease_until, expires_at, url, options, cache_key, output, costs)
           select o.id, a.user_id, $4::uuid, a.period_start, o.capture_id, now() + $6 * interval '1 millisecond', $7,
                  o.url, o.options::jsonb, o.cache_key, o.name, o.costs
             from admitted a, unnest($8::uuid[], $9::text[], $10::text[], $11::bytea[], $12::text[], $13::uuid[], $14::smallint[])
                  as o (id, url, options, cache_key, name, capture_id, costs)`,
    values: [
      caller.userId,
      period.start,
      caller.monthlyQuota,
      caller.id,
      charged,
      outputs[0]?.reservedMs,
      outputs[0]?.expiresAt,
      outputs.map(({ id }) => id),
      outputs.map(({ url }) => url),
      outputs.map(({ options }) => jsonbText(options)),
      outputs.map(({ cacheKey }) => cacheKey),
      outputs.map(({ output }) => output ?? null),
      outputs.map(({ captureId }) => captureId),
      outputs.map(({ costs }) => costs),
    ],
    onLate: (late) => (late.rowCount ?? 0) > 0 && outputs.forEach(refundLate),
  });
  const { rowCount } = await inserting.catch((error) => {
    throw isForeignKeyViolation(error) ? new AppError("invalid_api_key", { cause: error }) : error;
  });
  if (rowCount) return outputs;
  throw charged === 1 ? quotaExceeded(caller, period.end) : await tooManyScreenshots(database, caller, period, charged);
}

/**
 * Makes every output of the capture pending, including outputs that an earlier attempt settled before its process died. The first output
 * carries the capture's cost, unless all outputs were refunded. The earlier attempt's slices, except the first of each output, are marked
 * as failed, so that their files are removed eventually.
 */
export async function resumePending(
  database: Queries,
  captureId: string,
  outputs: OutputNames[],
  reservedMs: number,
): Promise<{ id: string; output: string }[]> {
  const { rows } = await database.query<{ id: string; output: string }>(
    `with own as (
       select s.id, s.costs, s.status, w.name
         from screenshots s
         left join unnest($3::text[], $4::text[]) as w (name, slice) on s.output in (w.name, w.slice)
        where s.capture_id = $1 order by s.id for update of s
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
    [captureId, reservedMs, outputs.map(({ name }) => name), outputs.map(({ firstSlice }) => firstSlice)],
  );
  return rows;
}

/**
 * The output's record becomes the first slice's; the records of the other slices are copies of it, without its cost.
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
