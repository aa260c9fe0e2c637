/** Checks the servers and resources that all test files share. */

import { readFile, statfs } from "node:fs/promises";
import { Redis } from "ioredis";
import pg from "pg";

const freeDiskBytesMin = 256 * 1024 ** 2;
const freeMemoryBytesMin = 256 * 1024 ** 2;
/** Generous, because every core may be busy. */
const answerWithinMs = 15_000;

/** @throws {Error} naming what is unavailable: PostgreSQL, Redis, disk space in `folder`, or memory. */
export async function checkSharedStack({ databaseUrl, redisUrl, folder }: { databaseUrl: string; redisUrl: string; folder: string }) {
  await Promise.all([checkPostgres(databaseUrl), checkRedis(redisUrl), checkDisk(folder), checkMemory()]);
}

async function checkPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: answerWithinMs, query_timeout: answerWithinMs });
  client.on("error", () => {}); // the query rejects
  try {
    await client.connect();
    await client.query("select 1");
  } catch (error) {
    throw new Error(`PostgreSQL is gone: ${(error as Error).message}`, { cause: error });
  } finally {
    await client.end().catch(() => {});
  }
}

async function checkRedis(url: string): Promise<void> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: answerWithinMs,
    commandTimeout: answerWithinMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on("error", () => {}); // the command rejects
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    throw new Error(`Redis is gone: ${(error as Error).message}`, { cause: error });
  } finally {
    redis.disconnect();
  }
}

async function checkDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < freeDiskBytesMin)
    throw new Error(`the disk of ${folder} is full: ${Math.round((bavail * bsize) / 1024 ** 2)} MB are left`);
}

async function checkMemory(): Promise<void> {
  const text = await readFile("/proc/meminfo", "utf8").catch(() => "");
  const kilobytes = Number(/^MemAvailable: +(\d+) kB$/m.exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
  if (kilobytes * 1024 < freeMemoryBytesMin) throw new Error(`the memory is full: ${Math.round(kilobytes / 1024)} MB are left`);
}
