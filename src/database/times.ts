/** Reads PostgreSQL's dates and times, of which some have no equal in JavaScript. */

import pg from "pg";

/** Milliseconds since 1970. Outside these years, a date's form in JSON is another. */
const [first, last] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];
const { TIMESTAMPTZ, TIMESTAMP, DATE } = pg.types.builtins;

/**
 * Reads every date and time as a `Date` within the years 1 to 9999, also `infinity`, which an operator may have written for "never". pg
 * itself makes it a number: one such value would fail every list that contains it, and every request with a key that expires then.
 */
export const types: pg.CustomTypesConfig = {
  getTypeParser(type: number, format?: "text" | "binary") {
    const parse = pg.types.getTypeParser(type, format as "text");
    return [TIMESTAMPTZ, TIMESTAMP, DATE].includes(type) ? (text: string) => withinYears(parse(text)) : parse;
  },
};

/** @param time a `Date`, which is invalid after the year 275760, or an infinite number. */
function withinYears(time: Date | number): Date {
  const ms = Number(time);
  if (ms < first) return new Date(first);
  return ms <= last ? new Date(ms) : new Date(last);
}
