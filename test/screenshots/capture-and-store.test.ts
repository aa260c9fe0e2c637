/** The accounting of a capture while storage is unavailable. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCharge } from "../../src/accounts/usage/charge.ts";
import type { Capture } from "../../src/capture/request.ts";
import { createArchive } from "../../src/screenshots/take/archive.ts";
import type { CaptureCache } from "../../src/screenshots/take/cache.ts";
import { createCaptureAndStore } from "../../src/screenshots/take/capture-and-store.ts";
import { createTakeRequest, createTakeSchema } from "../../src/screenshots/take/take-options.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { createQuotaKey } from "../accounts/accounts.ts";
import { limits } from "../http/limits.ts";
import { s3Store, storageSettings } from "../storage/storage-server.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { createVirtualTime } from "../support/virtual-time.ts";
import { logLines } from "./log-lines.ts";

/** A finished capture with a real database, and storage at an address where nothing listens. */
async function setUp(t: TestContext, { pendingBytesMax = 1_000_000 } = {}) {
  const database = await createTestDatabase(t);
  const time = createVirtualTime();
  const { log } = logLines();
  const metrics = createMetrics();
  const archive = createArchive({
    store: s3Store(t, storageSettings(1)),
    log,
    metrics,
    clock: time.clock,
    pause: time.pause,
    pendingBytesMax,
  });
  const capture = {
    bytes: Buffer.from("image"),
    format: "png",
    width: 10,
    height: 10,
    target: { status: 200, url: "https://example.com/", title: "" },
    verdict: { kind: "ok", confidence: 0.9, reasons: [] },
    warnings: [],
    timings: { queue: 0, navigate: 0, wait: 0, shoot: 0 },
    waitEnded: "ready",
  } as Capture;
  const takeSchema = createTakeSchema(limits);
  const captureAndStore = createCaptureAndStore({
    charge: createCharge({ database, clock: time.clock, log }),
    takeCapture: async () => capture,
    archive,
    cache: {} as CaptureCache,
    sessions: { open: () => Promise.reject(new Error("no session was requested")) },
    proxies: { proxyFor: () => undefined },
    addCopies: () => Promise.reject(new Error("no copy was requested")),
    startTyping: () => Promise.reject(new Error("nothing is typed")),
    countTyping: async () => {},
    clock: time.clock,
    retentionDaysMax: undefined,
  });
  const request = createTakeRequest(takeSchema, takeSchema.parse({ url: "https://example.com/" }), []);
  const key = await createQuotaKey(database, 10);
  const take = () => captureAndStore(key, request, { signal: t.signal, deadlineAt: performance.now() + 30_000 });
  const record = async () => {
    const { rows } = await database.query(
      "select status, object_key, bytes, costs, used from screenshots join usage_periods using (user_id)",
    );
    return rows[0];
  };
  return { pool: database.pool, time, archive, options: request.options, take, record };
}

test("a reservation outlives the longest upload by a minute, and the record shows that the image is not stored", async (t) => {
  const { pool, time, archive, options, take, record } = await setUp(t);
  (await take()).markSent?.();
  const { rows: reserved } = await pool.query("select extract(epoch from lease_until - created_at) * 1000 as lease_ms from screenshots");
  while (archive.pending().count > 0) await time.pass(1_000, () => archive.pending().count);
  const leftMs = Number(reserved[0].lease_ms) - options.timeout * 1000 - time.passedMs();
  assert.ok(leftMs >= 60_000, `${leftMs} ms are left in case the database is unavailable then`);
  await eventually("the record has been written", async () => (await record()).status === "done");
  assert.deepEqual(await record(), { status: "done", object_key: null, bytes: 5, costs: 1, used: 1 });
});

test("an image that was neither sent nor stored, because storage never came back, costs nothing", async (t) => {
  const { time, archive, take, record } = await setUp(t);
  const { stored } = await take();
  assert.equal((await record()).used, 1);
  while (archive.pending().count > 0) await time.pass(1_000, () => archive.pending().count);
  assert.equal(await stored, null);
  await eventually("the record has been written", async () => (await record()).status === "done");
  assert.deepEqual(await record(), { status: "done", object_key: null, bytes: 5, costs: 0, used: 0 });
});

test("an image that is dropped at once, because too many are waiting to be stored, is charged exactly if a response with it begins", async (t) => {
  const sent = await setUp(t, { pendingBytesMax: 1 });
  const { markSent } = await sent.take();
  assert.equal((await sent.record()).status, "pending");
  markSent?.();
  await eventually("the record has been written", async () => (await sent.record()).status === "done");
  assert.deepEqual(await sent.record(), { status: "done", object_key: null, bytes: 5, costs: 1, used: 1 });

  const unsent = await setUp(t, { pendingBytesMax: 1 });
  await unsent.take();
  await unsent.archive.drain(t.signal); // no response begins after the start of a shutdown
  assert.deepEqual(await unsent.record(), { status: "done", object_key: null, bytes: 5, costs: 0, used: 0 });
});
