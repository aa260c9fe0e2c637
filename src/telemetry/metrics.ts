/** Defines the service's metrics. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { failures } from "../shared/errors.ts";
import { formats } from "../shared/formats.ts";
import { createRequestMetrics } from "./request-metrics.ts";

export type Metrics = ReturnType<typeof defineMetrics>;

/**
 * Uses a new registry, so that two services in one process, as in tests, don't share counts. Initializes counters to 0: if a series
 * appeared only with its first event, Prometheus wouldn't see an increase, and alerts would miss the event.
 */
export function createMetrics(): Metrics {
  const metrics = defineMetrics();
  for (const code of Object.keys(failures)) metrics.failures.inc({ code }, 0);
  for (const format of formats) metrics.captures.inc({ format }, 0);
  for (const result of ["stored", "retried", "lost"]) metrics.storageUploads.inc({ result }, 0);
  for (const reason of ["hung", "unclean", "worn", "died"]) metrics.browserEnds.inc({ reason }, 0);
  for (const reason of ["private_address", "own_infrastructure"]) metrics.egressRefusals.inc({ reason }, 0);
  for (const reason of ["failed", "swept"]) metrics.quotaRefunds.inc({ reason }, 0);
  for (const result of ["delivered", "retried", "failed"])
    for (const attempts of [metrics.webhookAttempts, metrics.copyAttempts]) attempts.inc({ result }, 0);
  for (const result of ["sent", "retried", "failed"]) metrics.mails.inc({ result }, 0);
  return metrics;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of metrics
function defineMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
  return {
    registry,
    ...createRequestMetrics(registry, seconds),
    failures: new Counter({
      name: "tintype_failures_total",
      help: "Error responses, by code.",
      labelNames: ["code"],
      registers,
    }),
    captures: new Counter({ name: "tintype_captures_total", help: "Captures, by format.", labelNames: ["format"], registers }),
    captureSeconds: new Histogram({
      name: "tintype_capture_seconds",
      help: "Duration of each phase of a capture.",
      labelNames: ["phase"],
      buckets: seconds,
      registers,
    }),
    cacheLookups: new Counter({
      name: "tintype_cache_lookups_total",
      help: "Requests with is_cached, by result: hit, miss, coalesced, or stale for responses with a stale screenshot.",
      labelNames: ["result"],
      registers,
    }),
    storageUploads: new Counter({
      name: "tintype_storage_uploads_total",
      help: "Image uploads, by result: stored, retried, lost.",
      labelNames: ["result"],
      registers,
    }),
    ready: new Gauge({
      name: "tintype_ready",
      help: "1 if the process accepts requests, as for /health/ready; otherwise 0. By role: all, api, worker.",
      labelNames: ["role"],
      registers,
    }),
    componentUp: new Gauge({
      name: "tintype_component_up",
      help: "1 if this process can use the component, as in /health; otherwise 0. By component: database, cache, storage, queue, browser.",
      labelNames: ["component"],
      registers,
    }),
    slots: new Gauge({ name: "tintype_browser_slots", help: "Browser slots by state.", labelNames: ["state"], registers }),
    queued: new Gauge({ name: "tintype_queue_length", help: "Captures that are waiting for a browser.", registers }),
    queuedCaptures: new Gauge({
      name: "tintype_queued_captures",
      help: "Captures in the job queue of the whole installation that could start now: for each host, no more than may be captured concurrently. At most 10,000; absent while the database is down.",
      registers,
    }),
    browserLaunches: new Counter({ name: "tintype_browser_launches_total", help: "Browsers started.", registers }),
    browserEnds: new Counter({
      name: "tintype_browser_ends_total",
      help: "Browsers closed early, by reason: hung, unclean, worn, died.",
      labelNames: ["reason"],
      registers,
    }),
    captureRetries: new Counter({ name: "tintype_capture_retries_total", help: "Captures retried in another browser.", registers }),
    browserSessions: new Gauge({ name: "tintype_browser_sessions", help: "Lent browsers that are connected.", registers }),
    browserSessionsRefused: new Counter({
      name: "tintype_browser_sessions_refused_total",
      help: "Connections that didn't get a browser, by error code.",
      labelNames: ["code"],
      registers,
    }),
    browserSessionSeconds: new Histogram({
      name: "tintype_browser_session_seconds",
      help: "Duration of a connection to a lent browser.",
      buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600],
      registers,
    }),
    egressRefusals: new Counter({
      name: "tintype_egress_refusals_total",
      help: "Refused connections from pages, by reason.",
      labelNames: ["reason"],
      registers,
    }),
    billingWebhookAge: new Gauge({
      name: "tintype_billing_webhook_age_seconds",
      help: "Time since the billing provider's latest webhook; absent if billing is off, or before the first one.",
      labelNames: ["provider"],
      registers,
    }),
    quotaRefunds: new Counter({
      name: "tintype_quota_refunds_total",
      help: "Refunded reservations, by reason: failed, swept.",
      labelNames: ["reason"],
      registers,
    }),
    webhookAttempts: new Counter({
      name: "tintype_webhook_tries_total",
      help: "Webhook delivery attempts, by result: delivered, retried, failed.",
      labelNames: ["result"],
      registers,
    }),
    copyAttempts: new Counter({
      name: "tintype_copy_tries_total",
      help: "Attempts to copy screenshots to destinations, by result: delivered, retried, failed.",
      labelNames: ["result"],
      registers,
    }),
    webhookSeconds: new Histogram({
      name: "tintype_webhook_seconds",
      help: "Duration of one webhook delivery attempt, including the connection.",
      buckets: seconds,
      registers,
    }),
    mails: new Counter({
      name: "tintype_mails_total",
      help: "Attempts to send an e-mail, by result: sent, retried, failed.",
      labelNames: ["result"],
      registers,
    }),
  };
}
