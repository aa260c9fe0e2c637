/** Monthly partitions of `screenshots`: created ahead, and dropped once retention has emptied them. */

import pg from "pg";
import type { BaseLogger } from "pino";
import { compactMonth, constraintName, dropLeftConstraint, excludeFromDefault, keptSuffix } from "./compact-month.ts";
import { inShortLocks } from "./short-locks.ts";

/**
 * Number of months after the current one for which partitions are created. Captures of a month without a partition go to the default
 * partition.
 */
const monthsAhead = 3;
/**
 * PostgreSQL scans the default partition under a lock when another one is attached; a larger partition would make captures wait too long.
 */
const defaultMaxBytes = 64 * 1024 * 1024;
/** Rows moved in one transaction, which takes about 50 ms while others wait. */
const movedMax = 1_000;

interface Month {
  name: string;
  starts: Date;
  ends: Date;
}

/** Time of creation of the UUIDv7 `id`, in SQL. */
const momentOfId = "to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)";

/** Also finds a month that could not be added even though later ones were. */
const missing = `
  select 'screenshots_' || to_char(at, 'YYYY_MM') as name, at at time zone 'UTC' as starts, (at + interval '1 month') at time zone 'UTC' as ends
    from date_trunc('month', now() at time zone 'UTC') as present,
         generate_series(present, present + $1 * interval '1 month', interval '1 month') as at
   where not exists (select from screenshot_months m
                      where m.name = 'screenshots_' || to_char(at, 'YYYY_MM'))
   order by at`;
const ended = "select name from screenshot_months where ends_at < now() - interval '2 days' order by ends_at";

/**
 * Adds and drops partitions; must not run concurrently in two processes. Failures don't stop the other partitions, and are retried by the
 * next call.
 * @param client with the schema of `screenshots` first in its search path.
 * @throws {Error} naming the failed partitions, after the others are done.
 */
export async function keepMonths(client: pg.Client, log: BaseLogger): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (partition: string, work: (partition: string) => Promise<boolean>, done: string) => {
    try {
      if (await work(partition)) log.info({ partition }, done);
    } catch (error) {
      await dropLeftConstraint(client).catch(() => {}); // the next call retries
      failures.push(new Error(`partition ${partition}: ${(error as Error).message}`, { cause: error }));
    }
  };
  await dropLeftConstraint(client);
  for (const month of await missingMonths(client, monthsAhead))
    await attempt(month.name, () => addMonth(client, month), "added a partition of screenshots");
  const { rows: past } = await client.query<{ name: string }>(ended);
  for (const { name } of past)
    await attempt(name, () => dropMonth(client, name), "dropped a partition of screenshots that retention had emptied");
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures, failures.map(messageOf).join("; "));
}

/** The months without a partition, from the current one to `ahead` months later. */
export async function missingMonths(client: pg.Client, ahead: number): Promise<Month[]> {
  return (await client.query<Month>(missing, [ahead])).rows;
}

const messageOf = (error: unknown) => (error as Error).message;

/**
 * Rows of the month in the default partition stay there, and the new partition begins a day after the newest of them: moving them would
 * require a long lock. It doesn't begin before tomorrow, because captures continue and the processes' clocks may differ.
 */
const range = `
  with newest as (select ${momentOfId} as at from screenshots_default
                   where id >= screenshot_id_at($1) and id < screenshot_id_at($2) order by id desc limit 1),
       range as (select greatest($1::timestamptz, case when $1 < now() + interval '1 day' then now() + interval '1 day' end,
                                 (select at + interval '1 day' from newest)) as starts)
  select screenshot_id_at(starts) as first, screenshot_id_at($2) as "end", starts < $2 as "hasRoom",
         pg_relation_size('screenshots_default') > $3 as "isLarge"
    from range`;

/** @returns whether the month was added. */
async function addMonth(client: pg.Client, { name, starts, ends }: Month): Promise<boolean> {
  const { rows } = await client.query(range, [starts, ends, defaultMaxBytes]);
  const { first, end, hasRoom, isLarge } = rows[0];
  if (!hasRoom) return false;
  if (isLarge) await excludeFromDefault(client, `id < '${first}' or id >= '${end}'`);
  await inShortLocks(client, async (query) => {
    await query("lock table users in share row exclusive mode"); // for the foreign key; taken before any lock that blocks captures
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
 * Drops a past month once only screenshots kept by watches are left. These are moved to the default partition or, if there are many, to a
 * small partition that replaces the month's.
 * @returns whether the month was dropped.
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
    await query("lock table users in access exclusive mode"); // for the foreign key; taken before any lock that blocks captures
    await query(`alter table screenshots detach partition ${table}`);
    await query(`insert into screenshots select * from ${table}`);
    await query(`drop table ${table}`);
    await query("delete from screenshot_months where name = $1", [name]);
  });
  return true;
}
