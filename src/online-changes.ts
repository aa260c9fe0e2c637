/** Changes of the schema that would lock large tables for long in a migration: made after the migrations, while captures go on. */

import pg from "pg";
import type { BaseLogger } from "pino";
import { constraintName as monthConstraint } from "./compact-month.ts";
import { connectionOptions, type DatabaseSettings } from "./database.ts";
import { onAbort, untilAborted } from "./deadline.ts";
import * as partitioning from "./partition-screenshots.ts";
import { keepMonths } from "./screenshot-months.ts";
import { inShortLocks } from "./short-locks.ts";
import { reportingWaits } from "./waits.ts";

/**
 * Indexes of the history's filters: of each kind of screenshots, which are those of one status, format and verdict, and of each kind of each
 * key; see accounts/usage/history-search.ts. A capture enters them once, when it ends.
 */
const kind = "status, coalesce(format, ''), coalesce(verdict, ''), id";
const indexes = {
  screenshots_kinds: `(user_id, ${kind}) where status <> 'pending'`,
  screenshots_kinds_of_key: `(user_id, coalesce(key_id, '00000000-0000-0000-0000-000000000000'), ${kind}) where status <> 'pending'`,
  screenshots_pending: "(user_id, id) where status = 'pending'",
};
/** Of other large tables: the rows of a deleted account. */
const otherIndexes = { captures_of_user: { table: "captures", definition: "(user_id)" } };
/** Replaced by those of `screenshots`. */
const outdated = ["screenshots_failed"];

/** An index waits for every older transaction of the database, backups included. */
const statementTimeoutMs = 2 * 3_600_000;
const lock = "select pg_try_advisory_lock(hashtextextended('tintype online changes', 0)) as taken";
/** Found where `screenshots` is: a role's own schema may have come to be after the tables. */
const schemaOfScreenshots = `
  select set_config('search_path', quote_ident(n.nspname) || ', ' || current_setting('search_path'), false), pg_backend_pid() as pid
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = 'screenshots'::regclass`;

/**
 * Makes the changes that the database lacks, and the partitions of the next months; can be repeated if it fails halfway. One process does so at
 * a time: others go on without them, which is slower but correct. Opens and closes connections.
 * @param signal aborts to give up at once.
 * @returns whether they are made; false if another process is making them.
 * @throws PostgreSQL's errors, and those of `partitionScreenshots` and `keepMonths`.
 */
export async function changeOnline(settings: DatabaseSettings, log: BaseLogger, signal?: AbortSignal): Promise<boolean> {
  const client = new pg.Client({ ...connectionOptions(settings, "tintype online changes"), statement_timeout: statementTimeoutMs });
  client.on("error", (error) => {
    if (!signal?.aborted) log.warn({ err: error }, "lost the database connection for changes of the schema");
  });
  await connect(client, signal);
  const stop = signal && onAbort(signal, () => void client.end());
  try {
    // So that the server gives up with this process, if its system can tell.
    await client.query("set client_connection_check_interval = '5s'").catch(() => {});
    const { rows: found } = await client.query<{ pid: number }>(schemaOfScreenshots);
    const { rows } = await client.query<{ taken: boolean }>(lock);
    if (!rows[0]?.taken) return false;
    await reportingWaits(settings, Number(found[0]?.pid), log, () => change(client, log));
    return true;
  } finally {
    stop?.();
    await client.end();
  }
}

/** Rejects as soon as `signal` aborts. A client that is ended while it connects would never settle, so it is ended afterwards. */
async function connect(client: pg.Client, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const connecting = client.connect();
  await (signal ? untilAborted(connecting, signal) : connecting).catch((error) => {
    void connecting.then(() => client.end()).catch(() => {});
    throw error;
  });
}

async function change(client: pg.Client, log: BaseLogger): Promise<void> {
  try {
    if (await freeIds(client)) log.warn("a change of large tables had failed; trying again");
    for (const [name, { table, definition }] of Object.entries(otherIndexes))
      await createIndex(client, name, `${table} ${definition}`, log);
    if (!(await partitioning.isPartitioned(client))) {
      for (const [name, definition] of Object.entries(indexes)) await createIndex(client, name, `screenshots ${definition}`, log);
      for (const name of outdated) await client.query(`drop index concurrently if exists ${name}`);
      await partitioning.partitionScreenshots(client, log);
    }
    await keepMonths(client, log);
  } catch (error) {
    await freeIds(client).catch(() => {}); // otherwise the next time
    throw error;
  }
}

/** Without blocking writers. An index of an attempt that failed is invalid, and made again. */
async function createIndex(client: pg.Client, name: string, columns: string, log: BaseLogger): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>("select indisvalid as valid from pg_index where indexrelid = to_regclass($1)", [
    name,
  ]);
  if (rows[0]?.valid) return;
  if (rows[0]) await client.query(`drop index concurrently ${name}`);
  const started = Date.now();
  await client.query(`create index concurrently ${name} on ${columns}`);
  log.info({ index: name, ms: Date.now() - started }, "index created");
}

/** Removes the constraint of an attempt that has failed: it would refuse the captures of a later time. @returns whether there was one. */
async function freeIds(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select conrelid::regclass as table, conname as name from pg_constraint
      where conrelid in ('screenshots'::regclass, to_regclass('screenshots_default')) and conname in ($1, $2)`,
    [partitioning.constraintName, monthConstraint],
  );
  for (const { table, name } of rows)
    await inShortLocks(client, async (query) => void (await query(`alter table ${table} drop constraint ${name}`)));
  return rows.length > 0;
}
