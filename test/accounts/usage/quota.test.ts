/** The monthly quota: never exceeded, and nothing is lost when captures fail or processes die. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { v7 } from "uuid";
import type { ApiKey } from "../../../src/accounts/keys/caller.ts";
import { type Charge, createCharge } from "../../../src/accounts/usage/charge.ts";
import type { Reservation, ReservedOutput } from "../../../src/accounts/usage/reservation.ts";
import { createQuotaSweep } from "../../../src/accounts/usage/sweep.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { createTestClock } from "../../support/clock.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { openGate } from "../../support/gate.ts";
import { longOnly } from "../../support/long-only.ts";
import { createQuotaKey } from "../accounts.ts";
import { settledImage as image } from "./settled-image.ts";

const longTest = longOnly(test);
const log = pino({ level: "silent" });

/** A lease of 0 ms has already expired, so that a sweep need not wait. */
function capture(reservedMs = 60_000): ReservedOutput {
  return {
    id: v7(),
    url: "https://example.com/",
    options: { format: "png", full_page: true },
    cacheKey: Buffer.alloc(32, 7),
    reservedMs,
    expiresAt: new Date("2199-01-01T00:00:00Z"),
  };
}

async function reserve(charge: Charge, key: ApiKey, output: ReservedOutput): Promise<Reservation> {
  const [reservation] = await charge.reserve(key, [{ outputs: [output] }]);
  return reservation;
}

async function used(database: TestDatabase, key: ApiKey): Promise<[start: string, used: number][]> {
  const { rows } = await database.query("select period_start, used from usage_periods where user_id = $1 order by period_start", [
    key.userId,
  ]);
  return rows.map(({ period_start, used }) => [period_start.toISOString().slice(0, 10), used]);
}

async function record(database: TestDatabase, id: string) {
  const { rows } = await database.query("select * from screenshots where id = $1", [id]);
  return rows[0];
}

async function statuses(database: TestDatabase, key: ApiKey): Promise<Record<string, number>> {
  const { rows } = await database.query("select status, count(*)::integer as n from screenshots where user_id = $1 group by status", [
    key.userId,
  ]);
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

test("exactly 100 of 1,000 concurrent reservations against a quota of 100 succeed", async (t) => {
  const database = await createTestDatabase(t);
  const charge = createCharge({ database, log, clock: createTestClock() });
  const key = await createQuotaKey(database, 100);
  const results = await Promise.allSettled(Array.from({ length: 1_000 }, () => reserve(charge, key, capture())));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 100);
  for (const result of results) if (result.status === "rejected") assert.equal(result.reason.code, "quota_exceeded");
  assert.deepEqual(await used(database, key), [["2026-05-01", 100]]);
  assert.deepEqual(await statuses(database, key), { pending: 100 });
});

test("a reservation is recorded with its request, and settling completes the record", async (t) => {
  const database = await createTestDatabase(t);
  const charge = createCharge({ database, log, clock: createTestClock() });
  const key = await createQuotaKey(database, 100);
  const reserved = capture();
  const reservation = await reserve(charge, key, reserved);
  assert.equal(reservation.id, reserved.id);
  const pending = await record(database, reserved.id);
  assert.deepEqual(
    [pending.status, pending.user_id, pending.key_id, pending.url, pending.options, pending.cache_key, pending.expires_at],
    ["pending", key.userId, key.id, reserved.url, reserved.options, reserved.cacheKey, reserved.expiresAt],
  );
  assert.equal(pending.lease_until.getTime() - pending.created_at.getTime(), 60_000);

  assert.equal(await charge.settle(reservation, image), true);
  const done = await record(database, reserved.id);
  assert.deepEqual(
    [done.status, done.format, done.width, done.height, done.bytes, done.duration_ms, done.object_key, done.lease_until, done.error],
    ["done", "png", 1280, 720, 4321, 812, "a/b.png", null, null],
  );
  assert.equal(done.title, "A title");
  assert.deepEqual(await used(database, key), [["2026-05-01", 1]]);
});

test("a screenshot that is delivered but not stored is charged", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, 1);
  const charge = createCharge({ database, log, clock: createTestClock() });
  const reservation = await reserve(charge, key, capture());
  await charge.settle(reservation, { ...image, objectKey: null });
  assert.equal((await record(database, reservation.id)).object_key, null);
  assert.deepEqual(await used(database, key), [["2026-05-01", 1]]);
});

test("a refund frees quota for another capture, and records the reason", async (t) => {
  const database = await createTestDatabase(t);
  const metrics = createMetrics();
  const charge = createCharge({ database, log, clock: createTestClock(), metrics });
  const key = await createQuotaKey(database, 1);
  const reservation = await reserve(charge, key, capture());
  await assert.rejects(reserve(charge, key, capture()), { code: "quota_exceeded" });
  assert.equal(await charge.refund({ output: reservation.id, error: "target_timeout" }), true);
  const failed = await record(database, reservation.id);
  assert.deepEqual([failed.status, failed.error, failed.lease_until], ["failed", "target_timeout", null]);
  await reserve(charge, key, capture());
  assert.deepEqual(
    (await metrics.quotaRefunds.get()).values.filter(({ value }) => value > 0).map(({ labels, value }) => [labels.reason, value]),
    [["failed", 1]],
  );
});

test("a reservation ends once: settled, refunded or swept, whichever comes first", async (t) => {
  const database = await createTestDatabase(t);
  const charge = createCharge({ database, log, clock: createTestClock() });
  const key = await createQuotaKey(database, 100);

  const settled = await reserve(charge, key, capture());
  assert.deepEqual(
    [await charge.settle(settled, image), await charge.settle(settled, image), await charge.refund({ output: settled.id, error: "x" })],
    [true, false, false],
  );
  assert.deepEqual(await used(database, key), [["2026-05-01", 1]]);

  const refunded = await reserve(charge, key, capture());
  assert.deepEqual(
    [
      await charge.refund({ output: refunded.id, error: "x" }),
      await charge.refund({ output: refunded.id, error: "x" }),
      await charge.settle(refunded, image),
    ],
    [true, false, false],
  );
  assert.deepEqual(await used(database, key), [["2026-05-01", 1]]);

  const swept = await reserve(charge, key, capture(0));
  assert.equal(await createQuotaSweep({ database, log }).run(), 1);
  assert.deepEqual([await charge.settle(swept, image), await charge.refund({ output: swept.id, error: "x" })], [false, false]);
  assert.equal((await record(database, swept.id)).error, "abandoned");
  assert.deepEqual(await used(database, key), [["2026-05-01", 1]]);

  const contested = await reserve(charge, key, capture());
  const outcomes = await Promise.all([
    charge.settle(contested, image),
    charge.refund({ output: contested.id, error: "x" }),
    charge.settle(contested, image),
    charge.refund({ output: contested.id, error: "x" }),
  ]);
  assert.equal(outcomes.filter(Boolean).length, 1);
});

test("the error for an exhausted quota states its size and when it resets", async (t) => {
  const database = await createTestDatabase(t);
  const charge = createCharge({ database, log, clock: createTestClock(new Date("2026-12-20T12:00:00Z")) });
  const key = await createQuotaKey(database, 2);
  await reserve(charge, key, capture());
  await reserve(charge, key, capture());
  await assert.rejects(reserve(charge, key, capture()), {
    name: "AppError",
    code: "quota_exceeded",
    status: 403,
    message: "The monthly quota of 2 screenshots is used up; it resets on 2027-01-01 00:00 UTC.",
  });
});

test("a quota of zero admits nothing and records nothing", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, 0);
  await assert.rejects(reserve(createCharge({ database, log, clock: createTestClock() }), key, capture()), { code: "quota_exceeded" });
  assert.deepEqual(await used(database, key), []);
  assert.deepEqual(await statuses(database, key), {});
});

test("without a quota, every reservation succeeds and is counted", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, null);
  const charge = createCharge({ database, log, clock: createTestClock() });
  for (let turn = 0; turn < 5; turn++) await reserve(charge, key, capture());
  assert.deepEqual(await used(database, key), [["2026-05-01", 5]]);
});

test("a new month starts with the full quota; a late refund goes to the month of its reservation", async (t) => {
  const database = await createTestDatabase(t);
  const clock = createTestClock(new Date("2026-02-28T09:59:00Z"));
  const key = await createQuotaKey(database, 1, new Date("2026-01-31T10:00:00Z"));
  const charge = createCharge({ database, log, clock });
  const january = await reserve(charge, key, capture());
  await assert.rejects(reserve(charge, key, capture()), { code: "quota_exceeded", message: /2026-02-28 10:00 UTC/ });
  clock.set(new Date("2026-02-28T10:00:00Z"));
  await reserve(charge, key, capture());
  await charge.refund({ output: january.id, error: "target_timeout" });
  assert.deepEqual(await used(database, key), [
    ["2026-01-31", 0],
    ["2026-02-28", 1],
  ]);
});

test("a sweep refunds all abandoned reservations, and nothing else", async (t) => {
  const database = await createTestDatabase(t);
  const metrics = createMetrics();
  const charge = createCharge({ database, log, clock: createTestClock(), metrics });
  const keys = [await createQuotaKey(database, 100), await createQuotaKey(database, null)];
  for (const key of keys) {
    await Promise.all(Array.from({ length: 5 }, () => reserve(charge, key, capture(0))));
    await reserve(charge, key, capture());
    await charge.settle(await reserve(charge, key, capture(0)), image);
  }
  const sweep = createQuotaSweep({ database, log, metrics });
  assert.equal(await sweep.run(), 10);
  assert.equal(await sweep.run(), 0);
  for (const key of keys) {
    assert.deepEqual(await used(database, key), [["2026-05-01", 2]]);
    assert.deepEqual(await statuses(database, key), { failed: 5, pending: 1, done: 1 });
  }
  assert.deepEqual(
    (await metrics.quotaRefunds.get()).values.filter(({ value }) => value > 0).map(({ labels, value }) => [labels.reason, value]),
    [["swept", 10]],
  );
});

test("a sweep takes as many batches as necessary", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, null);
  await database.query("insert into usage_periods (user_id, period_start, used) values ($1, '2026-05-01Z', 1203)", [key.userId]);
  await database.query(
    `insert into screenshots (id, user_id, period_start, url, options, cache_key, lease_until, expires_at)
     select gen_random_uuid(), $1, '2026-05-01Z', 'https://example.com/', '{}', '', now(), now() from generate_series(1, 1203)`,
    [key.userId],
  );
  assert.equal(await createQuotaSweep({ database, log }).run(), 1203);
  assert.deepEqual(await used(database, key), [["2026-05-01", 0]]);
});

test("the count is exact after concurrent sweeps, captures and refunds on several replicas", async (t) => {
  const database = await createTestDatabase(t);
  const clock = createTestClock();
  const replicas = Array.from({ length: 3 }, () => ({
    charge: createCharge({ database, clock, log }),
    sweep: createQuotaSweep({ database, log }),
  }));
  const keys = await Promise.all(Array.from({ length: 4 }, () => createQuotaKey(database, null)));
  const jobs = Array.from({ length: 240 }, async (_, index) => {
    const { charge, sweep } = replicas[index % 3] as (typeof replicas)[0];
    const isAbandoned = index % 3 === 0;
    const reservation = await reserve(charge, keys[index % 4] as ApiKey, capture(isAbandoned ? 0 : 60_000));
    if (index % 10 === 0) await sweep.run();
    if (isAbandoned) return;
    await (index % 2 === 0 ? charge.refund({ output: reservation.id, error: "x" }) : charge.settle(reservation, image));
  });
  await Promise.all(jobs);
  await Promise.all(replicas.map(({ sweep }) => sweep.run()));
  for (const { sweep } of replicas) await sweep.run();
  for (const key of keys) {
    const counts = await statuses(database, key);
    assert.equal(counts.pending, undefined);
    assert.deepEqual(await used(database, key), [["2026-05-01", counts.done ?? 0]]);
  }
});

test("sweeps repeat until closed", async (t) => {
  const database = await createTestDatabase(t);
  const charge = createCharge({ database, log, clock: createTestClock() });
  const key = await createQuotaKey(database, 100);
  const sweep = createQuotaSweep({ database, log });
  sweep.start(5);
  for (let round = 0; round < 2; round++) {
    await reserve(charge, key, capture(0));
    await eventually("swept", async () => (await used(database, key))[0]?.[1] === 0);
  }
  await sweep.close();
});

test("an account that has been deleted is refused like an unknown key", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, 100);
  await database.query("delete from users where id = $1", [key.userId]);
  await assert.rejects(reserve(createCharge({ database, log, clock: createTestClock() }), key, capture()), { code: "invalid_api_key" });
});

test("without the database, a reservation fails with `unavailable` and `Retry-After`", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, 100);
  // Port 1 on this machine: nothing is listening there.
  const away = database.connect({ host: "127.0.0.1", port: 1 });
  const charge = createCharge({ database: away, log, clock: createTestClock() });
  await assert.rejects(reserve(charge, key, capture()), { name: "AppError", code: "unavailable", status: 503, retryAfterSeconds: 5 });
  await assert.rejects(createQuotaSweep({ database: away, log }).run(), { code: "unavailable" });
});

longTest("a reservation that misses its deadline fails within seconds, and is refunded once it completes", async (t) => {
  const database = await createTestDatabase(t);
  const gate = await openGate(t, database.settings);
  const key = await createQuotaKey(database, 100);
  const throughGate = database.connect({ host: gate.host, port: gate.port });
  const charge = createCharge({ database: throughGate, log, clock: createTestClock() });
  await charge.settle(await reserve(charge, key, capture()), image);
  gate.swallow("answers");
  await assert.rejects(reserve(charge, key, capture()), { code: "unavailable", retryAfterSeconds: 5 });
  assert.deepEqual(await statuses(database, key), { done: 1, pending: 1 });
  await gate.mend();
  await eventually("it is refunded", async () => (await statuses(database, key)).failed === 1);
  assert.deepEqual(await used(database, key), [["2026-05-01", 1]]);
});

test("characters that PostgreSQL cannot store are replaced in recorded options", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, 100);
  const { id } = await reserve(createCharge({ database, log, clock: createTestClock() }), key, {
    ...capture(),
    options: { selector: "a\0b", styles: ["half \ud83d of a pair"] },
  });
  assert.deepEqual((await record(database, id)).options, { selector: "a\ufffdb", styles: ["half \ufffd of a pair"] });
});
