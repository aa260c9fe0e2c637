/** Expired images are deleted from storage and the database. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { v7 as uuidV7 } from "uuid";
import { objectKey } from "../../src/storage/link.ts";
import { createRetention } from "../../src/storage/retention.ts";
import { logLines } from "../screenshots/log-lines.ts";
import { createTestClock } from "../support/clock.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { s3Store, startStorage, storageSettings } from "./storage-server.ts";

const never = new AbortController().signal;

interface Row {
  status?: "pending" | "done" | "failed";
  /** Seconds from now; negative if it has already expired. */
  expiresInSeconds?: number;
  /** Whether there is an object; the row of an image that could not be stored, or was never taken, has none. */
  stored?: boolean;
}

async function setUp(t: TestContext, batchSize = 3) {
  const database = await createTestDatabase(t);
  const server = await startStorage(t);
  const store = s3Store(t, storageSettings(server.port));
  await store.prepare(never);
  const lines = logLines();
  const retention = createRetention({ database, store, log: lines.log, batchSize });
  database.beforeDrop(() => retention.close());
  const { rows } = await database.query("insert into users (name, email) values ('A', 'a@example.com') returning id");
  const userId: string = rows[0].id;

  async function add({ status = "done", expiresInSeconds = -1, stored = true }: Row = {}): Promise<string> {
    const id = uuidV7();
    const key = stored ? objectKey(id, "png") : null;
    if (key) await store.put(key, Buffer.from("image"), { contentType: "image/png", metadata: {} }, never);
    await database.query(
      `insert into screenshots (id, user_id, period_start, status, url, options, cache_key, object_key, lease_until, expires_at)
       values ($1, $2, now(), $3, 'https://example.com/', '{}', '\\x00', $4, $5, now() + make_interval(secs => $6))`,
      [id, userId, status, key, status === "pending" ? new Date() : null, expiresInSeconds],
    );
    return id;
  }
  const isStored = async (id: string) => {
    const found = await store.get(objectKey(id, "png"), never);
    found?.stream.destroy();
    return found !== undefined;
  };
  return { database, server, store, retention, add, isStored, ...lines };
}

async function remaining(database: TestDatabase): Promise<string[]> {
  const { rows } = await database.query("select id from screenshots order by id");
  return rows.map(({ id }) => id);
}

test("all expired images are removed from storage and the database, in as many batches as necessary", async (t) => {
  const { database, retention, add, isStored } = await setUp(t);
  const expired: string[] = [];
  for (let count = 0; count < 8; count += 1) expired.push(await add({ expiresInSeconds: -count }));
  const unstored = [await add({ stored: false }), await add({ status: "failed", stored: false })];
  const kept = await add({ expiresInSeconds: 3600 });
  assert.equal(await retention.sweep(never), expired.length + unstored.length);
  assert.deepEqual(await remaining(database), [kept]);
  for (const id of expired) assert.equal(await isStored(id), false);
  assert.equal(await isStored(kept), true);
});

test("a deleted user's images are removed before they expire, even one whose capture was still running", async (t) => {
  const { database, retention, add, isStored } = await setUp(t);
  const own: string[] = [];
  for (let count = 0; count < 4; count += 1) own.push(await add({ expiresInSeconds: 3600 }));
  const pending = await add({ status: "pending", expiresInSeconds: 3600 });
  await database.query("update users set deleted_at = now()");
  const later = await add({ expiresInSeconds: 3600 });
  const { rows } = await database.query("insert into users (name, email) values ('B', 'b@example.com') returning id");
  const kept = await add({ expiresInSeconds: 3600 });
  await database.query("update screenshots set user_id = $1 where id = $2", [rows[0].id, kept]);
  assert.equal(await retention.sweep(never), own.length + 1);
  assert.deepEqual(await remaining(database), [pending, kept]);
  for (const id of [...own, later]) assert.equal(await isStored(id), false);
  await database.query("update screenshots set status = 'done', lease_until = null where id = $1", [pending]);
  assert.equal(await retention.sweep(never), 1);
  assert.deepEqual(await remaining(database), [kept]);
  assert.equal(await isStored(kept), true);
});

test("a pending capture is never removed", async (t) => {
  const { database, retention, add } = await setUp(t);
  const pending = await add({ status: "pending" });
  assert.equal(await retention.sweep(never), 0);
  assert.deepEqual(await remaining(database), [pending]);
});

test("an image whose object can't be removed keeps its record, and doesn't delay others", async (t) => {
  const { database, server, retention, add, messages } = await setUp(t);
  // The oldest ones, so that every batch would start with them.
  const stuck: string[] = [];
  for (let count = 0; count < 2; count += 1) stuck.push(await add({ expiresInSeconds: -100 }));
  for (let count = 0; count < 5; count += 1) await add();
  let refusals = 0;
  server.before = ({ method, path }) => {
    if (method !== "DELETE" || !stuck.some((id) => path.includes(id))) return undefined;
    refusals += 1;
    return { status: 500, xml: "<Error><Code>InternalError</Code></Error>" };
  };
  assert.equal(await retention.sweep(never), 5);
  assert.deepEqual(await remaining(database), stuck);
  assert.equal(refusals, 2); // each is attempted once per sweep
  assert.deepEqual(messages(40), ["failed to remove expired images; retrying in a later sweep"]);
  server.before = () => undefined;
  assert.equal(await retention.sweep(never), 2);
  assert.deepEqual(await remaining(database), []);
});

test("if storage is unavailable, every record is kept, and not every object is attempted", async (t) => {
  const { database, server, retention, add } = await setUp(t);
  for (let count = 0; count < 7; count += 1) await add();
  let asked = 0;
  server.before = () => {
    asked += 1;
    return { status: 503, xml: "<Error><Code>SlowDown</Code></Error>" };
  };
  assert.equal(await retention.sweep(never), 0);
  assert.equal((await remaining(database)).length, 7);
  assert.equal(asked, 4); // one batch, and a check whether storage works at all
});

test("undeletable images, even more than a batch, don't block others, and are retried less and less often", async (t) => {
  const { database, server, store, log, add } = await setUp(t);
  const clock = createTestClock();
  const retention = createRetention({ database, store, log, clock, batchSize: 3 });
  const locked: string[] = [];
  for (let count = 0; count < 7; count += 1) locked.push(await add({ expiresInSeconds: -100 }));
  await add();
  let refusals = 0;
  server.before = ({ method, path }) => {
    if (method !== "DELETE" || !locked.some((id) => path.includes(id))) return undefined;
    refusals += 1;
    return { status: 403, xml: "<Error><Code>AccessDenied</Code></Error>" };
  };
  assert.equal(await retention.sweep(never), 1);
  assert.deepEqual(await remaining(database), locked);
  const triesOf = async (sweeps: number, everyMinutes: number) => {
    refusals = 0;
    for (let count = 0; count < sweeps; count += 1) {
      clock.advance(everyMinutes * 60_000);
      await retention.sweep(never);
    }
    return refusals / locked.length;
  };
  assert.equal(await triesOf(6, 10), 1);
  assert.equal(await triesOf(24, 60), 4);
  server.before = () => undefined;
  clock.advance(24 * 3_600_000);
  assert.equal(await retention.sweep(never), locked.length);
});

test("replicas that sweep concurrently share the work", async (t) => {
  const { database, store, log, server, retention, add } = await setUp(t);
  for (let count = 0; count < 9; count += 1) await add();
  const removals: string[] = [];
  server.before = ({ method, path }) => {
    if (method === "DELETE") removals.push(path);
    return undefined;
  };
  const other = createRetention({ database, store, log, batchSize: 3 });
  const counts = await Promise.all([retention.sweep(never), other.sweep(never)]);
  assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), 9);
  assert.equal(new Set(removals).size, 9);
  assert.equal(removals.length, 9);
  assert.deepEqual(await remaining(database), []);
});

test("an aborted sweep records what it has already removed", async (t) => {
  const { database, server, retention, add, isStored } = await setUp(t, 20);
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await add());
  const closing = new AbortController();
  const held = Promise.withResolvers<undefined>();
  t.after(() => held.resolve(undefined));
  let removals = 0;
  server.before = ({ method }) => {
    if (method !== "DELETE") return undefined;
    removals += 1;
    if (removals <= 4) return undefined;
    if (removals === 12) closing.abort(); // 4 are done, 8 are waiting
    return held.promise;
  };
  assert.equal(await retention.sweep(closing.signal), 4);
  const left = await remaining(database);
  assert.equal(left.length, 16);
  server.before = () => undefined;
  for (const id of ids) if (!left.includes(id)) assert.equal(await isStored(id), false);
});

test("once started, it sweeps periodically until it is closed", async (t) => {
  const { database, retention, add, seen } = await setUp(t);
  await add();
  retention.start(10);
  assert.equal((await seen("removed expired images")).removed, 1);
  await retention.close();
  assert.deepEqual(await remaining(database), []);
});

test("if the database is unavailable, this is logged, and the next sweep retries", async (t) => {
  const { database, retention, add, seen } = await setUp(t);
  await add();
  await database.query("alter table screenshots rename to hidden");
  retention.start(10);
  await seen("the sweep of expired images failed; retrying in the next sweep");
  await database.query("alter table hidden rename to screenshots");
  await seen("removed expired images");
  assert.deepEqual(await remaining(database), []);
});
