/** Records an attempt's outcome and queues the next attempt, in one transaction. */

import { v7 } from "uuid";
import { type Database, jsonbText, type Queries } from "../database/database.ts";
import type { Clock } from "../shared/clock.ts";
import { recordArrival, recordFailure } from "./addresses.ts";
import { type EnqueueAttempt, pauseMs } from "./emit.ts";
import type { ReceiverResponse } from "./post.ts";

/** A delivery whose next attempt is due. */
export interface DueDelivery {
  id: string;
  userId: string;
  url: string;
  body: string;
  attempts: number;
  attemptsMax: number;
  /** Whether the owner requested this attempt. */
  isManual: boolean;
  isDisabled: boolean;
  isPaused: boolean;
  /** Set for a copy of a screenshot; null for a webhook. */
  screenshotId: string | null;
  /** Null for a webhook, or if the destination was deleted. */
  destinationId: string | null;
  /** Object key of the copy. */
  objectKey: string | null;
}

/** Makes the attempts to copy screenshots. See accounts/destinations/copy.ts. */
export interface Copier {
  /** Resolves even if the attempt fails. @throws {AppError} `unavailable`. */
  attempt(delivery: DueDelivery, signal: AbortSignal): Promise<DeliveryAttempt>;
  /** Called in the transaction that records the attempt. @param error a sentence; undefined if the copy arrived. */
  onSettled(transaction: Queries, delivery: DueDelivery, error: string | undefined): Promise<void>;
}

export interface DeliveryAttempt {
  number: number;
  startedAt: Date;
  durationMs: number;
  /** The request's headers. */
  headers: Record<string, string>;
  response?: ReceiverResponse | undefined;
  /** A sentence; undefined if the attempt succeeded. */
  error?: string | undefined;
  /** Whether no further attempt can succeed, for a reason other than the address. */
  isFinal?: boolean | undefined;
}

export interface SettleAttempts {
  /** @returns `failed` if the attempt failed and no other attempt follows. */
  afterAttempt(delivery: DueDelivery, attemptId: string, made: DeliveryAttempt): Promise<"delivered" | "retried" | "failed">;
  /** Ends the delivery as failed. @param reason a sentence. */
  withoutAttempt(attemptId: string, reason: string): Promise<void>;
}

const goneStatus = 410;

/** @param random returns a number in [0, 1), for the jitter of retries. */
export function createAttemptSettlement(
  database: Database,
  clock: Clock,
  enqueue: EnqueueAttempt,
  copier: Pick<Copier, "onSettled">,
  random: () => number = Math.random,
): SettleAttempts {
  return {
    afterAttempt: (delivery, attemptId, made) =>
      database.transaction(async (transaction) => {
        const { response, error } = made;
        const isGone = response?.status === goneStatus;
        const isLast = made.number >= delivery.attemptsMax || isGone || made.isFinal === true;
        const result = error === undefined ? "delivered" : isLast ? "failed" : "retried";
        const now = clock.now();
        const nextAt =
          result === "retried" ? new Date(now + pauseMs(made.number, response?.headers["retry-after"], now, random())) : undefined;
        const next = nextAt && { id: v7(), startAfter: nextAt, userId: delivery.userId };
        if (!(await update(transaction, attemptId, made, result, next))) return result; // another process was faster
        await insertAttempt(transaction, delivery.id, attemptId, made);
        if (next) await enqueue(transaction, next);
        if (delivery.screenshotId !== null) await copier.onSettled(transaction, delivery, error);
        if (made.isFinal) return result;
        if (result === "delivered") await recordArrival(transaction, delivery);
        else if (isGone) await recordFailure(transaction, delivery, "gone");
        else if (result === "failed" && !delivery.isManual) await recordFailure(transaction, delivery, "counted");
        return result;
      }),
    withoutAttempt: async (attemptId, reason) => {
      await database.query(
        `update webhook_deliveries set state = 'failed', error = $2, next_try_id = null, next_try_at = null, settled_at = now()
          where next_try_id = $1`,
        [attemptId, reason],
      );
    },
  };
}

/** Returns false if the attempt is no longer the delivery's next attempt. */
async function update(
  transaction: Queries,
  attemptId: string,
  { number, response, error }: DeliveryAttempt,
  result: "delivered" | "retried" | "failed",
  next: { id: string; startAfter: Date } | undefined,
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    `update webhook_deliveries
        set tries = $2, state = $3, status = $4, error = $5, next_try_id = $6, next_try_at = $7, is_manual = is_manual and $3 <> 'pending',
            settled_at = case when $3 = 'pending' then null else now() end
      where next_try_id = $1`,
    [
      attemptId,
      number,
      result === "retried" ? "pending" : result,
      response?.status ?? null,
      error ?? null,
      next?.id ?? null,
      next?.startAfter ?? null,
    ],
  );
  return rowCount === 1;
}

async function insertAttempt(transaction: Queries, deliveryId: string, id: string, made: DeliveryAttempt): Promise<void> {
  const { number, startedAt, durationMs, headers, response, error } = made;
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
      response?.status ?? null,
      response ? jsonbText(response.headers) : null,
      response?.body ?? null,
      response?.isCut ?? false,
      error ?? null,
    ],
  );
}
