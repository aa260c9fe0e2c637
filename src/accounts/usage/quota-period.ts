/** Months of the quota. Pure. */

export interface Period {
  start: Date;
  /** The first moment of the next period. */
  end: Date;
}

/**
 * The quota month that contains `now`. Without an anchor it is the calendar month in UTC; with one it starts at the anchor's day and time
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
  const year = anchor.getUTCFullYear();
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const timeOfDayMs = anchor.getTime() - Date.UTC(year, anchor.getUTCMonth(), anchor.getUTCDate());
  return new Date(Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay)) + timeOfDayMs);
}
