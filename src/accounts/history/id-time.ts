/** Converts between times and screenshot ids. The ids are UUIDv7, so a range of days corresponds to a range of ids. */

const dayMs = 86_400_000;
/** Allowance for clock differences: an id contains this process's time, while its record has the database's time, slightly later. */
const marginMs = 10 * 60_000;

export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));

/** The lowest id with this timestamp. @param ms Unix time; times before 1970 are treated as 1970. */
export function firstIdAt(ms: number): string {
  const hex = Math.max(ms, 0).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/**
 * Bounds on the ids (`after`, `before`) and times (`since`, `end`) of records from the day `since` through the day `until`, `YYYY-MM-DD` in
 * UTC. Upper bounds are exclusive. A bound is undefined if its day isn't given.
 */
export function idRange({ since, until }: { since?: string | undefined; until?: string | undefined }) {
  const start = since === undefined ? undefined : Date.parse(since);
  const end = until === undefined ? undefined : Date.parse(until) + dayMs;
  return {
    after: start === undefined ? undefined : firstIdAt(start - marginMs),
    before: end === undefined ? undefined : firstIdAt(end + marginMs),
    since: start === undefined ? undefined : new Date(start),
    end: end === undefined ? undefined : new Date(end),
  };
}
