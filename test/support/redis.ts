/** A separate key prefix for a test on the Redis of `TEST_REDIS_URL`. */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Redis } from "ioredis";
import { pino } from "pino";
import { createRedis, type RedisSettings } from "../../src/start/redis.ts";

export interface TestRedis {
  redis: Redis;
  /** A client with a unique key prefix. */
  settings: RedisSettings & { keyPrefix: string };
}

/** Resolves when connected. When the test ends, its keys are removed and it disconnects. */
export async function createTestRedis(t: { after(close: () => unknown): void }): Promise<TestRedis> {
  const url = process.env.TEST_REDIS_URL;
  if (!url) throw new Error("TEST_REDIS_URL must name a Redis that tests may write to");
  const keyPrefix = `test:${process.pid}:${randomBytes(4).toString("hex")}:`;
  // A busy machine must not look like an unavailable Redis.
  const settings = { url, host: "localhost", port: 6379, password: "", keyPrefix, commandTimeoutMs: 10_000 };
  const redis = createRedis(settings, pino({ level: "silent" }));
  t.after(async () => {
    try {
      if (redis.status === "ready") await removeKeys(redis, keyPrefix);
    } finally {
      redis.disconnect();
    }
  });
  if (redis.status !== "ready") await once(redis, "ready", { signal: AbortSignal.timeout(5_000) });
  return { redis, settings };
}

async function removeKeys(redis: Redis, keyPrefix: string): Promise<void> {
  for await (const keys of redis.scanStream({ match: `${keyPrefix}*`, count: 1_000 })) {
    // The client adds the prefix again.
    const names = (keys as string[]).map((key) => key.slice(keyPrefix.length));
    if (names.length > 0) await redis.del(...names);
  }
}
