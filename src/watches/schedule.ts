/** When a watch runs: at an interval, or by a cron expression in a time zone. Pure. */

import { CronExpressionParser } from "cron-parser";

export type Schedule = { every: string; cron: null; timeZone: string } | { every: null; cron: string; timeZone: string };

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const intervalMaxMs = 30 * unitMs.d;
/** Times of a cron expression that are checked for their distance. */
const timesChecked = 30;

/**
 * The first time after `now`. Intervals count from `from`, so a late run doesn't shift the later ones.
 * @param from when it was due last.
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

/** The first time after `last`. At the end of a summer time of half an hour, the library finds none, but finds later ones. */
function nextOf(cron: string, timeZone: string, last: Date): Date {
  const after = (from: Date) => CronExpressionParser.parse(cron, { tz: timeZone, currentDate: from }).next().toDate();
  try {
    return after(last);
  } catch {
    return after(new Date(last.getTime() + unitMs.h));
  }
}

/** Milliseconds of `90m`; undefined if it is no interval. */
export function intervalMs(every: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,6})([smhd])$/.exec(every) ?? [];
  return count === undefined ? undefined : Number(count) * unitMs[unit as keyof typeof unitMs];
}

/** What is wrong with an interval; undefined: nothing. @param minSeconds the shortest one. */
export function intervalProblem(every: string, minSeconds: number): string | undefined {
  const ms = intervalMs(every);
  const isWithin = ms !== undefined && ms >= minSeconds * 1000 && ms <= intervalMaxMs;
  return isWithin ? undefined : `must be an interval from ${shownSeconds(minSeconds)} to 30d, such as 90m, 12h or 1d`;
}

/** What is wrong with a cron expression; undefined: nothing. */
export function cronProblem(cron: string, timeZone: string, minSeconds: number, now: Date): string | undefined {
  const fields = cron.trim().split(/\s+/);
  const form =
    "must have five fields with times that exist, as in 0 9 * * 1-5: minute 0-59, hour 0-23, day of the month 1-31, month 1-12, day of the week 0-7";
  if (fields.length !== 5 || fields.some((field) => /(^|,)h/i.test(field))) return form; // the parser takes H for a random number
  try {
    let time = nextOf(cron, timeZone, now);
    for (let checked = 1; checked < timesChecked; checked += 1) {
      const next = nextOf(cron, timeZone, time);
      if (next.getTime() - time.getTime() < minSeconds * 1000) return `must not come more often than each ${shownSeconds(minSeconds)}`;
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
