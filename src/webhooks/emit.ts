/** Creates deliveries. A delivery exists if and only if the transaction that emitted it commits. */

import { v7 } from "uuid";
import type { Queries } from "../database/database.ts";
import type { Clock } from "../shared/clock.ts";
import type { EnqueueAttempt } from "./enqueue.ts";
import type { WebhookEvent } from "./event.ts";
import { attemptsMax } from "./retries.ts";

/**
 * Creates the delivery and queues its first attempt, in the caller's transaction. Does nothing if a delivery with this id exists. An event
 * of type `test` gets a single attempt. @throws {AppError} `unavailable`.
 */
export type Emit = (queries: Queries, event: WebhookEvent) => Promise<void>;

export function createEmit(clock: Clock, enqueue: EnqueueAttempt): Emit {
  return async (queries, { id, userId, url, type, data }) => {
    const now = new Date(clock.now());
    const isTest = type === "test";
    const { rows } = await queries.query<{ attemptId: string }>(
      `insert into webhook_deliveries (id, user_id, type, url, body, is_manual, tries_max, next_try_id, next_try_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
       on conflict (id) do nothing returning next_try_id as "attemptId"`,
      [id, userId, type, url, JSON.stringify({ type, timestamp: now.toISOString(), data }), isTest, isTest ? 1 : attemptsMax, v7(), now],
    );
    if (rows[0]) await enqueue(queries, { id: rows[0].attemptId, userId });
  };
}
