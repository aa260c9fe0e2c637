/**
 * Queues captures for any worker, with their reservations. Used for captures that outlive their requests, and for those that a `ROLE=api`
 * process waits for.
 */

import { type Caller, type Owner, ownerOf } from "../../accounts/keys/caller.ts";
import type { Queries } from "../../database/database.ts";
import type { Job, JobQueue } from "../../jobs/queue.ts";
import type { Clock } from "../../shared/clock.ts";
import { AppError } from "../../shared/errors.ts";
import { costOfOutputs, reservedForOutputs } from "../captures/reservations.ts";
import type { OutputRequest } from "../captures/taken-outputs.ts";
import type { AdmitBackground } from "../take/background-admission.ts";
import { type AttemptParts, createAttempt } from "./attempt.ts";
import { abandonCapture, cancelQueued, endLost } from "./ends.ts";
import type { HostPermits, StartedCapture } from "./host-permits.ts";
import { hostOf, queuedReservationMs, writeQueued } from "./queued-request.ts";
import { addCaptures, type CaptureRecord, type CaptureRecords, capturesOfKey, findEarlier, type Idempotency } from "./records.ts";

export interface SubmittedCapture {
  /** UUIDv7. */
  id: string;
  outputs: OutputRequest[];
  idempotency: Idempotency | undefined;
  /** Whether a caller is waiting. Awaited captures run first, and usage counts the request rather than the capture. */
  isAwaited: boolean;
  /** Already validated. */
  webhookUrl: string | undefined;
  /**
   * How long the caller waits, in milliseconds. If set, the charge becomes final only once the response is confirmed. If undefined, the
   * timeout starts when the capture starts, and the charge is final once the capture is done.
   */
  waitMs?: number;
}

export interface CaptureJobs {
  /**
   * Queues a capture together with its reservations: either both exist or neither does.
   * @returns its record, or the record from an earlier request with the same idempotency key and content.
   * @throws {AppError} `quota_exceeded`; `invalid_api_key` if the account's row is gone; `idempotency_key_reused`; `unavailable`.
   */
  submit(caller: Caller, capture: SubmittedCapture): Promise<CaptureRecord>;
  /** Like `submit`, within the caller's transaction. */
  submitIn(transaction: Queries, caller: Caller, capture: SubmittedCapture): Promise<CaptureRecord>;
  /** Cancels a capture that has not started. @throws {AppError} `not_found`, `capture_begun`. */
  cancel(owner: Owner, id: string): Promise<CaptureRecord>;
  /**
   * Ends a capture whose only caller is no longer waiting, without charging for it or keeping anything. Returns false if an output is
   * stored, in which case the capture continues and must be charged, or if the capture has already failed.
   */
  abandon(id: string, error: unknown): Promise<boolean>;
  /** Fails captures that have been queued for 26 hours, or running for 3 hours, because their jobs must be gone. */
  endLost(): Promise<void>;
  /** Handles a job from the queue. Rejects if the job should be retried. */
  run(job: Job, signal: AbortSignal): Promise<void>;
}

interface CaptureJobsParts extends AttemptParts {
  records: CaptureRecords;
  permits: HostPermits;
  queue: JobQueue;
  /** Admits captures for which no caller is waiting. */
  admitBackground: AdmitBackground;
  clock: Clock;
  retentionDaysMax: number | undefined;
}

/**
 * Time to confirm a response after the caller's wait has ended. Covers recording the result, reading the files, half a minute for sending
 * the response, and a minute of database outage.
 */
const answerLeaseMs = 180_000;
/** Priority of captures for which a caller is waiting; all others have a lower priority. */
export const awaitedPriority = 1;
const noBatch = { batchId: null, position: null, name: null, depth: null };
const newRecord = {
  status: "queued",
  result: null,
  storedIds: [],
  startedAt: null,
  endedAt: null,
  ...noBatch,
} satisfies Partial<CaptureRecord>;

export function createCaptureJobs(parts: CaptureJobsParts): CaptureJobs {
  const { database, records, permits, queue, seal, clock } = parts;
  const attempt = createAttempt(parts);

  const submitIn: CaptureJobs["submitIn"] = async (transaction, caller, submitted) => {
    const { id, outputs, idempotency, isAwaited, webhookUrl, waitMs } = submitted;
    const earlier = idempotency && (await findEarlier<CaptureRecord>(transaction, capturesOfKey, ownerOf(caller), idempotency));
    if (earlier) return earlier;
    const reserved = reservedForOutputs(caller, outputs, parts).map((one) => ({ ...one, reservedMs: queuedReservationMs }));
    await parts.chargeIn(transaction).reserve(caller, [{ captureId: id, costs: costOfOutputs(outputs), outputs: reserved }]);
    const request = seal.close(writeQueued({ outputs, isAwaited, webhookUrl, waitMs }), id);
    const { positions, createdAt } = await addCaptures(transaction, {
      userId: caller.userId,
      keyId: caller.id,
      idempotency,
      isAwaited,
      answerWithinMs: waitMs === undefined ? undefined : waitMs + answerLeaseMs,
      expiresAt: reserved[0]?.expiresAt ?? new Date(clock.now()),
      captures: [{ id, request, host: isAwaited ? undefined : hostOf(outputs, caller.userId) }],
    });
    const priority = isAwaited ? awaitedPriority : -(positions.get(id) ?? 0);
    await queue.send(transaction, { id, userId: caller.userId, priority, isUrgent: waitMs !== undefined });
    return { ...newRecord, id, createdAt };
  };

  return {
    submit: (caller, capture) => database.transaction((transaction) => submitIn(transaction, caller, capture)),
    submitIn,

    async cancel(owner, id) {
      const before = await records.find(owner, id);
      if (!before) throw new AppError("not_found");
      await cancelQueued(parts, owner.userId, { id }, before.batchId);
      const record = (await records.find(owner, id)) ?? before;
      if (record.status !== "canceled") throw new AppError("capture_begun", { message: `The capture is already ${record.status}.` });
      return record;
    },

    abandon: (id, error) => abandonCapture(parts, id, error),
    endLost: () => endLost(parts),
    async run(job, signal) {
      // Waits before the capture starts, so that it can still be canceled in the meantime.
      const leave = job.priority >= awaitedPriority ? undefined : await parts.admitBackground(signal);
      let started: StartedCapture | undefined;
      try {
        started = await permits.begin(job.id);
        if (started) await attempt(started, job, signal);
      } finally {
        leave?.(started !== undefined);
      }
    },
  };
}
