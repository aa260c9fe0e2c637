/** A Redis client whose connection a test can cut or block, without touching the Redis that other tests use. */

import type { TestContext } from "node:test";
import { Redis } from "ioredis";
import { openGate } from "../support/gate.ts";
import { createTestRedis } from "../support/redis.ts";
import { lastFirst } from "../support/scope.ts";

export interface RedisProxy {
  redis: Redis;
  /** Closes every connection; new ones are refused. Resolves when the client has noticed. */
  cut(): Promise<void>;
  /** Resolves when the client is connected again. */
  mend(): Promise<void>;
  /** Forwards commands, but no answers. */
  block(): void;
}

/**
 * A client behind a gate; both end with the test.
 * @param commandTimeout milliseconds; by default more than a busy machine needs.
 */
export async function startRedisProxy(outer: TestContext, commandTimeout = 10_000): Promise<RedisProxy> {
  const t = lastFirst(outer);
  const { settings } = await createTestRedis(t); // removes the keys
  const gate = await openGate(t, settings.url);
  const { keyPrefix } = settings;
  const options = {
    keyPrefix,
    commandTimeout,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    retryStrategy: () => 20,
  };
  const redis = new Redis(gate.through(settings.url), options);
  redis.on("error", () => {});
  t.after(() => redis.disconnect());
  // Not `once`: it would reject for the errors that a cut brings.
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
