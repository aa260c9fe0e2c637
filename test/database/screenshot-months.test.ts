/** Monthly partitions of screenshots: added ahead, dropped when empty; no screenshot is lost. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { v7 } from "uuid";
import { migrate } from "../../src/database/migrate.ts";
import { createQuotaKey } from "../accounts/accounts.ts";
import { addPastMonth, addScreenshots } from "../accounts/history/many-screenshots.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const log = pino({ level: "silent" });

async function partitions(database: TestDatabase): Promise<string[]> {
  const { rows } = await database.query(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'screenshots'::regclass order by 1",
  );
  return rows.map(({ name }) => name);
}

test("deleting a user deletes screenshots in every partition; ids are unique across partitions", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, null);
  await addScreenshots(database, { userId: key.userId, count: 10 });
  await assert.rejects(database.query("insert into screenshots select * from screenshots limit 1"), { code: "23505" });
  await database.query("delete from users where id = $1", [key.userId]);
  assert.equal((await database.query("select from screenshots")).rowCount, 0);
});

test("monthly partitions are added ahead once, by any replica; rows in the default partition stay there", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, null);
  const made = await partitions(database);
  const { rows: months } = await database.query("select name, ends_at from screenshot_months order by ends_at");
  const lastEnd = new Date(new Date().setUTCMonth(new Date().getUTCMonth() + 4, 1)).toISOString().slice(0, 7); // of the third month after this one
  assert.equal(months.at(-1).ends_at.toISOString(), `${lastEnd}-01T00:00:00.000Z`);
  for (const { name } of months.slice(1)) await database.query(`drop table ${name}; delete from screenshot_months where name = '${name}'`);
  const id = v7({ msecs: months[0].ends_at.getTime() + 3 * 86_400_000 });
  await addScreenshots(database, { userId: key.userId, count: 3, everyMs: 0 });
  await database.query("update screenshots set id = $1 where id = (select id from screenshots limit 1)", [id]);
  await Promise.all(Array.from({ length: 4 }, () => migrate(database.settings, log)));
  assert.deepEqual(await partitions(database), made);
  await addScreenshots(database, { userId: key.userId, count: 1, since: new Date(months[0].ends_at.getTime() + 5 * 86_400_000) });
  const { rows } = await database.query(
    "select tableoid::regclass::text as part, count(*)::integer from screenshots group by 1 order by 1",
  );
  assert.deepEqual(rows, [
    { part: months[0].name, count: 2 },
    { part: months[1].name, count: 1 },
    { part: "screenshots_default", count: 1 },
  ]);
  await migrate(database.settings, log);
  assert.deepEqual(await partitions(database), made);
});

test("a constraint left by a killed process rejects captures only until the next attempt", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, null);
  const id = v7({ msecs: Date.now() + 300 * 86_400_000 });
  const capture = async () => {
    await addScreenshots(database, { userId: key.userId, count: 1 });
    await database.query("update screenshots set id = $1", [id]);
  };
  await database.query(
    "alter table screenshots_default add constraint screenshots_next_month check (id < screenshot_id_at(now())) not valid",
  );
  await assert.rejects(capture(), { constraint: "screenshots_next_month" });
  await migrate(database.settings, log);
  await database.query("delete from screenshots");
  await capture();
});

test("a month emptied by retention is dropped; rows kept by watches are moved, but any other row keeps the month", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, null);
  const { name, since } = await addPastMonth(database);
  await addScreenshots(database, { userId: key.userId, count: 20, since });
  const { rows } = await database.query("select id from screenshots order by id");
  const kept = rows[0].id;
  await database.query("update screenshots set expires_at = '9999-12-31' where id = $1", [kept]);
  await migrate(database.settings, log);
  assert.ok((await partitions(database)).includes(name), "there are rows left");
  await database.query("delete from screenshots where expires_at < '9999-12-31'");
  await Promise.all([migrate(database.settings, log), migrate(database.settings, log)]);
  assert.ok(!(await partitions(database)).includes(name));
  const { rows: left } = await database.query("select id, tableoid::regclass::text as part from screenshots");
  assert.deepEqual(left, [{ id: kept, part: "screenshots_default" }]);
});

test("a past month in which watches keep thousands of rows is compacted without losing concurrent changes", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, null);
  const { name, since } = await addPastMonth(database);
  await addScreenshots(database, { userId: key.userId, count: 5_000, since });
  const { rows: all } = await database.query("select id from screenshots order by id");
  await database.query("delete from screenshots where id < $1", [all[1_500].id]);
  await database.query("update screenshots set expires_at = '9999-12-31'");
  const isKept = async () => (await partitions(database)).includes(`${name}_kept`);
  const left = all.slice(1_500).map(({ id }) => id);
  let [changes, isDone] = [0, false];
  const migrating = migrate(database.settings, log).finally(() => {
    isDone = true;
  });
  for (; !isDone && changes < 1_500; changes += 1) {
    await database.query("update screenshots set title = $2 where id = $1", [left[changes], `change ${changes}`]);
    await database.query("delete from screenshots where id = $1", [left.pop()]);
  }
  await migrating;
  const { rows } = await database.query("select id, title, tableoid::regclass::text as part from screenshots order by id");
  assert.deepEqual(
    rows.map(({ id }) => id),
    left,
  );
  for (const [index, { title, part }] of rows.entries()) {
    assert.equal(part, `${name}_kept`);
    if (index < changes) assert.equal(title, `change ${index}`);
  }
  await database.query("update screenshots set title = 'in place' where id = $1", [left[0]]);
  await migrate(database.settings, log);
  assert.ok(await isKept(), "only once");
  await database.query("delete from screenshots where id > $1", [left[9]]);
  await migrate(database.settings, log);
  const { rows: few } = await database.query("select count(*)::integer, tableoid::regclass::text as part from screenshots group by 2");
  assert.deepEqual(few, [{ count: 10, part: "screenshots_default" }]);
});

test("a month that could not be added is added the next time, even if later months exist", async (t) => {
  const database = await createTestDatabase(t);
  const { rows: months } = await database.query("select name from screenshot_months order by ends_at");
  const [month, later] = months.slice(-2).map(({ name }) => name); // the current month isn't added on its last day
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

test("a month that can't be dropped is reported, and doesn't block others", async (t) => {
  const database = await createTestDatabase(t);
  const { name: first } = await addPastMonth(database);
  const { rows } = await database.query("select name from screenshot_months order by ends_at desc limit 1");
  const second = rows[0].name;
  await database.query(`create view reports as select * from ${first}`);
  await database.query("update screenshot_months set ends_at = now() - interval '3 days' where name in ($1, $2)", [first, second]);
  await assert.rejects(
    migrate(database.settings, log),
    new RegExp(`partition ${first}: cannot drop table ${first} because other objects depend on it`),
  );
  const { rows: left } = await database.query("select to_regclass($1) is null as dropped, to_regclass($2) as kept", [second, first]);
  assert.deepEqual(left, [{ dropped: true, kept: first }]);
});
