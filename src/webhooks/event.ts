/** Events that webhooks report. */

import type { Queries } from "../database.ts";

export const eventTypes = ["capture.done", "capture.failed", "batch.done", "watch.changed", "watch.failed", "test"] as const;

export interface WebhookEvent {
  /** UUID, sent as `webhook-id`. A second event with the same id changes nothing. */
  id: string;
  userId: string;
  /** As `assertWebhookUrl` returned it. */
  url: string;
  type: (typeof eventTypes)[number];
  data: object;
}

/** A job in the queue: one try of a delivery. */
export interface TryJob {
  /** UUID. */
  id: string;
  userId: string;
  /** Default: now. */
  startAfter?: Date;
}

/** Adds a job in the transaction of `queries`. */
export type Enqueue = (queries: Queries, job: TryJob) => Promise<void>;
