/** Changes of the schema that would lock large tables for long in a migration: made after the migrations, while captures go on. */

import pg from "pg";
import type { BaseLogger } from "pino";
import { connectionOptions, type DatabaseSettings } from "./database.ts";
import { isPartitioned, partitionScreenshots } from "./partition-screenshots.ts";

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
/** Replaced by those. */
const outdated = ["screenshots_failed"];

const lock = "select pg_try_advisory_lock(hashtextextended('tintype online changes', 0)) as taken";

/**
 * Makes the changes that the database lacks; can be repeated if it fails halfway. One process does so at a time: others go on without them,
 * which is slower but correct. Opens and closes a connection.
 * @throws PostgreSQL's errors.
 */
export async function changeOnline(settings: DatabaseSettings, log: BaseLogger): Promise<void> {
  const client = new pg.Client(connectionOptions(settings, "tintype online changes"));
  client.on("error", (error) => log.warn({ err: error }, "lost the database connection for changes of the schema"));
  try {
    await client.connect();
    if (await isPartitioned(client)) return; // the last change
    const { rows } = await client.query<{ taken: boolean }>(lock);
    if (!rows[0]?.taken) return void log.info("another process is changing the schema");
    for (const [name, definition] of Object.entries(indexes)) await createIndex(client, name, definition, log);
    for (const name of outdated) await client.query(`drop index concurrently if exists ${name}`);
    await partitionScreenshots(client, log);
  } catch (error) {
    await client.query("select free_screenshot_ids()").catch(() => {}); // otherwise with the next sweep of retention
    throw error;
  } finally {
    await client.end();
  }
}

/** Without blocking writers. An index of an attempt that failed is invalid, and made again. */
async function createIndex(client: pg.Client, name: string, definition: string, log: BaseLogger): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>("select indisvalid as valid from pg_index where indexrelid = to_regclass($1)", [
    name,
  ]);
  if (rows[0]?.valid) return;
  if (rows[0]) await client.query(`drop index concurrently ${name}`);
  const started = Date.now();
  await client.query(`create index concurrently ${name} on screenshots ${definition}`);
  log.info({ index: name, ms: Date.now() - started }, "index created");
}
