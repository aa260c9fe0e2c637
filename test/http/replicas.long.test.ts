/** Two replicas on the same stores share keys, limits, quota and cache. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { fileScope } from "../support/scope.ts";
import { startReplica, startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";

const scope = fileScope();
let site: Site;
let one: TestService;
let other: TestService;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#ff0000") });
  one = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  other = await startReplica(scope, one);
});

test("a key revoked on one replica is refused by both immediately, although keys are cached for a minute", async () => {
  const { key, userId } = await one.createAccount();
  const ask = async (service: TestService) => {
    const response = await service.take({ api_key: key, url: "nonsense" });
    await response.arrayBuffer();
    return response.status;
  };
  assert.deepEqual([await ask(one), await ask(other)], [400, 400]); // both have cached the key now
  await one.pool.query("update api_keys set revoked_at = now() where user_id = $1", [userId]);
  await eventually("both refuse it", async () => (await ask(other)) === 403 && (await ask(one)) === 403);
});

test("replicas share the rate limit", async () => {
  const { key } = await one.createAccount({ rateLimit: 4 });
  const statuses = [];
  for (const service of [one, other, one, other, one, other]) {
    const response = await service.take({ api_key: key, url: "nonsense" });
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  assert.deepEqual(statuses, [400, 400, 400, 400, 429, 429]);
});

test("a screenshot stored by one replica is served by the other", async () => {
  const { key } = await one.createAccount();
  const asked = { api_key: key, url: `${site.origin}/`, is_cached: "true", width: "30", height: "20" };
  assert.equal((await one.take({ ...asked, response_type: "empty" })).status, 204);
  const hit = await other.take(asked);
  assert.deepEqual([hit.status, hit.headers.get("x-cache")], [200, "HIT"]);
  await hit.arrayBuffer();
});

test("1,000 concurrent requests with a quota of 100 give exactly 100 screenshots", async () => {
  const { key, userId } = await one.createAccount({ plan: "pro", quota: 100 });
  const roomy = { MAX_QUEUED_SCREENSHOTS: "1000", SCREENSHOT_TIMEOUT: "90000" };
  const replicas = [await startReplica(scope, one, roomy), await startReplica(scope, one, roomy)];
  const codes: Record<string, number> = {};
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, index) => {
      // Each is a different screenshot, so that none is shared.
      const response = await replicas[index % 2]?.take({ api_key: key, url: `${site.origin}/`, width: String(10 + index), height: "10" });
      const code = response?.status === 200 ? "picture" : (JSON.parse((await response?.text()) ?? "{}").code as string);
      if (response?.status === 200) await response.arrayBuffer();
      codes[code] = (codes[code] ?? 0) + 1;
    }),
  );
  assert.deepEqual(codes, { picture: 100, quota_exceeded: 900 });
  const { rows } = await one.pool.query("select used from usage_periods where user_id = $1", [userId]);
  assert.deepEqual(rows, [{ used: 100 }]);
});
