/**
 * Makes delivery attempts, for webhooks and for copies of screenshots. Each attempt is one request, whose outcome decides whether another
 * follows.
 */

import type { BaseLogger } from "pino";
import { Webhook } from "standardwebhooks";
import type { Database } from "../database/database.ts";
import type { Job } from "../jobs/queue.ts";
import type { Clock } from "../shared/clock.ts";
import { AppError } from "../shared/errors.ts";
import type { ConnectTo } from "../shared/open-connection.ts";
import { version } from "../shared/version.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { type OpenSpan, span, tracer } from "../telemetry/tracing.ts";
import { post, type ReceiverResponse } from "./post.ts";
import type { Secrets } from "./secrets.ts";
import type { Copier, DeliveryAttempt, DueDelivery, SettleAttempts } from "./settle.ts";

/**
 * Handles a queued job: makes its attempt, unless that is no longer the delivery's next attempt.
 * @throws {AppError} `unavailable`; the signal's reason if it aborts.
 */
export type Deliver = (job: Pick<Job, "id">, signal: AbortSignal) => Promise<void>;

interface Dependencies {
  database: Database;
  secrets: Secrets;
  connect: ConnectTo;
  settle: SettleAttempts;
  copier: Pick<Copier, "attempt">;
  clock: Clock;
  log: BaseLogger;
  metrics: Pick<Metrics, "webhookAttempts" | "webhookSeconds" | "copyAttempts">;
  /** `WEBHOOK_ALLOW_HTTP`, which may have changed since the URL was checked. */
  allowHttp: boolean;
  /** Deadline for an attempt, in milliseconds; 10 s by default. */
  timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;

export function createDeliver(dependencies: Dependencies): Deliver {
  const { database, settle, copier, log, metrics, allowHttp } = dependencies;
  return async ({ id: attemptId }, signal) => {
    const delivery = await readDue(database, attemptId);
    if (!delivery) return;
    const reason = whySkipped(delivery, allowHttp);
    if (reason !== undefined) return await settle.withoutAttempt(attemptId, reason);
    const isCopy = delivery.screenshotId !== null;
    const facts = {
      "tintype.delivery.id": delivery.id,
      "tintype.delivery.try": delivery.attempts + 1,
      "server.address": new URL(delivery.url).hostname,
    };
    const traced = async (posting: { set: OpenSpan["set"] }) => {
      const tried = isCopy ? await copier.attempt(delivery, signal) : await makeAttempt(delivery, dependencies, signal);
      if (tried.response) posting.set({ "http.response.status_code": tried.response.status });
      if (tried.error !== undefined) posting.set({ "error.type": String(tried.response?.status ?? "no_answer") });
      return tried;
    };
    const made = await span(isCopy ? "PUT copy" : "POST webhook", facts, traced, { kind: "client" });
    signal.throwIfAborted(); // another process may run the job
    const result = await settle.afterAttempt(delivery, attemptId, made);
    (isCopy ? metrics.copyAttempts : metrics.webhookAttempts).inc({ result });
    if (!isCopy) metrics.webhookSeconds.observe(made.durationMs / 1000);
    log.debug(
      { delivery: delivery.id, try: delivery.attempts + 1, status: made.response?.status, reason: made.error, result },
      isCopy ? "attempted to copy a screenshot" : "attempted to deliver a webhook",
    );
  };
}

/** Lets a receiver that also records traces continue this trace. */
function traceHeader(): Record<string, string> {
  const traceparent = tracer?.traceparent();
  return traceparent === undefined ? {} : { traceparent };
}

async function readDue(database: Database, attemptId: string): Promise<DueDelivery | undefined> {
  const { rows } = await database.query<DueDelivery>(
    `select d.id, d.user_id as "userId", t.url, d.body, d.tries as attempts, d.tries_max as "attemptsMax", d.is_manual as "isManual",
            u.disabled_at is not null as "isDisabled", a.paused_at is not null as "isPaused", d.screenshot_id as "screenshotId",
            d.destination_id as "destinationId", d.object_key as "objectKey"
       from webhook_deliveries d join users u on u.id = d.user_id
      cross join lateral (
        -- The bucket of a destination may have been changed.
        select coalesce((select endpoint || '/' || bucket from destinations where id = d.destination_id), d.url) as url
      ) t
       left join webhook_addresses a on a.user_id = d.user_id and a.url = t.url
      where d.next_try_id = $1 and d.state = 'pending'`,
    [attemptId],
  );
  return rows[0];
}

function whySkipped({ url, isDisabled, isPaused, isManual }: DueDelivery, allowHttp: boolean): string | undefined {
  if (url === "") return "The destination was deleted.";
  if (!allowHttp && url.startsWith("http:")) return "Nothing was sent because only https URLs are allowed.";
  if (isDisabled) return "Nothing was sent because the account is disabled.";
  return isPaused && !isManual ? "Nothing was sent because the URL is paused." : undefined;
}

async function makeAttempt(
  delivery: DueDelivery,
  { database, secrets, connect, clock, timeoutMs = defaultTimeoutMs }: Dependencies,
  signal: AbortSignal,
): Promise<DeliveryAttempt> {
  const { id, userId, url, body } = delivery;
  const startedAt = new Date(clock.now());
  const keys = await secrets.signing(database, userId);
  const headers = {
    "content-type": "application/json",
    "user-agent": `Tintype/${version} (webhook)`,
    ...signedHeaders(keys, id, body, startedAt),
    ...traceHeader(),
  };
  const common = { number: delivery.attempts + 1, startedAt, headers };
  const began = performance.now();
  if (keys.length === 0)
    return {
      ...common,
      durationMs: 0,
      error: "The signing secret can't be decrypted because AUTH_SECRET has changed: rotate the signing secret.",
    };
  const deadline = AbortSignal.timeout(timeoutMs);
  let response: ReceiverResponse | undefined;
  let error: string | undefined;
  try {
    response = await post(new URL(url), headers, body, { connect, signal: AbortSignal.any([signal, deadline]) });
    error = responseFailure(response);
  } catch (failure) {
    error = requestFailure(failure, deadline, timeoutMs);
  }
  return { ...common, durationMs: Math.round(performance.now() - began), response, error };
}

/** Describes why a response counts as a failure; returns undefined if the webhook was accepted. */
export function responseFailure({ status, headers }: ReceiverResponse): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 410) return "The receiver responded with 410 Gone: it doesn't want any more webhooks.";
  if (status < 300 || status >= 400) return `The receiver responded with status ${status}; only 200 to 299 count as success.`;
  const target = headers.location === undefined ? "" : ` to ${headers.location}`;
  return `The receiver responded with a redirect (${status})${target}, which is not followed: use the final URL.`;
}

/** Start of a message that continues with the reason. */
export const certificateRefused = "The server's TLS certificate was not accepted";

/** Describes an error that prevented a response. @param deadline the attempt's deadline, which aborts after `timeoutMs`. */
export function requestFailure(error: unknown, deadline: AbortSignal, timeoutMs: number): string {
  if (deadline.aborted) return `There was no response within ${timeoutMs / 1000} seconds.`;
  if (error instanceof AppError) return reachMessages[error.code] ?? error.message;
  const { code = "", message } = error as { code?: unknown; message: string };
  const name = String(code);
  if (name.startsWith("HPE_")) return "The response is not valid HTTP.";
  if (/^(ERR_SSL|EPROTO)/.test(name)) return "The TLS handshake failed: the server may not use TLS on this port.";
  if (/CERT|SIGNATURE|^ERR_TLS|ISSUER/.test(name)) return `${certificateRefused}: ${sentenceOf(message)}.`;
  return "The connection was closed before a response was received.";
}

/** Replacements for messages in the error table that refer to captured pages. */
const reachMessages: Partial<Record<AppError["code"], string>> = {
  target_blocked: "The address is blocked: it is private, or belongs to this service.",
  name_not_resolved: "The host name does not resolve to a public address.",
};

/** Strips the advice to operators that Node adds after a semicolon, and the final period. */
const sentenceOf = (message: string): string => message.replace(/;.*/s, "").replace(/\.$/, "");

/** @param secrets each produces one signature; the receiver accepts any of them. @param id the event's id, the same for every attempt. */
export function signedHeaders(secrets: string[], id: string, body: string, at: Date): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
  };
}
