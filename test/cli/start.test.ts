/** What the command line requires before a command runs: settings and an up-to-date schema. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { migrate } from "../../src/database/migrate.ts";
import { createEmptyTestDatabase, createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { cliOn } from "./cli.ts";

test("a command needs only the database's settings, and names each missing one", async (t) => {
  const { settings } = await createTestDatabase(t);
  const cli = cliOn(settings);
  for (const args of [
    ["user:create", "a@example.test"],
    ["user:grant-admin", "a@example.test"],
    ["key:create", "a@example.test"],
    ["key:list"],
  ]) {
    const { code, words } = await cli(...args);
    assert.equal(code, 0, words);
  }
  const { code, words } = await cliOn(settings, { DATABASE_HOST: "", DATABASE_NAME: "" })("key:list");
  assert.equal(code, 1);
  assert.match(words, /DATABASE_HOST is missing[\s\S]*DATABASE_NAME is missing/);
  assert.doesNotMatch(words, /STORAGE|REDIS|AUTH_SECRET|NODE_ENV/);
});

test("a command isn't stopped by an invalid setting that it doesn't use", async (t) => {
  const { settings } = await createTestDatabase(t);
  const { code, words } = await cliOn(settings, { PORT: "none", REDIS_URL: "none", DEFAULT_API_KEY_PREFIX: "?" })("key:list");
  assert.equal(code, 0, words);
});

test("key:secret names AUTH_SECRET if it is missing", async (t) => {
  const { settings } = await createTestDatabase(t);
  const cli = cliOn(settings);
  await cli("user:create", "a@example.test");
  const key = (await cli("key:create", "a@example.test")).out.trim();
  const { code, words } = await cli("key:secret", key);
  assert.equal(code, 1);
  assert.match(words, /AUTH_SECRET is missing/);
});

test("the first command on an empty database applies the migrations", async (t) => {
  const { settings } = await createEmptyTestDatabase(t);
  const { code, words } = await cliOn(settings)("user:create", "a@example.test");
  assert.equal(code, 0, words);
});

test("a command waits while a starting service applies the migrations", async (t) => {
  const { settings, pool } = await createEmptyTestDatabase(t);
  const client = await pool.connect();
  let commands: Promise<{ code: number; words: string }>;
  try {
    await client.query("select pg_advisory_lock(7241865325823964)"); // the migration library's
    commands = cliOn(settings)("user:create", "a@example.test");
    await eventually("the command is waiting for the lock", async () => {
      const { rowCount } = await client.query(
        "select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
      );
      return rowCount === 1;
    });
    await client.query("select pg_advisory_unlock(7241865325823964)");
  } finally {
    client.release();
  }
  await migrate(settings, pino({ level: "silent" })); // the service, concurrently
  const { code, words } = await commands;
  assert.equal(code, 0, words);
});
