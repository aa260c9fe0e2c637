/** What captures cost whose images could not be stored, or whose responses could not be sent: an image is charged exactly if it can be read. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { v7 } from "uuid";
import { createCharge } from "../../../src/accounts/usage/charge.ts";
import { type DroppedImage, sweepUnanswered } from "../../../src/accounts/usage/drop.ts";
import { sweepExpired } from "../../../src/accounts/usage/refund.ts";
import type { Reservation, ReservedOutput } from "../../../src/accounts/usage/reservation.ts";
import { createQuotaSweep } from "../../../src/accounts/usage/sweep.ts";
import { createTestClock } from "../../support/clock.ts";
import { createTestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createQuotaKey } from "../accounts.ts";
import { settledImage as stored } from "./settled-image.ts";

const log = pino({ level: "silent" });
const lost = { ...stored, objectKey: null };

function output(reservedMs: number, name: string): ReservedOutput {
  const expiresAt = new Date("2199-01-01T00:00:00Z");
  return { id: v7(), url: "https://example.com/", options: {}, cacheKey: Buffer.alloc(32, 7), reservedMs, expiresAt, output: name };
}

async function setUp(t: TestContext) {
  const database = await createTestDatabase(t);
  const dropped: DroppedImage[] = [];
  const onDropped = async (images: DroppedImage[]) => void dropped.push(...images);
  const charge = createCharge({ database, log, clock: createTestClock(), onDropped });
  const sweep = createQuotaSweep({ database, log, onDropped });
  const key = await createQuotaKey(database, 100);
  return {
    database,
    charge,
    sweep,
    dropped,
    key,
    /** A capture with two outputs. `status`: that of a queued capture; without, it has no record of its own. */
    async reserve(status?: "running" | "done", { reservedMs = 60_000, answerBy = "infinity", screenshots = 1 } = {}) {
      const captureId = v7();
      const outputs = [output(reservedMs, "one"), output(reservedMs, "other")];
      const [one, other] = await charge.reserve(key, [{ captureId, costs: screenshots, outputs }]);
      if (status)
        await database.query(
          "insert into captures (id, user_id, status, expires_at, answer_by) values ($1, $2, $3, '2199-01-01', $4::timestamptz)",
          [captureId, key.userId, status, answerBy],
        );
      return { captureId, one, other: other as Reservation };
    },
    async used(): Promise<number> {
      const { rows } = await database.query("select sum(used)::integer as used from usage_periods where user_id = $1", [key.userId]);
      return rows[0].used;
    },
    async costs(...of: Reservation[]): Promise<string[]> {
      const { rows } = await database.query(
        "select id, status, costs, expires_at > now() as readable from screenshots where id = any($1)",
        [of.map(({ id }) => id)],
      );
      return of.map(({ id }) => {
        const { status, costs, readable } = rows.find((row) => row.id === id);
        return `${status} ${costs}${readable ? "" : " expired"}`;
      });
    },
  };
}

test("an image that is neither stored nor sent is refunded once, and its record completed", async (t) => {
  const { charge, database, key, used } = await setUp(t);
  const [reservation] = await charge.reserve(key, [{ outputs: [output(60_000, "only")] }]);
  const outcomes = await Promise.all([charge.settleUnstored(reservation, lost), charge.settleUnstored(reservation, lost)]);
  assert.deepEqual(outcomes.sort(), [false, true]);
  assert.equal(await used(), 0);
  const { rows } = await database.query("select status, costs, bytes, object_key, lease_until from screenshots");
  assert.deepEqual(rows, [{ status: "done", costs: 0, bytes: 4321, object_key: null, lease_until: null }]);
  assert.deepEqual([await charge.settle(reservation, stored), await charge.isRefunded(reservation)], [false, false]);
});

test("a capture is charged if one of its outputs is stored, in whichever order that is known", async (t) => {
  const { charge, reserve, used, costs } = await setUp(t);
  const first = await reserve();
  await charge.settleUnstored(first.one, lost);
  assert.deepEqual(await costs(first.one, first.other), ["done 0", "pending 1"]);
  await charge.settle(first.other, stored);
  const second = await reserve();
  await charge.settle(second.other, stored);
  await charge.settleUnstored(second.one, lost);
  assert.deepEqual(await costs(second.one, second.other), ["done 0", "done 1"]);
  assert.equal(await used(), 2);
});

test("a capture of which no output is stored is refunded once, even if both are recorded at the same time", async (t) => {
  const { charge, reserve, used, costs } = await setUp(t);
  for (let round = 0; round < 20; round += 1) {
    const { one, other } = await reserve();
    await Promise.all([charge.settleUnstored(one, lost), charge.settleUnstored(other, lost)]);
    assert.deepEqual(await costs(one, other), ["done 0", "done 0"]);
  }
  assert.equal(await used(), 0);
});

test("a queued capture keeps its cost while another attempt may store its outputs, and is refunded at its end", async (t) => {
  const { charge, database, reserve, used } = await setUp(t);
  const { captureId, one, other } = await reserve("running");
  await charge.settleUnstored(one, lost);
  await charge.settleUnstored(other, lost);
  assert.equal(await used(), 1);
  await charge.reserveAgain(
    captureId,
    [
      { name: "one", firstSlice: "one-1" },
      { name: "other", firstSlice: "other-1" },
    ],
    60_000,
  );
  await charge.settleUnstored(one, lost);
  await charge.settleUnstored(other, lost);
  await database.query("update captures set status = 'done' where id = $1", [captureId]);
  assert.deepEqual([await charge.refund({ unstored: captureId }), await charge.refund({ unstored: captureId })], [true, false]);
  assert.equal(await used(), 0);
});

test("a queued capture that ended while its outputs were being stored is charged exactly if one of them is stored", async (t) => {
  const { charge, reserve, used, costs, database } = await setUp(t);
  for (const isStored of [true, false]) {
    const { captureId, one, other } = await reserve("running");
    await charge.settleUnstored(one, lost);
    await database.query("update captures set status = 'done' where id = $1", [captureId]);
    assert.equal(await charge.refund({ unstored: captureId }), false);
    assert.deepEqual(await costs(one, other), ["done 0", "pending 1"]);
    await (isStored ? charge.settle(other, stored) : charge.settleUnstored(other, lost));
    assert.equal(await used(), 1);
  }
});

test("the end of a queued capture and the end of storing its last output agree, whichever comes first", async (t) => {
  const { charge, reserve, used, database } = await setUp(t);
  for (let round = 0; round < 20; round += 1) {
    const { captureId, one, other } = await reserve("running");
    await charge.settleUnstored(one, lost);
    const ended = database.transaction(async (transaction) => {
      await transaction.query("update captures set status = 'done' where id = $1", [captureId]);
      await createCharge({ database: transaction, log, clock: createTestClock() }).refund({ unstored: captureId });
    });
    await Promise.all([ended, charge.settleUnstored(other, lost)]);
  }
  assert.equal(await used(), 0);
});

test("the sweep doesn't refund a queued capture that another attempt may complete", async (t) => {
  const { charge, sweep, reserve, used, database } = await setUp(t);
  const { captureId, one, other } = await reserve("running", { reservedMs: 0 });
  assert.deepEqual([await sweep.run(), await used()], [0, 1]);
  await charge.reserveAgain(
    captureId,
    [
      { name: "one", firstSlice: "one-1" },
      { name: "other", firstSlice: "other-1" },
    ],
    0,
  );
  await database.query("update captures set status = 'failed' where id = $1", [captureId]);
  assert.deepEqual([await sweep.run(), await used()], [2, 0]);
  assert.deepEqual([await charge.isRefunded(one), await charge.isRefunded(other)], [true, true]);
});

test("a killed process's capture costs one if one of its outputs is stored", async (t) => {
  const { charge, sweep, reserve, used, costs } = await setUp(t);
  const { one, other } = await reserve(undefined, { reservedMs: 0 });
  await charge.settle(other, stored);
  assert.deepEqual([await sweep.run(), await used()], [1, 1]);
  assert.deepEqual(await costs(one, other), ["failed 0", "done 1"]);
});

test("the sweep and the end of a capture that nobody waits for don't lock its outputs in opposite orders", async (t) => {
  const { charge, database, reserve, used, costs } = await setUp(t);
  const { captureId, one, other } = await reserve("done", { reservedMs: 0, answerBy: "-infinity" });
  await charge.move(one, other);
  await charge.settle(one, stored);
  const waiting = async (count: number) => {
    const { rows } = await database.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' having count(*) >= $1",
      [count],
    );
    return rows.length > 0;
  };
  const ends: Promise<unknown>[] = [];
  await database.transaction(async (transaction) => {
    await transaction.query("select from screenshots where id = $1 for update", [one.id]);
    ends.push(sweepUnanswered(database, 10));
    await eventually("it waits for the output", () => waiting(1));
    const sweeping = sweepExpired(database, 10);
    ends.push(sweeping);
    await Promise.race([sweeping, eventually("the sweep waits as well", () => waiting(2))]);
  });
  await Promise.all(ends);
  assert.deepEqual([await costs(one, other), await used()], [["failed 0 expired", "failed 1"], 0], captureId);
});

test("the sweep moves the cost to an output that is stored, and leaves the capture alone while one is locked", async (t) => {
  const { charge, database, sweep, reserve, used, costs } = await setUp(t);
  const { one, other } = await reserve(undefined, { reservedMs: 0 });
  await charge.settle(other, stored);
  await database.transaction(async (transaction) => {
    await transaction.query("select from screenshots where id = $1 for update", [other.id]);
    assert.equal(await sweep.run(), 0);
  });
  assert.deepEqual(await costs(one, other), ["pending 1", "done 0"]);
  assert.equal(await sweep.run(), 1);
  assert.deepEqual([await costs(one, other), await used()], [["failed 0", "done 1"], 1]);
});

test("a capture is dropped once, and what is stored of it later is not kept", async (t) => {
  for (const status of ["running", "done"] as const) {
    const { charge, reserve, used, costs, dropped, key, database } = await setUp(t);
    const { captureId, one, other } = await reserve(status);
    if (status === "done") await charge.settleUnstored(one, lost);
    const drop = () => charge.refund({ unanswered: captureId });
    assert.deepEqual([await drop(), await drop(), await used()], [true, false, 0], status);
    assert.deepEqual((await costs(one, other)).sort(), ["failed 0", "failed 1"], status);
    assert.deepEqual([await charge.settle(other, stored), await charge.isRefunded(other)], [false, true], status);
    const { id, userId, cacheKey } = dropped.find((image) => image.id === one.id) ?? assert.fail(status);
    assert.deepEqual([id, userId, cacheKey], [one.id, key.userId, Buffer.alloc(32, 7)]);
    const { rows } = await database.query("select status, result->'failure'->>'code' as code from captures");
    assert.deepEqual(rows, [{ status: "failed", code: "unavailable" }], status);
  }
});

test("a capture of which an output is stored is not dropped, so that it is charged", async (t) => {
  for (const status of ["running", "done"] as const) {
    const { charge, reserve, used, costs, database } = await setUp(t);
    const { captureId, one, other } = await reserve(status);
    await charge.settle(one, stored);
    assert.deepEqual([await charge.refund({ unanswered: captureId }), await used()], [false, 1], status);
    assert.deepEqual(await costs(one, other), ["done 1", "pending 0"], status);
    const { rows } = await database.query("select status, answer_by is null as confirmed from captures");
    assert.deepEqual(rows, [{ status, confirmed: false }]);
    assert.equal(await charge.confirm(captureId), true);
  }
});

test("the capture of a killed process is refunded once by the sweep, its stored images expire, and those stored later are not kept", async (t) => {
  const { charge, sweep, reserve, used, costs } = await setUp(t);
  const { one, other } = await reserve("done", { answerBy: "-infinity" });
  await charge.settle(one, stored);
  assert.deepEqual([await sweep.run(), await sweep.run(), await used()], [1, 0, 0]);
  assert.deepEqual(await costs(one, other), ["failed 1 expired", "failed 0"]);
  assert.deepEqual([await charge.settle(other, stored), await charge.isRefunded(other)], [false, true]);
});

test("a confirmed response is never dropped", async (t) => {
  const { charge, sweep, reserve, used, costs } = await setUp(t);
  const { captureId, one, other } = await reserve("done", { answerBy: "-infinity" });
  await charge.settle(one, stored);
  await charge.settle(other, stored);
  assert.equal(await charge.confirm(captureId), true);
  assert.deepEqual([await charge.refund({ unanswered: captureId }), await sweep.run(), await used()], [false, 0, 1]);
  assert.deepEqual(await costs(one, other), ["done 1", "done 0"]);
});

test("a capture that costs several screenshots is charged, moved and refunded as a whole", async (t) => {
  const { charge, sweep, reserve, used, costs } = await setUp(t);
  const screenshots = 3;
  const kept = await reserve(undefined, { screenshots });
  await charge.move(kept.one, kept.other);
  assert.deepEqual(await costs(kept.one, kept.other), ["pending 0", "pending 3"]);
  await charge.settleUnstored(kept.other, lost);
  assert.deepEqual(await costs(kept.one, kept.other), ["pending 3", "done 0"]);
  await charge.settle(kept.one, stored);
  assert.equal(await used(), 3);

  const ends: Record<string, (capture: Awaited<ReturnType<typeof reserve>>) => Promise<unknown>> = {
    failed: async ({ one, other }) => {
      await charge.refund({ output: other.id, error: "page_crashed" });
      await charge.refund({ output: one.id, error: "page_crashed" });
    },
    unneeded: ({ captureId }) => charge.refund({ unneeded: [captureId] }),
    unanswered: ({ captureId }) => charge.refund({ unanswered: captureId }),
    unreadable: ({ captureId }) => charge.refund({ unreadable: captureId }),
    unstored: async ({ captureId, one, other }) => {
      for (const reservation of [one, other]) await charge.settleUnstored(reservation, lost);
      await charge.refund({ unstored: captureId });
    },
  };
  for (const [name, end] of Object.entries(ends)) {
    const status = { unanswered: "done" as const, unreadable: "done" as const, unstored: "running" as const }[name];
    const capture = await reserve(status, { screenshots });
    assert.equal(await used(), 6, name);
    await end(capture);
    assert.equal(await used(), 3, name);
  }
  await reserve(undefined, { screenshots, reservedMs: -1 });
  await sweep.run();
  assert.equal(await used(), 3);
});
