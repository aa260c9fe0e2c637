/** Ends captures, each exactly once; ending the last capture in a batch ends the batch. */

import type { BaseLogger } from "pino";
import type { Charge } from "../../accounts/usage/charge.ts";
import { type Database, jsonbText, type Queries } from "../../database/database.ts";
import type { JobQueue } from "../../jobs/queue.ts";
import { AppError, recordedCode } from "../../shared/errors.ts";
import type { Seal } from "../../shared/seal.ts";
import { type CaptureResult, recordedFailure } from "../captures/finished-capture.ts";
import { forgetAddresses, stopCrawl } from "../crawl/crawl-records.ts";
import { type EndedBatch, endBatch, lockBatch } from "./batch-records.ts";
import { webhookUrlOf } from "./queued-request.ts";
import type { CaptureRecords } from "./records.ts";

export interface EndedCapture {
  id: string;
  userId: string;
  webhookUrl: string | undefined;
  result: CaptureResult;
}

/** Runs `work`, which ends captures in the batch, and then ends the batch if all its captures have ended. */
export type WithinBatch = <T>(transaction: Queries, batchId: string | null, work: () => Promise<T>) => Promise<T>;

/** @param onEnd announces the batch's end, in the same transaction. */
export function createWithinBatch(onEnd: (transaction: Queries, ended: EndedBatch) => Promise<void>): WithinBatch {
  return async (transaction, batchId, work) => {
    if (batchId === null) return await work();
    await lockBatch(transaction, batchId);
    const result = await work();
    const ended = await endBatch(transaction, batchId);
    if (ended) {
      await forgetAddresses(transaction, batchId);
      await onEnd(transaction, ended);
    }
    return result;
  };
}

interface EndParts {
  database: Database;
  /** Returns a `Charge` that uses the given transaction. */
  chargeIn: (queries: Queries) => Charge;
  withinBatch: WithinBatch;
}

interface EndingParts extends EndParts {
  /** Announces that a capture has ended, in the transaction that records its end. */
  onEnd: (queries: Queries, ended: EndedCapture) => Promise<void>;
}

const lostBatchSize = 100;
/** `endLost` stops after this many failures, which suggest a database problem rather than a few bad records. The next call tries again. */
const failedMax = 1_000;

/**
 * Records and announces that a capture has ended; does nothing if it had already ended.
 * @param more runs in the same transaction, so that a refunded capture is never run again and a page's links are followed only once.
 * @param timeoutMs the transaction's timeout.
 */
export async function endOnce(
  { database, withinBatch, onEnd }: EndingParts,
  ended: EndedCapture,
  batchId: string | null,
  more?: (transaction: Queries) => Promise<void>,
  timeoutMs?: number,
): Promise<void> {
  const { id, result } = ended;
  const end = (transaction: Queries) =>
    withinBatch(transaction, batchId, async () => {
      const isFirst = await endCapture(transaction, id, "capture" in result ? "done" : "failed", result);
      if (!isFirst) return;
      await more?.(transaction);
      await onEnd(transaction, ended);
    });
  await database.transaction(end, timeoutMs === undefined ? {} : { timeoutMs });
}

/** Fails captures that did not end in time, and announces their end. A failure to end one of them doesn't affect the others. */
export async function endLost(parts: EndingParts & { records: Pick<CaptureRecords, "lost">; seal: Seal; log: BaseLogger }): Promise<void> {
  const failure = recordedFailure(new AppError("unavailable", { message: "The capture did not finish in time." }));
  const failed: string[] = [];
  for (let count = lostBatchSize; count === lostBatchSize && failed.length < failedMax; ) {
    const lost = await parts.records.lost(lostBatchSize, failed);
    count = lost.length;
    for (const { id, userId, request, batchId } of lost) {
      try {
        const text = parts.seal.open(request, id);
        const webhookUrl = text === undefined ? undefined : webhookUrlOf(text);
        await endOnce(parts, { id, userId, webhookUrl, result: { failure } }, batchId, async (transaction) => {
          await parts.chargeIn(transaction).refund({ unstored: id }); // the sweep refunds what is still reserved
        });
      } catch (error) {
        failed.push(id);
        parts.log.error({ err: error, captureId: id }, "failed to end a capture that did not end in time");
      }
    }
  }
}

/** Ends a capture whose request can't be decrypted; its webhook URL is unknown, so no event is sent. */
export async function endUnreadable({ database, chargeIn, withinBatch }: EndParts, id: string, batchId: string | null): Promise<void> {
  const failure = recordedFailure(new AppError("unavailable", { message: "AUTH_SECRET was changed while the capture was queued." }));
  await database.transaction((transaction) =>
    withinBatch(transaction, batchId, async () => {
      await chargeIn(transaction).refund({ unneeded: [id] });
      await endCapture(transaction, id, "failed", { failure });
    }),
  );
}

/**
 * Drops a capture whose only caller is no longer waiting, whether or not it has started or ended: refunds it and keeps nothing.
 * Returns false, without changing anything, if the capture has already failed, or if an output is stored, because the history lists the
 * output and the caller may have read it.
 */
export async function abandonCapture(
  { database, chargeIn, queue }: Omit<EndParts, "withinBatch"> & { queue: JobQueue },
  id: string,
  error: unknown,
): Promise<boolean> {
  return await database.transaction(async (transaction) => {
    const reason = { error: recordedCode(error), result: { failure: recordedFailure(error) } };
    const isDropped = await chargeIn(transaction).refund({ unanswered: id, reason });
    if (isDropped) await queue.cancel(transaction, [id]); // a worker running it stops within seconds
    return isDropped;
  });
}

/**
 * Cancels and refunds captures that have not started; given a batch, also stops its crawl.
 * @param batchId the captures' batch, if any.
 * @returns the number of canceled captures.
 */
export async function cancelQueued(
  { database, chargeIn, withinBatch, queue }: EndParts & { queue: JobQueue },
  userId: string,
  which: { id: string } | { batchId: string },
  batchId: string | null,
): Promise<number> {
  return await database.transaction((transaction) =>
    withinBatch(transaction, batchId, async () => {
      if ("batchId" in which) await stopCrawl(transaction, which.batchId);
      const canceled = await cancelCaptures(transaction, userId, which);
      if (canceled.length === 0) return 0;
      await queue.cancel(transaction, canceled);
      await chargeIn(transaction).refund({ unneeded: canceled });
      return canceled.length;
    }),
  );
}

/** Ends a capture. Returns false, without changing anything, if it had already ended. */
export async function endCapture(queries: Queries, id: string, status: "done" | "failed", result: object): Promise<boolean> {
  const { rowCount } = await queries.query(
    `update captures set status = $2, turn = null, request = null, result = $3::jsonb, ended_at = clock_timestamp(),
                         answer_by = case when $2 = 'done' then answer_by end
      where id = $1 and status in ('queued', 'running')`,
    [id, status, jsonbText(result)],
  );
  return rowCount === 1;
}

/** Cancels queued captures. Records without an idempotency key are kept for at most another hour. @returns the captures' ids. */
async function cancelCaptures(queries: Queries, userId: string, which: { id: string } | { batchId: string }): Promise<string[]> {
  const [column, id] = "id" in which ? ["id", which.id] : ["batch_id", which.batchId];
  const { rows } = await queries.query<{ id: string }>(
    `update captures set status = 'canceled', turn = null, request = null, ended_at = clock_timestamp(), answer_by = null,
            expires_at = case when idempotency_key is null then least(expires_at, now() + interval '1 hour') else expires_at end
      where ${column} = $1 and user_id = $2 and status = 'queued' returning id`,
    [id, userId],
  );
  return rows.map((row) => row.id);
}
