/** Errors for an exhausted monthly quota. */

import type { Queries } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import type { Caller } from "../keys/caller.ts";

export function quotaExceeded({ monthlyQuota }: Caller, end: Date): AppError {
  return new AppError("quota_exceeded", {
    message: `The monthly quota of ${monthlyQuota} screenshots is used up; it resets on ${shown(end)}.`,
  });
}

/** Error for a request of `count` captures that exceeds the remaining quota; states how many are left. */
export async function tooManyCaptures(
  database: Queries,
  { userId, monthlyQuota }: Caller,
  { start, end }: { start: Date; end: Date },
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
