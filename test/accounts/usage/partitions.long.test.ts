/**
 * A million screenshots become partitions by month while captures are recorded and read: none is lost, and nothing waits for a lock for longer
 * than a second. Prints what it measured.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { pino } from "pino";
import { listScreenshots } from "../../../src/accounts/usage/history.ts";
import { createQuota } from "../../../src/accounts/usage/quota.ts";
import { systemClock as clock } from "../../../src/clock.ts";
import { applyMigrations, migrate } from "../../../src/migrate.ts";
import { createEmptyTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createQuotaKey } from "../accounts.ts";
import { captureUntil } from "./capture-until.ts";
import { addScreenshots } from "./many-screenshots.ts";

const log = pino({ level: "silent" });
const count = 1_000_000;
const waitMaxMs = 1_000;

/** The longest time that anything but the change itself has waited for a lock of a table, as PostgreSQL records it; looks every few milliseconds. */
async function longestWait(settings: pg.ClientConfig, signal: AbortSignal): Promise<number> {
  const client = new pg.Client(settings);
  await client.connect();
  let longest = 0;
  while (!signal.aborted) {
    const { rows } = await client.query(
      `select coalesce(max(extract(epoch from clock_timestamp() - l.waitstart)), 0)::float8 * 1000 as ms
         from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where not l.granted and l.locktype = 'relation' and a.application_name <> 'tintype online changes'`,
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

/** As retention does while it removes objects, which the change has to wait for. */
async function holdUntil(database: TestDatabase, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await database.transaction(async ({ query }) => {
      await query("select id from screenshots order by expires_at limit 100 for update skip locked");
      await pause(2_000);
    });
    await pause(1_000);
  }
}

test("a million screenshots become partitioned: no row is lost, no lock is waited for longer than a second", {
  timeout: 3_600_000,
}, async (t) => {
  const database = await createEmptyTestDatabase(t);
  await applyMigrations(database.settings, log);
  const key = await createQuotaKey(database, null);
  const client = new pg.Client(database.settings);
  await client.connect();
  await addScreenshots(client, { userId: key.userId, count });
  await client.query("vacuum analyze screenshots");
  await client.end();

  const done = new AbortController();
  const quota = createQuota({ database, clock });
  const capturing = Array.from({ length: 4 }, () => captureUntil(done.signal, quota, key));
  const others = Promise.all([
    longestWait(database.settings, done.signal),
    readUntil(database, key.userId, done.signal),
    holdUntil(database, done.signal),
  ]);
  await Promise.all(capturing.map((one) => one.after(50)));
  const started = performance.now();
  await migrate(database.settings, log);
  const seconds = (performance.now() - started) / 1_000;
  await Promise.all(capturing.map((one) => one.after(50)));
  done.abort();
  const counts = await Promise.all(capturing.map((one) => one.ended));
  const [waitedMs, pages] = await others;
  const [settled, refunded] = (["settled", "refunded"] as const).map((name) => counts.reduce((sum, one) => sum + one[name], 0));
  const slowestMs = Math.max(...counts.map((one) => one.slowestMs));
  console.log(
    `${seconds.toFixed(1)} s; longest wait for a lock ${waitedMs.toFixed(0)} ms, slowest statement of a capture ${slowestMs.toFixed(0)} ms; ` +
      `meanwhile ${settled} captures, ${refunded} refunded, ${pages} pages of the history`,
  );
  const { rows } = await database.query(
    `select (select relkind from pg_class where oid = 'screenshots'::regclass) as kind, (select sum(used)::integer from usage_periods) as used,
            (select count(*)::integer from screenshots where error = 'refunded') as refunded, (select count(*)::integer from screenshots) as all`,
  );
  assert.deepEqual(rows[0], { kind: "p", used: settled, refunded, all: count + Number(settled) + Number(refunded) });
  assert.ok(waitedMs <= waitMaxMs, `waited ${waitedMs} ms`);
});
