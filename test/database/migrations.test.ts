/** The schema: migrated once, even by concurrent replicas, and from every released version; cascades and notifications. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import pg from "pg";
import { pino } from "pino";
import { migrate } from "../../src/database/migrate.ts";
import { createAccount } from "../accounts/accounts.ts";
import { createEmptyTestDatabase, createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startReplica, type TestService } from "../support/service.ts";
import { dumps, restore, rowsOf, schemaOf } from "./upgrades.ts";

const log = pino({ level: "silent" });

test("replicas that start together on an empty database all succeed, and the schema is created once", async (t) => {
  const { settings, pool } = await createEmptyTestDatabase(t);
  await Promise.all(Array.from({ length: 4 }, () => migrate(settings, log)));
  const { rows } = await pool.query("select name from migrations");
  assert.deepEqual(
    rows.map(({ name }) => name),
    [
      "0001-schema",
      "0002-page-sessions",
      "0003-session-sign-ins",
      "0004-recordings",
      "0005-destinations",
      "0006-crawls",
      "0007-crawl-delay",
    ],
  );
  const { rows: plans } = await pool.query("select id, rate_limit, monthly_quota from plans order by rank");
  assert.deepEqual(plans, [
    { id: "free", rate_limit: 10, monthly_quota: 100 },
    { id: "pro", rate_limit: 60, monthly_quota: 1000 },
    { id: "enterprise", rate_limit: 600, monthly_quota: null },
  ]);
});

for (const dump of await dumps())
  test(`a database of version ${dump.version} is upgraded: no row is lost, the schema equals a new one's, and its keys work`, async (t) => {
    const database = await createEmptyTestDatabase(t);
    await restore(database.settings, dump);
    const before = await rowsOf(database);
    assert.ok(
      ["users", "api_keys", "screenshots", "captures", "batches", "watches"].every((name) => (before[name] ?? 0) > 0),
      String(before),
    );
    await migrate(database.settings, log);
    const kept = await rowsOf(database);
    for (const [name, count] of Object.entries(before))
      if (!["migrations", "screenshot_months"].includes(name))
        assert.ok((kept[name] ?? 0) >= count, `${name}: ${kept[name]} of ${count} rows`);
    assert.deepEqual(await schemaOf(database), await schemaOf(await createTestDatabase(t)));

    const { host, port, user, password, database: name } = database.settings;
    const env = {
      DATABASE_URL: `postgresql://${user}:${password || "unused"}@${host}:${port}/${name}`,
      REDIS_KEY_PREFIX: `${name}:`,
      STORAGE_URL: "file:///nowhere",
      AUTH_SECRET: dump.authSecret,
      ROLE: "api",
    };
    const service = await startReplica(t, { database, pool: database.pool, env } as unknown as TestService);
    const response = await fetch(`${service.origin}/v1/screenshots`, { headers: { "x-api-key": dump.key } });
    const { screenshots } = (await response.json()) as { screenshots: { id: string }[] };
    assert.ok(response.status === 200 && screenshots.length > 0, JSON.stringify(screenshots));
    await service.stop();
  });

test("a replica waits for the migration lock", async (t) => {
  const { settings, pool } = await createEmptyTestDatabase(t);
  const client = await pool.connect();
  let waiting: Promise<void>;
  try {
    // The id of the advisory lock that the migration library takes.
    await client.query("select pg_advisory_lock(7241865325823964)");
    waiting = migrate(settings, log);
    await eventually("it waits", async () => {
      const { rowCount } = await client.query(
        "select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
      );
      return rowCount === 1;
    });
    await client.query("select pg_advisory_unlock(7241865325823964)");
  } finally {
    client.release();
  }
  await waiting;
  assert.equal((await pool.query("select 1 from users")).rowCount, 0);
});

test("migrating again changes nothing", async (t) => {
  const database = await createTestDatabase(t);
  await createAccount(database);
  await migrate(database.settings, log);
  assert.equal((await database.query("select 1 from api_keys")).rowCount, 1);
});

test("a database with unknown migrations is left unchanged, and the error names them", async (t) => {
  const database = await createTestDatabase(t);
  await database.query("insert into migrations (name, run_on) values ('0034-screenshot-months', now()), ('9999-later', now())");
  await assert.rejects(
    migrate(database.settings, log),
    /has migrations that version \S+ doesn't have: 0034-screenshot-months, 9999-later\. /,
  );
  const { rows } = await database.query("select count(*)::integer as count from migrations");
  assert.deepEqual(rows, [{ count: 9 }]);
});

test("deleting a user deletes all of the user's data", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database, { planId: "pro" });
  await database.query("delete from users where id = $1", [userId]);
  for (const table of ["subscriptions", "api_keys"]) assert.equal((await database.query(`select 1 from ${table}`)).rowCount, 0, table);
});

async function listen(settings: pg.ClientConfig): Promise<{ client: pg.Client; heard: (string | undefined)[] }> {
  const client = new pg.Client(settings);
  const heard: (string | undefined)[] = [];
  client.on("notification", ({ payload }) => heard.push(payload));
  await client.connect();
  await client.query("listen accounts");
  return { client, heard };
}

test("changes to keys, subscriptions and plans trigger notifications; uses of keys don't", async (t) => {
  const database = await createTestDatabase(t);
  const { pool, settings } = database;
  const { userId } = await createAccount(database, { planId: "pro" });
  const { client, heard } = await listen(settings);
  database.beforeDrop(() => client.end());
  const steps: [sql: string, expected: string[]][] = [
    ["update api_keys set last_used_at = now()", []],
    ["update api_keys set name = 'other'", []],
    ["update api_keys set enabled = false", [userId]],
    ["update subscriptions set rate_limit_override = 5", [userId]],
    ["delete from subscriptions", [userId]],
    ["update plans set monthly_quota = 5", ["*"]],
    ["delete from api_keys", [userId]],
  ];
  for (const [sql, expected] of steps) {
    heard.length = 0;
    await pool.query(sql);
    // Notifications from one sender arrive in the order of its commits.
    await pool.query("notify accounts, 'end of step'");
    while (heard.at(-1) !== "end of step") await once(client, "notification", { signal: AbortSignal.timeout(5_000) });
    assert.deepEqual(heard.slice(0, -1), expected, sql);
  }
});

test("a lost idle connection doesn't end the process, and the pool keeps working", async (t) => {
  const { pool } = await createTestDatabase(t);
  const { rows } = await pool.query("select pg_backend_pid() as pid");
  const client = await pool.connect();
  const lost = once(pool, "error", { signal: AbortSignal.timeout(5_000) });
  const { rows: own } = await client.query("select pg_backend_pid() as pid");
  client.release();
  const killer = new pg.Client((pool as unknown as { options: pg.ClientConfig }).options);
  await killer.connect();
  await killer.query("select pg_terminate_backend($1)", [own[0].pid]);
  await killer.end();
  await lost;
  assert.equal(own[0].pid, rows[0].pid);
  assert.notEqual((await pool.query("select pg_backend_pid() as pid")).rows[0].pid, rows[0].pid);
});
