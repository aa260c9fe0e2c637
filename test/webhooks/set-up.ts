/** Webhooks on the test's own database, with a queue and a clock that the test advances. */

import { pino } from "pino";
import { parseAllowedHosts } from "../../src/egress/address-policy.ts";
import { createVet } from "../../src/egress/vet.ts";
import type { NewJob } from "../../src/jobs/queue.ts";
import { createDestinationServices } from "../../src/start/destination-services.ts";
import { createConnections } from "../../src/start/network.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import type { WebhookEvent } from "../../src/webhooks/emit.ts";
import { createWebhooks } from "../../src/webhooks/webhooks.ts";
import { createAccount } from "../accounts/accounts.ts";
import { createTestClock } from "../support/clock.ts";
import { createTestDatabase } from "../support/database.ts";
import type { Scope } from "../support/scope.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const { signal } = new AbortController();
const authSecret = "a secret for tests that is long enough";

/** @param settings of the webhooks. */
export async function setUp(t: Scope, settings: { timeoutMs?: number; allowHttp?: boolean } = {}) {
  const database = await createTestDatabase(t);
  const { userId, email } = await createAccount(database);
  const receiver = await startReceiver(t);
  const clock = createTestClock(new Date());
  const metrics = createMetrics();
  /** Includes jobs whose transaction may have been rolled back: those do nothing. */
  const jobs: NewJob[] = [];
  const vet = createVet({ allowedHosts: parseAllowedHosts("127.0.0.1"), infrastructure: [] });
  const connections = createConnections(vet);
  const { copier } = createDestinationServices(
    { AUTH_SECRET: authSecret, WEBHOOK_ALLOW_HTTP: true },
    { database, store: { get: async () => undefined }, connections },
  );
  const webhooks = createWebhooks({
    ...connections,
    copier,
    database,
    clock,
    metrics,
    log: pino({ level: "silent" }),
    queue: { send: async (_queries, job) => void jobs.push(job) },
    authSecret,
    allowHttp: true,
    ...settings,
  });
  const url = `http://${receiver.host}/hook`;
  const event = (changes: Partial<WebhookEvent> = {}): WebhookEvent => ({
    id: crypto.randomUUID(),
    userId,
    url,
    type: "capture.done",
    data: { id: "c1" },
    ...changes,
  });
  return {
    database,
    userId,
    email,
    receiver,
    clock,
    metrics,
    jobs,
    webhooks,
    url,
    event,
    /** Runs the oldest job, after moving the clock to when it is due; returns false if there is none. */
    async runNext(): Promise<boolean> {
      const job = jobs.shift();
      if (!job) return false;
      if (job.startAfter) clock.advance(Math.max(job.startAfter.getTime() - clock.now(), 0));
      await webhooks.deliver(job, signal);
      return true;
    },
    /** Emits an event and returns its id. */
    async emit(changes: Partial<WebhookEvent> = {}): Promise<string> {
      const made = event(changes);
      await webhooks.emit(database, made);
      return made.id;
    },
  };
}

/** Answers every request with `status`. */
export function answerWith(receiver: Receiver, status: number, headers: Record<string, string> = {}, body = ""): void {
  receiver.answer = (_request, response) => void response.writeHead(status, headers).end(body);
}
