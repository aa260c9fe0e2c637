/** Keeps the monthly partitions of `screenshots` up to date while the service is running. */

import pg from "pg";
import type { BaseLogger } from "pino";
import { onAbort, untilAborted } from "../shared/deadline.ts";
import { createLoop, type Loop } from "../shared/loop.ts";
import { connectionOptions, type DatabaseSettings } from "./database.ts";
import { keepMonths } from "./screenshot-months.ts";

/** Long, because compacting a month and validating a constraint read large tables. */
const statementTimeoutMs = 30 * 60_000;
const lock = "select pg_try_advisory_lock(hashtextextended('tintype screenshot months', 0)) as taken";
/** Puts the schema of `screenshots` first in the search path: a schema named after the role, if created later, would precede it. */
const schemaOfScreenshots = `
  select set_config('search_path', quote_ident(n.nspname) || ', ' || current_setting('search_path'), false)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = 'screenshots'::regclass`;

export function createMonthsLoop(settings: DatabaseSettings, log: BaseLogger): Loop {
  const run = (closing: AbortSignal) => updateMonths(settings, log, closing);
  return createLoop(run, (error) => log.error({ err: error }, "failed to update the partitions of screenshots; captures are not affected"));
}

/**
 * Adds missing months, and drops or compacts past ones, in one process at a time and on a dedicated connection.
 * @param signal interrupts the update.
 * @returns false if another process is updating them.
 * @throws PostgreSQL's errors, and those of `keepMonths`; the signal's reason if it aborts while connecting.
 */
export async function updateMonths(settings: DatabaseSettings, log: BaseLogger, signal?: AbortSignal): Promise<boolean> {
  const client = new pg.Client({ ...connectionOptions(settings, "tintype screenshot months"), statement_timeout: statementTimeoutMs });
  client.on("error", (error) => {
    if (!signal?.aborted) log.warn({ err: error }, "lost the database connection for the partitions of screenshots");
  });
  await connect(client, signal);
  const stop = signal && onAbort(signal, () => void client.end());
  try {
    // Makes the server cancel the statement if this process dies, on systems where the server can detect that.
    await client.query("set client_connection_check_interval = '5s'").catch(() => {});
    await client.query(schemaOfScreenshots);
    const { rows } = await client.query<{ taken: boolean }>(lock);
    if (!rows[0]?.taken) return false;
    await keepMonths(client, log);
    return true;
  } finally {
    stop?.();
    await client.end();
  }
}

/** Rejects as soon as `signal` aborts. `end` would never settle while the client is connecting, so it is called afterwards. */
async function connect(client: pg.Client, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const connecting = client.connect();
  await (signal ? untilAborted(connecting, signal) : connecting).catch((error) => {
    void connecting.then(() => client.end()).catch(() => {});
    throw error;
  });
}
