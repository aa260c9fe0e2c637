/** Records the outcome of an attempt, in one transaction with the job of the next one. */

import { v7 } from "uuid";
import { type Database, jsonbText, type Queries } from "../database/database.ts";
import type { Clock } from "../shared/clock.ts";
import { recordArrival, recordFailure } from "./addresses.ts";
import type { EnqueueTry } from "./enqueue.ts";
import type { Answer } from "./post.ts";
import { pauseMs } from "./retries.ts";

/** A delivery whose next attempt is due. */
export interface DueDelivery {
  id: string;
  userId: string;
  url: string;
  body: string;
  tries: number;
  triesMax: number;
  /** Whether the owner requested this attempt. */
  isManual: boolean;
  isDisabled: boolean;
  isPaused: boolean;
}

/** An attempt that was made. */
export interface Try {
  number: number;
  startedAt: Date;
  durationMs: number;
  /** The request's headers. */
  headers: Record<string, string>;
  answer?: Answer | undefined;
  /** A sentence; undefined: the webhook was accepted. */
  error?: string | undefined;
}

export interface Settle {
  /** @returns `failed` if there is no further attempt. */
  afterTry(delivery: DueDelivery, tryId: string, made: Try): Promise<"delivered" | "retried" | "failed">;
  /** Ends the delivery as failed. @param reason a sentence. */
  withoutTry(tryId: string, reason: string): Promise<void>;
}

const goneStatus = 410;

/** @param random in [0, 1), for the jitter of retries. */
export function createSettle(database: Database, clock: Clock, enqueue: EnqueueTry, random: () => number = Math.random): Settle {
  return {
    afterTry: (delivery, tryId, made) =>
      database.transaction(async (transaction) => {
        const { answer, error } = made;
        const isGone = answer?.status === goneStatus;
        const isLast = made.number >= delivery.triesMax || isGone;
        const result = error === undefined ? "delivered" : isLast ? "failed" : "retried";
        const now = clock.now();
        const nextAt =
          result === "retried" ? new Date(now + pauseMs(made.number, answer?.headers["retry-after"], now, random())) : undefined;
        const next = nextAt && { id: v7(), startAfter: nextAt, userId: delivery.userId };
        if (!(await update(transaction, tryId, made, result, next))) return result; // another process was faster
        await insertTry(transaction, delivery.id, tryId, made);
        if (next) await enqueue(transaction, next);
        if (result === "delivered") await recordArrival(transaction, delivery);
        else if (isGone) await recordFailure(transaction, delivery, "gone");
        else if (result === "failed" && !delivery.isManual) await recordFailure(transaction, delivery, "counted");
        return result;
      }),
    withoutTry: async (tryId, reason) => {
      await database.query(
        `update webhook_deliveries set state = 'failed', error = $2, next_try_id = null, next_try_at = null, settled_at = now()
          where next_try_id = $1`,
        [tryId, reason],
      );
    },
  };
}

/** False if the attempt is no longer the delivery's next one. */
async function update(
  transaction: Queries,
  tryId: string,
  { number, answer, error }: Try,
  result: "delivered" | "retried" | "failed",
  next: { id: string; startAfter: Date } | undefined,
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    `update webhook_deliveries
        set tries = $2, state = $3, status = $4, error = $5, next_try_id = $6, next_try_at = $7, is_manual = is_manual and $3 <> 'pending',
            settled_at = case when $3 = 'pending' then null else now() end
      where next_try_id = $1`,
    [
      tryId,
      number,
      result === "retried" ? "pending" : result,
      answer?.status ?? null,
      error ?? null,
      next?.id ?? null,
      next?.startAfter ?? null,
    ],
  );
  return rowCount === 1;
}

async function insertTry(transaction: Queries, deliveryId: string, id: string, made: Try): Promise<void> {
  const { number, startedAt, durationMs, headers, answer, error } = made;
  await transaction.query(
    `insert into webhook_tries
       (id, delivery_id, number, started_at, duration_ms, request_headers, status, response_headers, response_body, is_cut, error)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8::jsonb, $9, $10, $11)`,
    [
      id,
      deliveryId,
      number,
      startedAt,
      durationMs,
      jsonbText(headers),
      answer?.status ?? null,
      answer ? jsonbText(answer.headers) : null,
      answer?.body ?? null,
      answer?.isCut ?? false,
      error ?? null,
    ],
  );
}
