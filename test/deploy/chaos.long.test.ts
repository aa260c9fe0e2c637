/**
 * Four processes behind the shipped balancer while, at random, processes are killed, stopped and continued, and their connections to
 * PostgreSQL, Redis and object storage are cut. `CHAOS_MINUTES` sets the duration, 10 by default; `CHAOS_SEED` repeats the order of
 * faults, but not their timing.
 */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { freePort } from "../../scripts/stack/ports.ts";
import { observer, startStorage } from "../storage/storage-server.ts";
import { eventually } from "../support/eventually.ts";
import { type Gate, openGate } from "../support/gate.ts";
import { type ServerProcess, spawnServer } from "../support/process.ts";
import { startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { type Receiver, startReceiver } from "../webhooks/receiver.ts";
import { hasBalancer, startBalancer } from "./balancer.ts";

const minutes = Number(process.env.CHAOS_MINUTES ?? 10);
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const processes = 4;
const slots = 2;
const quotaOfPoor = 10;
const gapMaxSeconds = 60;
/** Errors of queued captures that are transient, including those of an overloaded machine. */
const passing = new Set(["unavailable", "queue_full", "internal_error", "target_timeout"]);
const skip = hasBalancer ? false : "HAProxy is not installed: apt-get install haproxy";

/** Mulberry32: numbers from 0 to 1, the same for the same seed. */
function createRandom(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Keeps the desired number of processes running, at 127.0.0.2, .3, … until `stop`. */
async function keepRunning(t: TestContext, env: Record<string, string>) {
  const [PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())];
  const running = new Map<number, ServerProcess>();
  const ends: string[] = [];
  let isOver = false;
  let last = 1;
  const keepOne = async () => {
    while (!isOver) {
      last += 1;
      const own = last;
      const server = spawnServer(t, { ...env, PORT, METRICS_PORT, HOST: `127.0.0.${own}`, MAX_CONCURRENT_SCREENSHOTS: String(slots) });
      running.set(own, server);
      const { code, signal } = await server.exited;
      running.delete(own);
      const hadBegun = server.output() !== ""; // before that, Node has not run a line of it, and a SIGTERM ends it immediately
      if (signal !== "SIGKILL" && code !== 0 && (signal !== "SIGTERM" || hadBegun))
        ends.push(`${signal ?? code}: ${server.output().slice(-2_000)}`);
    }
  };
  const all = Promise.all(Array.from({ length: processes }, keepOne));
  const stop = async () => {
    isOver = true;
    for (const { child } of running.values()) child.kill("SIGTERM");
    await all;
  };
  return { PORT, running, ends, stop };
}

type Fleet = Awaited<ReturnType<typeof keepRunning>>;

/**
 * Causes one fault after another, and repairs each before the next; every kind occurs once before any is repeated. Resolves with the
 * number of faults of each kind.
 */
async function breakThings(fleet: Fleet, gates: Record<string, Gate>, until: number): Promise<Record<string, number>> {
  const random = createRandom(seed);
  const anyOf = <Item>(items: Item[]) => items[Math.floor(random() * items.length)] as Item;
  const ofStores = Object.keys(gates).flatMap((store) => [`cut ${store}`, `hold ${store}`]);
  const all = ["kill", "pause", "end", ...ofStores];
  const likely = ["kill", ...Object.keys(gates).map((store) => `cut ${store}`)];
  const made: Record<string, number> = Object.fromEntries(all.map((fault) => [fault, 0]));
  const first = all.toSorted(() => random() - 0.5);
  const ended = new Set<unknown>(); // a second signal would end them immediately
  while (performance.now() < until) {
    const fault = first.pop() ?? anyOf([...all, ...likely]);
    made[fault] = (made[fault] ?? 0) + 1;
    const [what, store = ""] = fault.split(" ");
    const running = [...fleet.running.values()].map(({ child }) => child);
    const [victim, gate] = [anyOf(running.filter((child) => !ended.has(child))), gates[store]];
    if (what === "kill") victim?.kill("SIGKILL");
    if (what === "end") {
      victim?.kill("SIGTERM");
      ended.add(victim);
    }
    if (what === "pause") victim?.kill("SIGSTOP");
    if (what === "cut") gate?.cut();
    if (what === "hold") gate?.swallow();
    await pause(200 + random() * 4_000);
    if (what === "pause") victim?.kill("SIGCONT");
    await gate?.mend();
    await pause(500 + random() * 2_500);
  }
  return made;
}

interface Ended {
  status: number;
  id: string | null;
  /** Code of its error. */
  code?: string | undefined;
  /** `performance.now()` when it ended. */
  at: number;
  /** What was wrong with the response: it must be an image, or an error that the service declares retryable. */
  wrong?: string;
}

/** A caller that waits for each image. A response that was cut off in transit can also be retried. */
async function takeOne(origin: string, key: string, url: string): Promise<Ended> {
  return { ...(await answerOf(origin, key, url)), at: performance.now() };
}

async function answerOf(origin: string, key: string, url: string): Promise<Omit<Ended, "at">> {
  const query = new URLSearchParams({ api_key: key, url, width: "320", height: "200", timeout: "20" });
  let response: Response;
  try {
    response = await fetch(`${origin}/v1/screenshots/take?${query}`);
  } catch (error) {
    return { status: 0, id: null, wrong: `no response: ${(error as Error).cause}` };
  }
  const { status, headers } = response;
  const id = headers.get("x-screenshot-id");
  const body = await response.arrayBuffer().catch(() => undefined);
  if (body === undefined) return { status: -1, id };
  if (status === 200) return body.byteLength > 500 ? { status, id } : { status, id, wrong: `an image of ${body.byteLength} bytes` };
  const text = Buffer.from(body).toString();
  const { retryable, code } = JSON.parse(text) as { retryable?: boolean; code?: string };
  return { status, id, code, ...(retryable ? {} : { wrong: `${status} ${text}` }) };
}

/** Repeats a request with its `Idempotency-Key` until it is accepted. @returns the id. */
async function queue(origin: string, path: string, key: string, idempotencyKey: string, body: object): Promise<string> {
  for (;;) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": idempotencyKey };
    const response = await fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => undefined);
    const answer = await response?.json().catch(() => undefined);
    if (answer && (response?.status === 202 || response?.status === 200)) return answer.id;
    if (response && answer && !answer.retryable) assert.fail(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    await pause(300);
  }
}

async function load(origin: string, stores: TestService, pages: string, receiver: Receiver, until: number) {
  const [waiting, poor, queueing] = [
    await stores.createAccount(),
    await stores.createAccount({ quota: quotaOfPoor }),
    await stores.createAccount(),
  ];
  const answers: Ended[] = [];
  const ofPoor: Ended[] = [];
  const captures = new Set<string>();
  const batches = new Set<string>();
  const isOn = () => performance.now() < until;
  const callers = Array.from({ length: 4 }, async (_, caller) => {
    for (let shot = 0; isOn(); shot += 1) {
      const answer = await takeOne(origin, waiting.key, `${pages}?shot=${caller}-${shot}`);
      answers.push(answer);
      if (answer.status !== 200) await pause(500);
    }
  });
  const onPoor = async () => {
    for (let shot = 0; isOn(); shot += 1) {
      const { wrong, ...answer } = await takeOne(origin, poor.key, `${pages}?poor=${shot}`);
      ofPoor.push(wrong === undefined || answer.code === "quota_exceeded" ? answer : { ...answer, wrong });
      await pause(500);
    }
  };
  const onQueue = async () => {
    const outputs = [{ name: "image" }, { name: "words", format: "text" }];
    const webhook_url = `http://${receiver.host}/hook`;
    for (let job = 0; isOn(); job += 1) {
      const body = { url: `${pages}?job=${job}`, width: 320, height: 200, async: true, outputs, webhook_url };
      captures.add(await queue(origin, "/v1/captures", queueing.key, `job-${job}`, body));
      await pause(500);
    }
  };
  const onBatches = async () => {
    for (let batch = 0; isOn(); batch += 1) {
      const urls = Array.from({ length: 20 }, (_, index) => ({ url: `${pages}?batch=${batch}-${index}` }));
      batches.add(
        await queue(origin, "/v1/batches", queueing.key, `batch-${batch}`, { shared: { width: 320, height: 200 }, captures: urls }),
      );
      await pause(30_000);
    }
  };
  await Promise.all([...callers, onPoor(), onQueue(), onBatches()]);
  return { waiting, poor, queueing, answers, ofPoor, captures, batches };
}

test(`four processes, ${minutes} minutes of faults: nothing is lost, captured twice or charged twice`, {
  skip,
  timeout: (minutes + 20) * 60_000,
}, async (t) => {
  t.diagnostic(`CHAOS_SEED=${seed}`);
  const site = await createSite(t, { "/": colouredPage("#00ff00", "<h1>Open") });
  const receiver = await startReceiver(t);
  const storage = await startStorage(t);
  const stores = await startService(t, {
    ROLE: "api",
    STORAGE_URL: `http://127.0.0.1:${storage.port}`,
    STORAGE_USE_PATH_STYLE_ENDPOINT: "true",
    EGRESS_ALLOWED_HOSTS: `${site.host},${receiver.host}`,
    WEBHOOK_ALLOW_HTTP: "true",
  });
  const { DATABASE_URL = "", REDIS_URL = "" } = stores.env;
  const gates = {
    PostgreSQL: await openGate(t, DATABASE_URL),
    Redis: await openGate(t, REDIS_URL),
    storage: await openGate(t, { host: "127.0.0.1", port: storage.port }),
  };
  const through = {
    DATABASE_URL: gates.PostgreSQL.through(DATABASE_URL),
    REDIS_URL: gates.Redis.through(REDIS_URL),
    STORAGE_URL: `http://127.0.0.1:${gates.storage.port}`,
  };
  const fleet = await keepRunning(t, { ...stores.env, ROLE: "all", TRUST_PROXY: "127.0.0.1", ...through });
  const { origin } = await startBalancer(t, () => [...fleet.running.keys()].map((own) => [127, 0, 0, own]), fleet.PORT);
  await eventually("the balancer answers", () =>
    fetch(`${origin}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );

  const from = performance.now();
  const until = from + minutes * 60_000;
  const [made, done] = await Promise.all([breakThings(fleet, gates, until), load(origin, stores, `${site.origin}/`, receiver, until)]);

  const count = async (table: string, where: string, values: unknown[] = []): Promise<number> =>
    (await stores.pool.query(`select count(*)::integer as count from ${table} where ${where}`, values)).rows[0].count;
  while ((await count("captures", "ended_at is null")) > 0) await pause(500);
  while ((await count("webhook_deliveries", "state = 'pending'")) > 0) await pause(500);
  await fleet.stop();
  // The reservations of killed processes expire with their leases, minutes later.
  await stores.pool.query("update screenshots set lease_until = now() where status = 'pending'");
  while ((await count("screenshots", "status = 'pending'")) > 0) await pause(500);

  const wrong = [...done.answers, ...done.ofPoor].filter((one) => one.wrong !== undefined);
  const images = (of: Ended[]) => of.filter(({ status }) => status === 200);
  const usedBy = async (userId: string): Promise<number> =>
    (await stores.pool.query("select coalesce(sum(used), 0)::integer as used from usage_periods where user_id = $1", [userId])).rows[0]
      .used;
  const doneRows = (userId: string) => count("screenshots", "user_id = $1 and status = 'done' and costs = 1", [userId]);
  const used = {
    waiting: await usedBy(done.waiting.userId),
    poor: await usedBy(done.poor.userId),
    queueing: await usedBy(done.queueing.userId),
  };
  const recorded = { waiting: await doneRows(done.waiting.userId), poor: await doneRows(done.poor.userId) };
  /** Images that arrived, and how many of them have no record with status done, because their process was killed first. */
  const deliveredTo = async (of: Ended[]) => {
    const ids = images(of).map(({ id }) => id);
    const { rows } = await stores.pool.query("select status from screenshots where id = any($1)", [ids]);
    assert.equal(rows.length, ids.length, "an image has no record");
    return { arrived: ids.length, uncounted: rows.filter(({ status }) => status !== "done").length };
  };
  const [toWaiting, toPoor] = [await deliveredTo(done.answers), await deliveredTo(done.ofPoor)];
  const cutOff = done.answers.filter(({ status }) => status === -1).length;
  const unreceived = used.waiting - (toWaiting.arrived - toWaiting.uncounted);
  /** Only killed processes leave something behind: see decision 5. */
  const interruptible = (made.kill ?? 0) * slots;
  const keys = new Set<string>();
  for (let next: string | undefined; ; ) {
    const page = await observer(t, storage.port).send(
      new ListObjectsV2Command({ Bucket: stores.env.STORAGE_BUCKET, ContinuationToken: next }),
    );
    for (const { Key = "" } of page.Contents ?? []) if (Key.startsWith("screenshots/")) keys.add(Key);
    next = page.NextContinuationToken;
    if (!next) break;
  }
  const { rows: named } = await stores.pool.query<{ key: string }>(
    "select object_key as key from screenshots where object_key is not null",
  );
  const missing = named.filter(({ key }) => !keys.has(key)).length;
  const unnamed = keys.size - named.length + missing;
  // A job that hits a fault in each of its six attempts ends as failed, and costs nothing.
  const { rows: failures } = await stores.pool.query<{ code: string; count: number }>(
    "select result->'failure'->>'code' as code, count(*)::integer as count from captures where status = 'failed' group by code",
  );
  const failed = failures.reduce((sum, one) => sum + one.count, 0);
  const queued = done.captures.size + 20 * done.batches.size;
  const reported = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
  const errors: Record<string, number> = {};
  for (const { code } of done.answers) if (code) errors[code] = (errors[code] ?? 0) + 1;
  const moments = images(done.answers).map(({ at }) => at);
  const longestGap = Math.max(...[...moments, until].map((at, index) => at - (moments[index - 1] ?? from))) / 1000;
  t.diagnostic(`faults: ${JSON.stringify(made)}`);
  t.diagnostic(
    `${done.answers.length} requests: ${images(done.answers).length} images, ${cutOff} cut off,` +
      `errors: ${JSON.stringify(errors)}, ${wrong.length} of them wrong; ` +
      `at most ${longestGap.toFixed(1)} s without an image; ` +
      `${used.waiting} charged, ${toWaiting.uncounted} images not charged, ${unreceived} charged but not received`,
  );
  t.diagnostic(
    `${done.captures.size} captures and ${done.batches.size} batches queued; failed: ${JSON.stringify(failures)}; ${reported.size} webhooks in ${receiver.received.length} requests; ` +
      `${keys.size} objects, ${unnamed} without a record, ${missing} records without an object`,
  );

  assert.deepEqual(fleet.ends, []);
  assert.deepEqual(wrong, []);
  assert.ok(longestGap < gapMaxSeconds, `${longestGap} s without an image`);
  assert.equal(used.waiting, recorded.waiting);
  assert.ok(toWaiting.uncounted <= interruptible, `${toWaiting.uncounted} images were not charged`);
  assert.ok(unreceived >= 0 && unreceived <= cutOff + interruptible, `${unreceived} images were charged but not received`);
  assert.equal(used.poor, recorded.poor);
  assert.ok(
    done.ofPoor.some(({ code }) => code === "quota_exceeded"),
    "the quota was reached",
  );
  assert.ok(used.poor <= quotaOfPoor, `${used.poor} of ${quotaOfPoor}`);
  assert.ok(toPoor.arrived - toPoor.uncounted <= quotaOfPoor, `${toPoor.arrived} images of ${quotaOfPoor}`);
  assert.equal(await count("captures", "user_id = $1", [done.queueing.userId]), queued);
  assert.equal(await count("captures", "user_id = $1 and status = 'done'", [done.queueing.userId]), queued - failed);
  assert.ok(failed <= queued / 100, `${failed} of ${queued} failed`);
  assert.deepEqual(
    failures.filter(({ code }) => !passing.has(code)),
    [],
  );
  assert.equal(used.queueing, queued - failed);
  assert.equal(await count("screenshots", "user_id = $1 and status = 'done' and object_key is null", [done.queueing.userId]), 0);
  assert.equal(await count("screenshots", "user_id = $1 and status not in ('done', 'failed')", [done.queueing.userId]), 0);
  assert.ok((await count("screenshots", "user_id = $1 and status = 'failed'", [done.queueing.userId])) <= 2 * failed);
  assert.equal(await count("screenshots", "user_id = $1", [done.queueing.userId]), 2 * done.captures.size + 20 * done.batches.size);
  assert.deepEqual([...reported].sort(), [...done.captures].sort());
  assert.equal(missing, 0);
  assert.ok(unnamed <= 2 * interruptible, `${unnamed} objects have no record`); // by killed processes: see decision 5
});
