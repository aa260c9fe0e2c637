/** Begins due runs, and queues comparisons for finished captures. Any number of processes may run the scheduler. */

import type { BaseLogger } from "pino";
import { v7 } from "uuid";
import type { Database, Queries } from "../database/database.ts";
import type { JobQueue } from "../jobs/queue.ts";
import type { Clock } from "../shared/clock.ts";
import { AppError, type FailureCode } from "../shared/errors.ts";
import type { BeginRun } from "./begin-run.ts";
import { type EndRun, recordProgress } from "./end-run.ts";
import { addRun, openRun, takeCaptured } from "./run-records.ts";
import { nextTime } from "./schedule.ts";
import { lockDue, type Watch } from "./watch-records.ts";

interface Parts {
  database: Database;
  queue: Pick<JobQueue, "send">;
  beginRun: BeginRun;
  endRun: EndRun;
  clock: Clock;
  log: BaseLogger;
}

/** Transient failures on our side: the run is retried later rather than recorded as failed. */
const temporary = new Set<FailureCode>(["unavailable", "internal_error"]);

/** Maximum number of runs that a process begins for an account while another account's are due. */
const runsPerTurn = 10;
/** Maximum number of runs that begin before finished captures are compared. */
const runsPerRound = 50;

/** How long a watch is skipped after its run has failed to start, so that it doesn't block other watches. */
const failedMs = 60_000;

/** Returns a function that runs one iteration; `closing` ends it early. @throws {AppError} `unavailable`. */
export function createSchedulerTick(parts: Parts): (closing?: AbortSignal) => Promise<void> {
  const { database, queue, clock, log } = parts;
  /** Unix milliseconds at which each failed watch may be retried. */
  const failedUntil = new Map<string, number>();

  /** Number of runs begun by account, until all accounts with due watches have had their turn. */
  const begun = new Map<string, number>();

  /** @returns whether more may be due. */
  async function beginSome(closing?: AbortSignal): Promise<boolean> {
    for (const [id, until] of failedUntil) if (until <= clock.now()) failedUntil.delete(id);
    let isMore = true;
    for (let runs = 0; runs < runsPerRound && isMore && !closing?.aborted; runs += 1)
      isMore = await database.transaction(async (transaction) => {
        const waiting = [...begun].flatMap(([account, count]) => (count >= runsPerTurn ? account : []));
        const watch = await lockDue(transaction, [...failedUntil.keys()], waiting);
        if (!watch) {
          begun.clear();
          return waiting.length > 0;
        }
        begun.set(watch.userId, (begun.get(watch.userId) ?? 0) + 1);
        try {
          await beginOne(parts, transaction, watch);
        } catch (error) {
          failedUntil.set(watch.id, clock.now() + failedMs);
          log.error({ err: error, watchId: watch.id }, "failed to start a watch's run");
          // The database or the queue may be down: leave the remaining watches to the next iteration.
          if (error instanceof AppError && error.code === "unavailable") throw error;
          await transaction.query("rollback to savepoint due");
        }
        return true;
      });
    return isMore;
  }

  async function compareCaptured(closing?: AbortSignal): Promise<void> {
    for (let isMore = true; isMore && !closing?.aborted; )
      isMore = await database.transaction(async (transaction) => {
        const captured = await takeCaptured(transaction);
        if (captured.length > 0) await queue.send(transaction, ...captured);
        return captured.length > 0;
      });
  }

  return async (closing) => {
    for (let isMore = true; isMore && !closing?.aborted; ) {
      isMore = await beginSome(closing);
      await compareCaptured(closing);
    }
  };
}

async function beginOne({ beginRun, endRun, clock }: Parts, transaction: Queries, due: Watch): Promise<void> {
  await transaction.query("savepoint due");
  const now = new Date(clock.now());
  const watch = await recordProgress(transaction, due, { nextRunAt: nextTime(due.schedule, due.nextRunAt ?? now, now) });
  if (await openRun(transaction, watch.id)) return;
  await transaction.query("savepoint run");
  try {
    await beginRun(transaction, watch);
  } catch (error) {
    if (!(error instanceof AppError) || temporary.has(error.code)) throw error;
    await transaction.query("rollback to savepoint run");
    const id = v7();
    await addRun(transaction, watch.id, id, false);
    await endRun(transaction, watch, id, [{ error: { code: error.code, message: error.message } }, undefined]);
  }
}
