/** Captures that outlive their request: queued with their reservations, then run once, by any process. */

import type { BaseLogger } from "pino";
import { type Caller, type Owner, ownerOf } from "../accounts/keys/caller.ts";
import { addCaptures, type CaptureRecord, type CaptureRecords, findEarlier, type Idempotency } from "../accounts/usage/capture-records.ts";
import type { Usage } from "../accounts/usage/counts.ts";
import type { BegunCapture, HostPlaces } from "../accounts/usage/host-places.ts";
import type { Quota } from "../accounts/usage/quota.ts";
import type { Clock } from "../clock.ts";
import type { Database, Queries } from "../database.ts";
import { timeoutSignal } from "../deadline.ts";
import { AppError, type FailureCode } from "../errors.ts";
import type { Job, JobQueue } from "../jobs/queue.ts";
import type { Seal } from "../seal.ts";
import { storingLeaseMs } from "./capture-and-store.ts";
import { cancelQueued, type EndedCapture, endLost, endOnce, endUnreadable, type WithinBatch } from "./capture-ends.ts";
import { finishedCapture, recordedFailure } from "./finished-capture.ts";
import { filesOf } from "./output-files.ts";
import { reservedForOutputs } from "./output-reservations.ts";
import { hostOf, readQueued, writeQueued } from "./queued-request.ts";
import { sliceName } from "./slice-name.ts";
import type { BeginSpare } from "./spare.ts";
import type { TakeSchema } from "./take-options.ts";
import type { TakeOutputs } from "./take-outputs.ts";
import type { OutputRequest } from "./taken-outputs.ts";

export interface SubmittedCapture {
  /** UUIDv7. */
  id: string;
  outputs: OutputRequest[];
  idempotency: Idempotency | undefined;
  /** Whether a caller waits for it: such captures go first, and the request itself is counted. */
  isAwaited: boolean;
  /** Checked. */
  webhookUrl: string | undefined;
  /** When the caller stops waiting; undefined: the capture has its timeout from its begin. */
  endsAt?: Date;
}

export interface CaptureJobs {
  /**
   * Queues a capture together with its reservations: either both exist or none.
   * @returns its record, or that of an earlier request with the same key and content.
   * @throws {AppError} as `Quota`; `unavailable`; `idempotency_key_reused`.
   */
  submit(caller: Caller, capture: SubmittedCapture): Promise<CaptureRecord>;
  /** The same, in a transaction of the caller. */
  submitIn(transaction: Queries, caller: Caller, capture: SubmittedCapture): Promise<CaptureRecord>;
  /** Cancels what has not begun. @throws {AppError} `not_found`, `capture_begun`. */
  cancel(owner: Owner, id: string): Promise<CaptureRecord>;
  /** Fails captures whose jobs are gone. */
  endLost(): Promise<void>;
  /** Handler of the queue's jobs. Rejects if the job is to be tried again. */
  run(job: Job, signal: AbortSignal): Promise<void>;
}

interface CaptureJobsParts {
  database: Database;
  records: CaptureRecords;
  places: HostPlaces;
  queue: JobQueue;
  seal: Seal;
  takeSchema: TakeSchema;
  takeOutputs: TakeOutputs;
  /** Of the connection or transaction that is given. */
  quotaOf: (queries: Queries) => Quota;
  /** @throws {AppError} `invalid_api_key` if it can't be used any more. */
  callerOf: (begun: BegunCapture) => Promise<Caller>;
  /** Announces that a capture has ended, in the transaction that records it. */
  onEnd: (queries: Queries, ended: EndedCapture) => Promise<void>;
  withinBatch: WithinBatch;
  usage: Pick<Usage, "record">;
  /** Of captures for which no one waits. */
  beginSpare: BeginSpare;
  clock: Clock;
  log: BaseLogger;
  retentionDaysMax: number | undefined;
}

/** How long a capture may wait in the queue. */
const waitMaxMs = 24 * 3_600_000;
/** Longer than it waits, so that the sweep of reservations never comes first. */
export const queuedLeaseMs = waitMaxMs + 2 * 3_600_000;
/** Of captures for which a caller waits; the others have lower ones. */
export const awaitedPriority = 1;
/** Failures of ours, which pass by themselves. */
const temporary = new Set<FailureCode>(["unavailable", "queue_full", "internal_error"]);
const never = new AbortController().signal;
const ofNoBatch = { batchId: null, position: null, name: null };
const newRecord = {
  status: "queued",
  result: null,
  storedIds: [],
  startedAt: null,
  endedAt: null,
  ...ofNoBatch,
} satisfies Partial<CaptureRecord>;

export function createCaptureJobs(parts: CaptureJobsParts): CaptureJobs {
  const { database, records, places, queue, seal, clock } = parts;
  const attempt = createAttempt(parts);

  const submitIn: CaptureJobs["submitIn"] = async (transaction, caller, submitted) => {
    const { id, outputs, idempotency, isAwaited, webhookUrl, endsAt } = submitted;
    const earlier = idempotency && (await findEarlier(transaction, ownerOf(caller), idempotency));
    if (earlier && !(earlier.isOwn && earlier.hash.equals(idempotency.hash))) throw new AppError("idempotency_key_reused");
    if (earlier) return earlier;
    const reserved = reservedForOutputs(caller, outputs, parts).map((one) => ({ ...one, leaseMs: queuedLeaseMs }));
    await parts.quotaOf(transaction).reserveOutputs(caller, id, reserved);
    const request = seal.close(writeQueued({ outputs, isAwaited, webhookUrl, endsAtMs: endsAt?.getTime() }), id);
    const turns = await addCaptures(transaction, {
      userId: caller.userId,
      keyId: caller.id,
      idempotency,
      isAwaited,
      expiresAt: reserved[0]?.expiresAt ?? new Date(clock.now()),
      captures: [{ id, request, host: isAwaited ? undefined : hostOf(outputs) }],
    });
    const priority = isAwaited ? awaitedPriority : -(turns.get(id) ?? 0);
    await queue.send(transaction, { id, userId: caller.userId, priority });
    return { ...newRecord, id, createdAt: new Date(clock.now()) };
  };

  return {
    submit: (caller, capture) => database.transaction((transaction) => submitIn(transaction, caller, capture)),
    submitIn,

    async cancel(owner, id) {
      const before = await records.find(owner, id);
      if (!before) throw new AppError("not_found");
      await cancelQueued(parts, owner.userId, { id }, before.batchId);
      const record = (await records.find(owner, id)) ?? before;
      if (record.status !== "canceled") throw new AppError("capture_begun", { message: `The capture is ${record.status} already.` });
      return record;
    },

    endLost: () => endLost(parts),
    async run(job, signal) {
      const leave = job.priority >= awaitedPriority ? undefined : await parts.beginSpare(signal); // until then it can be canceled
      let begun: BegunCapture | undefined;
      try {
        begun = await places.begin(job.id);
        if (begun) await attempt(begun, job, signal);
      } finally {
        leave?.(begun !== undefined);
      }
    },
  };
}

function createAttempt(parts: CaptureJobsParts): (begun: BegunCapture, ...of: Parameters<CaptureJobs["run"]>) => Promise<void> {
  const { database, seal, takeSchema, usage, log } = parts;

  return async (begun, job, signal) => {
    const { userId, createdAt, batchId } = begun;
    const text = seal.open(begun.request, job.id);
    if (text === undefined) return await endUnreadable(parts, job.id, batchId);
    const { outputs, isAwaited, webhookUrl, endsAtMs = Number.POSITIVE_INFINITY } = readQueued(takeSchema, text);
    const leftMs = Math.max(0, endsAtMs - parts.clock.now());
    const timeoutMs = Math.min(leftMs, ...outputs.map(({ request }) => request.options.timeout * 1000));
    const names = outputs.map(({ name }) => ({ name, firstSlice: sliceName(name, 0) }));
    const reservations = await parts.quotaOf(database).resumeOutputs(job.id, names, timeoutMs + storingLeaseMs);
    const fail = async (error: unknown) => {
      const failure = recordedFailure(error);
      await endOnce(parts, { id: job.id, userId, webhookUrl, result: { failure } }, batchId, async (transaction) => {
        for (const { id } of reservations.values()) await parts.quotaOf(transaction).refund(id, failure.code);
      });
    };
    if (parts.clock.now() - createdAt.getTime() > waitMaxMs)
      return await fail(new AppError("unavailable", { message: "The capture waited for more than 24 hours." }));

    const isLast = job.isLastAttempt || endsAtMs < Number.POSITIVE_INFINITY;
    let caller: Caller | undefined;
    try {
      caller = await parts.callerOf(begun);
      const started = performance.now();
      const deadline = AbortSignal.any([signal, timeoutSignal(timeoutMs, () => new AppError("target_timeout"))]);
      const signals = { disconnected: never, deadline, deadlineAt: started + timeoutMs };
      const mayRetry = (error: unknown) => signal.aborted || (!isLast && temporary.has(recordedFailure(error).code));
      const taken = await parts.takeOutputs(caller, job.id, outputs, signals, { reservations, mayRetry, isPatient: !isAwaited });
      const stored = await Promise.all(taken.outputs.map((one) => Promise.all(filesOf(one).map((file) => file.stored))));
      if (!isAwaited && !isLast && stored.flat().includes(false))
        throw new AppError("unavailable", { cause: new Error("a file was not stored") });
      const capture = finishedCapture(outputs, taken, stored, performance.now() - started);
      const failures = capture.outputs.flatMap((output) => ("failure" in output ? [output.failure] : []));
      const [failure] = failures;
      const result = failure && failures.length === outputs.length ? { failure } : { capture };
      if (!isAwaited) usage.record(caller, "failure" in result ? "failed" : "captured", 0);
      await endOnce(parts, { id: job.id, userId, webhookUrl, result }, batchId);
    } catch (error) {
      const isFinal = error instanceof AppError && !temporary.has(error.code);
      if (!isFinal && !isLast) {
        log.warn({ err: error, captureId: job.id }, "a queued capture failed; it is tried again");
        throw error;
      }
      if (caller && !isAwaited) usage.record(caller, "failed", 0);
      await fail(error);
    }
  };
}
