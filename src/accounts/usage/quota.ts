/** The monthly quota: a screenshot is reserved before its capture, then settled on delivery or refunded on failure. */

import { jsonbText, type Queries } from "../../database/database.ts";
import { isForeignKeyViolation } from "../../database/violations.ts";
import type { Clock } from "../../shared/clock.ts";
import { AppError } from "../../shared/errors.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Caller } from "../keys/caller.ts";
import { markFailed } from "./mark-failed.ts";
import { quotaExceeded, tooManyCaptures } from "./quota-exceeded.ts";
import type { Reservation, ReservedCapture, SettledImage } from "./reservation.ts";
import { insertSlices, type SliceNames } from "./reserve-slices.ts";
import { type OutputNames, remove, resume } from "./resume.ts";

export interface Quota {
  /**
   * Charges one screenshot to the month; unlimited plans are counted as well. A reservation made after the statement's deadline is refunded
   * immediately; one whose result is lost is refunded when its lease ends.
   * @throws {AppError} `quota_exceeded` if none is left; `unavailable`; `invalid_api_key` if the account was deleted.
   */
  reserve(caller: Caller, capture: ReservedCapture): Promise<Reservation>;
  /** Charges one screenshot for all outputs of a capture. @param outputs at least one. @throws {AppError} as `reserve`. */
  reserveOutputs(caller: Caller, captureId: string, outputs: ReservedCapture[]): Promise<Reservation[]>;
  /**
   * Charges one screenshot for each capture, all or none. To be called in a transaction.
   * @throws {AppError} as `reserve`; `quota_exceeded` states how many are left.
   */
  reserveCaptures(caller: Caller, captures: ReservedOutputs[]): Promise<void>;
  /** Splits an output into its slices at no further cost. @throws {AppError} `unavailable`. */
  reserveSlices(output: Reservation, slices: SliceNames): Promise<Reservation[]>;
  /** Like `Reservation.refund`. */
  refund(id: string, errorCode: string): Promise<boolean>;
  /** Resumes a queued capture's reservations when it starts: pending again, with a new lease. Keyed by the outputs' names. */
  resumeOutputs(captureId: string, outputs: OutputNames[], leaseMs: number): Promise<Map<string, Reservation>>;
}

export interface ReservedOutputs {
  captureId: string;
  /** At least one. All have the same lease and retention. */
  outputs: ReservedCapture[];
}

interface Dependencies {
  database: Queries;
  clock: Clock;
  metrics?: Pick<Metrics, "quotaRefunds">;
}

/** Each step is one statement guarded by the reservation's state, so the process may die between any two. See also sweep.ts. */
export function createQuota({ database, clock, metrics }: Dependencies): Quota {
  async function refund(id: string, errorCode: string, explanation?: object): Promise<boolean> {
    const refunded = await markFailed(database, id, errorCode, explanation);
    if (refunded) metrics?.quotaRefunds.inc({ reason: "failed" });
    return refunded;
  }

  async function reserve(caller: Caller, captures: Pending["captures"]): Promise<Reservation[]> {
    const outputs = captures.flatMap((one) => one.outputs);
    const period = quotaPeriod(caller.anchor, new Date(clock.now()));
    const now = clock.now();
    const onLate = () => outputs.forEach(({ id }) => void refund(id, "unavailable").catch(() => {})); // on failure, the sweep refunds it
    const reserved = await insertPending(database, caller, period.start, { captures, onLate }).catch((error) => {
      if (isForeignKeyViolation(error)) throw new AppError("invalid_api_key", { cause: error });
      throw error;
    });
    if (!reserved && captures.length === 1) throw quotaExceeded(caller, period.end);
    if (!reserved) throw await tooManyCaptures(database, caller, period, captures.length);
    return outputs.map(({ id, leaseMs }) => reservationOf(id, now + leaseMs));
  }

  function reservationOf(id: string, endsAtMs: number): Reservation {
    return {
      id,
      endsAtMs,
      settle: (image) => markDone(database, id, image),
      refund: (errorCode, explanation) => refund(id, errorCode, explanation),
      withdraw: () => remove(database, [id]),
    };
  }

  return {
    refund,
    reserve: async (caller, capture) => (await reserve(caller, [{ outputs: [capture] }]))[0] as Reservation,
    reserveOutputs: (caller, captureId, outputs) => reserve(caller, [{ captureId, outputs }]),
    reserveCaptures: async (caller, captures) => void (await reserve(caller, captures)),
    async resumeOutputs(captureId, outputs, leaseMs) {
      const endsAtMs = clock.now() + leaseMs;
      const pending = await resume(database, captureId, outputs, leaseMs);
      return new Map(pending.map(({ id, output }) => [output, reservationOf(id, endsAtMs)]));
    },
    async reserveSlices({ id: first, endsAtMs }, slices) {
      const ids = await insertSlices(database, first, slices);
      return [first, ...ids].map((id) => reservationOf(id, endsAtMs));
    },
  };
}

/** `end`: the first moment of the next period. */
export interface Period {
  start: Date;
  end: Date;
}

/**
 * The quota month that contains `now`. Without an anchor it is the calendar month in UTC; with one it starts on the anchor's day and time
 * (UTC) of each month, or on the last day of a shorter month: 31 Jan, 28 Feb, 31 Mar.
 */
export function quotaPeriod(anchor: Date | null, now: Date): Period {
  const first = anchor ?? new Date(0);
  let months = (now.getUTCFullYear() - first.getUTCFullYear()) * 12 + now.getUTCMonth() - first.getUTCMonth();
  if (monthsAfter(first, months) > now) months -= 1;
  return { start: monthsAfter(first, months), end: monthsAfter(first, months + 1) };
}

/** Counts from the anchor itself, so that a short month doesn't shift the months after it. */
function monthsAfter(anchor: Date, months: number): Date {
  const [year, month] = [anchor.getUTCFullYear(), anchor.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const timeOfDayMs = anchor.getTime() - Date.UTC(year, anchor.getUTCMonth(), anchor.getUTCDate());
  return new Date(Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay)) + timeOfDayMs);
}

interface Pending {
  /** Only the first output of each capture is charged. */
  captures: { captureId?: string; outputs: ReservedCapture[] }[];
  onLate: () => void;
}

/** False if the period has too few screenshots left. Locks the counter's row, which serialises an account's reservations. */
async function insertPending(database: Queries, caller: Caller, start: Date, { captures, onLate }: Pending): Promise<boolean> {
  const outputs = captures.flatMap((one) =>
    one.outputs.map((output, index) => ({ ...output, captureId: one.captureId ?? null, costs: index === 0 ? 1 : 0 })),
  );
  const { rowCount } = await database.query({
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
      start,
      caller.monthlyQuota,
      caller.id,
      captures.length,
      outputs[0]?.leaseMs,
      outputs[0]?.expiresAt,
      outputs.map(({ id }) => id),
      outputs.map(({ url }) => url),
      outputs.map(({ options }) => jsonbText(options)),
      outputs.map(({ cacheKey }) => cacheKey),
      outputs.map(({ output }) => output ?? null),
      outputs.map(({ captureId }) => captureId),
      outputs.map(({ costs }) => costs),
    ],
    onLate: (late) => (late.rowCount ?? 0) > 0 && onLate(),
  });
  return (rowCount ?? 0) > 0;
}

/** False when the record is no longer pending. */
async function markDone(database: Queries, id: string, image: SettledImage): Promise<boolean> {
  const { format, width, height, bytes, durationMs, objectKey, verdict, verdictReason, explanation, title } = image;
  const { targetStatus, finalUrl, warnings, timings } = image;
  const { rowCount } = await database.query({
    name: "settle_screenshot",
    timeoutMs: Number.POSITIVE_INFINITY,
    text: `update screenshots
              set status = 'done', lease_until = null, format = $2, width = $3, height = $4, bytes = $5, duration_ms = $6, object_key = $7,
                  verdict = $8, verdict_reason = $9, explanation = $10::jsonb, title = $11, target_status = $12, final_url = $13,
                  warnings = $14::jsonb, timings = $15::jsonb
            where id = $1 and status = 'pending'`,
    values: [
      id,
      format,
      width,
      height,
      bytes,
      Math.round(durationMs),
      objectKey,
      verdict,
      verdictReason,
      explanation ? jsonbText(explanation) : null,
      storedTitle(title),
      targetStatus,
      finalUrl,
      jsonbText(warnings),
      jsonbText(timings),
    ],
  });
  return rowCount === 1;
}

/** At most 300 characters. PostgreSQL doesn't store NUL, which a page's script can put into its title. */
function storedTitle(title: string): string | null {
  return title.replaceAll("\0", "").trim().slice(0, 300) || null;
}
