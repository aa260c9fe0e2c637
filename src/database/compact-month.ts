/** Compacts a past month in which watches keep many screenshots: copies these to a small table, which replaces the month's partition. */

import pg from "pg";
import { inShortLocks, type RunQuery } from "./short-locks.ts";

/** Rows copied by one statement. */
const batch = 1_000;

export const constraintName = "screenshots_next_month";

/** Suffix of a compacted partition. */
export const keptSuffix = "_kept";

/**
 * Proves, without blocking captures, that the default partition contains none of these ids. Without proof, PostgreSQL scans all of it under
 * a lock when a partition is attached. The constraint rejects such ids until it is dropped.
 * @param condition SQL condition that holds for all other ids.
 */
export async function excludeFromDefault(client: pg.Client, condition: string): Promise<void> {
  await inShortLocks(client, async (query) => {
    await query(`alter table screenshots_default drop constraint if exists ${constraintName}`);
    await query(`alter table screenshots_default add constraint ${constraintName} check (${condition}) not valid`);
  });
  await client.query(`alter table screenshots_default validate constraint ${constraintName}`);
}

/** Drops the constraint left by an attempt that failed or whose process was killed, because it would reject that month's captures. */
export async function dropLeftConstraint(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query("select from pg_constraint where conrelid = 'screenshots_default'::regclass and conname = $1", [
    constraintName,
  ]);
  if (rowCount === 0) return;
  await inShortLocks(client, async (query) => void (await query(`alter table screenshots_default drop constraint ${constraintName}`)));
}

/**
 * Can be repeated if it fails halfway. Changes made while the rows are copied are applied under the lock that swaps the tables.
 * @param name partition in which few rows are left among many deleted ones.
 */
export async function compactMonth(client: pg.Client, name: string): Promise<void> {
  const [from, to] = [pg.escapeIdentifier(name), pg.escapeIdentifier(name + keptSuffix)];
  await client.query(`vacuum ${from}`); // otherwise reading it again would also read the dead rows
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
