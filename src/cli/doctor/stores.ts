/** Checks PostgreSQL, Redis and the image storage. */

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import pg from "pg";
import type { BaseLogger } from "pino";
import { connectionOptions } from "../../database/database.ts";
import { missingMonths } from "../../database/screenshot-months.ts";
import type { Config } from "../../settings/config.ts";
import { databaseSettingsOf } from "../../settings/database-settings.ts";
import { createRedis, redisSettingsOf } from "../../start/redis.ts";
import { createImageStore } from "../../storage/create-store.ts";
import { type Check, Concern } from "./finding.ts";

/** Minimum major version that the queries and migrations require. */
const oldestPostgres = 15;
/** Maximum clock difference: leases and signatures compare the clocks of the processes and the database. */
const clockDifferenceMaxMs = 2_000;
const redisTimeoutMs = 5_000;
const storageTimeoutMs = 15_000;

export function storeChecks(config: Config, log: BaseLogger): Check[] {
  return [
    { name: "database", run: () => checkDatabase(config) },
    { name: "redis", run: () => checkRedis(config, log) },
    { name: "storage", run: () => checkStorage(config, log) },
  ];
}

async function checkDatabase(config: Config): Promise<string> {
  const client = new pg.Client({ ...connectionOptions(databaseSettingsOf(config), "tintype doctor"), query_timeout: 10_000 });
  client.on("error", () => {}); // reported by the failed statements
  const where = `${config.DATABASE_HOST}:${config.DATABASE_PORT}`;
  try {
    await client.connect().catch((error: Error & { code?: string }) => {
      throw new Concern(
        `${where}: ${error.message || error.code}`,
        "Check the DATABASE_ settings, and that PostgreSQL is running and accepts connections from this machine.",
      );
    });
    const before = Date.now();
    const { rows } = await client.query(
      `select current_setting('server_version') as version, current_setting('server_version_num')::integer / 10000 as major,
        extract(epoch from clock_timestamp())::float8 * 1000 as now, has_database_privilege(current_database(), 'create') as may_create,
        to_regnamespace('jobs') is not null as has_jobs, to_regclass('screenshot_months') is not null as is_migrated`,
    );
    const { version, major, now, may_create: mayCreate, has_jobs: hasJobs, is_migrated: isMigrated } = rows[0];
    const differenceMs = Math.round(now - (before + Date.now()) / 2);
    if (major < oldestPostgres) throw new Concern(`PostgreSQL ${version}`, `Use PostgreSQL ${oldestPostgres} or newer.`);
    if (!mayCreate && !hasJobs)
      throw new Concern(
        `${config.DATABASE_USER} may not create a schema in ${config.DATABASE_NAME}`,
        `Run as the database's owner: GRANT CREATE ON DATABASE "${config.DATABASE_NAME}" TO "${config.DATABASE_USER}".`,
      );
    if (Math.abs(differenceMs) > clockDifferenceMaxMs)
      throw new Concern(
        `the clocks of this machine and PostgreSQL differ by ${Math.abs(differenceMs) / 1000} s`,
        "Synchronize both with the same time servers.",
      );
    if (isMigrated) await checkMonths(client);
    return `PostgreSQL ${version} at ${where}; the clocks agree`;
  } finally {
    await client.end().catch(() => {});
  }
}

const aboutMonths =
  'Run "node src/cli.ts migrate", which reports the cause, or search for "failed to update the partitions of screenshots" in the service\'s log.';

/**
 * The service creates partitions three months ahead. The current month's captures may be in the default partition if they were recorded
 * before the month had its own, so only the next month is checked.
 */
async function checkMonths(client: pg.Client): Promise<void> {
  const names = (await missingMonths(client, 1)).filter(({ starts }) => starts.getTime() > Date.now()).map(({ name }) => name);
  if (names.length > 0)
    throw new Concern(
      `screenshots have no partition ${names.join(", ")} for the next month`,
      `${aboutMonths} Captures are still recorded, but that month can't be dropped all at once.`,
      false,
    );
}

async function checkRedis(config: Config, log: BaseLogger): Promise<string> {
  const redis = createRedis({ ...redisSettingsOf(config), commandTimeoutMs: redisTimeoutMs }, log);
  const advice = "Check REDIS_URL and REDIS_PASSWORD. Without Redis, captures work, but without the cache, and limits are approximate.";
  try {
    const failed = Promise.withResolvers<never>();
    redis.once("error", failed.reject); // the reason for a failed first connection
    await Promise.race([once(redis, "ready", { signal: AbortSignal.timeout(redisTimeoutMs) }), failed.promise]);
    const key = `doctor:${randomUUID()}`;
    await redis.set(key, "1", "PX", 10_000);
    await redis.del(key);
    return "reads and writes";
  } catch (error) {
    throw new Concern((error as Error).message, advice, false);
  } finally {
    redis.disconnect();
  }
}

async function checkStorage(config: Config, log: BaseLogger): Promise<string> {
  const store = await createImageStore(config, log);
  const signal = AbortSignal.timeout(storageTimeoutMs);
  const key = `doctor-${randomUUID()}.png`;
  const bytes = Buffer.from("written by the doctor command, which removes it immediately");
  try {
    await store.prepare(signal);
    await store.check(signal);
    await store.put(key, bytes, { contentType: "image/png", metadata: {} }, signal);
    const found = await store.get(key, signal);
    found?.stream.destroy();
    await store.remove(key, signal);
    if (found?.bytes !== bytes.length) throw new Error("a written object could not be read back");
    return `reads, writes and removes in ${config.STORAGE_URL.startsWith("file:") ? config.STORAGE_URL : config.STORAGE_BUCKET}`;
  } catch (error) {
    throw new Concern(
      (error as Error).message,
      "Check the STORAGE_ settings, and that the credentials may read, write and remove objects.",
    );
  } finally {
    store.close();
  }
}
