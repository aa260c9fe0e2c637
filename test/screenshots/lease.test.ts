/** Leases: only one of several concurrent requests holds one; without Redis, every request does. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createLeases } from "../../src/screenshots/take/lease.ts";
import { eventually } from "../support/eventually.ts";
import { createTestRedis } from "../support/redis.ts";
import { startRedisProxy } from "./redis-proxy.ts";

test("one of many concurrent requests gets the lease, and another one gets it afterwards", async (t) => {
  const { redis } = await createTestRedis(t);
  const replicas = [createLeases(redis), createLeases(redis)];
  const taken = (await Promise.all([...replicas, ...replicas].map((take) => take("a")))).filter((lease) => lease !== undefined);
  assert.equal(taken.length, 1);
  assert.ok(await replicas[0]?.("b"), "another name is another lease");
  taken[0]?.end();
  assert.ok(await replicas[1]?.("a"));
});

test("a lease that isn't renewed expires soon; its holder then can't end the next holder's lease", async (t) => {
  const { redis, settings } = await createTestRedis(t);
  const take = createLeases(redis);
  const late = await take("a");
  const [name = ""] = (await redis.keys(`${settings.keyPrefix}*`)).map((key) => key.slice(settings.keyPrefix.length));
  const ms = await redis.pttl(name);
  assert.ok(ms > 0 && ms <= 3_000, String(ms));
  await redis.del(name); // as if it had expired
  assert.ok(await take("a"));
  late?.end();
  await redis.ping();
  assert.equal(await take("a"), undefined);
});

test("a lease is renewed while it is held", async (t) => {
  const { redis, settings } = await createTestRedis(t);
  const lease = await createLeases(redis)("a");
  const [name = ""] = (await redis.keys(`${settings.keyPrefix}*`)).map((key) => key.slice(settings.keyPrefix.length));
  await redis.pexpire(name, 60_000);
  await eventually("the interval between renewals", async () => (await redis.pttl(name)) <= 3_000);
  lease?.end();
});

test("without Redis, every request gets the lease", async (t) => {
  const proxy = await startRedisProxy(t);
  const take = createLeases(proxy.redis);
  await proxy.cut();
  const leases = await Promise.all([take("a"), take("a")]);
  assert.ok(leases.every((lease) => lease !== undefined));
  for (const lease of leases) lease?.end();
});
