/** Rate limits: with Redis, with its stand-in, and without either. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import type { Redis } from "ioredis";
import { pino } from "pino";
import { freePort } from "../../../scripts/stack/ports.ts";
import { startStandIn } from "../../../scripts/stack/redis.ts";
import { createRateLimiter } from "../../../src/accounts/usage/rate-limit.ts";
import { createRedis } from "../../../src/start/redis.ts";
import { createTestClock } from "../../support/clock.ts";
import { openGate } from "../../support/gate.ts";
import { createTestRedis } from "../../support/redis.ts";

const log = pino({ level: "silent" });
const settings = { windowMs: 60_000, maxRequests: 4 };

async function realRedis(t: TestContext): Promise<Redis> {
  return (await createTestRedis(t)).redis;
}

async function standIn(t: TestContext): Promise<Redis> {
  const server = await startStandIn(t.signal);
  const redis = createRedis({ url: server.url, host: "", port: 0, password: "", commandTimeoutMs: 10_000 }, log);
  t.after(async () => {
    redis.disconnect();
    await server.stop();
  });
  if (redis.status !== "ready") await once(redis, "ready", { signal: AbortSignal.timeout(5_000) });
  return redis;
}

async function times<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let turn = 0; turn < count; turn++) results.push(await run());
  return results;
}

for (const [name, connect] of [
  ["Redis", realRedis],
  ["the stand-in for Redis", standIn],
] as const) {
  test(`${name}: exactly as many requests as the key's limit are admitted`, async (t) => {
    const limiter = createRateLimiter(await connect(t), settings);
    const states = await times(4, () => limiter.consume({ id: "a", limit: 3 }));
    assert.deepEqual(
      states.map(({ allowed, limit, remaining }) => [allowed, limit, remaining]),
      [
        [true, 3, 2],
        [true, 3, 1],
        [true, 3, 0],
        [false, 3, 0],
      ],
    );
  });

  test(`${name}: keys with different limits are independent`, async (t) => {
    const limiter = createRateLimiter(await connect(t), settings);
    const small = await times(3, () => limiter.consume({ id: "small", limit: 2 }));
    const large = await times(3, () => limiter.consume({ id: "large", limit: 600 }));
    assert.deepEqual(
      small.map(({ allowed }) => allowed),
      [true, true, false],
    );
    assert.deepEqual(
      large.map(({ remaining }) => remaining),
      [599, 598, 597],
    );
  });

  test(`${name}: concurrent requests are counted individually, in order of arrival`, async (t) => {
    const redis = await connect(t);
    const limiter = createRateLimiter(redis, settings);
    const early = limiter.consume({ id: "a", limit: 6 });
    await new Promise((resolve) => setImmediate(resolve)); // the next requests arrive while it is in flight
    const states = await Promise.all([early, ...Array.from({ length: 7 }, () => limiter.consume({ id: "a", limit: 6 }))]);
    assert.deepEqual(
      states.map(({ remaining }) => remaining),
      [5, 4, 3, 2, 1, 0, 0, 0],
    );
    assert.deepEqual(
      states.map(({ allowed }) => allowed),
      [true, true, true, true, true, true, false, false],
    );
    assert.equal((await limiter.consume({ id: "a", limit: 100 })).remaining, 91); // all of them were counted
  });

  test(`${name}: two replicas share the count`, async (t) => {
    const redis = await connect(t);
    const replicas = [createRateLimiter(redis, settings), createRateLimiter(redis, settings)];
    const states = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (replicas[index % 2] as (typeof replicas)[0]).consume({ id: "a", limit: 7 })),
    );
    assert.equal(states.filter(({ allowed }) => allowed).length, 7);
  });
}

test("a key without a limit uses the one in the settings; its reset is the window's end in Unix seconds", async (t) => {
  const redis = await realRedis(t);
  const clock = createTestClock(new Date("2026-05-20T12:00:00.500Z"));
  const limiter = createRateLimiter(redis, { windowMs: 600_000, maxRequests: 2 }, clock);
  const [first, , third] = await times(3, () => limiter.consume({ id: "a", limit: null }));
  const end = Date.UTC(2026, 4, 20, 12, 10, 0) / 1000;
  assert.deepEqual({ ...first }, { allowed: true, limit: 2, remaining: 1, resetAtSeconds: end + 1, retryAfterSeconds: 0 });
  assert.equal(third?.allowed, false);
  // Only the time that the test itself took has passed in the window.
  assert.ok(third.retryAfterSeconds > 500 && third.retryAfterSeconds <= 600, String(third.retryAfterSeconds));
});

test("a plan's limit is per minute, whatever the window in the settings", async (t) => {
  const redis = await realRedis(t);
  const clock = createTestClock(new Date("2026-05-20T12:00:00Z"));
  const { resetAtSeconds } = await createRateLimiter(redis, { windowMs: 3_600_000, maxRequests: 2 }, clock).consume({ id: "a", limit: 5 });
  assert.equal(resetAtSeconds, Date.UTC(2026, 4, 20, 12, 1, 0) / 1000);
});

test("a new window starts after the previous one has ended", async (t) => {
  const { redis, settings: connection } = await createTestRedis(t);
  const limiter = createRateLimiter(redis, settings);
  const [, refused] = await times(2, () => limiter.consume({ id: "a", limit: 1 }));
  assert.equal(refused?.allowed, false);
  const keys = (await redis.keys(`${connection.keyPrefix}*`)).map((key) => key.slice(connection.keyPrefix.length));
  assert.equal(keys.length, 1);
  assert.ok((await redis.pttl(keys[0] as string)) > 0, "the count must expire by itself");
  await redis.pexpire(keys[0] as string, 0);
  assert.equal((await limiter.consume({ id: "a", limit: 1 })).allowed, true);
});

test("refused requests count as well", async (t) => {
  const { redis, settings: connection } = await createTestRedis(t);
  const limiter = createRateLimiter(redis, settings);
  await times(5, () => limiter.consume({ id: "a", limit: 1 }));
  const [key = ""] = await redis.keys(`${connection.keyPrefix}*`);
  assert.equal(await redis.get(key.slice(connection.keyPrefix.length)), "5");
});

test("IP addresses have the limit from the settings, independent of keys", async (t) => {
  const limiter = createRateLimiter(await realRedis(t), { windowMs: 60_000, maxRequests: 2 });
  await times(5, () => limiter.consume({ id: "203.0.113.7", limit: null }));
  const states = await times(3, () => limiter.consumeAddress("203.0.113.7"));
  assert.deepEqual(
    states.map(({ allowed }) => allowed),
    [true, true, false],
  );
  assert.equal((await limiter.consumeAddress("203.0.113.8")).allowed, true);
});

test("addresses in one IPv6 /64 count together, and an IPv4-mapped address counts as IPv4", async (t) => {
  const limiter = createRateLimiter(await realRedis(t), { windowMs: 60_000, maxRequests: 100 });
  const remaining = async (ip: string) => (await limiter.consumeAddress(ip)).remaining;
  assert.equal(await remaining("2001:db8:0:1::1"), 99);
  assert.equal(await remaining("2001:DB8::1:ffff:2:3:4"), 98);
  assert.equal(await remaining("2001:db8:0:2::1"), 99);
  assert.equal(await remaining("198.51.100.9"), 99);
  assert.equal(await remaining("::ffff:198.51.100.9"), 98);
  assert.equal(await remaining("::ffff:198.51.100.10"), 99);
  assert.equal(await remaining("::1"), 99);
  assert.equal(await remaining("fe80::1%eth0"), 99);
});

test("without Redis, the limit applies per process", async (t) => {
  const port = await freePort();
  const redis = createRedis({ url: `redis://127.0.0.1:${port}`, host: "", port: 0, password: "" }, log);
  t.after(() => redis.disconnect());
  const limiter = createRateLimiter(redis, settings);
  const states = await times(4, () => limiter.consume({ id: "a", limit: 3 }));
  assert.deepEqual(
    states.map(({ allowed, remaining }) => [allowed, remaining]),
    [
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ],
  );
  assert.equal((await limiter.consumeAddress("203.0.113.7")).remaining, 3);
});

test("when Redis stops responding, the limit still applies, and no request fails", async (t) => {
  const { settings: connection } = await createTestRedis(t);
  const gate = await openGate(t, connection.url);
  const redis = createRedis({ ...connection, commandTimeoutMs: 250, url: gate.through(connection.url) }, log);
  t.after(() => redis.disconnect());
  await once(redis, "ready", { signal: AbortSignal.timeout(5_000) });
  const limiter = createRateLimiter(redis, settings);
  assert.equal((await limiter.consume({ id: "a", limit: 2 })).remaining, 1);
  gate.swallow();
  const states = await times(3, () => limiter.consume({ id: "a", limit: 2 }));
  assert.deepEqual(
    states.map(({ allowed }) => allowed),
    [true, true, false],
  );
});

test("a Redis outage is logged once, not per attempt", async (t) => {
  const lines: string[] = [];
  const attempts = Promise.withResolvers<void>();
  const redis = createRedis(
    { url: `redis://127.0.0.1:${await freePort()}`, host: "", port: 0, password: "" },
    pino({ level: "info" }, { write: (line: string) => void lines.push(line) }),
  );
  t.after(() => redis.disconnect());
  let errors = 0;
  redis.on("error", () => {
    errors += 1;
    if (errors === 3) attempts.resolve();
  });
  await attempts.promise;
  assert.equal(lines.length, 1);
});

test("a database that Redis doesn't have is not replaced by database 0: commands fail, and the log says why", async (t) => {
  const { redis: other, settings: connection } = await createTestRedis(t);
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line).msg) };
  const redis = createRedis({ ...connection, url: new URL("/999999", connection.url).href }, pino({ level: "info" }, sink));
  t.after(() => redis.disconnect());
  let ready = 0;
  redis.on("ready", () => {
    ready += 1;
  });
  for (let attempt = 0; attempt < 3; attempt++) {
    await once(redis, "error", { signal: AbortSignal.timeout(5_000) });
    await assert.rejects(redis.set("a", "1"), { message: "Redis has no database 999999, which REDIS_URL names", code: "NO_SUCH_DATABASE" });
  }
  assert.deepEqual([await other.get("a"), ready, lines], [null, 0, ["Redis has no database 999999, which REDIS_URL names"]]);
});

test("the parts of REDIS_URL override the individual settings, including the database", async (t) => {
  const redis = createRedis({ url: "redis://someone:p%40ss@127.0.0.1:1/5", host: "other", port: 2, password: "other" }, log);
  t.after(() => redis.disconnect());
  const { host, port, username, password, db, tls } = redis.options;
  assert.deepEqual([host, port, username, password, db, tls], ["127.0.0.1", 1, "someone", "p@ss", 5, undefined]);
  const secure = createRedis({ url: "rediss://127.0.0.1", host: "other", port: 6380, password: "secret" }, log);
  t.after(() => secure.disconnect());
  assert.deepEqual([secure.options.port, secure.options.password, secure.options.db], [6380, "secret", 0]);
  assert.ok(secure.options.tls);
});
