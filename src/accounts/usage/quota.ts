/** The monthly quota: its period, and the errors when it is used up. */

import type { Queries } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import type { Caller } from "../keys/caller.ts";

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

export function quotaExceeded({ monthlyQuota }: Caller, end: Date): AppError {
  return new AppError("quota_exceeded", {
    message: `The monthly quota of ${monthlyQuota} screenshots is used up; it resets on ${shown(end)}.`,
  });
}

/** Error for a request of `count` captures that exceeds the remaining quota; states how many are left. */
export async function tooManyCaptures(
  database: Queries,
  { userId, monthlyQuota }: Caller,
  { start, end }: Period,
  count: number,
): Promise<AppError> {
  const { rows } = await database.query<{ used: number }>(
    "select used from usage_periods where user_id = $1::uuid and period_start = $2::timestamptz",
    [userId, start],
  );
  const left = Math.max(0, (monthlyQuota ?? 0) - (rows[0]?.used ?? 0));
  return new AppError("quota_exceeded", {
    message: `${count} captures were requested, but ${left} of the monthly quota of ${monthlyQuota} are left; it resets on ${shown(end)}.`,
  });
}

function shown(end: Date): string {
  return `${end.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
