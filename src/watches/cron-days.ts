/** The dates on which a cron expression is due. Pure. */

import type { CronPattern } from "croner";

/** A local date; the month counts from 0. */
export interface Day {
  year: number;
  month: number;
  day: number;
}

/** A month's dates depend only on its length and on the weekday on which it begins. */
interface Month {
  length: number;
  /** From 0, Sunday. */
  beginsOn: number;
}

/** The calendar repeats after 400 years. */
const monthsMax = 400 * 12;

/**
 * Returns a function that finds the first date on or after another, or undefined if no date matches. The parser's own search tests each
 * day of centuries: it takes up to 400 ms for expressions that match rarely or never, and this one a hundredth of that.
 */
export function createDaySearch(pattern: CronPattern): (from: Day) => Day | undefined {
  const known = new Map<number, number[]>();
  const daysOf = (month: Month) => {
    const key = month.length * 7 + month.beginsOn;
    const days = known.get(key) ?? Array.from({ length: month.length }, (_, at) => at + 1).filter((day) => isDue(pattern, month, day));
    known.set(key, days);
    return days;
  };
  return (from) => {
    let { year, month } = from;
    let beginsOn = new Date(Date.UTC(year, month)).getUTCDay();
    for (let count = 0; count <= monthsMax; count += 1) {
      const length = lengthOf(year, month);
      const days = pattern.month[month] ? daysOf({ length, beginsOn }) : [];
      const day = count === 0 ? days.find((one) => one >= from.day) : days[0];
      if (day !== undefined) return { year, month, day };
      beginsOn = (beginsOn + length) % 7;
      month = (month + 1) % 12;
      if (month === 0) year += 1;
    }
    return undefined;
  };
}

const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function lengthOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 1 && isLeap ? 29 : (lengths[month] ?? 0);
}

/** If both the day of the month and the day of the week are given, one of them is enough, unless the latter begins with `+`. */
function isDue(pattern: CronPattern, month: Month, day: number): boolean {
  const isDay = isDayOfMonth(pattern, month, day);
  if (pattern.starDOW) return isDay;
  const isWeekday = isDayOfWeek(pattern, month, day);
  return pattern.useAndLogic || pattern.starDOM ? isDay && isWeekday : isDay || isWeekday;
}

function isDayOfMonth(pattern: CronPattern, month: Month, day: number): boolean {
  if (pattern.day[day - 1]) return true;
  if (pattern.lastDayOfMonth && day === month.length) return true;
  if (pattern.lastWeekday && day === nearestWeekday(month, month.length)) return true;
  return pattern.nearestWeekdays.some((isGiven, at) => isGiven && at < month.length && nearestWeekday(month, at + 1) === day);
}

const weekdayOf = ({ beginsOn }: Month, day: number) => (beginsOn + day - 1) % 7;

/** The nearest day from Monday to Friday in the same month. */
function nearestWeekday(month: Month, day: number): number {
  const weekday = weekdayOf(month, day);
  if (weekday === 0) return day === month.length ? day - 2 : day + 1;
  if (weekday === 6) return day === 1 ? day + 2 : day - 1;
  return day;
}

/** The pattern has a bit for each of the first five such weekdays of a month, and one for the last. */
const lastBit = 1 << 5;

function isDayOfWeek(pattern: CronPattern, month: Month, day: number): boolean {
  const bits = pattern.dayOfWeek[weekdayOf(month, day)] ?? 0;
  const nth = 1 << Math.floor((day - 1) / 7);
  return (bits & nth) !== 0 || ((bits & lastBit) !== 0 && day + 7 > month.length);
}
