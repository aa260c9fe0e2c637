/** Usage is counted once, by any replica, and survives database outages. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { findUnrevokedKey } from "../../../src/accounts/keys/keys-of-any-user.ts";
import { createUsageCounts, playgroundKeyId } from "../../../src/accounts/usage/counts.ts";
import type { Database } from "../../../src/database/database.ts";
import { forAccount } from "../../../src/shared/work-owner.ts";
import { createTestClock } from "../../support/clock.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { openGate } from "../../support/gate.ts";
import { createAccount, createQuotaKey } from "../accounts.ts";

const log = pino({ level: "silent" });

async function setUp(t: TestContext) {
  const database = await createTestDatabase(t);
  const clock = createTestClock(new Date("2026-05-20T23:59:59Z"));
  const replica = (of: Database = database) => {
    const usage = createUsageCounts(of, clock, log);
    database.beforeDrop(() => usage.close());
    return usage;
  };
  const counted = async () => {
    const { rows } = await database.query(
      "select user_id, key_id, to_char(day, 'YYYY-MM-DD') as day, captured, cached, failed, rejected, bytes::integer from usage_days order by day, captured",
    );
    return rows;
  };
  return { database, clock, replica, counted };
}

const none = { captured: 0, cached: 0, failed: 0, rejected: 0, bytes: 0 };

test("each outcome is counted by key and UTC day", async (t) => {
  const { database, clock, replica, counted } = await setUp(t);
  const key = await createQuotaKey(database, 100);
  const usage = replica();
  usage.record(key, "captured", 10);
  usage.record(key, "captured", 5);
  usage.record(key, "cached", 15);
  usage.record(key, "failed", 0);
  usage.record(key, "rejected", 0);
  clock.advance(1000);
  usage.record({ userId: key.userId, id: null }, "captured", 7);
  await usage.flush();
  const at = { user_id: key.userId };
  assert.deepEqual(await counted(), [
    { ...at, key_id: key.id, day: "2026-05-20", captured: 2, cached: 1, failed: 1, rejected: 1, bytes: 30 },
    { ...at, key_id: playgroundKeyId, day: "2026-05-21", ...none, captured: 1, bytes: 7 },
  ]);
});

test("accounts that ask for their counts share a flush, which doesn't wait behind the statements of one of them", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, 100);
  const one = database.connect({ connectionsMax: 1 });
  let statements = 0;
  const query = (given: never) => {
    statements += 1;
    return one.query(given);
  };
  const counting = { query } as unknown as Database;
  const usage = createUsageCounts(counting, createTestClock(new Date()), log);
  usage.record(key, "captured", 10);
  const ended: string[] = [];
  const busy = Array.from({ length: 30 }, () =>
    forAccount("busy", () => one.query("select pg_sleep(0.02)")).then(() => ended.push("statement")),
  );
  const flushes = ["busy", "other", "busy"].map((account) => forAccount(account, () => usage.flush()).then(() => ended.push("flush")));
  await Promise.all([...busy, ...flushes]);
  assert.ok(ended.lastIndexOf("flush") < 10, ended.join());
  assert.equal(statements, 2, "the counts, and the last uses");
  await usage.close();
});

test("concurrent writes by replicas for the same keys add up without deadlocks", async (t) => {
  const { database, replica, counted } = await setUp(t);
  const keys = await Promise.all(Array.from({ length: 20 }, () => createQuotaKey(database, 100)));
  const replicas = Array.from({ length: 4 }, () => replica());
  for (let round = 0; round < 5; round++) {
    for (const [turn, usage] of replicas.entries()) for (const key of turn % 2 ? keys : keys.toReversed()) usage.record(key, "cached", 1);
    await Promise.all(replicas.map((usage) => usage.flush()));
  }
  const rows = await counted();
  assert.deepEqual([rows.length, new Set(rows.map(({ cached }) => cached))], [20, new Set([20])]);
});

test("closing writes the remaining counts", async (t) => {
  const { database, replica, counted } = await setUp(t);
  const key = await createQuotaKey(database, 100);
  const usage = replica();
  usage.record(key, "captured", 1);
  await usage.close();
  assert.equal((await counted())[0].captured, 1);
});

test("counts that could not be written are kept and added to later ones", async (t) => {
  const { database, replica, counted } = await setUp(t);
  const key = await createQuotaKey(database, 100);
  const gate = await openGate(t, database.settings);
  const own = database.connect({ host: gate.host, port: gate.port });
  const usage = replica(own);
  usage.record(key, "captured", 1);
  await gate.refuse();
  await usage.flush();
  usage.record(key, "captured", 2);
  assert.deepEqual(await counted(), []);
  await gate.mend();
  await usage.flush();
  await usage.flush();
  assert.deepEqual(await counted(), [{ user_id: key.userId, key_id: key.id, day: "2026-05-20", ...none, captured: 2, bytes: 3 }]);
});

test("a deleted user doesn't prevent other users' counts from being written", async (t) => {
  const { database, replica, counted } = await setUp(t);
  const [gone, there] = [await createQuotaKey(database, 100), await createQuotaKey(database, 100)];
  const usage = replica();
  for (const key of [gone, there]) usage.record(key, "captured", 1);
  await database.query("delete from users where id = $1", [gone.userId]);
  await usage.flush();
  assert.deepEqual(
    (await counted()).map(({ user_id }) => user_id),
    [there.userId],
  );
});

test("closing writes the time of a key's last use", async (t) => {
  const { database, clock, replica } = await setUp(t);
  const used = await createAccount(database);
  const unused = await createAccount(database);
  const { userId, id } = await findUnrevokedKey(database, used.key);
  const usage = replica();
  usage.record({ userId, id }, "captured", 1);
  clock.advance(5_000);
  usage.record({ userId, id }, undefined, 0);
  await usage.close();
  assert.deepEqual(await lastUse(database, used.userId), new Date(clock.now()));
  assert.equal(await lastUse(database, unused.userId), null);
});

test("a later use on another replica is not overwritten by an earlier one", async (t) => {
  const { database, clock, replica } = await setUp(t);
  const { userId, key } = await createAccount(database);
  const { id } = await findUnrevokedKey(database, key);
  const usage = replica();
  usage.record({ userId, id }, "cached", 1);
  const later = new Date(clock.now() + 1_000);
  await database.query("update api_keys set last_used_at = $2 where user_id = $1", [userId, later]);
  await usage.close();
  assert.deepEqual(await lastUse(database, userId), later);
});

async function lastUse(database: TestDatabase, userId: string): Promise<Date | null> {
  return (await database.query("select last_used_at from api_keys where user_id = $1", [userId])).rows[0].last_used_at;
}
