/** Starting while the database is unreachable. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { migrateWhenReachable } from "../../src/start/database-start.ts";
import { logLines } from "../screenshots/log-lines.ts";
import { createTestClock } from "../support/clock.ts";
import { createEmptyTestDatabase } from "../support/database.ts";
import { openGate } from "../support/gate.ts";

/** `waited` is called with each pause; only the fake clock advances during it. */
async function setUp(t: TestContext) {
  const { settings, pool } = await createEmptyTestDatabase(t);
  const gate = await openGate(t, settings);
  const clock = createTestClock();
  const lines = logLines();
  const start = clock.now();
  const run = (then: (waitedMs: number) => unknown = () => {}, database = settings.database) =>
    migrateWhenReachable({ ...settings, host: gate.host, port: gate.port, database }, lines.log, {
      clock,
      pause: async (ms) => {
        clock.advance(ms);
        await then(clock.now() - start);
      },
    });
  return { gate, run, lines, pool, waitedMs: () => clock.now() - start };
}

test("a database that becomes reachable after 50 seconds is migrated; until then, the service logs a line every few seconds", async (t) => {
  const { gate, run, lines, pool, waitedMs } = await setUp(t);
  await gate.refuse();
  await run((waited) => waited >= 50_000 && gate.mend());
  assert.equal((await pool.query("select 1 from users")).rowCount, 0);
  const waiting = lines.lines.filter(({ level }) => level === 40);
  assert.ok(waiting.length >= 10 && waiting.length <= 30, `${waiting.length} lines in ${waitedMs()} ms`);
  for (const { msg, reason } of waiting) {
    assert.match(String(msg), /database is not reachable yet/);
    assert.match(String(reason), /ECONNREFUSED/);
  }
});

test("if the database is unreachable for a minute, the start fails with the reason and the time waited", async (t) => {
  const { gate, run, waitedMs } = await setUp(t);
  await gate.refuse();
  await assert.rejects(run(), /^Error: The database could not be reached for 60 s: connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
  assert.ok(waitedMs() >= 55_000 && waitedMs() <= 60_000, `${waitedMs()} ms`);
});

test("a rejected login or a missing database makes the start fail immediately", async (t) => {
  const { run, waitedMs } = await setUp(t);
  await assert.rejects(
    run(() => {}, "nowhere"),
    { code: "3D000" },
  );
  assert.equal(waitedMs(), 0);
});

test("a pooler that rejects connection limits makes the start fail immediately, with its reason", async (t) => {
  const reason = "unsupported startup parameter: statement_timeout"; // PgBouncer's wording
  const fields = Buffer.from(`SFATAL\0C08P01\0M${reason}\0\0`);
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(fields.length + 4, 1);
  const pooler = createServer((socket) => void socket.on("error", () => {}).once("data", () => socket.end(Buffer.concat([head, fields]))));
  await once(pooler.listen(0, "127.0.0.1"), "listening");
  t.after(() => pooler.close());
  const { settings } = await createEmptyTestDatabase(t);
  const behind = { ...settings, host: "127.0.0.1", port: (pooler.address() as AddressInfo).port };
  const pause = async () => assert.fail("it was waited for");
  await assert.rejects(migrateWhenReachable(behind, logLines().log, { pause }), { code: "08P01", message: reason });
});
