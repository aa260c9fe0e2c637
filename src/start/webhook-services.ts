/** Builds outgoing webhooks and their queue. */

import type { Logger } from "pino";
import type { Database } from "../database/database.ts";
import type { Jobs, WorkLimits } from "../jobs/queue.ts";
import type { Config } from "../settings/config.ts";
import { systemClock as clock } from "../shared/clock.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { webhookPriorityMin } from "../webhooks/emit.ts";
import type { Copier } from "../webhooks/settle.ts";
import { createWebhooks, type Webhooks } from "../webhooks/webhooks.ts";
import type { Connections } from "./network.ts";

interface Parts {
  database: Database;
  jobs: Jobs;
  /** Connections through the egress filter. */
  connections: Connections;
  log: Logger;
  metrics: Metrics;
  copier: Copier;
}

/**
 * The per-account limit keeps an account with slow receivers from occupying all workers. Copies have their own workers, so that webhooks
 * don't wait for copy attempts, which may take 30 seconds.
 */
const limits: WorkLimits = {
  concurrency: 12,
  perAccount: 3,
  minPriority: webhookPriorityMin,
  reserved: { concurrency: 12, maxPriority: webhookPriorityMin - 1 },
};
/**
 * A job is one attempt, and succeeds regardless of the receiver's response. It is retried, practically without limit, only if its process
 * died or couldn't record the outcome.
 */
const queueOptions = { retryLimit: 1_000, retryDelay: 2, retryBackoff: true, retryDelayMax: 300, deleteAfterSeconds: 3_600 };

/** @param sends whether this process delivers webhooks, or only emits them. */
export function createWebhookServices(
  config: Pick<Config, "AUTH_SECRET" | "WEBHOOK_ALLOW_HTTP">,
  { jobs, connections, ...parts }: Parts,
  sends = true,
): Webhooks {
  const queue = jobs.queue("webhooks", queueOptions);
  const webhooks = createWebhooks({
    ...parts,
    ...connections,
    clock,
    queue,
    authSecret: config.AUTH_SECRET,
    allowHttp: config.WEBHOOK_ALLOW_HTTP,
  });
  if (sends) queue.work(limits, webhooks.deliver);
  return webhooks;
}
