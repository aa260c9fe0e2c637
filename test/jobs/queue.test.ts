/** The job queue on PostgreSQL: transactions, order, retries, and processes that die. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Writable } from "node:stream";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { createJobs, type Job, type JobQueue, type NewJob, type WorkLimits } from "../../src/jobs/queue.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually as eventuallyTrue, within } from "../support/eventually.ts";
import { openGate } from "../support/gate.ts";
import { longOnly } from "../support/long-only.ts";

const longTest = longOnly(test);
const log = pino({ level: "silent" });
const [ada, grace] = [randomUUID(), randomUUID()];

interface Scope {
  after(close: () => unknown): void;
}

/** A process with one queue, and with workers if there is a handler. */
function startQueue(database: TestDatabase, handle?: (job: Job, signal: AbortSignal) => Promise<void>, limits?: WorkLimits): JobQueue {
  const jobs = createJobs(database.settings, log);
  const queue = jobs.queue("work", { retryLimit: 2, retryDelay: 0 });
  if (handle) queue.work(limits ?? { concurrency: 1, perAccount: 1 }, handle);
  jobs.start();
  database.beforeDrop(() => jobs.close(5_000));
  return queue;
}

async function send(database: TestDatabase, queue: JobQueue, job: Partial<NewJob> = {}): Promise<string> {
  const id = randomUUID();
  await database.transaction((transaction) => queue.send(transaction, { id, userId: ada, ...job }));
  return id;
}

async function eventually(what: string, isTrue: () => boolean): Promise<void> {
  await eventuallyTrue(what, () => pause(20).then(isTrue));
}

function collector() {
  const done: string[] = [];
  return { done, run: async ({ id }: Job) => void done.push(id) };
}

test("a job exists if and only if the transaction that sent it commits", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const { done, run } = collector();
  const queue = startQueue(database, run);
  const undone = randomUUID();
  await assert.rejects(
    database.transaction(async (transaction) => {
      await queue.send(transaction, { id: undone, userId: ada });
      throw new Error("rolled back");
    }),
    /rolled back/,
  );
  const kept = await send(database, queue);
  await eventually("the job has run", () => done.includes(kept));
  assert.deepEqual(done, [kept]);
});

test("jobs run by priority, and oldest first among those with equal priority", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const queue = startQueue(database);
  const [low, first, second, high] = [
    await send(database, queue, { priority: -5 }),
    await send(database, queue),
    await send(database, queue),
    await send(database, queue, { priority: 5 }),
  ];
  const { done, run } = collector();
  startQueue(database, run);
  await eventually("all have run", () => done.length === 4);
  assert.deepEqual(done, [high, first, second, low]);
});

test("one account's jobs don't block another's", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const running = new Map<string, PromiseWithResolvers<void>>();
  const queue = startQueue(
    database,
    ({ id }) => {
      const end = Promise.withResolvers<void>();
      running.set(id, end);
      return end.promise;
    },
    { concurrency: 2, perAccount: 1 },
  );
  const own = [await send(database, queue), await send(database, queue), await send(database, queue)];
  const other = await send(database, queue, { userId: grace });
  await eventually("one job of each is running", () => running.size === 2);
  assert.deepEqual([...running.keys()].sort(), [own[0], other].sort());
  for (const id of own) {
    await eventually("the next one is running", () => running.has(id));
    running.get(id)?.resolve();
  }
  running.get(other)?.resolve();
});

test("one account's jobs run concurrently up to its limit", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const running = new Map<string, PromiseWithResolvers<void>>();
  const handle = ({ id }: Job) => {
    const end = Promise.withResolvers<void>();
    running.set(id, end);
    return end.promise;
  };
  const queue = startQueue(database, handle, { concurrency: 4, perAccount: 2 });
  const own = [await send(database, queue), await send(database, queue), await send(database, queue)];
  const others = [await send(database, queue, { userId: grace }), await send(database, queue, { userId: grace })];
  await eventually("all slots are taken", () => running.size === 4);
  assert.ok(others.every((id) => running.has(id)));
  // Workers that fetch at the same time may skip each other's jobs, so any two of them may be first.
  const [[first], waiting] = [own.filter((id) => running.has(id)), own.filter((id) => !running.has(id))];
  assert.equal(waiting.length, 1);
  running.get(String(first))?.resolve();
  await eventually("the third one is running", () => running.has(String(waiting[0])));
  for (const end of running.values()) end.resolve();
});

test("the reserved slot runs awaited jobs while all other slots are busy", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const running = new Map<string, PromiseWithResolvers<void>>();
  const limits = { concurrency: 2, perAccount: 1, reserved: { concurrency: 1, minPriority: 1 } };
  const handle = ({ id }: Job) => {
    const end = Promise.withResolvers<void>();
    running.set(id, end);
    return end.promise;
  };
  const queue = startQueue(database, handle, limits);
  const held = [await send(database, queue, { userId: ada }), await send(database, queue, { userId: grace })];
  await eventually("all slots are taken", () => running.size === 2);
  const waiting = await send(database, queue, { userId: randomUUID() });
  const awaited = await send(database, queue, { userId: randomUUID(), priority: 1 });
  await eventually("the awaited one is running", () => running.has(awaited));
  assert.deepEqual([...running.keys()].sort(), [...held, awaited].sort());
  running.get(String(held[0]))?.resolve();
  await eventually("the other one is running", () => running.has(waiting));
  for (const end of running.values()) end.resolve();
});

test("a failed job is retried until its last attempt", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const attempts: Job[] = [];
  const queue = startQueue(database, async (job) => {
    attempts.push(job);
    throw new Error("no");
  });
  const id = await send(database, queue);
  await eventually("it was tried three times", () => attempts.length === 3);
  assert.deepEqual(
    attempts.map(({ retries, isLastAttempt }) => ({ retries, isLastAttempt })),
    [
      { retries: 0, isLastAttempt: false },
      { retries: 1, isLastAttempt: false },
      { retries: 2, isLastAttempt: true },
    ],
  );
  assert.ok(attempts.every((job) => job.id === id));
});

test("a job with a later start time isn't run before then", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const { done, run } = collector();
  const queue = startQueue(database, run);
  const later = await send(database, queue, { startAfter: new Date(Date.now() + 3_600_000) });
  const now = await send(database, queue);
  await eventually("the other has run", () => done.length > 0);
  assert.deepEqual(done, [now]);
  await database.query("update jobs.job set start_after = now() where id = $1", [later]);
  await eventually("it has run", () => done.includes(later));
});

test("a job that is canceled before it starts never runs", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const queue = startQueue(database);
  const canceled = await send(database, queue);
  const kept = await send(database, queue);
  await database.transaction((transaction) => queue.cancel(transaction, [canceled]));
  const { done, run } = collector();
  startQueue(database, run);
  await eventually("the other has run", () => done.includes(kept));
  assert.deepEqual(done, [kept]);
});

longTest("a job whose process dies is run by another process", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const queue = startQueue(database);
  const id = await send(database, queue);
  // A killed process leaves behind an active job whose heartbeat has stopped.
  await database.query(
    "update jobs.job set state = 'active', started_on = now(), heartbeat_on = now() - interval '1 minute' where id = $1",
    [id],
  );
  const { done, run } = collector();
  startQueue(database, run);
  await eventually("it has run", () => done.includes(id));
});

test("a closing process finishes its running jobs", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const jobs = createJobs(database.settings, log);
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  let ended = false;
  const queue = jobs.queue("work", {});
  queue.work({ concurrency: 1, perAccount: 1 }, async () => {
    begun.resolve();
    await end.promise;
    ended = true;
  });
  jobs.start();
  await send(database, queue);
  await within("the job has started", begun.promise);
  const closed = jobs.close(5_000);
  end.resolve();
  await closed;
  assert.ok(ended);
});

longTest("while the queue is unreachable, sending a job fails with `unavailable`", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const jobs = createJobs({ ...database.settings, port: 1 }, log);
  database.beforeDrop(() => jobs.close(1_000));
  const queue = jobs.queue("work", {});
  jobs.start();
  await assert.rejects(send(database, queue), { code: "unavailable" });
});

test("a queue whose database goes down while it is being created is unusable, and starts once the database is back", async (t: Scope) => {
  const database = await createTestDatabase(t);
  await send(database, startQueue(database)); // the statement is defined in the library's schema, which is created first
  const gate = await openGate(t, database.settings);
  const jobs = createJobs({ ...database.settings, host: gate.host, port: gate.port }, log);
  database.beforeDrop(() => jobs.close(5_000));
  const { done, run } = collector();
  const queue = jobs.queue("late", {});
  queue.work({ concurrency: 1, perAccount: 1 }, run);
  const lost = gate.cutAt("create_queue");
  jobs.start();
  await within("the queue's statement has been sent", lost);
  await eventually("it is unusable", () => !jobs.isUsable());
  await gate.mend();
  await eventually("it is usable", () => jobs.isUsable());
  const id = await send(database, queue);
  await eventually("the job has run", () => done.includes(id));
});

test("the log says what to do if the database user may not create the queue's schema", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const user = `limited_${randomUUID().slice(0, 8)}`;
  const password = randomUUID();
  await database.pool.query("drop schema jobs cascade");
  await database.pool.query(`create role ${user} login password '${password}'`);
  const lines: { level: number; msg: string; reason?: string }[] = [];
  const logging = pino(new Writable({ write: (line, _encoding, done) => done(void lines.push(JSON.parse(String(line)))) }));
  const jobs = createJobs({ ...database.settings, user, password }, logging);
  database.beforeDrop(async () => {
    await jobs.close(5_000);
    await database.pool.query(`drop role ${user}`);
  });
  jobs.start();
  await eventually("it has been logged", () => lines.length > 0);
  const [line] = lines;
  assert.match(line?.msg ?? "", /the job queue can't start.*be allowed to create the schema jobs/);
  assert.match(line?.reason ?? "", /^permission denied for database/);
  assert.equal(line?.level, logging.levels.values.error);
});
