/** Clean-up removes expired data, and nothing else. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type pg from "pg";
import { pino } from "pino";
import { createCleanUp } from "../../../src/accounts/people/clean-up.ts";
import { deleteUser } from "../../../src/accounts/people/users.ts";
import { createDatabase, type Database, type Statement } from "../../../src/database/database.ts";
import { SharedPool } from "../../../src/database/shared-pool.ts";
import { logLines } from "../../screenshots/log-lines.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createAccount } from "../accounts.ts";

test("only expired sessions and sign-in attempts are removed", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  for (const [token, left] of [
    ["over", "-1 second"],
    ["open", "1 hour"],
  ]) {
    await database.query("insert into sessions (user_id, token, expires_at) values ($1, $2, now() + $3::interval)", [userId, token, left]);
    await database.query("insert into verifications (identifier, value, expires_at) values ($1, '', now() + $2::interval)", [token, left]);
  }
  await createCleanUp(database, pino({ level: "silent" })).run();
  assert.deepEqual((await database.query("select token from sessions")).rows, [{ token: "open" }]);
  assert.deepEqual((await database.query("select identifier from verifications")).rows, [{ identifier: "open" }]);
});

test("a deleted user's data is removed immediately, the user's row once the last image has been removed", async (t) => {
  const database = await createTestDatabase(t);
  const cleanUp = createCleanUp(database, pino({ level: "silent" }));
  const { userId } = await createAccount(database, { planId: "pro" });
  const { userId: other } = await createAccount(database);
  for (const owner of [userId, other]) {
    await addWebhook(database, owner, "1 day");
    await database.query("insert into webhook_secrets (user_id, sealed) values ($1, '')", [owner]);
    await database.query(
      `insert into screenshots (id, user_id, period_start, status, url, options, cache_key, object_key, expires_at)
       values (gen_random_uuid(), $1, now(), 'done', 'https://example.test/', '{}', '', 'a/b.png', now() + interval '1 day')`,
      [owner],
    );
  }
  await deleteUser(database, userId);
  for (const table of ["api_keys", "sessions", "identities", "subscriptions", "webhook_secrets", "webhook_addresses"])
    assert.equal((await database.query(`select 1 from ${table} where user_id = $1`, [userId])).rowCount, 0, table);
  await cleanUp.run();
  const left = await database.query("select user_id from webhook_deliveries");
  assert.deepEqual(left.rows, [{ user_id: other }]);
  assert.equal((await database.query("select 1 from users where id = $1", [userId])).rowCount, 1, "while there is an image to remove");
  await database.query("delete from screenshots where user_id = $1", [userId]);
  await cleanUp.run();
  assert.deepEqual((await database.query("select id from users")).rows, [{ id: other }]);
});

test("webhook deliveries are kept for 30 days, rotated secrets until they expire, and addresses while they are in use or recently paused", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  await addWebhook(database, userId, "29 days");
  await addWebhook(database, userId, "31 days");
  await database.query("update webhook_addresses set paused_at = now() where url like '%31 days'");
  await addWebhook(database, userId, "32 days");
  await addWebhook(database, userId, "33 days");
  await database.query("update webhook_addresses set paused_at = now() - interval '31 days' where url like '%33 days'");
  for (const expires of ["null", "now() - interval '1 second'", "now() + interval '1 hour'"])
    await database.query(`insert into webhook_secrets (user_id, sealed, expires_at) values ($1, '', ${expires})`, [userId]);
  await createCleanUp(database, pino({ level: "silent" })).run();
  const urls = async (table: string) => (await database.query(`select url from ${table} order by url`)).rows.map(({ url }) => url);
  assert.deepEqual(await urls("webhook_deliveries"), ["https://example.test/29 days"]);
  assert.deepEqual(await urls("webhook_addresses"), ["https://example.test/29 days", "https://example.test/31 days"]);
  assert.equal((await database.query("select 1 from webhook_tries")).rowCount, 1);
  assert.equal((await database.query("select 1 from webhook_secrets")).rowCount, 2);
});

test("a failed statement is logged with its table, and doesn't prevent other rows from being deleted", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  await database.query("insert into sessions (user_id, token, expires_at) values ($1, 'over', now() - interval '1 second')", [userId]);
  await database.query("insert into verifications (identifier, value, expires_at) values ('over', '', now() - interval '1 second')");
  await database.query("alter table sessions rename column expires_at to ends_at");
  const { log, lines } = logLines();
  await assert.rejects(createCleanUp(database, log).run(), { code: "42703" });
  assert.equal((await database.query("select 1 from verifications")).rowCount, 0);
  assert.deepEqual(
    lines.map(({ level, table }) => [level, table]),
    [[40, "sessions"]],
  );
});

test("a deleted account with thousands of captures and connections is removed in statements of limited size", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  await database.query(
    `insert into captures (id, user_id, status, ended_at, expires_at)
     select gen_random_uuid(), $1, 'done', now(), now() + interval '1 day' from generate_series(1, 2500)`,
    [userId],
  );
  await database.query(
    "insert into browser_sessions (id, user_id, key_id) select gen_random_uuid(), $1, gen_random_uuid() from generate_series(1, 2500)",
    [userId],
  );
  await deleteUser(database, userId);
  const counts: number[] = [];
  const counting: Database = {
    ...database,
    query: async <Row extends pg.QueryResultRow>(statement: string | Statement, values?: unknown[]) => {
      const result = await database.query<Row>(statement, values);
      counts.push(result.rowCount ?? 0);
      return result;
    },
  };
  await createCleanUp(counting, pino({ level: "silent" }), 500).run();
  assert.equal((await database.query("select 1 from users where id = $1", [userId])).rowCount, 0);
  assert.equal(Math.max(...counts), 500);
});

test("deleting an account may take longer than the usual statement timeout", async (t) => {
  const { settings, beforeDrop, ...database } = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  await addWatch(database, userId);
  // Simulates a huge number of runs.
  await database.query(`create function wait () returns trigger language plpgsql as 'begin perform pg_sleep(0.5); return null; end'`);
  await database.query("create trigger wait after delete on watches for each statement execute function wait ()");
  const impatient = new SharedPool({ ...settings, connectionTimeoutMillis: 5_000, statement_timeout: 200, query_timeout: 300 });
  impatient.on("error", () => {}); // a statement that timed out may still be running when the database is dropped
  beforeDrop(() => impatient.end());
  await deleteUser(createDatabase(impatient), userId);
  assert.deepEqual((await database.query("select deleted_at is not null as gone from users")).rows, [{ gone: true }]);
  assert.equal((await database.query("select 1 from watches")).rowCount, 0);
});

for (const table of ["watches", "api_keys"])
  test(`deletion and a transaction that locks one of ${table} and then adds a row of the user both succeed`, async (t) => {
    const database = await createTestDatabase(t);
    const { userId } = await createAccount(database);
    await addWatch(database, userId);
    let deletion: Promise<void> | undefined;
    await database.transaction(async (transaction) => {
      await transaction.query(`select 1 from ${table} where user_id = $1 for update`, [userId]);
      deletion = deleteUser(database, userId);
      deletion.catch(() => {}); // awaited below
      await eventually("the deletion waits for the row", async () => {
        const { rows } = await database.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length > 0;
      });
      await transaction.query("insert into usage_days (user_id, key_id, day) values ($1, gen_random_uuid(), now())", [userId]);
    });
    await deletion;
    assert.deepEqual((await database.query("select deleted_at is not null as gone from users")).rows, [{ gone: true }]);
  });

async function addWatch(database: Database, userId: string): Promise<void> {
  await database.query(
    `insert into watches (id, user_id, name, url, options, request, every, time_zone, compare_by, threshold, ignore_selectors)
     values (gen_random_uuid(), $1, '', '', '{}', '', '1h', 'UTC', 'both', 0, '{}')`,
    [userId],
  );
}

/** A delivery of the given age with one attempt, to an address of its own. */
async function addWebhook(database: TestDatabase, userId: string, age: string): Promise<void> {
  const url = `https://example.test/${age}`;
  await database.query("insert into webhook_addresses (user_id, url) values ($1, $2)", [userId, url]);
  const { rows } = await database.query(
    `insert into webhook_deliveries (id, user_id, type, url, body, state, tries_max, created_at)
     values (gen_random_uuid(), $1, 'test', $2, '{}', 'delivered', 1, now() - $3::interval) returning id`,
    [userId, url, age],
  );
  await database.query(
    `insert into webhook_tries (id, delivery_id, number, started_at, duration_ms, request_headers)
     values (gen_random_uuid(), $1, 1, now(), 1, '{}')`,
    [rows[0].id],
  );
}

test("thousands of old deliveries are removed in one run", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  await database.query(
    `insert into webhook_deliveries (id, user_id, type, url, body, tries_max, created_at)
     select gen_random_uuid(), $1, 'test', 'https://example.test/', '{}', 1, now() - interval '31 days' from generate_series(1, 2500)`,
    [userId],
  );
  await createCleanUp(database, pino({ level: "silent" })).run();
  assert.equal((await database.query("select 1 from webhook_deliveries")).rowCount, 0);
});

test("a deleted user's row is kept while one of its deliveries can't be removed", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  await database.query(
    `insert into webhook_deliveries (id, user_id, type, url, body, tries_max)
     select gen_random_uuid(), $1, 'test', 'https://example.test/', '{}', 1 from generate_series(1, 25)`,
    [userId],
  );
  await deleteUser(database, userId);
  const refusing: Database = {
    ...database,
    query: async <Row extends pg.QueryResultRow>(statement: string | Statement, values?: unknown[]) => {
      if (String(statement).includes("delete from webhook_deliveries")) throw new Error("refused");
      return await database.query<Row>(statement, values);
    },
  };
  const log = pino({ level: "silent" });
  await assert.rejects(createCleanUp(refusing, log).run(), { message: "refused" });
  assert.equal((await database.query("select 1 from users")).rowCount, 1);
  await createCleanUp(database, log).run();
  assert.equal((await database.query("select 1 from users")).rowCount, 0);
});
