/** Jobs that outlive a request: a narrow interface to pg-boss, on PostgreSQL. */

import { setTimeout as pause } from "node:timers/promises";
import type { JobWithMetadata, PgBoss, QueueOptions } from "pg-boss";
import type { BaseLogger } from "pino";
import type { DatabaseSettings, Queries } from "../database/database.ts";
import { withDeadline } from "../shared/deadline.ts";
import { AppError } from "../shared/errors.ts";
import { openLibrary } from "./open-library.ts";
import { createRunning, type JobData, traceRun, traceSend } from "./running.ts";

export interface Job {
  id: string;
  priority: number;
  /** Number of attempts before this one. */
  retries: number;
  /** Whether the job won't be retried if this attempt fails. */
  isLastAttempt: boolean;
}

export interface NewJob {
  /** UUID. */
  id: string;
  /** Whether there may be an earlier, finished job with this id. */
  isRepeated?: boolean;
  /** Account that owns the job. */
  userId: string;
  /** Higher priorities run first; among equals, the oldest job. Default: 0. */
  priority?: number;
  /** Earliest time at which the job runs. Default: now. */
  startAfter?: Date;
  /** Whether the job is retried without the queue's delay, because a caller is waiting. */
  isUrgent?: boolean;
}

export interface JobQueue {
  /**
   * Adds jobs in one statement within the transaction of `queries`: the jobs exist only if it commits.
   * @throws {AppError} `unavailable` if the database can't be reached, or the queue has not started within 5 s.
   */
  send(queries: Queries, ...jobs: NewJob[]): Promise<void>;
  /** Cancels jobs within the transaction of `queries`. The signal of a running job aborts within seconds. */
  cancel(queries: Queries, ids: string[]): Promise<void>;
  /**
   * Makes this process run jobs, whichever process sent them. A job whose handler throws, or whose process dies, is retried, so it may run
   * twice. The handler's signal aborts if another process may be running the job, or if the job was canceled.
   */
  work(limits: WorkLimits, handle: (job: Job, signal: AbortSignal) => Promise<void>): void;
}

export interface WorkLimits {
  /** Maximum number of concurrent jobs in this process, in total and per account. */
  concurrency: number;
  perAccount: number;
  /** Lowest priority of the jobs that these workers run. Default: any. */
  minPriority?: number;
  /** Additional workers reserved for jobs of these priorities, because other jobs may run for a long time. */
  reserved?: { concurrency: number; minPriority?: number; maxPriority?: number };
}

export interface Jobs {
  /** @param name unique. All processes must pass the same name and `options`. */
  queue(name: string, options: QueueOptions): JobQueue;
  /** Connects in the background, and retries while the database can't be reached. */
  start(): void;
  /** False after a failed start, until a later attempt succeeds. During the first attempt, `send` waits. */
  isUsable(): boolean;
  /** Whether this process has stopped starting jobs. */
  isStopping(): boolean;
  /** Stops starting jobs in this process; running jobs continue. */
  stopWork(): void;
  /** Waits up to `timeoutMs` for running jobs; any process may retry the remaining ones. */
  close(timeoutMs: number): Promise<void>;
}

/** Time without a heartbeat after which a job is retried; the minimum that pg-boss allows. */
const heartbeatSeconds = 10;
/** Poll interval; a notification starts a job sooner. */
const pollSeconds = 2;
const startAttempts = 1_000_000;
const stepPauseMs = 1_000;
const sendTimeoutMs = 5_000;
/** Grace period for the library's own statements after the last job, in case the database doesn't respond. */
const closingGraceMs = 5_000;

/** Doesn't connect until `start`. */
export function createJobs(database: DatabaseSettings, log: BaseLogger): Jobs {
  const started = Promise.withResolvers<PgBoss>();
  started.promise.catch(() => {}); // `send` also reports the error
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
    await opened.start({ attempts: startAttempts });
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
        if (!isConnecting) await starting; // `begin` may still be using the library, and `stop` only interrupts connection attempts
        await Promise.all([opened?.stop({ timeout: timeoutMs }), starting]);
      };
      const onTimeout = () => log.warn("the job queue did not stop in time; its running jobs will be retried");
      await withDeadline(running.untilIdle(end(), closingGraceMs, onTimeout), timeoutMs + closingGraceMs, onTimeout);
    },
  };
}

function throwNotReady(): never {
  throw new AppError("unavailable", { message: "The job queue is not ready yet.", retryAfterSeconds: 5 });
}

/** Retries until it succeeds; the library itself retries only its own start. @param onFailure may throw to give up. */
async function createQueue(boss: PgBoss, name: string, options: QueueOptions, onFailure: (error: unknown) => void): Promise<void> {
  const all = { heartbeatSeconds, notify: true, ...options };
  for (;;) {
    try {
      await boss.createQueue(name, all);
      return await boss.updateQueue(name, all); // the queue may exist with another version's options
    } catch (error) {
      onFailure(error);
      await pause(stepPauseMs, undefined, { ref: false });
    }
  }
}

/** @param workers started once the library has started. */
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
          ...(isRepeated ? { data: { ...trace, id } } : { id, data: trace }), // if repeated, the library generates the row's id
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
  { concurrency, perAccount, reserved: { concurrency: extra, ...reservedFor } = { concurrency: 0 }, ...own }: WorkLimits,
  handle: (job: Job, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const options = { includeMetadata: true, pollingIntervalSeconds: pollSeconds, notifyPollingIntervalSeconds: pollSeconds } as const;
  const start = async (count: number, fetched: { minPriority?: number; maxPriority?: number }) => {
    const limited = { ...options, ...fetched, localConcurrency: count, localGroupConcurrency: count };
    const worker = await boss.work(name, limited, async ([job]: JobWithMetadata<JobData>[]) => {
      if (!job) return;
      const { priority, retryCount: retries, retryLimit, signal } = job;
      try {
        await traceRun(job, (id) => handle({ id, priority, retries, isLastAttempt: retries >= retryLimit }, signal));
      } finally {
        boss.notifyWorker(worker); // otherwise the worker would wait for its next poll, even if more jobs are queued
      }
    });
  };
  // Started one by one: if several workers start together, only the first can be notified. The per-account limit applies to all of the
  // queue's workers and is set by the last call, but the library requires that call to start at least that many workers.
  for (let count = perAccount; count < concurrency; count += 1) await start(1, own);
  for (let count = 0; count < extra; count += 1) await start(1, reservedFor);
  await start(perAccount, own);
}

/** Runs the library's statements in our transaction. */
const asDatabase = (queries: Queries) => ({ executeSql: (text: string, values?: unknown[]) => queries.query(text, values) });
