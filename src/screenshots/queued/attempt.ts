/** One attempt by this process at a queued capture: it either ends the capture or leaves it to another attempt. */

import type { BaseLogger } from "pino";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { Charge } from "../../accounts/usage/charge.ts";
import type { UsageCounts } from "../../accounts/usage/counts.ts";
import type { Database, Queries } from "../../database/database.ts";
import type { Job } from "../../jobs/queue.ts";
import { timeoutSignal, withDeadline } from "../../shared/deadline.ts";
import { AppError, type FailureCode } from "../../shared/errors.ts";
import type { Seal } from "../../shared/seal.ts";
import { type CaptureResult, finishedCapture, recordedFailure } from "../captures/finished-capture.ts";
import { sliceName } from "../captures/keep-slices.ts";
import type { QueuedOutputs } from "../captures/reservations.ts";
import type { TakeOutputs } from "../captures/take-outputs.ts";
import { filesOf, type OutputFile } from "../captures/taken-outputs.ts";
import type { CrawlVisit, VisitCrawl } from "../crawl/visit.ts";
import { storingReservationMs } from "../take/capture-and-store.ts";
import type { TakeSchema } from "../take/take-options.ts";
import { addingTimeoutMs } from "./batch-entries.ts";
import { type EndedCapture, endOnce, endUnreadable, type WithinBatch } from "./ends.ts";
import type { StartedCapture } from "./host-permits.ts";
import { type QueuedRequest, readQueued, waitMaxMs } from "./queued-request.ts";
import type { CaptureRecords } from "./records.ts";

/** Transient failures of the service itself. */
const temporary = new Set<FailureCode>(["unavailable", "queue_full", "internal_error"]);
/** Time allowed for storing files after the deadline of a capture with `waitMs`. Files that are not stored by then are not delivered. */
const storedWithinMs = 2_000;
/** Maximum time from the deadline of a capture with `waitMs` until its outcome is recorded. */
export const recordedWithinMs = 3_000;
/** Minimum time left for another process to take over a capture that a caller is waiting for. */
const handOverMinMs = 4_000;
const never = new AbortController().signal;
const waitedTooLong = { message: "The capture was queued for more than 24 hours, or for longer than its caller waited." };
const stopped = { message: "The process that ran the capture was stopped.", retryAfterSeconds: 5 };

export interface AttemptParts {
  database: Database;
  records: Pick<CaptureRecords, "ended" | "lost">;
  seal: Seal;
  takeSchema: TakeSchema;
  takeOutputs: TakeOutputs;
  /** Uses the given connection or transaction. */
  chargeIn: (queries: Queries) => Charge;
  /** @throws {AppError} `invalid_api_key` if the key is no longer valid. */
  callerOf: (started: StartedCapture) => Promise<Caller>;
  /** Announces that a capture has ended, in the transaction that records the end. */
  onEnd: (queries: Queries, ended: EndedCapture) => Promise<void>;
  withinBatch: WithinBatch;
  visitCrawl: VisitCrawl;
  usage: Pick<UsageCounts, "record">;
  /** Whether this process has stopped starting jobs. */
  isStopping: () => boolean;
  log: BaseLogger;
}

/**
 * Rejects if the job should be retried.
 * @param signal aborts when another process may be running the job, or when the job was canceled.
 */
type AttemptCapture = (started: StartedCapture, job: Job, signal: AbortSignal) => Promise<void>;

export function createAttempt(parts: AttemptParts): AttemptCapture {
  const { seal, takeSchema, usage, log } = parts;

  return async (started, job, signal) => {
    const text = seal.open(started.request, job.id);
    if (text === undefined) return await endUnreadable(parts, job.id, started.batchId);
    const request = readQueued(takeSchema, text);
    const { isAwaited, waitMs = Number.POSITIVE_INFINITY } = request;
    const endsAt = performance.now() + waitMs - started.ageMs;
    const timeoutMs = Math.max(0, Math.min(waitMs - started.ageMs, ...request.outputs.map((one) => one.request.options.timeout * 1000)));
    const { reservations, end } = await resume(parts, { started, job, request, reservedMs: timeoutMs + storingReservationMs });
    if (started.ageMs > Math.min(waitMs, waitMaxMs))
      return await end({ failure: recordedFailure(new AppError("unavailable", waitedTooLong)) });

    /** A capture with `waitMs` is retried only in another process: a retry here would probably fail again before the deadline. */
    const mayRetry = (error: unknown): boolean => {
      if (job.isLastAttempt) return false;
      if (signal.aborted) return true;
      if (!temporary.has(recordedFailure(error).code)) return false;
      return waitMs === Number.POSITIVE_INFINITY || (parts.isStopping() && endsAt - performance.now() > handOverMinMs);
    };
    let caller: Caller | undefined;
    let visit: CrawlVisit | undefined;
    try {
      caller = await parts.callerOf(started);
      visit = visitOf(parts, { started, job, request, caller, signal });
      const deadline = AbortSignal.any([signal, timeoutSignal(timeoutMs, () => new AppError("target_timeout"))]);
      const result = await take(
        parts,
        { caller, job, request, deadline, timeoutMs },
        {
          ...{ reservations, mayRetry, isPatient: !isAwaited },
          ...(waitMs < Number.POSITIVE_INFINITY && { isWanted: () => isWanted(parts, job.id) }),
          ...{ accepts: visit?.accepts, beforeLoad: visit?.beforeLoad },
        },
      );
      if (!isAwaited) usage.record(caller, "failure" in result ? "failed" : "captured", 0);
      await end(result, visit);
    } catch (error) {
      if (visit?.isLeftOut() && !signal.aborted) return await leaveOut(parts, job.id, started.batchId, visit);
      if (mayRetry(error)) {
        const about = { err: error, captureId: job.id };
        if (signal.aborted) log.info(about, "stopped a queued capture: its caller disconnected, or another process is running it");
        else log.warn(about, "a queued capture failed; it will be retried");
        throw error;
      }
      if (caller && !isAwaited) usage.record(caller, "failed", 0);
      const isInterrupted = parts.isStopping() && !(error instanceof AppError);
      await end({ failure: recordedFailure(isInterrupted ? new AppError("unavailable", { ...stopped, cause: error }) : error) });
    }
  };
}

/**
 * Takes over the reservations for this attempt. The returned `end` ends the capture. It refunds a capture that failed, or whose files were
 * not stored and no longer can be.
 */
async function resume(
  parts: AttemptParts,
  { started, job, request, reservedMs }: { started: StartedCapture; job: Job; request: QueuedRequest; reservedMs: number },
) {
  const { userId, batchId } = started;
  const names = request.outputs.map(({ name }) => ({ name, firstSlice: sliceName(name, 0) }));
  const reservations = await parts.chargeIn(parts.database).reserveAgain(job.id, names, reservedMs);
  const end = async (result: CaptureResult, visit?: CrawlVisit) => {
    const ended = { id: job.id, userId, webhookUrl: request.webhookUrl, result };
    const more = async (transaction: Queries) => {
      const charge = parts.chargeIn(transaction);
      if ("failure" in result) for (const { id } of reservations.values()) await charge.refund({ output: id, error: result.failure.code });
      await charge.refund({ unstored: job.id });
      await visit?.complete(transaction);
    };
    await endOnce(parts, ended, batchId, more, visit && addingTimeoutMs);
  };
  return { reservations, end };
}

/** The crawl's visit to the page; undefined if the capture isn't part of a crawl. */
function visitOf(
  { visitCrawl }: AttemptParts,
  { started, job, request, caller, signal }: Pick<Attempt, "job" | "request" | "caller"> & { started: StartedCapture; signal: AbortSignal },
): CrawlVisit | undefined {
  const { batchId, depth } = started;
  if (batchId === null || depth === null) return undefined;
  return visitCrawl({ batchId, captureId: job.id, depth, caller, outputs: request.outputs, signal });
}

/** Removes a page that its crawl leaves out. The page is refunded, and its links may still be followed. */
async function leaveOut({ database, withinBatch, chargeIn }: AttemptParts, id: string, batchId: string | null, visit: CrawlVisit) {
  const leave = (transaction: Queries) => visit.complete(transaction, () => chargeIn(transaction).refund({ unneeded: [id] }));
  await database.transaction((transaction) => withinBatch(transaction, batchId, () => leave(transaction)), { timeoutMs: addingTimeoutMs });
}

/** False if the capture has already ended or its record is gone, for example because its caller has disconnected. */
async function isWanted({ records }: AttemptParts, id: string): Promise<boolean> {
  const ended = await records.ended([id]).catch(() => []);
  return ended.length === 0;
}

interface Attempt {
  caller: Caller;
  job: Job;
  request: QueuedRequest;
  deadline: AbortSignal;
  timeoutMs: number;
}

/** @throws an error after which the capture is retried or ended. */
async function take(parts: AttemptParts, attempt: Attempt, queued: QueuedOutputs): Promise<CaptureResult> {
  const { caller, job, deadline, timeoutMs, request } = attempt;
  const { outputs, isAwaited } = request;
  const started = performance.now();
  const signals = { disconnected: never, deadline, deadlineAt: started + timeoutMs };
  const taken = await parts.takeOutputs(caller, job.id, outputs, signals, queued);
  const leftMs = request.waitMs === undefined ? Number.POSITIVE_INFINITY : signals.deadlineAt + storedWithinMs - performance.now();
  const inTime = (file: OutputFile) => withDeadline(file.isStored, Math.max(0, leftMs), () => false);
  const stored = await Promise.all(taken.outputs.map((one) => Promise.all(filesOf(one).map(inTime))));
  const notStored = new AppError("unavailable", { cause: new Error("a file was not stored") });
  if (!isAwaited && stored.flat().includes(false) && queued.mayRetry(notStored)) throw notStored;
  const capture = finishedCapture(outputs, taken, stored, performance.now() - started);
  const failures = capture.outputs.flatMap((output) => ("failure" in output ? [output.failure] : []));
  const [failure] = failures;
  return failure && failures.length === outputs.length ? { failure } : { capture };
}
