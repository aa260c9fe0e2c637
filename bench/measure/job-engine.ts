/** The job queue alone, and its engine used directly: jobs per second, and how soon a job starts. The handlers do nothing. */

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { pino } from "pino";
import { createPool } from "../../src/database/create-pool.ts";
import { createDatabase, type Database, type DatabaseSettings } from "../../src/database/database.ts";
import { createJobs, type Job, type Jobs, type NewJob } from "../../src/jobs/queue.ts";

/** As for captures on two cores, in a process without the other roles. */
const places = { concurrency: 8, perAccount: 6 };
const loops = 8;
const batch = 100;
const accounts = 20;
const name = "bench";
const log = pino({ level: "silent" });

export interface JobEngine extends AsyncDisposable {
  /** Jobs per second that the service's queue takes and settles. */
  ours(count: number): Promise<number>;
  /** The same for the engine, with as many loops of `fetch` and `complete`, for one job or a hundred jobs at a time. */
  engine(count: number, atOnce: "single" | "many"): Promise<number>;
  /** Milliseconds from the commit of an account's job to its handler, while `waiting` jobs of another account are waiting. */
  pickUp(count: number, waiting: number): Promise<number[]>;
}

/** Uses a new database on the server at `url`. */
export async function startJobEngine(url: string): Promise<JobEngine> {
  const parts = new AsyncDisposableStack();
  const database = `jobs_${randomUUID().slice(0, 8)}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  parts.defer(() => client.end());
  await client.query(`create database ${database}`);
  parts.defer(() => client.query(`drop database ${database} with (force)`).then(() => {}));
  const { hostname: host, port, username: user, password } = new URL(url);
  const settings = { host, port: Number(port), user, password, database } as DatabaseSettings;
  const pool = createPool(settings, log);
  parts.defer(() => pool.end());
  const queries = createDatabase(pool);

  const unsettled = async () => {
    const { rows } = await pool.query("select count(*)::integer as count from jobs.job where name = $1 and state < 'completed'", [name]);
    return Number(rows[0].count);
  };

  /** Time from the start of the first job until all are settled. */
  async function rate(count: number, startWork: (onBegin: () => void) => AsyncDisposable): Promise<number> {
    const users = Array.from({ length: accounts }, () => randomUUID());
    const added = Array.from({ length: count }, (_, index) => ({ userId: users[index % accounts] as string, priority: -index }));
    await using sender = startQueue(settings);
    await sender.send(queries, added);
    let since = Number.NaN;
    await using _working = startWork(() => {
      if (Number.isNaN(since)) since = performance.now();
    });
    while ((await unsettled()) > 0) await pause(20);
    return count / ((performance.now() - since) / 1000);
  }

  return {
    ours: (count) => rate(count, (onBegin) => startQueue(settings, async () => onBegin())),
    engine: (count, atOnce) => rate(count, (onBegin) => startLoops(settings, atOnce === "many" ? batch : 1, onBegin)),
    pickUp: (count, waiting) => pickUp(settings, queries, { count, waiting }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function startLoops(settings: DatabaseSettings, batchSize: number, onBegin: () => void): AsyncDisposable {
  const boss = new PgBoss({ ...settings, schema: "jobs", max: loops, supervise: false, schedule: false, migrate: false });
  boss.on("error", () => {});
  const drain = async () => {
    for (;;) {
      const jobs = await boss.fetch(name, { batchSize });
      onBegin();
      if (jobs.length === 0) return;
      const ids = jobs.map(({ id }) => id);
      await boss.complete(name, ids);
    }
  };
  const drained = boss.start().then(() => Promise.all(Array.from({ length: loops }, drain)));
  return { [Symbol.asyncDispose]: () => drained.then(() => boss.stop({ graceful: false })) };
}

interface RunningQueue extends AsyncDisposable {
  send(database: Database, added: Omit<NewJob, "id">[]): Promise<void>;
}

function startQueue(settings: DatabaseSettings, handle?: (job: Job) => Promise<void>): RunningQueue {
  const jobs: Jobs = createJobs(settings, log);
  const queue = jobs.queue(name, { retryLimit: 5 });
  if (handle) queue.work(places, handle);
  jobs.start();
  return {
    send: (database, added) =>
      database.transaction((transaction) => queue.send(transaction, ...added.map((job) => ({ ...job, id: randomUUID() }))), {
        timeoutMs: 60_000,
      }),
    [Symbol.asyncDispose]: () => jobs.close(5_000),
  };
}

/** The waiting jobs take 20 ms each and have consecutive positions; each of the others gets the current position when it is sent. */
async function pickUp(settings: DatabaseSettings, database: Database, { count, waiting }: { count: number; waiting: number }) {
  const stride = 60;
  let turn = 0;
  let began = Promise.withResolvers<number>();
  let isOver = false;
  const own = 1; // no position ends within it
  const handle = async ({ priority }: Job) => {
    if (-priority % stride === own) return began.resolve(performance.now());
    turn = Math.max(turn, -priority);
    if (!isOver) await pause(20);
  };
  await using sender = startQueue(settings);
  const many = randomUUID();
  if (waiting > 0)
    await sender.send(
      database,
      Array.from({ length: waiting }, (_, n) => ({ userId: many, priority: -n * stride })),
    );
  await using _worker = startQueue(settings, handle);
  const times: number[] = [];
  for (let index = 0; index <= count; index += 1) {
    began = Promise.withResolvers<number>();
    await sender.send(database, [{ userId: randomUUID(), priority: -(turn + own) }]);
    const committed = performance.now();
    const time = (await began.promise) - committed;
    if (index > 0) times.push(Math.max(0, time)); // the first one waits for the worker's start
    await pause(30);
  }
  isOver = true;
  await database.query("delete from jobs.job where name = $1 and state = 'created'", [name]);
  return times;
}
