/** Assembles outgoing webhooks: emitting, sending, and the owner's operations. */

import type { BaseLogger } from "pino";
import { v7 } from "uuid";
import type { Database } from "../database/database.ts";
import type { JobQueue } from "../jobs/queue.ts";
import type { Clock } from "../shared/clock.ts";
import type { ConnectTo, VetTarget } from "../shared/open-connection.ts";
import { createSeal } from "../shared/seal.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { type AssertWebhookUrl, createAddressCheck } from "./addresses.ts";
import { createDeliver, type Deliver } from "./deliver.ts";
import { resend } from "./deliveries.ts";
import { createEmit, createEnqueueAttempt, type Emit, type EnqueueAttempt } from "./emit.ts";
import { createSecrets, type Secrets } from "./secrets.ts";
import { type Copier, createAttemptSettlement } from "./settle.ts";

export interface Webhooks {
  secrets: Secrets;
  assertWebhookUrl: AssertWebhookUrl;
  emit: Emit;
  /** Queues an attempt of a delivery. */
  enqueue: EnqueueAttempt;
  /** Handles the queue's jobs. */
  deliver: Deliver;
  /** Makes another attempt immediately: see `resend` in deliveries.ts. @throws {AppError} `not_found`. */
  resend(userId: string, id: string, request: { attempts: number; key?: string | undefined }): Promise<void>;
  /**
   * Queues a test event, which is sent once, even to a paused URL.
   * @returns the delivery's id. @throws {AppError} `invalid_parameters`, `unavailable`; the signal's reason.
   */
  test(userId: string, url: string, signal: AbortSignal): Promise<string>;
}

interface Dependencies {
  database: Database;
  clock: Clock;
  log: BaseLogger;
  metrics: Pick<Metrics, "webhookAttempts" | "webhookSeconds" | "copyAttempts">;
  connect: ConnectTo;
  vetTarget: VetTarget;
  queue: Pick<JobQueue, "send">;
  /** Makes the attempts to copy screenshots, which are deliveries in the same queue. */
  copier: Copier;
  /** `AUTH_SECRET`. */
  authSecret: string;
  /** `WEBHOOK_ALLOW_HTTP`. */
  allowHttp: boolean;
  /** Deadline for an attempt, in milliseconds; 10 s by default. */
  timeoutMs?: number;
}

export function createWebhooks({ authSecret, allowHttp, vetTarget, queue, ...parts }: Dependencies): Webhooks {
  const { database, clock, copier } = parts;
  const enqueue = createEnqueueAttempt(queue.send);
  const secrets = createSecrets(createSeal(authSecret, "webhook secrets"));
  const emit = createEmit(clock, enqueue);
  const assertWebhookUrl = createAddressCheck({ vetTarget, allowHttp });
  return {
    secrets,
    assertWebhookUrl,
    emit,
    enqueue,
    deliver: createDeliver({ ...parts, allowHttp, secrets, settle: createAttemptSettlement(database, clock, enqueue, copier) }),
    resend: (userId, id, request) => resend(database, userId, id, request, new Date(clock.now()), enqueue),
    async test(userId, text, signal) {
      const url = await assertWebhookUrl(text, signal, "url");
      const id = v7();
      const data = { message: "This is a test event." };
      await database.transaction((transaction) => emit(transaction, { id, userId, url, type: "test", data }));
      return id;
    },
  };
}
