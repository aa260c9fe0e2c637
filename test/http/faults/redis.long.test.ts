/** Redis is slow, unresponsive, down, and available again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { openGate } from "../../support/gate.ts";
import { provoke, startOnFaultyStore, taken, takenOnce } from "./provoke.ts";

test("during a Redis outage, captures and limits work, and each screenshot is counted once", async (t) => {
  const url = process.env.TEST_REDIS_URL ?? "";
  const gate = await openGate(t, url);
  const { service, page } = await startOnFaultyStore(t, () => ({ REDIS_URL: gate.through(url) }), { redisMs: 250 });
  const limited = await service.createAccount({ rateLimit: 3 });
  await provoke(t, {
    service,
    page,
    gate,
    slowMs: 30,
    without: { cached: takenOnce, fresh: taken, json: taken },
    async meanwhile() {
      const statuses = [];
      for (let turn = 0; turn < 5; turn += 1) statuses.push((await service.take({ api_key: limited.key, url: "nonsense" })).status);
      assert.deepEqual(statuses, [400, 400, 400, 429, 429]);
    },
  });
});
