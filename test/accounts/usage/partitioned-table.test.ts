/** What an operator has made of the table and the database: kept by the change to partitions, or named. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { v7 } from "uuid";
import { applyMigrations, migrate } from "../../../src/migrate.ts";
import { logLines } from "../../screenshots/log-lines.ts";
import { createEmptyTestDatabase, createTestDatabase } from "../../support/database.ts";
import { createQuotaKey } from "../accounts.ts";
import { addScreenshots } from "./many-screenshots.ts";

const indexesOf = (table: string) => `select relname as name from pg_index join pg_class c on c.oid = indexrelid
  where indrelid = '${table}'::regclass and indisvalid order by 1`;

test("indexes with any name are kept; a unique one without the id stays with the first partition, and is named", async (t) => {
  const database = await createEmptyTestDatabase(t);
  const { log, lines } = logLines();
  await applyMigrations(database.settings, log);
  const long = "an_index_whose_name_is_as_long_as_postgresql_allows_it_to_be_aaa";
  await database.query(`
    create index "Mine-1" on screenshots (width);
    create index ${long} on screenshots (height);
    create unique index "Mine-2" on screenshots (user_id, id);
    create unique index "Only one" on screenshots (object_key, url) include (id)`);
  await migrate(database.settings, log);
  const names = async (table: string) => (await database.query(indexesOf(table))).rows.map(({ name }) => name);
  const all = await names("screenshots");
  for (const name of ["Mine-1", "Mine-2", long.slice(0, 63)]) assert.ok(all.includes(name), name);
  assert.ok(!all.includes("Only one"));
  assert.ok((await names("screenshots_first")).includes("Only one"));
  assert.partialDeepStrictEqual(
    lines.filter(({ level }) => level === 40),
    [{ index: "Only one" }],
  );
});

test("grants of other roles are kept, of columns as well", async (t) => {
  const database = await createEmptyTestDatabase(t);
  const { log } = logLines();
  await applyMigrations(database.settings, log);
  const [all, some] = ["All", "Some"].map((name) => `"${name}-${randomBytes(6).toString("hex")}"`);
  await database.query(`create role ${all}; create role ${some}`);
  t.after(async () => await (await createTestDatabase(t)).query(`drop role ${all}; drop role ${some}`));
  database.beforeDrop(() => database.query(`drop owned by ${all}, ${some}`));
  await database.query(`
    grant select, delete on screenshots to ${all} with grant option;
    grant select (id, url) on screenshots to ${some}; grant update (title) on screenshots to public`);
  const grants = async () =>
    (
      await database.query(
        `select grantee, privilege_type, is_grantable, column_name from information_schema.column_privileges where table_name = 'screenshots'
         union all select grantee, privilege_type, is_grantable, null from information_schema.table_privileges where table_name = 'screenshots' order by 1, 2, 4`,
      )
    ).rows;
  const before = await grants();
  await migrate(database.settings, log);
  assert.deepEqual(await grants(), before);
});

test("everything is made in the schema of the table, also when the role has got one of its own since", async (t) => {
  const database = await createEmptyTestDatabase(t);
  const { log } = logLines();
  await applyMigrations(database.settings, log);
  await database.query("create schema authorization current_user");
  await migrate(database.settings, log);
  const { rows } = await database.query("select relname from pg_class where relnamespace = current_schema()::regnamespace");
  assert.deepEqual(rows, []);
  const { rows: expected } = await (await createTestDatabase(t)).query(indexesOf("screenshots"));
  assert.deepEqual((await database.query(indexesOf("screenshots"))).rows, expected);
});

test("months are those of the database's clock and the newest id, with any notation of times", async (t) => {
  const database = await createEmptyTestDatabase(t);
  const { log } = logLines();
  await database.query(`alter database ${database.settings.database} set datestyle = 'German'`);
  await applyMigrations(database.settings, log);
  const key = await createQuotaKey(database, null);
  await addScreenshots(database, { userId: key.userId, count: 1 });
  const ahead = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 8, 20));
  await database.query("update screenshots set id = $1", [v7({ msecs: ahead.getTime() })]); // of a process whose clock was wrong
  t.mock.timers.enable({ apis: ["Date"], now: 0 }); // as is this one's
  await migrate(database.settings, log);
  t.mock.timers.reset();
  const { rows } = await database.query("select name, ends_at from screenshot_months");
  assert.deepEqual(rows, [{ name: "screenshots_first", ends_at: new Date(Date.UTC(ahead.getUTCFullYear(), ahead.getUTCMonth() + 2)) }]);
});

test("an id that is years ahead would keep everything in one partition: it is named, and nothing is changed", async (t) => {
  const database = await createEmptyTestDatabase(t);
  const { log } = logLines();
  await applyMigrations(database.settings, log);
  await addScreenshots(database, { userId: (await createQuotaKey(database, null)).userId, count: 1 });
  const id = v7({ msecs: Date.now() + 2 * 365 * 86_400_000 });
  await database.query("update screenshots set id = $1", [id]);
  await assert.rejects(
    migrate(database.settings, log),
    new RegExp(`the record ${id} was made by a process whose clock was more than a year ahead`),
  );
  await database.query("delete from screenshots");
  await migrate(database.settings, log);
});

test("a month that could not be added is added the next time, also if later ones are there", async (t) => {
  const database = await createTestDatabase(t);
  const { log } = logLines();
  const { rows: months } = await database.query("select name from screenshot_months where name <> 'screenshots_first' order by ends_at");
  const [month, later] = months.map(({ name }) => name);
  for (const { name } of months) await database.query(`drop table ${name}; delete from screenshot_months where name = '${name}'`);
  await database.query(`create table ${month} ()`);
  await assert.rejects(migrate(database.settings, log), new RegExp(`partition ${month}: relation "${month}" already exists`));
  const made = async () => {
    const { rows } = await database.query("select to_regclass($1) is not null as later, name from screenshot_months where name = $2", [
      later,
      month,
    ]);
    return rows;
  };
  assert.deepEqual(await made(), []);
  await database.query(`drop table ${month}`);
  await migrate(database.settings, log);
  assert.deepEqual(await made(), [{ later: true, name: month }]);
});

test("a month that can't be dropped is named, and keeps no other one", async (t) => {
  const database = await createTestDatabase(t);
  const { log } = logLines();
  const { rows } = await database.query("select name from screenshot_months order by ends_at");
  const [first, second] = rows.map(({ name }) => name);
  await database.query(`create view reports as select * from ${first}`);
  await database.query("update screenshot_months set ends_at = now() - interval '3 days' where name in ($1, $2)", [first, second]);
  await assert.rejects(
    migrate(database.settings, log),
    new RegExp(`partition ${first}: cannot drop table ${first} because other objects depend on it`),
  );
  const { rows: left } = await database.query("select to_regclass($1) is null as dropped, to_regclass($2) as kept", [second, first]);
  assert.deepEqual(left, [{ dropped: true, kept: first }]);
});
