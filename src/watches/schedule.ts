/** Watch schedules: an interval, or a cron expression in a time zone. Pure. */

import { Cron, CronDate, CronPattern } from "croner";
import { createDaySearch, type Day } from "./cron-days.ts";

export type Schedule = { every: string; cron: null; timeZone: string } | { every: null; cron: string; timeZone: string };

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const intervalMaxMs = 30 * unitMs.d;
const minutesPerDay = 24 * 60;
/** Number of dates of a cron expression that are searched for two consecutive ones. */
const datesChecked = 30;

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

const parserOptions = { mode: "5-part", sloppyRanges: true } as const; // `sloppyRanges` accepts 0/15

/** The first matching time after `last`. @throws {Error} if the expression is invalid or never matches a date. */
function nextOf(cron: string, timeZone: string, last: Date): Date {
  const firstDay = createDaySearch(new CronPattern(cron, timeZone, parserOptions));
  const [minute, hour] = fieldsOf(cron);
  const { year, month, day } = new CronDate(last, timeZone);
  for (let date = firstDay({ year, month, day }); date; date = firstDay(dayAfter(date))) {
    const ofDate = `0 ${minute} ${hour} ${date.day} ${date.month + 1} * ${date.year}`;
    const next = new Cron(ofDate, { ...parserOptions, mode: "7-part", timezone: timeZone }).nextRun(last);
    if (next) return next;
  }
  throw new Error("no date matches");
}

const fieldsOf = (cron: string) => cron.trim().split(/\s+/);

function dayAfter({ year, month, day }: Day): Day {
  const next = new Date(Date.UTC(year, month, day + 1));
  return { year: next.getUTCFullYear(), month: next.getUTCMonth(), day: next.getUTCDate() };
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

/** Message for an invalid cron expression; undefined if it is valid. @param minSeconds shortest allowed interval, at most a day. */
export function cronProblem(cron: string, minSeconds: number, now: Date): string | undefined {
  const form =
    "must have five fields that match at least one date, such as 0 9 * * 1-5: minute 0-59, hour 0-23, day of the month 1-31, month 1-12, day of the week 0-7";
  const fields = fieldsOf(cron);
  if (fields.length !== 5 || fields.some((field) => /(^|,)h/i.test(field))) return form; // the parser treats H as a random value
  try {
    const shortest = shortestMinutes(new CronPattern(cron, undefined, parserOptions), now);
    if (shortest === undefined) return form;
    return shortest * 60 < minSeconds ? `must not be due more often than once every ${shownSeconds(minSeconds)}` : undefined;
  } catch {
    return form;
  }
}

/** The shortest interval between two times, by the clock on the wall; at most a day. Undefined if no date matches. */
function shortestMinutes(pattern: CronPattern, now: Date): number | undefined {
  const firstDay = createDaySearch(pattern);
  let date = firstDay({ year: now.getUTCFullYear(), month: now.getUTCMonth(), day: now.getUTCDate() });
  if (!date) return undefined;
  const times = pattern.hour.flatMap((isHour, hour) =>
    isHour ? pattern.minute.flatMap((isMinute, minute) => (isMinute ? [hour * 60 + minute] : [])) : [],
  );
  const intervals = times.slice(1).map((time, before) => time - (times[before] ?? 0));
  const overnight = minutesPerDay - (times.at(-1) ?? 0) + (times[0] ?? 0);
  const shortest = Math.min(minutesPerDay, ...intervals);
  for (let checked = 1; date && overnight < shortest && checked < datesChecked; checked += 1) {
    const after: Day = dayAfter(date);
    const next: Day | undefined = firstDay(after);
    if (next?.day === after.day && next.month === after.month && next.year === after.year) return overnight;
    date = next;
  }
  return shortest;
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
