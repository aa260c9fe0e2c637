/** Opens pg-boss, and logs its troubles as the service's own. */

import type { PgBoss } from "pg-boss";
import type { BaseLogger } from "pino";
import type { DatabaseSettings } from "../database.ts";

/** The library hands them on to its pool. */
const poolOptions = { connectionTimeoutMillis: 5_000, query_timeout: 60_000, keepAlive: true, options: "-c DateStyle=ISO" };
const schema = "jobs";
/** How often jobs are looked for whose process has died. */
const superviseSeconds = 5;
const connectionsMax = 4;
/** Between log lines about a database that is away. */
const quietMs = 30_000;
const cannotStart = `the job queue can't start, and is tried again; the database user needs a database in which it may create the schema ${schema}`;

/** Not connected before its `start`. @param onFailedStart called at each try to start that fails. */
export async function openLibrary(database: DatabaseSettings, log: BaseLogger, onFailedStart: () => void): Promise<PgBoss> {
  const { PgBoss } = await import("pg-boss");
  const boss = new PgBoss({
    ...database,
    ...poolOptions,
    application_name: "tintype jobs",
    max: connectionsMax,
    schema,
    useListenNotify: true,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    schedule: false,
  });
  let quietUntil = 0;
  boss.on("error", (error) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + quietMs;
    log.warn({ reason: error.message }, "the job queue failed; it goes on when the database answers");
  });
  boss.on("warning", ({ message, data }) => {
    const { type, error: reason } = data as { type?: string; error?: string };
    if (type !== "start_retry") return log.warn({ reason: message }, "warning of the job queue");
    onFailedStart();
    log.error({ reason }, cannotStart);
  });
  return boss;
}
