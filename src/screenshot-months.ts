/**
 * Partitions of screenshots by month: made ahead, and dropped once retention has emptied them. Functions of migration 34 do so for processes of
 * the version before.
 */

import pg from "pg";
import type { BaseLogger } from "pino";
import { compactMonth, constraintName, excludeFromDefault, keptSuffix } from "./compact-month.ts";
import { momentOfId } from "./partition-screenshots.ts";
import { inShortLocks } from "./short-locks.ts";

/** Of months after the present one. Captures of a month without a partition are recorded, too, in the default partition. */
const monthsAhead = 3;
/** With a larger default partition, PostgreSQL would read it for too long while captures wait. */
const defaultMaxBytes = 64 * 1024 * 1024;
/** So many rows move in some 50 ms, while others wait. */
const movedMax = 1_000;

interface Month {
  name: string;
  starts: Date;
  ends: Date;
}

/** A month that could not be added is missing also when later ones are there. */
const missing = `
  select 'screenshots_' || to_char(at, 'YYYY_MM') as name, at at time zone 'UTC' as starts, (at + interval '1 month') at time zone 'UTC' as ends
    from date_trunc('month', now() at time zone 'UTC') as present,
         generate_series(present, present + $1 * interval '1 month', interval '1 month') as at
   where not exists (select from screenshot_months m
                      where m.name = 'screenshots_' || to_char(at, 'YYYY_MM')
                         or m.name = 'screenshots_first' and m.ends_at >= (at + interval '1 month') at time zone 'UTC')
   order by at`;
const ended = "select name from screenshot_months where ends_at < now() - interval '2 days' order by ends_at";

/**
 * One process at a time. What fails is left to the next time.
 * @param client whose first schema is that of `screenshots`, which is partitioned.
 * @throws {Error} that names what has failed, once everything else is done.
 */
export async function keepMonths(client: pg.Client, log: BaseLogger): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (partition: string, work: (partition: string) => Promise<boolean>, done: string) => {
    try {
      if (await work(partition)) log.info({ partition }, done);
    } catch (error) {
      failures.push(new Error(`partition ${partition}: ${(error as Error).message}`, { cause: error }));
    }
  };
  for (const month of await missingMonths(client, monthsAhead))
    await attempt(month.name, () => addMonth(client, month), "added a partition of screenshots");
  const { rows: past } = await client.query<{ name: string }>(ended);
  for (const { name } of past)
    await attempt(name, () => dropMonth(client, name), "dropped a partition of screenshots that retention had emptied");
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures, failures.map(messageOf).join("; "));
}

/** The present month and those `ahead` of it that have no partition. */
export async function missingMonths(client: pg.Client, ahead: number): Promise<Month[]> {
  return (await client.query<Month>(missing, [ahead])).rows;
}

const messageOf = (error: unknown) => (error as Error).message;

/**
 * What the default partition has of the month stays there, and the partition begins a day after: moving a month's rows would take a lock for as
 * long. It begins tomorrow at the earliest, because captures go on, and the processes that make ids may have other clocks.
 */
const range = `
  with newest as (select ${momentOfId} as at from screenshots_default
                   where id >= screenshot_id_at($1) and id < screenshot_id_at($2) order by id desc limit 1),
       range as (select greatest($1::timestamptz, case when $1 < now() + interval '1 day' then now() + interval '1 day' end,
                                 (select at + interval '1 day' from newest)) as starts)
  select screenshot_id_at(starts) as first, screenshot_id_at($2) as "end", starts < $2 as "hasRoom",
         pg_relation_size('screenshots_default') > $3 as "isLarge"
    from range`;

/** @returns whether it has been added. */
async function addMonth(client: pg.Client, { name, starts, ends }: Month): Promise<boolean> {
  const { rows } = await client.query(range, [starts, ends, defaultMaxBytes]);
  const { first, end, hasRoom, isLarge } = rows[0];
  if (!hasRoom) return false;
  if (isLarge) await excludeFromDefault(client, `id < '${first}' or id >= '${end}'`);
  await inShortLocks(client, async (query) => {
    await query("lock table users in share row exclusive mode"); // for the foreign key, before captures wait for anything
    await query(`create table ${name} (like screenshots including all excluding indexes excluding identity)`);
    const { rows: owners } = await query("select relowner::regrole as owner from pg_class where oid = 'screenshots'::regclass");
    await query(`alter table ${name} owner to ${owners[0].owner}`);
    await query(`alter table screenshots attach partition ${name} for values from ('${first}') to ('${end}')`);
    await query(`alter table screenshots_default drop constraint if exists ${constraintName}`);
    await query("insert into screenshot_months (name, ends_at) values ($1, $2)", [name, ends]);
  });
  return true;
}

/**
 * Drops a month that has ended if it has nothing left but what watches keep, which moves to the default partition, or, if that is much, to
 * a small partition in its place.
 * @returns whether it has been dropped.
 */
async function dropMonth(client: pg.Client, name: string): Promise<boolean> {
  const table = pg.escapeIdentifier(name);
  const { rows } = await client.query(
    `select exists (select from ${table} where expires_at < now() + interval '1000 years') as "isNeeded",
            (select count(*)::integer from (select from ${table} limit ${movedMax + 1}) kept) as kept`,
  );
  const { isNeeded, kept } = rows[0];
  if (isNeeded) return false;
  if (kept > movedMax) {
    if (name.endsWith(keptSuffix)) return false;
    await compactMonth(client, name);
    return true;
  }
  await inShortLocks(client, async (query) => {
    await query("lock table users in access exclusive mode"); // for the foreign key, before captures wait for anything
    await query(`alter table screenshots detach partition ${table}`);
    await query(`insert into screenshots select * from ${table}`);
    await query(`drop table ${table}`);
    await query("delete from screenshot_months where name = $1", [name]);
  });
  return true;
}
