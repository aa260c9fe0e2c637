/** Usage by day and by key, for charts. */

import type { Database } from "../../database/database.ts";
import { playgroundKeyId } from "./counts.ts";

export interface Counts {
  captured: number;
  cached: number;
  failed: number;
  rejected: number;
  bytes: number;
}

export interface UsageReport {
  /** Every day in the range, oldest first; the last is the day of `now` in UTC. */
  days: (Counts & { day: string })[];
  /** Most captures first. `keyId` is null for captures from the dashboard. */
  keys: (Counts & { keyId: string | null; name: string | null; hint: string | null })[];
  totals: Counts;
}

interface Range {
  /** Number of days, including today. */
  days: number;
  now: Date;
  /** Null for the whole service. */
  userId: string | null;
  /** Restricts the report to one key or, if null, to captures from the dashboard. */
  keyId?: string | null | undefined;
}

/** Double precision holds sums of bytes exactly up to 9 petabytes. */
const sums = ["captured", "cached", "failed", "rejected", "bytes"]
  .map((name) => `coalesce(sum(d.${name}), 0)::double precision as ${name}`)
  .join(", ");
const ofRange = `d.day between $1::date - ($2::integer - 1) and $1::date and ($3::uuid is null or d.user_id = $3) and ($4::uuid is null or d.key_id = $4)`;

export async function dailyUsage(database: Database, range: Range): Promise<UsageReport["days"]> {
  const { rows } = await database.query<Counts & { day: string }>(
    `select to_char(of.day, 'YYYY-MM-DD') as day, ${sums}
       from generate_series(($1::date - ($2::integer - 1))::timestamp, $1::date::timestamp, interval '1 day') as of (day)
       left join usage_days d on d.day = of.day::date and ${ofRange}
      group by of.day order by of.day`,
    parametersOf(range),
  );
  return rows;
}

export async function usageReport(database: Database, range: Range & { userId: string }): Promise<UsageReport> {
  const [days, { rows: keys }] = await Promise.all([
    dailyUsage(database, range),
    database.query<UsageReport["keys"][number]>(
      `select nullif(d.key_id, '${playgroundKeyId}') as "keyId", k.name, k.hint, ${sums}
         from usage_days d left join api_keys k on k.id = d.key_id and k.user_id = d.user_id
        where ${ofRange}
        group by d.key_id, k.name, k.hint
        order by sum(d.captured) desc, sum(d.cached) desc, d.key_id`,
      parametersOf(range),
    ),
  ]);
  return { days, keys, totals: total(days) };
}

function parametersOf({ now, days, userId, keyId }: Range): unknown[] {
  return [now.toISOString().slice(0, 10), days, userId, keyId === null ? playgroundKeyId : (keyId ?? null)];
}

function total(days: Counts[]): Counts {
  const sum = (name: keyof Counts) => days.reduce((all, day) => all + day[name], 0);
  return { captured: sum("captured"), cached: sum("cached"), failed: sum("failed"), rejected: sum("rejected"), bytes: sum("bytes") };
}
