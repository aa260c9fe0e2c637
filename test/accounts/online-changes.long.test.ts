/** Changes of large tables while others use the database as they like: a start never waits for them, and what can't be changed is named. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { applyMigrations, migrate } from "../../src/migrate.ts";
import { createOnlineChanges } from "../../src/online-changes-loop.ts";
import { logLines } from "../screenshots/log-lines.ts";
import { createEmptyTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { cliOn } from "./cli.ts";

const kindOfTable = "select relkind from pg_class where oid = 'screenshots'::regclass";

/** A migrated database whose large tables aren't changed yet. */
async function setUp(t: TestContext): Promise<{ database: TestDatabase } & ReturnType<typeof logLines>> {
  const database = await createEmptyTestDatabase(t);
  const lines = logLines();
  await applyMigrations(database.settings, lines.log);
  return { database, ...lines };
}

test("migrate waits for a backup and says so; a service changes the tables in the background, and gives up when it closes", async (t) => {
  const { database, log, seen } = await setUp(t);
  const backup = await database.pool.connect();
  await backup.query("begin isolation level repeatable read");
  const { rows } = await backup.query("select pg_backend_pid() as pid, count(*) from users");
  const service = createOnlineChanges(database.settings, log);
  service.start(); // returns at once
  const { transactions } = await seen("the change of large tables waits for other transactions to end");
  assert.partialDeepStrictEqual(transactions, [{ pid: rows[0].pid, application: "tintype", state: "idle in transaction" }]);
  const other = logLines();
  const migrating = migrate(database.settings, other.log);
  await other.seen("waiting for another process, which is changing large tables");
  await service.close();
  // The server notices that the service has gone, and the next one has its turn.
  await other.seen("the change of large tables waits for other transactions to end");
  await backup.query("commit");
  backup.release();
  await migrating;
  assert.deepEqual((await database.query(kindOfTable)).rows, [{ relkind: "p" }]);
});

test("a service changes the tables of a new database", async (t) => {
  const { database, log } = await setUp(t);
  const services = Array.from({ length: 2 }, () => createOnlineChanges(database.settings, log));
  for (const { start } of services) start();
  await eventually("partitioned", async () => (await database.query(kindOfTable)).rows[0].relkind === "p");
  for (const { close } of services) await close();
});

test("every table whose rows go with a user has an index for that", async (t) => {
  const { database, log } = await setUp(t);
  await migrate(database.settings, log);
  const { rows } = await database.query(
    `select c.conrelid::regclass::text as "table" from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'f' and c.confrelid = 'users'::regclass and c.confdeltype = 'c' and c.conparentid = 0
        and not exists (select 1 from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1] and i.indpred is null)
      order by 1`,
  );
  assert.deepEqual(rows, []);
});

test("the command migrate fails with what could not be changed; other commands work without", async (t) => {
  const { database } = await setUp(t);
  const cli = cliOn(database.settings);
  await database.query("create table screenshots_first ()"); // in the way
  const failed = await cli("migrate");
  assert.equal(failed.code, 1);
  assert.match(failed.words, /large tables could not be changed: relation "screenshots_first" already exists/);
  assert.doesNotMatch(failed.words, /up to date/);
  for (const args of [
    ["user:create", "a@example.test"],
    ["migrate", "--leave-large-tables"],
  ])
    assert.equal((await cli(...args)).code, 0);
  await database.query("drop table screenshots_first");
  const { code, words } = await cli("migrate");
  assert.deepEqual({ code, words }, { code: 0, words: "The schema is up to date.\n" });
});

test("what would be lost keeps the table as it is and is named; then it can be changed", async (t) => {
  const { database, log } = await setUp(t);
  await database.query(`
    create view reports as select count(*) from screenshots;
    create function mine () returns trigger language plpgsql as 'begin return new; end';
    create trigger "my trigger" before insert on screenshots for each row execute function mine ();
    create publication everything for table screenshots;
    create table notes (id uuid references screenshots);
    create table prices (code integer primary key);
    alter table screenshots enable row level security, replica identity full, set (autovacuum_vacuum_scale_factor = 0.01),
      add column price integer references prices`);
  const named =
    "foreign key notes_id_fkey of notes, foreign key screenshots_price_fkey, publication everything, replica identity of the table, " +
    'row level security of the table, storage parameter autovacuum_vacuum_scale_factor=0.01, trigger "my trigger", view reports';
  await assert.rejects(migrate(database.settings, log), (error: Error) => error.message.includes(`while these depend on it: ${named};`));
  await database.query(`drop view reports; drop trigger "my trigger" on screenshots; drop publication everything; drop table notes;
    alter table screenshots drop column price, disable row level security, replica identity default, reset (autovacuum_vacuum_scale_factor)`);
  await migrate(database.settings, log);
  assert.deepEqual((await database.query(kindOfTable)).rows, [{ relkind: "p" }]);
});
