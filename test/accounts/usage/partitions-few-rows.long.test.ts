/** Screenshots in partitions by month: made while captures are recorded, added ahead, dropped when empty; nothing is lost or counted twice. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { v7 } from "uuid";
import { createQuota } from "../../../src/accounts/usage/quota.ts";
import { systemClock as clock } from "../../../src/clock.ts";
import { applyMigrations, migrate } from "../../../src/migrate.ts";
import { changeOnline } from "../../../src/online-changes.ts";
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createQuotaKey } from "../accounts.ts";
import { captureUntil } from "./capture-until.ts";
import { addScreenshots, endFirstPartition } from "./many-screenshots.ts";

const log = pino({ level: "silent" });

async function partitions(database: TestDatabase): Promise<string[]> {
  const { rows } = await database.query(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'screenshots'::regclass order by 1",
  );
  return rows.map(({ name }) => name);
}

/** Whether a statement that changes the table or its indexes waits for another transaction. */
async function changeWaits(database: TestDatabase): Promise<boolean> {
  const { rows } = await database.query(
    `select from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query ~ '^(alter table|lock table|drop index|create index)'`,
  );
  return rows.length > 0;
}

test("a table becomes partitioned while captures are recorded, by one of several replicas; nothing is lost or counted twice", async (t) => {
  const database = await createEmptyTestDatabase(t);
  await applyMigrations(database.settings, log);
  const key = await createQuotaKey(database, null);
  await addScreenshots(database, { userId: key.userId, count: 2_000 });
  await database.query("create index screenshots_kinds on screenshots (id)");
  await database.query("update pg_index set indisvalid = false where indexrelid = 'screenshots_kinds'::regclass"); // an attempt that failed
  // A transaction holds rows until the change waits for it.
  const held = await database.pool.connect();
  await held.query("begin");
  await held.query("update screenshots set title = 'held' where id = (select id from screenshots order by id limit 1)");
  const done = new AbortController();
  const capturing = captureUntil(done.signal, createQuota({ database, clock }), key);
  const changing = Promise.all(Array.from({ length: 3 }, () => migrate(database.settings, log)));
  await eventually("the change waits for these rows", () => changeWaits(database));
  await held.query("commit");
  held.release();
  await changing;
  const more = await capturing.after(20);
  done.abort();
  const counts = await capturing.ended;
  assert.ok(more >= 20);
  const { rows } = await database.query(
    `select count(*)::integer as all, (count(*) filter (where status = 'failed' and error = 'refunded'))::integer as refunded,
            (select sum(used)::integer from usage_periods) as used, count(distinct id)::integer as ids from screenshots`,
  );
  const { all, refunded, used, ids } = rows[0];
  assert.deepEqual(
    { all, ids, refunded, used },
    { all: 2_000 + counts.settled + counts.refunded, ids: all, refunded: counts.refunded, used: counts.settled },
  );
  assert.deepEqual((await partitions(database)).slice(-2), ["screenshots_default", "screenshots_first"]);
  const { rows: indexes } = await database.query(
    "select indexrelid::regclass::text as name from pg_index where indrelid = 'screenshots'::regclass and indisvalid order by 1",
  );
  const { rows: expected } = await (await createTestDatabase(t)).query(
    "select indexrelid::regclass::text as name from pg_index where indrelid = 'screenshots'::regclass order by 1",
  );
  assert.deepEqual(indexes, expected);
});

test("a change that fails leaves no limit for ids; nor does one whose process was killed, once another one looks", async (t) => {
  const database = await createEmptyTestDatabase(t);
  await applyMigrations(database.settings, log);
  const key = await createQuotaKey(database, null);
  const later = v7({ msecs: Date.now() + 100 * 86_400_000 });
  const capturesLater = async () => {
    await database.query("delete from screenshots");
    await addScreenshots(database, { userId: key.userId, count: 1 });
    await database.query("update screenshots set id = $1", [later]);
  };
  await database.query("create table screenshots_first ()"); // in the way of the change
  await assert.rejects(migrate(database.settings, log), /large tables could not be changed: relation "screenshots_first" already exists/);
  await capturesLater();
  await database.query("alter table screenshots add constraint screenshots_first_month check (id < screenshot_id_at(now())) not valid");
  const change = await database.pool.connect();
  await change.query("select pg_advisory_lock(hashtextextended('tintype online changes', 0))");
  assert.equal(await changeOnline(database.settings, log), false);
  await assert.rejects(capturesLater(), { constraint: "screenshots_first_month" });
  change.release(true);
  await assert.rejects(migrate(database.settings, log), /screenshots_first/);
  await capturesLater();
  await database.query("drop table screenshots_first");
  await migrate(database.settings, log); // the first partition ends after the newest id
  const { rows } = await database.query("select tableoid::regclass::text as part from screenshots");
  assert.deepEqual(rows, [{ part: "screenshots_first" }]);
});

test("a user's deletion deletes screenshots in every partition, and an id is unique", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, null);
  await addScreenshots(database, { userId: key.userId, count: 10 });
  await assert.rejects(database.query("insert into screenshots select * from screenshots limit 1"), { code: "23505" });
  await database.query("delete from users where id = $1", [key.userId]);
  assert.equal((await database.query("select from screenshots")).rowCount, 0);
});

test("months are added ahead once, by any of several replicas; what the default partition has of one stays there", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, null);
  const made = await partitions(database);
  const { rows: months } = await database.query("select name, ends_at from screenshot_months order by ends_at");
  assert.ok(months.length >= 3 && months.at(-1).ends_at > Date.now() + 90 * 86_400_000);
  for (const { name } of months.slice(1)) await database.query(`drop table ${name}; delete from screenshot_months where name = '${name}'`);
  const id = v7({ msecs: months[0].ends_at.getTime() + 3 * 86_400_000 });
  await addScreenshots(database, { userId: key.userId, count: 3 });
  await database.query("update screenshots set id = $1 where id = (select id from screenshots limit 1)", [id]);
  await Promise.all(Array.from({ length: 4 }, () => migrate(database.settings, log)));
  assert.deepEqual(await partitions(database), made);
  await addScreenshots(database, { userId: key.userId, count: 1, since: new Date(months[0].ends_at.getTime() + 5 * 86_400_000) });
  const { rows } = await database.query(
    "select tableoid::regclass::text as part, count(*)::integer from screenshots group by 1 order by 1",
  );
  assert.deepEqual(rows, [
    { part: months[1].name, count: 1 },
    { part: "screenshots_default", count: 1 },
    { part: "screenshots_first", count: 2 },
  ]);
  await migrate(database.settings, log);
  assert.deepEqual(await partitions(database), made);
});

test("a month that retention has emptied is dropped; what a watch keeps moves, and any other row keeps the month", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, null);
  await addScreenshots(database, { userId: key.userId, count: 20 });
  const { rows } = await database.query("select id from screenshots order by id");
  const kept = rows[0].id;
  await database.query("update screenshots set expires_at = '9999-12-31' where id = $1", [kept]);
  await endFirstPartition(database);
  await migrate(database.settings, log);
  assert.ok((await partitions(database)).includes("screenshots_first"), "rows are left");
  await database.query("delete from screenshots where expires_at < '9999-12-31'");
  await Promise.all([migrate(database.settings, log), migrate(database.settings, log)]);
  assert.ok(!(await partitions(database)).includes("screenshots_first"));
  const { rows: left } = await database.query("select id, tableoid::regclass::text as part from screenshots");
  assert.deepEqual(left, [{ id: kept, part: "screenshots_default" }]);
});

test("a past month of which watches keep thousands becomes a small partition; what changes meanwhile is kept", async (t) => {
  const database = await createTestDatabase(t);
  const key = await createQuotaKey(database, null);
  await addScreenshots(database, { userId: key.userId, count: 5_000 });
  const { rows: all } = await database.query("select id from screenshots order by id");
  await database.query("delete from screenshots where id < $1", [all[1_500].id]);
  await database.query("update screenshots set expires_at = '9999-12-31'");
  await endFirstPartition(database);
  const isKept = async () => (await partitions(database)).includes("screenshots_first_kept");
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
    assert.equal(part, "screenshots_first_kept");
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
