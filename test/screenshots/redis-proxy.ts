/** A Redis client whose connection a test can cut or block, without affecting the Redis server that other tests use. */

import type { TestContext } from "node:test";
import type { Redis } from "ioredis";
import { pino } from "pino";
import { createRedis } from "../../src/start/redis.ts";
import { openGate } from "../support/gate.ts";
import { createTestRedis } from "../support/redis.ts";
import { lastFirst } from "../support/scope.ts";

export interface RedisProxy {
  redis: Redis;
  /** Closes every connection; new ones are refused. Resolves when the client has noticed. */
  cut(): Promise<void>;
  /** Resolves once the client is connected again. */
  mend(): Promise<void>;
  /** Forwards commands, but not the replies. */
  block(): void;
}

/**
 * A client behind a gate; both are closed when the test ends.
 * @param commandTimeout milliseconds; by default more than a busy machine needs.
 */
export async function startRedisProxy(outer: TestContext, commandTimeout = 10_000): Promise<RedisProxy> {
  const t = lastFirst(outer);
  const { settings } = await createTestRedis(t); // removes the keys
  const gate = await openGate(t, settings.url);
  const redis = createRedis({ ...settings, url: gate.through(settings.url), commandTimeoutMs: commandTimeout }, pino({ level: "silent" }));
  t.after(() => redis.disconnect());
  // Not `once` from node:events, which would reject on the errors that a cut causes.
  const becomes = (state: "ready" | "close") => new Promise<void>((resolve) => redis.once(state, () => resolve()));
  await becomes("ready");
  return {
    redis,
    async cut() {
      const known = becomes("close");
      await gate.refuse();
      await known;
    },
    async mend() {
      const back = becomes("ready");
      await gate.mend();
      await back;
    },
    block: () => gate.swallow("answers"),
  };
}
