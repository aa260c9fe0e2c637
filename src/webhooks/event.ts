/** Events that webhooks report. */

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
