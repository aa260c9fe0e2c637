/** Says for whom a long change of the schema waits. */

import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { BaseLogger } from "pino";
import { connectionOptions, type DatabaseSettings } from "./database.ts";

const lookEveryMs = 2_000;
const sayEveryMs = 60_000;

const blocking = `
  select a.pid, a.usename as user, a.application_name as application, a.state, date_trunc('second', now() - a.xact_start)::text as "openFor"
    from unnest(pg_blocking_pids($1)) as b (pid) join pg_stat_activity a using (pid) order by 1`;

/**
 * Runs `work`, and logs a warning every minute while the server process `pid` has to wait for transactions of others, such as backups. Uses a
 * separate connection.
 */
export async function reportingWaits<T>(settings: DatabaseSettings, pid: number, log: BaseLogger, work: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const reporting = report(settings, pid, log, ended.signal).catch((error) => {
    if (!ended.signal.aborted) log.warn({ err: error }, "failed to look for what the change of large tables waits for");
  });
  try {
    return await work();
  } finally {
    ended.abort();
    await reporting;
  }
}

async function report(settings: DatabaseSettings, pid: number, log: BaseLogger, signal: AbortSignal): Promise<void> {
  await pause(lookEveryMs, undefined, { signal }); // most changes have ended
  const client = new pg.Client({ ...connectionOptions(settings, "tintype waits"), query_timeout: 10_000 });
  client.on("error", () => {}); // its statements reject
  let saidAt = 0;
  try {
    await client.connect();
    for (;;) {
      const { rows } = await client.query(blocking, [pid]);
      if (rows.length > 0 && performance.now() >= saidAt) {
        log.warn({ transactions: rows }, "the change of large tables waits for other transactions to end");
        saidAt = performance.now() + sayEveryMs;
      }
      await pause(lookEveryMs, undefined, { signal });
    }
  } finally {
    await client.end();
  }
}
