/**
 * A million screenshots without a monthly partition, or in a past one, while captures are recorded and read: none is lost, and nothing
 * waits for a lock for longer than a second. PARTITION_ROWS changes their number. Prints its measurements.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { pino } from "pino";
import { listScreenshots } from "../../src/accounts/history/history.ts";
import { createCharge } from "../../src/accounts/usage/charge.ts";
import { migrate } from "../../src/database/migrate.ts";
import { systemClock as clock } from "../../src/shared/clock.ts";
import { createQuotaKey } from "../accounts/accounts.ts";
import { addScreenshots } from "../accounts/history/many-screenshots.ts";
import { captureUntil } from "../accounts/usage/capture-until.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { slownessOfMachine } from "../support/longest-turn.ts";

const log = pino({ level: "silent" });
const count = Number(process.env.PARTITION_ROWS ?? 1_000_000);
const timeout = 3_600_000;
/** On an idle machine. */
const waitMaxMs = 1_000;

/**
 * The longest time that anything other than the change itself waited for a table lock, as reported by PostgreSQL; polled every few
 * milliseconds.
 */
async function longestWait(settings: pg.ClientConfig, signal: AbortSignal): Promise<number> {
  const client = new pg.Client(settings);
  await client.connect();
  let longest = 0;
  while (!signal.aborted) {
    const { rows } = await client.query(
      `select coalesce(max(extract(epoch from clock_timestamp() - l.waitstart)), 0)::float8 * 1000 as ms
         from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where not l.granted and l.locktype = 'relation' and a.application_name <> 'tintype screenshot months'`,
    );
    longest = Math.max(longest, rows[0].ms);
    await pause(5);
  }
  await client.end();
  return longest;
}

async function readUntil(database: TestDatabase, userId: string, signal: AbortSignal): Promise<number> {
  let pages = 0;
  for (; !signal.aborted; pages += 1) {
    const { screenshots } = await listScreenshots(database, userId, { limit: 24 });
    assert.equal(screenshots.length, 24);
  }
  return pages;
}

/** Holds a lock as retention does while it removes objects; the change has to wait for it. */
async function holdUntil(database: TestDatabase, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await database.transaction(async ({ query }) => {
      await query("select id from screenshots order by expires_at limit 100 for update skip locked");
      await pause(2_000);
    });
    await pause(1_000);
  }
}

/**
 * Keeps capturing and reading while `change` runs. @returns what was captured. Prints its measurements, and asserts that no lock was
 * waited for for long.
 */
async function whileCapturing(database: TestDatabase, change: () => Promise<void>, before = count) {
  const { rows: users } = await database.query("select id from users");
  const key = { ...(await createQuotaKey(database, null)) };
  const done = new AbortController();
  const charge = createCharge({ database, clock, log });
  const capturing = Array.from({ length: 4 }, () => captureUntil(done.signal, charge, key));
  const others = Promise.all([
    longestWait(database.settings, done.signal),
    readUntil(database, users[0].id, done.signal),
    holdUntil(database, done.signal),
  ]);
  await Promise.all(capturing.map((one) => one.after(50)));
  const started = performance.now();
  await change();
  const seconds = (performance.now() - started) / 1_000;
  await Promise.all(capturing.map((one) => one.after(50)));
  done.abort();
  const counts = await Promise.all(capturing.map((one) => one.ended));
  const [waitedMs, pages] = await others;
  const [settled, refunded] = (["settled", "refunded"] as const).map((name) => counts.reduce((sum, one) => sum + one[name], 0));
  const slowestMs = Math.max(...counts.map((one) => one.slowestMs));
  console.log(
    `${seconds.toFixed(1)} s; longest wait for a lock ${waitedMs.toFixed(0)} ms, slowest capture statement ${slowestMs.toFixed(0)} ms;` +
      `meanwhile ${settled} captures, ${refunded} refunded, ${pages} pages of the history`,
  );
  const { rows } = await database.query(
    `select (select sum(used)::integer from usage_periods) as used,
            (select count(*)::integer from screenshots where error = 'refunded') as refunded, (select count(*)::integer from screenshots) as all`,
  );
  assert.deepEqual(rows[0], { used: settled, refunded, all: before + Number(settled) + Number(refunded) });
  assert.ok(waitedMs <= waitMaxMs * slownessOfMachine(), `waited ${waitedMs} ms`);
}

async function dropMonths(database: TestDatabase): Promise<void> {
  const { rows } = await database.query("delete from screenshot_months returning name");
  for (const { name } of rows) await database.query(`drop table ${name}`);
}

async function fill(database: TestDatabase, since?: Date): Promise<void> {
  const { userId } = await createQuotaKey(database, null);
  const client = new pg.Client(database.settings);
  await client.connect();
  await addScreenshots(client, { userId, count, ...(since ? { since } : {}) });
  await client.query("vacuum analyze screenshots");
  await client.end();
}

test("monthly partitions are added next to a large default partition without waiting for a lock for more than a second", {
  timeout,
}, async (t) => {
  const database = await createTestDatabase(t);
  await dropMonths(database);
  await fill(database);
  const { rows } = await database.query("select pg_relation_size('screenshots_default') / 1024 / 1024 as mb");
  console.log(`the default partition has ${rows[0].mb} MB`);
  await whileCapturing(database, () => migrate(database.settings, log));
  const { rows: added } = await database.query("select count(*)::integer as months from screenshot_months");
  assert.ok(added[0].months >= 3);
});

test("the partition of a past month in which watches keep one row in twenty is compacted without waiting for a lock for more than a second", {
  timeout,
}, async (t) => {
  const database = await createTestDatabase(t);
  await dropMonths(database);
  const { rows: bounds } = await database.query("select screenshot_id_at(now() - interval '3 days') as id");
  await database.query(`create table screenshots_past partition of screenshots for values from (minvalue) to ('${bounds[0].id}')`);
  await database.query("insert into screenshot_months values ('screenshots_past', now() - interval '3 days')");
  await fill(database, new Date(Date.now() - 30 * 86_400_000));
  const client = new pg.Client(database.settings);
  await client.connect();
  await client.query("delete from screenshots where substr(url, length(url) - 1) not in ('10', '20', '30', '40', '50')");
  await client.query("update screenshots set expires_at = '9999-12-31'");
  const { rows } = await client.query(
    "select count(*)::integer as kept, pg_table_size('screenshots_past') / 1024 / 1024 as mb from screenshots",
  );
  await client.end();
  console.log(`${rows[0].kept} rows are kept in ${rows[0].mb} MB`);
  await whileCapturing(database, () => migrate(database.settings, log), rows[0].kept);
  const { rows: small } = await database.query("select pg_table_size('screenshots_past_kept') / 1024 / 1024 as mb");
  console.log(`now ${small[0].mb} MB`);
});
