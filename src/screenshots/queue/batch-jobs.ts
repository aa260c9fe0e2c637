/** Batches of captures: all captures of a batch are queued, or none. */

import { v7 } from "uuid";
import { type Caller, type Owner, ownerOf } from "../../accounts/keys/caller.ts";
import type { Charge } from "../../accounts/usage/charge.ts";
import type { CanceledLimit } from "../../accounts/usage/rate-limit.ts";
import type { Database, Queries } from "../../database/database.ts";
import type { JobQueue } from "../../jobs/queue.ts";
import type { Clock } from "../../shared/clock.ts";
import { AppError } from "../../shared/errors.ts";
import type { Seal } from "../../shared/seal.ts";
import { costOfOutputs, reservedForOutputs } from "../captures/reservations.ts";
import type { OutputRequest } from "../captures/taken-outputs.ts";
import { addBatch, type BatchRecords, batchesOfKey } from "./batch-records.ts";
import { cancelQueued, type WithinBatch } from "./ends.ts";
import { queuedReservationMs } from "./jobs.ts";
import { hostOf, writeQueued } from "./queued-request.ts";
import { addCaptures, findEarlier, type Idempotency } from "./records.ts";

export interface SubmittedBatch {
  /** UUIDv7. */
  id: string;
  /** At least one. */
  captures: BatchEntry[];
  idempotency: Idempotency | undefined;
  /** Already validated. */
  webhookUrl: string | undefined;
}

export interface BatchEntry {
  /** Unique in the batch. */
  name: string;
  outputs: OutputRequest[];
}

export interface BatchJobs {
  /**
   * Id of the batch created by an earlier request with this key, if any.
   * @throws {AppError} `idempotency_key_reused` if the content differs.
   */
  findEarlier(owner: Owner, idempotency: Idempotency): Promise<string | undefined>;
  /**
   * Queues all captures together with their reservations, or none.
   * @returns the batch's id, or that of an earlier request with the same key and content.
   * @throws {AppError} the same as `Charge.reserve`; `unavailable`; `idempotency_key_reused`; `rate_limited` if the account has
   *   canceled too many captures.
   */
  submit(caller: Caller, batch: SubmittedBatch): Promise<string>;
  /** Cancels the captures that have not started. @throws {AppError} `not_found`. */
  cancel(owner: Owner, id: string): Promise<void>;
}

interface BatchJobsParts {
  database: Database;
  batchRecords: BatchRecords;
  queue: JobQueue;
  seal: Seal;
  chargeIn: (queries: Queries) => Charge;
  withinBatch: WithinBatch;
  canceledLimit: CanceledLimit;
  clock: Clock;
  retentionDaysMax: number | undefined;
}

/** Long enough for a thousand captures, which take about a second. */
const submitTimeoutMs = 20_000;

/** Outputs written at a time: preparing them takes about ten milliseconds, and other requests are served in between. */
const outputsPerPiece = 100;

function* piecesOf(captures: BatchEntry[]): Generator<BatchEntry[]> {
  let piece: BatchEntry[] = [];
  let count = 0;
  for (const capture of captures) {
    count += capture.outputs.length;
    if (count > outputsPerPiece && piece.length > 0) {
      yield piece;
      [piece, count] = [[], capture.outputs.length];
    }
    piece.push(capture);
  }
  yield piece;
}

export function createBatchJobs(parts: BatchJobsParts): BatchJobs {
  const { database, batchRecords, queue, seal, canceledLimit } = parts;

  async function insert(transaction: Queries, caller: Caller, { id, captures, idempotency, webhookUrl }: SubmittedBatch): Promise<void> {
    const { userId, id: keyId } = caller;
    const charge = parts.chargeIn(transaction);
    const charged = captures.reduce((sum, { outputs }) => sum + costOfOutputs(outputs), 0);
    let first = 0;
    for (const piece of piecesOf(captures)) {
      const made = piece.map(({ name, outputs }) => ({ id: v7(), name, outputs }));
      const reserved = made.map((one) => ({
        captureId: one.id,
        costs: costOfOutputs(one.outputs),
        outputs: reservedForOutputs(caller, one.outputs, parts).map((output) => ({ ...output, reservedMs: queuedReservationMs })),
      }));
      await charge.reserve(caller, reserved, first === 0 ? charged : 0);
      const expiresAt = reserved[0]?.outputs[0]?.expiresAt ?? new Date(parts.clock.now());
      if (first === 0) await addBatch(transaction, { id, userId, total: captures.length, webhookUrl, idempotency, expiresAt });
      const requests = made.map((one) => ({
        id: one.id,
        name: one.name,
        host: hostOf(one.outputs),
        request: seal.close(writeQueued({ outputs: one.outputs, isAwaited: false }), one.id),
      }));
      const added = { userId, keyId, isAwaited: false, expiresAt, batch: { id, first }, captures: requests };
      const { positions } = await addCaptures(transaction, added);
      await queue.send(transaction, ...made.map((one) => ({ id: one.id, userId, priority: -(positions.get(one.id) ?? 0) })));
      first += piece.length;
    }
  }

  const earlierOf = async (transaction: Queries, owner: Owner, idempotency: Idempotency) =>
    (await findEarlier(transaction, batchesOfKey, owner, idempotency))?.id;

  return {
    findEarlier: (owner, idempotency) => database.transaction((transaction) => earlierOf(transaction, owner, idempotency)),

    async submit(caller, batch) {
      await canceledLimit.assertWithin(caller.userId);
      return await database.transaction(
        async (transaction) => {
          const { idempotency } = batch;
          const earlier = idempotency && (await earlierOf(transaction, ownerOf(caller), idempotency));
          if (earlier === undefined) await insert(transaction, caller, batch);
          return earlier ?? batch.id;
        },
        { timeoutMs: submitTimeoutMs },
      );
    },

    async cancel(owner, id) {
      if (!(await batchRecords.find(owner, id))) throw new AppError("not_found");
      await canceledLimit.count(owner.userId, await cancelQueued(parts, owner.userId, { batchId: id }, id));
    },
  };
}
