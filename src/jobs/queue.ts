/** Jobs that outlive a request: pg-boss on PostgreSQL, behind the little of it that the service uses. */

import { setTimeout as pause } from "node:timers/promises";
import type { JobWithMetadata, PgBoss, QueueOptions } from "pg-boss";
import type { BaseLogger } from "pino";
import type { DatabaseSettings, Queries } from "../database.ts";
import { withDeadline } from "../deadline.ts";
import { AppError } from "../errors.ts";
import { openLibrary } from "./open-library.ts";
import { createRunning } from "./running.ts";
import { type JobData, traceRun, traceSend } from "./trace-jobs.ts";

export interface Job {
  id: string;
  priority: number;
  /** Attempts before this one. */
  retries: number;
  /** Whether it is not tried again if this attempt fails. */
  isLastAttempt: boolean;
}

export interface NewJob {
  /** UUID. */
  id: string;
  /** Whether there may have been another job with this id, which has ended. */
  isRepeated?: boolean;
  /** Account whose job it is. */
  userId: string;
  /** The highest goes first; among equals the oldest. Default: 0. */
  priority?: number;
  /** Not before this time. Default: now. */
  startAfter?: Date;
  /** Whether it is tried again without the queue's pause: a caller waits for it. */
  isUrgent?: boolean;
}

export interface JobQueue {
  /**
   * Adds jobs in the transaction of `queries`, in one statement: they exist exactly when that commits.
   * @throws {AppError} `unavailable` when the database is away.
   */
  send(queries: Queries, ...jobs: NewJob[]): Promise<void>;
  /** Removes jobs that have not begun, in the transaction of `queries`. */
  cancel(queries: Queries, ids: string[]): Promise<void>;
  /**
   * Runs the jobs of all processes here, too. A job whose handler throws, or whose process dies, is tried again, so a job may run twice.
   * The handler's signal aborts when another process may run the job.
   */
  work(limits: WorkLimits, handle: (job: Job, signal: AbortSignal) => Promise<void>): void;
}

export interface WorkLimits {
  /** Jobs that run here at once, in total and of one account. */
  concurrency: number;
  perAccount: number;
  /** Further places, for jobs of this priority or a higher one only: others may hold theirs for long. */
  reserved?: { places: number; minPriority: number };
}

export interface Jobs {
  /** @param name unique. The same for all processes, as are `options`. */
  queue(name: string, options: QueueOptions): JobQueue;
  /** Connects in the background, and tries again while the database is away. */
  start(): void;
  /** False once it could not start, until it has. Before, those who send a job wait for it. */
  isUsable(): boolean;
  /** Whether no other job begins here. */
  isStopping(): boolean;
  /** No other job begins here; running ones go on. */
  stopWork(): void;
  /** Waits for running jobs, at most `timeoutMs`; those left are tried again, by any process. */
  close(timeoutMs: number): Promise<void>;
}

/** How soon a job is tried again whose process has died: the library's minimum. */
const heartbeatSeconds = 10;
/** Fetches while nothing is notified. */
const pollSeconds = 2;
const startTries = 1_000_000;
const stepPauseMs = 1_000;
const sendTimeoutMs = 5_000;
/** For the library's own statements, once no job runs: the database may not answer. */
const closingGraceMs = 5_000;

/** Nothing is connected before `start`. */
export function createJobs(database: DatabaseSettings, log: BaseLogger): Jobs {
  const started = Promise.withResolvers<PgBoss>();
  started.promise.catch(() => {}); // also known to those who send
  const queues: { name: string; options: QueueOptions; workers: ((boss: PgBoss) => Promise<void>)[] }[] = [];
  let [isUsable, isStopping, isConnecting] = [true, false, false];
  let opened: PgBoss | undefined;
  let starting: Promise<void> | undefined;
  const running = createRunning();

  async function begin(): Promise<void> {
    opened = await openLibrary(database, log, () => {
      isUsable = false;
    });
    if (isStopping) return;
    isConnecting = true;
    await opened.start({ attempts: startTries });
    isConnecting = false;
    const onFailure = (error: unknown) => {
      if (isStopping) throw error;
      isUsable = false;
    };
    for (const { name, options } of queues) if (!isStopping) await createQueue(opened, name, options, onFailure);
    for (const work of queues.flatMap(({ workers }) => workers)) if (!isStopping) await work(opened);
    isUsable = true;
    started.resolve(opened);
  }

  const ready = () => withDeadline(started.promise, sendTimeoutMs, throwNotReady);

  return {
    queue(name, options) {
      const workers: ((boss: PgBoss) => Promise<void>)[] = [];
      queues.push({ name, options, workers });
      return queueOf(name, ready, workers, running.track);
    },
    start() {
      starting ??= begin().catch((error) => {
        if (isStopping) return;
        isUsable = false;
        started.reject(new AppError("unavailable", { cause: error }));
        log.error({ err: error }, "failed to start the job queue");
      });
    },
    isUsable: () => isUsable,
    isStopping: () => isStopping,
    stopWork() {
      isStopping = true;
      for (const { name } of queues) void opened?.offWork(name, { wait: false }).catch(() => {});
    },
    async close(timeoutMs) {
      started.reject(new AppError("unavailable", { message: "The service is shutting down.", retryAfterSeconds: 5 }));
      isStopping = true;
      const end = async () => {
        if (!isConnecting) await starting; // it uses the library, which ends only its own attempts to connect
        await Promise.all([opened?.stop({ timeout: timeoutMs }), starting]);
      };
      const onTimeout = () => log.warn("the job queue did not end in time; what it ran is tried again");
      await withDeadline(running.untilIdle(end(), closingGraceMs, onTimeout), timeoutMs + closingGraceMs, onTimeout);
    },
  };
}

function throwNotReady(): never {
  throw new AppError("unavailable", { message: "The job queue is not ready yet.", retryAfterSeconds: 5 });
}

/** Until it succeeds: the library tries again by itself while it starts, but not once it has. @param onFailure may throw, to give up. */
async function createQueue(boss: PgBoss, name: string, options: QueueOptions, onFailure: (error: unknown) => void): Promise<void> {
  const all = { heartbeatSeconds, notify: true, ...options };
  for (;;) {
    try {
      await boss.createQueue(name, all);
      return await boss.updateQueue(name, all); // it may exist, with the options of another version
    } catch (error) {
      onFailure(error);
      await pause(stepPauseMs, undefined, { ref: false });
    }
  }
}

/** @param workers are started with the library. */
function queueOf(
  name: string,
  ready: () => Promise<PgBoss>,
  workers: ((boss: PgBoss) => Promise<void>)[],
  track: (job: Promise<void>) => Promise<void>,
): JobQueue {
  return {
    async send(queries, ...added) {
      const boss = await ready();
      await traceSend(name, added.length, async (trace) => {
        const inserted = added.map(({ id, isRepeated, userId, startAfter, isUrgent, ...job }) => ({
          ...job,
          ...(isRepeated ? { data: { ...trace, id } } : { id, data: trace }), // an id of the library's own
          group: { id: userId },
          ...(startAfter && { startAfter }),
          ...(isUrgent && { retryDelay: 0, retryBackoff: false }),
        }));
        await boss.insert(name, inserted, { db: asDatabase(queries) });
      });
    },
    cancel: async (queries, ids) => void (await (await ready()).cancel(name, ids, { db: asDatabase(queries) })),
    work: (limits, handle) => void workers.push((boss) => startWorkers(boss, name, limits, (job, signal) => track(handle(job, signal)))),
  };
}

async function startWorkers(
  boss: PgBoss,
  name: string,
  { concurrency, perAccount, reserved }: WorkLimits,
  handle: (job: Job, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const options = { includeMetadata: true, pollingIntervalSeconds: pollSeconds, notifyPollingIntervalSeconds: pollSeconds } as const;
  const start = async (count: number, fetched: { minPriority?: number } = {}) => {
    const places = { ...options, ...fetched, localConcurrency: count, localGroupConcurrency: count };
    const worker = await boss.work(name, places, async ([job]: JobWithMetadata<JobData>[]) => {
      if (!job) return;
      const { priority, retryCount: retries, retryLimit, signal } = job;
      try {
        await traceRun(job, (id) => handle({ id, priority, retries, isLastAttempt: retries >= retryLimit }, signal));
      } finally {
        boss.notifyWorker(worker); // or it would wait for its next poll, though more jobs may be there
      }
    });
  };
  // One by one, because of several workers that start together only the first can be notified. The bound of an account is the queue's and
  // the last one counts, but the library wants as many workers with it.
  for (let count = perAccount; count < concurrency; count += 1) await start(1);
  if (reserved) await start(reserved.places, { minPriority: reserved.minPriority });
  await start(perAccount);
}

/** Statements of the library in a transaction of ours. */
const asDatabase = (queries: Queries) => ({ executeSql: (text: string, values?: unknown[]) => queries.query(text, values) });
