/** A client of Redis whose way there a test can cut or block, without touching the Redis that other tests use. */

import type { TestContext } from "node:test";
import { Redis } from "ioredis";
import { openGate } from "../support/gate.ts";
import { createTestRedis } from "../support/redis.ts";
import { lastFirst } from "../support/scope.ts";

export interface RedisProxy {
  redis: Redis;
  /** Closes the way and every connection; new ones are refused. Resolves when the client knows. */
  cut(): Promise<void>;
  /** Resolves when the client is connected again. */
  mend(): Promise<void>;
  /** Lets commands in and no answer out. */
  block(): void;
}

/** A client whose connection goes through a gate of its own; both end with the test. */
export async function startRedisProxy(outer: TestContext): Promise<RedisProxy> {
  const t = lastFirst(outer);
  const { settings } = await createTestRedis(t); // removes the keys
  const gate = await openGate(t, settings.url);
  // Without a time limit of its own for commands: that of the code under test is what counts.
  const options = { keyPrefix: settings.keyPrefix, enableOfflineQueue: false, maxRetriesPerRequest: 1, retryStrategy: () => 20 };
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
