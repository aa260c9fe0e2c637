/**
 * Monthly partitions of `screenshots`: created in advance, compacted if watches keep many rows, and dropped once retention has emptied
 * them.
 */

import pg from "pg";
import type { BaseLogger } from "pino";
import { inShortLocks, type RunQuery } from "./short-locks.ts";

/**
 * Number of months after the current one for which partitions are created. Captures in a month without a partition go to the default
 * partition.
 */
const monthsAhead = 3;
/**
 * PostgreSQL scans the default partition under a lock when it attaches another partition. Above this size, captures would wait too long.
 */
const defaultMaxBytes = 64 * 1024 * 1024;
/** Maximum number of rows moved in one transaction, which blocks captures for about 50 ms. */
const movedMax = 1_000;

interface Month {
  name: string;
  starts: Date;
  ends: Date;
}

/** SQL expression for the creation time of the UUIDv7 `id`. */
const momentOfId = "to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)";

/** Selects the months without a partition, even those followed by a month that has one. */
const missing = `
  select 'screenshots_' || to_char(at, 'YYYY_MM') as name, at at time zone 'UTC' as starts, (at + interval '1 month') at time zone 'UTC' as ends
    from date_trunc('month', now() at time zone 'UTC') as present,
         generate_series(present, present + $1 * interval '1 month', interval '1 month') as at
   where not exists (select from screenshot_months m
                      where m.name = 'screenshots_' || to_char(at, 'YYYY_MM'))
   order by at`;
const ended = "select name from screenshot_months where ends_at < now() - interval '2 days' order by ends_at";

/**
 * Adds and drops partitions; must not run concurrently in two processes. If one partition fails, the others are still updated, and the next
 * call tries again.
 * @param client with the schema of `screenshots` first in its search path.
 * @throws {Error} naming the failed partitions, after updating the others.
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
  for (const { name } of past) await attempt(name, () => dropMonth(client, name), "removed or compacted a past partition of screenshots");
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures, failures.map(messageOf).join("; "));
}

/** The months without a partition, from the current one to `ahead` months later. */
export async function missingMonths(client: pg.Client, ahead: number): Promise<Month[]> {
  return (await client.query<Month>(missing, [ahead])).rows;
}

const messageOf = (error: unknown) => (error as Error).message;

/**
 * The month's rows in the default partition stay there, since moving them would require a long lock: the new partition begins at least a
 * day after the newest of them. It begins a day from now at the earliest, because captures keep arriving and processes' clocks may differ.
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

/** Number of rows copied per statement. */
const batch = 1_000;

const constraintName = "screenshots_next_month";

/** Suffix of a compacted partition. */
const keptSuffix = "_kept";

/**
 * Proves, without blocking captures, that `condition` holds for all ids in the default partition. Without proof, PostgreSQL scans the whole
 * partition under a lock when it attaches another one. Until the constraint is dropped, it rejects ids that don't meet the condition.
 * @param condition SQL condition that excludes the ids of the partition to attach.
 */
async function excludeFromDefault(client: pg.Client, condition: string): Promise<void> {
  await inShortLocks(client, async (query) => {
    await query(`alter table screenshots_default drop constraint if exists ${constraintName}`);
    await query(`alter table screenshots_default add constraint ${constraintName} check (${condition}) not valid`);
  });
  await client.query(`alter table screenshots_default validate constraint ${constraintName}`);
}

/**
 * Drops the constraint left behind by a failed or killed attempt to add or compact a partition; otherwise it would reject captures in that
 * partition's range.
 */
async function dropLeftConstraint(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query("select from pg_constraint where conrelid = 'screenshots_default'::regclass and conname = $1", [
    constraintName,
  ]);
  if (rowCount === 0) return;
  await inShortLocks(client, async (query) => void (await query(`alter table screenshots_default drop constraint ${constraintName}`)));
}

/**
 * Replaces a partition with a copy of its remaining rows. Can be repeated if it fails halfway. Changes made while copying are applied under
 * the same lock that is held to swap the tables.
 * @param name a partition from which most rows have been deleted.
 */
async function compactMonth(client: pg.Client, name: string): Promise<void> {
  const [from, to] = [pg.escapeIdentifier(name), pg.escapeIdentifier(name + keptSuffix)];
  await client.query(`vacuum ${from}`); // otherwise every later read would also scan the dead rows
  await client.query(`drop table if exists ${to}`); // left by a failed attempt
  await client.query(`create table ${to} (like screenshots including all excluding identity)`);
  await client.query(`alter table ${to} add constraint screenshots_user_id_fkey foreign key (user_id) references users on delete cascade`);
  for (let last = "00000000-0000-0000-0000-000000000000"; ; ) {
    const { rows } = await client.query(
      `with copied as (insert into ${to} select * from ${from} where id > $1 order by id limit ${batch} returning id)
       select id from copied order by id desc limit 1`,
      [last],
    );
    if (!rows[0]) break;
    last = rows[0].id;
  }
  await client.query(`analyze ${to}`);
  const { rows } = await client.query(
    `select pg_get_expr(relpartbound, oid) as bound, pg_get_partition_constraintdef(oid) as constraint, relowner::regrole as owner
       from pg_class where oid = to_regclass($1)`,
    [from],
  );
  const { bound, constraint, owner } = rows[0];
  await excludeFromDefault(client, `not (${constraint})`);
  await inShortLocks(client, (query) => exchange(query, { name, from, to, bound, owner }));
}

async function exchange(query: RunQuery, { name, from, to, bound, owner }: Record<"name" | "from" | "to" | "bound" | "owner", string>) {
  await query("lock table users in access exclusive mode"); // for the foreign key; taken before any lock that blocks captures
  await query(`alter table screenshots detach partition ${from}`);
  await query("set local enable_seqscan = off"); // the partition has far more pages than rows
  await query(`delete from ${to} k where not exists (select from ${from} m where m.id = k.id and m.* *= k.*)`);
  await query(`insert into ${to} select * from ${from} m where not exists (select from ${to} k where k.id = m.id)`);
  await query(`alter table ${to} owner to ${owner}`);
  await query(`alter table screenshots attach partition ${to} ${bound}`);
  await query(`alter table screenshots_default drop constraint ${constraintName}`);
  await query(`drop table ${from}`);
  await query("update screenshot_months set name = $2 where name = $1", [name, name + keptSuffix]);
}
