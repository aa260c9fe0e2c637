/** Builds the health reports: which components work, and whether this process accepts requests. */

import type { Redis } from "ioredis";
import type pg from "pg";
import type { Jobs } from "../jobs/queue.ts";
import type { Config } from "../settings/config.ts";
import type { ImageStore } from "../storage/store.ts";
import { createHealth, type HealthCheck } from "../telemetry/health.ts";
import type { Browsers } from "./browsers.ts";

interface Stores {
  pool: pg.Pool;
  redis: Redis;
  store: ImageStore;
}

/**
 * `health` checks all components; `readiness` only what this process itself must provide. While PostgreSQL is down, `api` and `all` stay
 * ready, because they still serve cached screenshots; workers can't do anything without PostgreSQL.
 */
export function createHealthReports(
  { ROLE }: Pick<Config, "ROLE">,
  { slots }: Pick<Browsers, "slots">,
  { pool, redis, store }: Stores,
  jobs: Jobs,
) {
  const assertQueue = () => {
    if (!jobs.isUsable()) throw Object.assign(new Error("the job queue can't start"), { code: "NOT_STARTED" });
  };
  const browser: HealthCheck = {
    name: "browser",
    vital: true,
    run: async (signal) => {
      await slots.check(signal);
      return slots.state();
    },
  };
  const queue: HealthCheck = {
    name: "queue",
    vital: true,
    run: async () => {
      assertQueue();
      return { waiting: await countQueued(pool) };
    },
  };
  const database: HealthCheck = { name: "database", vital: true, run: async () => void (await pool.query("select 1")) };
  /** A queue that can't start counts as a failure of this process only if PostgreSQL is reachable. */
  const startedQueue: HealthCheck = {
    ...queue,
    run: async () => {
      if (jobs.isUsable()) return undefined;
      const isReachable = await pool.query("select 1").then(
        () => true,
        () => false,
      );
      if (isReachable) assertQueue();
      return undefined;
    },
  };
  const browsers = ROLE === "api" ? [] : [browser];
  return {
    health: createHealth([
      database,
      { name: "cache", vital: false, run: async () => void (await redis.ping()) },
      { name: "storage", vital: false, run: async (signal) => void (await store.check(signal)) },
      queue,
      ...browsers,
    ]),
    readiness: createHealth([...(ROLE === "worker" ? [database, queue] : [startedQueue]), ...browsers]),
  };
}

/** Number of queued captures in the whole installation, up to 10,000. */
async function countQueued(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ found: number }>(
    "select count(*)::integer as found from (select 1 from captures where status = 'queued' limit 10000) queued",
  );
  return rows[0]?.found ?? 0;
}
