/** Storage outages of seconds or minutes: what is stored later, and what is reported when. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createArchive } from "../../src/screenshots/take/archive.ts";
import type { ImageStore } from "../../src/storage/store.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { createVirtualTime } from "../support/virtual-time.ts";
import { image, never, setUp as setUpArchive } from "./archive-parts.ts";
import { logLines } from "./log-lines.ts";

/** Storage refuses connections until `gate.mend()`; only `pass` lets time pass. */
async function setUp(t: TestContext) {
  const time = createVirtualTime();
  const parts = await setUpArchive(t, { clock: time.clock, pause: time.pause, pendingBytesMax: 1_000_000 });
  await parts.gate.refuse();
  return { ...parts, time, pass: (ms: number) => time.pass(ms, () => parts.archive.pending().count) };
}

test("a storage outage of 10 seconds loses nothing: every image delivered during it is stored", async (t) => {
  const { archive, gate, store, outcomes, done, counted, pass } = await setUp(t);
  for (let second = 0; second < 9; second += 1) {
    for (let count = 0; count < 5; count += 1) archive.keep(image(), done);
    await pass(1_000);
  }
  await pass(1_000);
  assert.deepEqual(outcomes, []);
  await gate.mend();
  await pass(60_000);
  assert.equal(outcomes.length, 45);
  for (const key of outcomes) {
    const found = await store.get(key ?? "", never);
    found?.stream.destroy();
    assert.equal(found?.bytes, 1000);
  }
  assert.deepEqual([await counted("stored"), await counted("lost")], [45, 0]);
});

test("an upload is retried for at least 90 seconds; then the record is written without the image, and this is logged once", async (t) => {
  const { archive, outcomes, done, counted, messages, pass } = await setUp(t);
  archive.keep(image(), done);
  await pass(90_000);
  assert.deepEqual([archive.pending().count, outcomes], [1, []]);
  await pass(600_000);
  assert.deepEqual(outcomes, [null]);
  assert.deepEqual([await counted("stored"), await counted("lost")], [0, 1]);
  assert.equal(messages(50).length, 1);
  assert.deepEqual(archive.pending(), { count: 0, bytes: 0 });
});

test("a caller waiting for storage gets a response after three failed attempts, while the archive keeps retrying", async (t) => {
  const { archive, gate, outcomes, done, time, pass } = await setUp(t);
  let answer: string | null | undefined;
  archive.keep(image(), done).then((objectKey) => {
    answer = objectKey;
  });
  await pass(10_000);
  assert.equal(answer, null);
  assert.ok(time.passedMs() <= 10_000);
  assert.deepEqual(outcomes, []);
  await gate.mend();
  await pass(60_000);
  assert.equal(typeof outcomes[0], "string");
});

test("unavailable storage gets at most 75 attempts per second, however many images are waiting", async () => {
  const time = createVirtualTime();
  let tries = 0;
  const put = async () => {
    tries += 1;
    throw new Error("away");
  };
  const archive = createArchive({
    store: { put } as unknown as ImageStore,
    log: logLines().log,
    metrics: createMetrics(),
    clock: time.clock,
    pause: time.pause,
    pendingBytesMax: 1_000_000,
  });
  for (let count = 0; count < 2_000; count += 1) archive.keep(image(1), async () => true);
  await time.pass(60_000, () => archive.pending().count);
  tries = 0;
  await time.pass(60_000, () => archive.pending().count);
  assert.equal(archive.pending().count, 2_000);
  assert.ok(tries > 0 && tries <= 60 * 75, `${tries} attempts in a minute`);
});

test("draining retries waiting images immediately, and stores them if storage is available again", async (t) => {
  const { archive, gate, outcomes, done, pass } = await setUp(t);
  for (let count = 0; count < 3; count += 1) archive.keep(image(), done);
  await pass(30_000);
  await gate.mend();
  assert.equal(await archive.drain(never), 0); // time doesn't pass: only draining can end the pauses
  assert.equal(outcomes.filter((key) => key !== null).length, 3);
});

test("images abandoned by draining are recorded as not stored before draining ends", async (t) => {
  const { archive, outcomes, done, pass } = await setUp(t);
  archive.keep(image(), async (key) => {
    for (let turn = 0; turn < 5; turn += 1) await nextTurn(); // waits as long as a database takes to respond
    return await done(key);
  });
  await pass(5_000);
  assert.equal(await archive.drain(AbortSignal.abort()), 1);
  assert.deepEqual(outcomes, [null]);
});
