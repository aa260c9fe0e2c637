/** Creates deliveries of events, and queues their attempts. A delivery exists if and only if the transaction that emitted it commits. */

import { v7 } from "uuid";
import type { Queries } from "../database/database.ts";
import type { JobQueue, NewJob } from "../jobs/queue.ts";
import type { Clock } from "../shared/clock.ts";
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

/** Adds the job for an attempt in the transaction of `queries`. */
export type EnqueueAttempt = (queries: Queries, job: Omit<NewJob, "priority">) => Promise<void>;

/** Maximum number of pending deliveries that lower the priority. */
const pendingCountedMax = 1_000;

/**
 * The more pending deliveries an account has, the lower the priority of its next one, so that a backlog, or a receiver that never responds,
 * delays only its own account.
 */
export function createEnqueueAttempt(send: JobQueue["send"]): EnqueueAttempt {
  return async (queries, job) => {
    const { rows } = await queries.query<{ waiting: number }>(
      `select count(*)::integer as waiting
         from (select 1 from webhook_deliveries where user_id = $1 and state = 'pending' limit $2) found`,
      [job.userId, pendingCountedMax],
    );
    await send(queries, { ...job, priority: -(rows[0]?.waiting ?? 0) });
  };
}

export const eventTypes = ["capture.done", "capture.failed", "batch.done", "watch.changed", "watch.failed", "test"] as const;

export interface WebhookEvent {
  /** UUID, sent as `webhook-id`. A second event with the same id is ignored. */
  id: string;
  userId: string;
  /** As returned by `assertWebhookUrl`. */
  url: string;
  type: (typeof eventTypes)[number];
  data: object;
}
