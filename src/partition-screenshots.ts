/** Makes `screenshots` a table of partitions by month, while captures go on: what is there becomes its first partition. */

import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { BaseLogger } from "pino";

const dayMs = 86_400_000;
/** The first partition ends at the beginning of a month at least so far ahead: it must not end while it is being made. */
const aheadMs = 28 * dayMs;
/** Others wait behind a lock that is waited for. */
const lockTimeoutMs = 400;
const lockTries = 300;
const betweenTriesMs = 1_000;

/** @returns whether the table has partitions. */
export async function isPartitioned(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_class where oid = 'screenshots'::regclass and relkind = 'p'");
  return rowCount === 1;
}

/**
 * Can be repeated if it fails halfway. No lock that captures wait for is held or waited for longer than half a second.
 * @throws PostgreSQL's errors, also when other transactions keep the table locked for minutes.
 */
export async function partitionScreenshots(client: pg.Client, log: BaseLogger, now = new Date()): Promise<void> {
  if (await isPartitioned(client)) return;
  const started = Date.now();
  const end = await boundIds(client, now);
  await inShortLocks(client, (query) => exchange(query, end));
  await client.query("analyze screenshots");
  log.info({ ms: Date.now() - started, end }, "screenshots are partitioned by month");
}

const constraintName = "screenshots_first_month";

/** A constraint that says what ids the first partition has, checked without a lock; see `free_screenshot_ids`. @returns when it ends. */
async function boundIds(client: pg.Client, now: Date): Promise<Date> {
  const least = new Date(now.getTime() + aheadMs);
  const end = new Date(Date.UTC(least.getUTCFullYear(), least.getUTCMonth() + 1));
  const { rows } = await client.query("select screenshot_id_at($1) as id", [end]);
  await inShortLocks(client, async (query) => {
    await query(`alter table screenshots drop constraint if exists ${constraintName}`);
    await query(`alter table screenshots add constraint ${constraintName} check (id < '${rows[0].id}') not valid`);
  });
  await client.query(`alter table screenshots validate constraint ${constraintName}`);
  return end;
}

async function exchange(query: (text: string, values?: unknown[]) => Promise<pg.QueryResult>, end: Date): Promise<void> {
  await query("lock table users in share row exclusive mode"); // for the foreign key, before captures wait for anything
  await query("lock table screenshots in access exclusive mode");
  const { rows: indexes } = await query(
    "select indexname as name, indexdef as definition from pg_indexes where schemaname = current_schema and tablename = 'screenshots' order by 1",
  );
  await query("alter table screenshots rename to screenshots_first");
  for (const { name } of indexes) await query(`alter index ${name} rename to ${name}_first`);
  await query(
    `create table screenshots (like screenshots_first including defaults including constraints including storage) partition by range (id)`,
  );
  await query(`alter table screenshots drop constraint ${constraintName}, add primary key (id)`);
  await query("alter table screenshots add constraint screenshots_user_id_fkey foreign key (user_id) references users on delete cascade");
  for (const { name, definition } of indexes) if (name !== "screenshots_pkey") await query(definition);
  await query("create table screenshots_default partition of screenshots default");
  const { rows } = await query("select screenshot_id_at($1) as id", [end]);
  await query(`alter table screenshots attach partition screenshots_first for values from (minvalue) to ('${rows[0].id}')`);
  await query(`alter table screenshots_first drop constraint ${constraintName}`);
  await query("insert into screenshot_months (name, ends_at) values ('screenshots_first', $1)", [end]);
}

/** Runs `work` in a transaction that gives up soon when it has to wait, and tries again. */
async function inShortLocks(
  client: pg.Client,
  work: (query: (text: string, values?: unknown[]) => Promise<pg.QueryResult>) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      await work((text, values) => client.query(text, values));
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback");
      const { code } = error as { code?: unknown };
      if ((code !== "55P03" && code !== "40P01") || tries === lockTries) throw error;
      await pause(betweenTriesMs);
    }
  }
}
