/** A delivered capture is recorded despite a database outage, if the outage ends before the reservation expires. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { v7 } from "uuid";
import { createCharge } from "../../../src/accounts/usage/charge.ts";
import { createQuotaSweep } from "../../../src/accounts/usage/sweep.ts";
import { createTestClock } from "../../support/clock.ts";
import { createTestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { openGate } from "../../support/gate.ts";
import { createQuotaKey } from "../accounts.ts";
import { settledImage as image } from "./settled-image.ts";

const log = pino({ level: "silent" });
const reservedMs = 150_000;

/** A delivered capture, whose database can be cut off from now on. */
async function setUp(t: TestContext) {
  const database = await createTestDatabase(t);
  const gate = await openGate(t, database.settings);
  const throughGate = database.connect({ host: gate.host, port: gate.port });
  const clock = createTestClock();
  const key = await createQuotaKey(database, 100);
  const id = v7();
  const capture = {
    id,
    url: "https://example.com/",
    options: {},
    cacheKey: Buffer.alloc(32),
    reservedMs,
    expiresAt: new Date("2199-01-01T00:00:00Z"),
  };
  /** `pause` is called between attempts to settle. */
  const chargeWith = (pause?: (ms: number) => Promise<unknown>) =>
    createCharge({ database: throughGate, clock, log, ...(pause && { pause }) });
  const state = async () => {
    const { rows } = await database.query(
      "select s.status, s.object_key, u.used from screenshots s join usage_periods u using (user_id) where s.id = $1",
      [id],
    );
    return rows[0];
  };
  const sweep = createQuotaSweep({ database: throughGate, log });
  const reserve = async () => (await chargeWith().reserve(key, [{ outputs: [capture] }]))[0];
  return { gate, clock, sweep, state, reserve, chargeWith, direct: database };
}

test("a delivered capture is recorded even if the database recovers just before the reservation expires", async (t) => {
  const { gate, clock, reserve, chargeWith, state } = await setUp(t);
  const reservation = await reserve();
  await gate.refuse();
  let waitedMs = 0;
  const pause = async (ms: number) => {
    waitedMs += ms;
    clock.advance(ms);
    if (waitedMs + 5_000 >= reservedMs) await gate.mend();
  };
  await chargeWith(pause).settle(reservation, image);
  assert.ok(waitedMs > 140_000, `it waited ${waitedMs} ms`);
  assert.deepEqual(await state(), { status: "done", object_key: "a/b.png", used: 1 });
});

test("a capture that isn't recorded before its reservation expires is abandoned, and the sweep refunds it", async (t) => {
  const { gate, clock, sweep, reserve, chargeWith, state, direct } = await setUp(t);
  const reservation = await reserve();
  await gate.refuse();
  const pause = async (ms: number) => clock.advance(ms);
  await assert.rejects(chargeWith(pause).settle(reservation, image), { code: "unavailable" });
  assert.ok(clock.now() <= reservation.endsAtMs);
  await gate.mend();
  await direct.query("update screenshots set lease_until = now() - interval '1 second'");
  assert.equal(await sweep.run(), 1);
  assert.deepEqual(await state(), { status: "failed", object_key: null, used: 0 });
});

test("a capture whose confirmation of the record was lost is not counted twice", async (t) => {
  const { gate, reserve, chargeWith, state } = await setUp(t);
  const reservation = await reserve();
  gate.swallow("answers");
  const recording = chargeWith(() => gate.mend()).settle(reservation, image);
  await eventually("the statement ran", async () => (await state()).status === "done");
  gate.cut();
  await recording;
  assert.deepEqual(await state(), { status: "done", object_key: "a/b.png", used: 1 });
});
