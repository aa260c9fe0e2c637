/** Accounts share the pool's connections: what one lets wait or run delays no other. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { waitingMax } from "../../src/database/shared-pool.ts";
import { addressOwner, forAccount } from "../../src/shared/work-owner.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const slow = "select pg_sleep(0.3)";
/** What another account's statement may wait while one account's slow statements wait. */
const othersWaitMaxMs = 250;

async function msOf(work: Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work;
  return performance.now() - begun;
}

/** Starts `count` statements at once, and returns how many succeed. */
async function succeeded(count: number, run: () => Promise<unknown>): Promise<number> {
  const ends = await Promise.allSettled(Array.from({ length: count }, run));
  return ends.filter(({ status }) => status === "fulfilled").length;
}

/** Opens all connections, which takes longer than a statement. */
const openAll = (database: TestDatabase) =>
  Promise.all(["a", "b", "c", "d", "e"].map((name) => forAccount(name, () => succeeded(2, () => database.query(slow)))));

for (const [kind, run] of Object.entries({
  statements: (database: TestDatabase) => database.query(slow),
  transactions: (database: TestDatabase) => database.transaction(({ query }) => query(slow)),
}))
  test(`200 slow ${kind} of one account neither delay another account's nor the service's own`, async (t) => {
    const database = await createTestDatabase(t);
    await openAll(database);
    const all = forAccount("one", () => succeeded(200, () => run(database)));
    const waits: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      waits.push(await forAccount("other", () => msOf(database.query("select 1"))));
      waits.push(await msOf(database.transaction(({ query }) => query("select 1"))));
      await forAccount("other", () => database.query("select pg_sleep(0.2)"));
    }
    assert.ok(Math.max(...waits) < othersWaitMaxMs, `waited ${Math.max(...waits)} ms`);
    // The account itself: what 5 connections can do in the 5 s for which statements wait.
    assert.ok((await all) >= 50);
    assert.equal(await forAccount("one", () => succeeded(1, () => database.query("select 1"))), 1);
  });

test("an account holds at most half of the connections, and the next one half of the rest", async (t) => {
  const database = await createTestDatabase(t);
  const runningOf = async (name: string) => {
    const { rows } = await database.query(
      "select count(*)::integer as found from pg_stat_activity where query like $1 and state = 'active'",
      [`%-- ${name}`],
    );
    return rows[0].found;
  };
  const ends = [];
  for (const [name, share] of [
    ["first", 5],
    ["second", 3],
  ] as const) {
    ends.push(forAccount(name, () => succeeded(10, () => database.query(`select pg_sleep(1) -- ${name}`))));
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(await runningOf(name), share, name);
  }
  assert.deepEqual(await Promise.all(ends), [10, 10]);
});

test("accounts that wait take turns, each in order", async (t) => {
  const database = (await createTestDatabase(t)).connect({ connectionsMax: 1 });
  const order: string[] = [];
  const run = (name: string) => forAccount(name.slice(0, 1), () => database.query("select 1").then(() => order.push(name)));
  await Promise.all(["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map(run));
  assert.deepEqual(order, ["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("clients' addresses together take every other turn, however many they are, and at most half of the connections", async (t) => {
  const database = await createTestDatabase(t);
  const one = database.connect({ connectionsMax: 1 });
  const order: string[] = [];
  const run = (name: string) => one.query("select 1").then(() => order.push(name));
  const waiting = [
    ...["1", "2", "3", "4", "5"].map((name) => forAccount(addressOwner(name), () => run(name))),
    ...["a", "b", "c"].map((name) => forAccount(name, () => run(name))),
  ];
  await Promise.all(waiting);
  assert.deepEqual(order, ["1", "a", "2", "b", "3", "c", "4", "5"]);
  await openAll(database);
  const addresses = Array.from({ length: 100 }, (_, at) => forAccount(addressOwner(String(at)), () => database.query(slow)));
  const ms = await forAccount("other", () => msOf(database.query("select 1")));
  assert.ok(ms < othersWaitMaxMs, `waited ${ms} ms`);
  await Promise.allSettled(addresses);
});

test("the service's own statements come first, as they are for everybody", async (t) => {
  const database = (await createTestDatabase(t)).connect({ connectionsMax: 1 });
  const order: string[] = [];
  const run = (name: string) => database.query("select 1").then(() => order.push(name));
  await Promise.all([...["a", "b", "c", "d"].map((name) => forAccount(name, () => run(name))), run("service")]);
  assert.deepEqual(order, ["a", "service", "b", "c", "d"]);
});

test(`more than ${waitingMax} waiting statements of an account are refused, but not another's or the service's`, async (t) => {
  const database = (await createTestDatabase(t)).connect({ connectionsMax: 1 });
  const select = () => database.query("select 1");
  const holding = database.query(slow);
  const all = forAccount("one", () => succeeded(waitingMax, select));
  const refused = { code: "rate_limited", status: 429, retryAfterSeconds: 5 };
  await assert.rejects(forAccount("one", select), refused);
  await assert.rejects(
    forAccount("one", () => database.transaction(({ query }) => query("select 1"))),
    refused,
  );
  await forAccount("other", select);
  assert.equal(await succeeded(2 * waitingMax, select), 2 * waitingMax);
  assert.equal(await all, waitingMax);
  await holding;
  await forAccount("one", select);
});

test("statements that wait too long fail, and their connections go to others", async (t) => {
  const database = (await createTestDatabase(t)).connect({ connectionsMax: 1 });
  const begun = performance.now();
  const holding = database.transaction(({ query }) => query("select pg_sleep(8)"), { timeoutMs: 10_000, statementTimeoutMs: 10_000 });
  const infinite = { text: "select 1", timeoutMs: Number.POSITIVE_INFINITY };
  await assert.rejects(
    forAccount("one", () => database.query(infinite)),
    { code: "unavailable" },
  );
  assert.ok(performance.now() - begun < 7_900, "the time limit for waiting applies");
  const later = forAccount("one", () => database.query("select 2 as found"));
  await holding;
  assert.deepEqual((await later).rows, [{ found: 2 }]);
});

test("connections that can't be opened count for nobody", async (t) => {
  const database = await createTestDatabase(t);
  const away = database.connect({ host: "127.0.0.1", port: 1 });
  for (let round = 0; round < 3; round += 1) assert.equal(await forAccount("one", () => succeeded(20, () => away.query("select 1"))), 0);
  const lost = () => database.query("select pg_terminate_backend(pg_backend_pid())");
  assert.equal(await forAccount("one", () => succeeded(30, lost)), 0);
  assert.equal(await forAccount("one", () => succeeded(30, () => database.query("select 1"))), 30);
});
