/** Opens pg-boss, and forwards its errors and warnings to the service's log. */

import type { PgBoss } from "pg-boss";
import type { BaseLogger } from "pino";
import type { DatabaseSettings } from "../database/database.ts";

/** Options that the library passes on to its connection pool. */
const poolOptions = { connectionTimeoutMillis: 5_000, query_timeout: 60_000, keepAlive: true, options: "-c DateStyle=ISO" };
const schema = "jobs";
/** Interval at which the library looks for jobs whose process has died. */
const superviseSeconds = 5;
const connectionsMax = 4;
/** Minimum time between log lines about an unreachable database. */
const quietMs = 30_000;
const cannotStart = `the job queue can't start; retrying. The database user must be allowed to create the schema ${schema}`;

/** Doesn't connect until `start`. @param onFailedStart called for each failed attempt to start. */
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
    log.warn({ reason: error.message }, "the job queue failed; it will continue once the database responds");
  });
  boss.on("warning", ({ message, data }) => {
    const { type, error: reason } = data as { type?: string; error?: string };
    if (type !== "start_retry") return log.warn({ reason: message }, "job queue warning");
    onFailedStart();
    log.error({ reason }, cannotStart);
  });
  return boss;
}
