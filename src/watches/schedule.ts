/** Watch schedules: an interval, or a cron expression in a time zone. Pure. */

import { Cron } from "croner";

export type Schedule = { every: string; cron: null; timeZone: string } | { every: null; cron: string; timeZone: string };

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const intervalMaxMs = 30 * unitMs.d;
/** How many consecutive occurrences of a cron expression are checked against the minimum interval. */
const timesChecked = 30;

/**
 * The first scheduled time after `now`. Intervals are counted from `from`, so that a late run doesn't shift the following runs.
 * @param from when the last run was due.
 */
export function nextTime({ every, cron, timeZone }: Schedule, from: Date, now: Date): Date {
  if (cron !== null) {
    const last = new Date(Math.max(from.getTime(), now.getTime())); // the database's clock may be ahead
    return nextOf(cron, timeZone, last);
  }
  const ms = intervalMs(every) ?? intervalMaxMs;
  const passed = Math.floor(Math.max(0, now.getTime() - from.getTime()) / ms);
  return new Date(from.getTime() + (passed + 1) * ms);
}

/** The first matching time after `last`. @throws {Error} if the expression is invalid or never matches a date. */
function nextOf(cron: string, timeZone: string, last: Date): Date {
  const next = new Cron(cron, { timezone: timeZone, mode: "5-part", sloppyRanges: true }).nextRun(last); // `sloppyRanges` accepts 0/15
  if (!next) throw new Error("no date matches");
  return next;
}

/** Converts an interval such as `90m` to milliseconds; undefined if it isn't valid. */
export function intervalMs(every: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,6})([smhd])$/.exec(every) ?? [];
  return count === undefined ? undefined : Number(count) * unitMs[unit as keyof typeof unitMs];
}

/** Message for an invalid interval; undefined if it is valid. @param minSeconds shortest allowed interval. */
export function intervalProblem(every: string, minSeconds: number): string | undefined {
  const ms = intervalMs(every);
  const isWithin = ms !== undefined && ms >= minSeconds * 1000 && ms <= intervalMaxMs;
  return isWithin ? undefined : `must be an interval from ${shownSeconds(minSeconds)} to 30d, such as 90m, 12h or 1d`;
}

/** Message for an invalid cron expression; undefined if it is valid. */
export function cronProblem(cron: string, timeZone: string, minSeconds: number, now: Date): string | undefined {
  const fields = cron.trim().split(/\s+/);
  const form =
    "must have five fields that match at least one date, such as 0 9 * * 1-5: minute 0-59, hour 0-23, day of the month 1-31, month 1-12, day of the week 0-7";
  if (fields.length !== 5 || fields.some((field) => /(^|,)h/i.test(field))) return form; // the parser treats H as a random value
  try {
    let time = nextOf(cron, timeZone, now);
    for (let checked = 1; checked < timesChecked; checked += 1) {
      const next = nextOf(cron, timeZone, time);
      if (next.getTime() - time.getTime() < minSeconds * 1000)
        return `must not be due more often than once every ${shownSeconds(minSeconds)}`;
      time = next;
    }
    return undefined;
  } catch {
    return form;
  }
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

function shownSeconds(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
