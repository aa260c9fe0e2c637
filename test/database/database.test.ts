/** Statements and transactions: lost connections and deadlines. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";
import pg from "pg";
import { pino } from "pino";
import { connectionOptions } from "../../src/database/database.ts";
import { createMonthsLoop } from "../../src/database/screenshot-months-loop.ts";
import { createTestDatabase } from "../support/database.ts";

const unavailable = { name: "AppError", code: "unavailable", status: 503, retryAfterSeconds: 5 };

test("a connection lost during a transaction fails only that transaction; the pool keeps working", async (t) => {
  const database = await createTestDatabase(t);
  const failing = database.transaction(async (transaction) => {
    await transaction.query("insert into users (name, email) values ('A', 'a@example.com')");
    const { rows } = await transaction.query<{ pid: number }>("select pg_backend_pid() as pid");
    await database.query("select pg_terminate_backend($1, 5000)", [rows[0]?.pid]);
    await database.query("select 1"); // the loss is noticed in the meantime
    await transaction.query("select 1");
  });
  await assert.rejects(failing, unavailable);
  assert.equal((await database.query("select 1 from users")).rowCount, 0);
});

test("a connection lost while a library holds it, without a listener, fails only what the library does", async (t) => {
  const database = await createTestDatabase(t);
  const client = await database.pool.connect();
  await client.query("begin");
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  await database.query("select pg_terminate_backend($1, 5000)", [rows[0]?.pid]);
  await database.query("select 1"); // the loss is noticed in the meantime
  await assert.rejects(client.query("select 1"), /connection error/);
  client.release();
  assert.equal((await database.query("select 1")).rowCount, 1);
});

test("an error thrown in a transaction rolls it back and reaches the caller unchanged", async (t) => {
  const database = await createTestDatabase(t);
  const reason = new Error("changed my mind");
  const failing = database.transaction(async (transaction) => {
    await transaction.query("insert into users (name, email) values ('A', 'a@example.com')");
    throw reason;
  });
  await assert.rejects(failing, reason);
  assert.equal((await database.query("select 1 from users")).rowCount, 0);
});

test("a transaction that exceeds its deadline is rolled back, even if its work completes later", async (t) => {
  const database = await createTestDatabase(t);
  const work = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const late = database.transaction(
    async (transaction) => {
      await transaction.query("insert into users (name, email) values ('A', 'a@example.com')");
      await work.promise;
      ended.resolve();
    },
    { timeoutMs: 500 },
  );
  await assert.rejects(late, unavailable);
  work.resolve();
  await ended.promise;
  // Waits for the row's lock, and finds that the row is gone once the transaction has been rolled back.
  await database.query("insert into users (name, email) values ('B', 'a@example.com')");
  assert.deepEqual((await database.query("select name from users")).rows, [{ name: "B" }]);
});

test("a statement that exceeds its deadline throws unavailable, and its late result is passed on", async (t) => {
  const database = await createTestDatabase(t);
  const late = Promise.withResolvers<unknown>();
  const text = "select 'late' as answer from pg_sleep(0.5)";
  await assert.rejects(database.query({ text, timeoutMs: 50, onLate: ({ rows }) => late.resolve(rows) }), unavailable);
  assert.deepEqual(await late.promise, [{ answer: "late" }]);
});

test("an unreachable database throws unavailable, but an invalid statement does not", async (t) => {
  const database = await createTestDatabase(t);
  await assert.rejects(database.connect({ host: "127.0.0.1", port: 1 }).query("select 1"), unavailable);
  await assert.rejects(database.connect({ database: "there_is_none" }).query("select 1"), unavailable);
  await assert.rejects(database.query("select pg_terminate_backend(pg_backend_pid())"), unavailable);
  await assert.rejects(database.query("set statement_timeout = 1; select pg_sleep(5)"), unavailable);
  const wrong: [statement: string, code: string][] = [
    ["selec 1", "42601"],
    ["select 1/0", "22012"],
    ["select * from nowhere", "42P01"],
    ["insert into users (email, name) values ('UPPER@example.test', 'x')", "23514"],
  ];
  for (const [statement, code] of wrong) await assert.rejects(database.query(statement), { name: "error", code }, statement);
});

test("every date and time is read as a date with a year of four digits, also an infinite one", async (t) => {
  const database = await createTestDatabase(t);
  const client = new pg.Client(connectionOptions(database.settings, "times"));
  await client.connect();
  const [first, last] = ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"];
  const cases: [value: string, read: string | null][] = [
    ["timestamptz 'infinity'", last],
    ["timestamptz '-infinity'", first],
    ["timestamp 'infinity'", last],
    ["timestamp '-infinity'", first],
    ["date 'infinity'", last],
    ["date '-infinity'", first],
    ["timestamptz '0044-03-15 BC'", first],
    ["timestamptz '12026-01-01Z'", last],
    ["timestamptz '290000-01-01Z'", last],
    ["timestamptz '2026-02-28 23:59:59.123456Z'", "2026-02-28T23:59:59.123Z"],
    ["timestamptz '0099-12-31Z'", "0099-12-31T00:00:00.000Z"],
    ["null::timestamptz", null],
  ];
  try {
    for (const [value, read] of cases)
      for (const { rows } of [await database.query(`select ${value} as at`), await client.query(`select ${value} as at`)])
        assert.equal(JSON.parse(JSON.stringify(rows))[0].at, read, value);
  } finally {
    await client.end();
  }
});

test("the update of the screenshot partitions stops immediately, even while it is connecting", { timeout: 20_000 }, async (t) => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const settings = { host: "127.0.0.1", port, database: "a", user: "a", password: "a" };
  const months = createMonthsLoop(settings, pino({ level: "silent" }));
  months.start(60_000, { immediately: true });
  await once(silent, "connection");
  const started = performance.now();
  await months.close();
  assert.ok(performance.now() - started < 3_000, "it must not wait for the 5 s connection timeout");
});
