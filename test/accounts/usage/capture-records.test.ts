/** Queued captures: the order in which they run, and the handling of those that never end. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setPlan } from "../../../src/accounts/usage/plans.ts";
import { endCapture } from "../../../src/screenshots/queued/ends.ts";
import { addCaptures, createCaptureRecords } from "../../../src/screenshots/queued/records.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createAccount } from "../accounts.ts";

const expiresAt = new Date(Date.now() + 86_400_000);

async function add(database: TestDatabase, userId: string, isAwaited = false): Promise<{ id: string; turn: number }> {
  const id = randomUUID();
  const added = { userId, keyId: null, isAwaited, expiresAt, captures: [{ id, request: Buffer.from("x") }] };
  const { positions } = await database.transaction((transaction) => addCaptures(transaction, added));
  return { id, turn: positions.get(id) ?? 0 };
}

async function several(database: TestDatabase, userId: string, count: number): Promise<number[]> {
  const turns: number[] = [];
  for (let turn = 0; turn < count; turn++) turns.push((await add(database, userId)).turn);
  return turns;
}

/** Starts the captures with the lowest positions, as the queue does. */
async function begin(database: TestDatabase, count: number): Promise<void> {
  await database.query(
    "update captures set status = 'running', turn = null where id in (select id from captures where status = 'queued' order by turn, created_at limit $1)",
    [count],
  );
}

test("accounts take turns, no matter how many captures one of them has queued", async (t) => {
  const database = await createTestDatabase(t);
  const [many, few] = [(await createAccount(database)).userId, (await createAccount(database)).userId];
  await several(database, many, 100);
  await several(database, few, 3);
  const { rows } = await database.query("select user_id from captures order by turn, created_at");
  const places = rows.flatMap(({ user_id }, place) => (user_id === few ? [place] : []));
  assert.deepEqual(places, [1, 3, 5]);
});

test("a new or previously idle account starts at the queue's current position", async (t) => {
  const database = await createTestDatabase(t);
  const [early, late] = [(await createAccount(database)).userId, (await createAccount(database)).userId];
  await several(database, early, 100);
  await begin(database, 50);
  await several(database, late, 60);
  const { rows } = await database.query("select user_id from captures where status = 'queued' order by turn, created_at limit 40");
  const own = rows.filter(({ user_id }) => user_id === late).length;
  assert.ok(own === 20, `${own} of the next 40 captures belong to the late account`);
});

test("higher-ranked plans get more positions: twice as many at rank 10", async (t) => {
  const database = await createTestDatabase(t);
  const [free, pro] = [(await createAccount(database)).userId, (await createAccount(database)).userId];
  await setPlan(database, pro, { planId: "pro" });
  await several(database, free, 60);
  await several(database, pro, 60);
  const { rows } = await database.query("select user_id from captures order by turn, created_at limit 30");
  const own = rows.filter(({ user_id }) => user_id === pro).length;
  assert.ok(own >= 19 && own <= 21, `${own} of the first 30`);
});

test("a capture with a waiting caller has no position in the queue", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  await several(database, userId, 3);
  const { id } = await add(database, userId, true);
  const { rows } = await database.query("select turn from captures where id = $1", [id]);
  assert.equal(rows[0].turn, null);
});

test("only captures that have waited for a day or run for hours count as lost", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  const records = createCaptureRecords(database);
  const [lost, fresh, done] = [await add(database, userId), await add(database, userId), await add(database, userId)];
  const [stuck, running] = [await add(database, userId), await add(database, userId)];
  await database.query("update captures set status = 'running', started_at = now() - interval '4 hours' where id = $1", [stuck.id]);
  await database.query("update captures set status = 'running', started_at = now() - interval '1 hour' where id = $1", [running.id]);
  await database.query("update captures set created_at = now() - interval '27 hours' where id = any($1)", [[lost.id, done.id]]);
  await database.query("update captures set status = 'done', ended_at = now() where id = $1", [done.id]);
  assert.deepEqual((await records.lost(10)).map(({ id }) => id).sort(), [lost.id, stuck.id].sort());
  assert.equal((await records.lost(1)).length, 1);
  assert.equal(await endCapture(database, lost.id, "failed", { failure: { code: "unavailable" } }), true);
  assert.equal(await endCapture(database, lost.id, "failed", { failure: { code: "unavailable" } }), false);
  assert.deepEqual(
    (await records.lost(10)).map(({ id }) => id),
    [stuck.id],
  );
  assert.deepEqual(await records.ended([lost.id, fresh.id, done.id, randomUUID()]).then((ids) => ids.length), 3);
});
