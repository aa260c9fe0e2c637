/** Creates deliveries of events, and queues their attempts. A delivery exists if and only if the transaction that emitted it commits. */

import { v7 } from "uuid";
import type { Queries } from "../database/database.ts";
import type { JobQueue, NewJob } from "../jobs/queue.ts";
import type { Clock } from "../shared/clock.ts";

/**
 * Creates the delivery and queues its first attempt, in the caller's transaction. Does nothing if a delivery with this id exists. An event
 * of type `test` gets a single attempt.
 * @throws {AppError} `unavailable`.
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

/** Queues an attempt's job in the transaction of `queries`. */
export type EnqueueAttempt = (queries: Queries, job: Omit<NewJob, "priority">) => Promise<void>;

/** Maximum number of pending deliveries that lower the priority. */
const pendingCountedMax = 1_000;
/** Lowest priority of a webhook. Copies always have lower priorities, so that workers can select jobs of one kind by priority. */
export const webhookPriorityMin = -pendingCountedMax;

/**
 * The more pending deliveries an account has, the lower the priority of its next delivery among those of the same kind, so that a
 * backlog, or a receiver that never responds, delays only the account's own deliveries.
 */
export function createEnqueueAttempt(send: JobQueue["send"]): EnqueueAttempt {
  return async (queries, job) => {
    const { rows } = await queries.query<{ waiting: number; isCopy: boolean | null }>(
      `select count(*)::integer as waiting,
              (select screenshot_id is not null from webhook_deliveries where next_try_id = $3) as "isCopy"
         from (select 1 from webhook_deliveries where user_id = $1 and state = 'pending' limit $2) found`,
      [job.userId, pendingCountedMax, job.id],
    );
    const { waiting = 0, isCopy = false } = rows[0] ?? {};
    await send(queries, { ...job, priority: (isCopy ? webhookPriorityMin - 1 : 0) - waiting });
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

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Delays between attempts: ten attempts in about 22 hours. */
const gapsMs = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 3 * hour, 7 * hour, 10 * hour];
/**
 * Maximum share by which a delay is randomly lengthened or shortened, so that deliveries that failed in the same outage aren't all retried
 * simultaneously.
 */
const jitter = 0.1;
const retryAfterMaxMs = hour;

/** Maximum number of attempts per delivery. */
export const attemptsMax = gapsMs.length + 1;

/**
 * Milliseconds until the next attempt. The response's `Retry-After` may lengthen the pause, but not beyond an hour.
 * @param attempts attempts made so far, at least 1. @param random a number in [0, 1).
 */
export function pauseMs(attempts: number, retryAfter: string | undefined, now: number, random: number): number {
  const gap = gapsMs[Math.min(attempts, gapsMs.length) - 1] ?? hour;
  const pause = Math.round(gap * (1 - jitter + 2 * jitter * random));
  return Math.max(pause, Math.min(retryAfterMs(retryAfter, now), retryAfterMaxMs));
}

/** Converts `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3), to a delay. 0 if it is neither, or in the past. */
function retryAfterMs(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * second;
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : Math.max(time - now, 0);
}
