/** `POST /v1/captures` as a queued capture: for asynchronous requests, and for requests with an `Idempotency-Key`. */

import type { FastifyReply, FastifyRequest } from "fastify";
import { v7 } from "uuid";
import type { ReadCopies } from "../../accounts/destinations/copies.ts";
import { type Caller, ownerOf } from "../../accounts/keys/caller.ts";
import { assertSecretsAllowed } from "../../accounts/keys/restrictions.ts";
import type { PageSessions } from "../../accounts/sessions/page-sessions.ts";
import { resultOf } from "../../screenshots/captures/finished-capture.ts";
import type { CaptureJobs } from "../../screenshots/queued/jobs.ts";
import type { CaptureRecord, CaptureRecords } from "../../screenshots/queued/records.ts";
import type { UntilEnded } from "../../screenshots/queued/until-ended.ts";
import type { Proxies } from "../../screenshots/take/proxies.ts";
import { AppError, existing, wrongParameter } from "../../shared/errors.ts";
import { turnOf } from "../../shared/turns.ts";
import type { Links } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import { withCopies } from "../destinations/copies.ts";
import type { KeyRoute } from "../input/key-routes.ts";
import type { LinkBase } from "../input/link-base.ts";
import { createOpenLimit, markRepeated } from "../server/client-limits.ts";
import { followDisconnection } from "../server/requests.ts";
import { describeCapture } from "./answer.ts";
import { idempotencyOf, prefersAsync } from "./idempotency.ts";
import type { CapturesRequest } from "./input.ts";
import { cancelCaptureOperation, captureState, readCapture, stateOf } from "./state.ts";
import { sendZip, storedBodies } from "./zip.ts";

export interface QueuedCaptures {
  answer(http: FastifyRequest, reply: FastifyReply, caller: Caller, request: CapturesRequest): Promise<object>;
}

interface QueuedParts {
  captureJobs: CaptureJobs;
  pageSessions: Pick<PageSessions, "assertUsable">;
  proxies: Pick<Proxies, "assertUsable">;
  readCopies: ReadCopies;
  captureRecords: CaptureRecords;
  untilEnded: UntilEnded;
  assertWebhookUrl: (text: string, signal: AbortSignal) => Promise<string>;
  store: ImageStore;
  links: Links;
  linkBase: LinkBase;
  /** Aborts when the shutdown begins. */
  closing: AbortSignal;
}

/** Whether the request runs as a queued capture. */
export function isQueued({ headers }: FastifyRequest, { isAsync, webhookUrl }: CapturesRequest): boolean {
  return isAsync || prefersAsync(headers.prefer) || headers["idempotency-key"] !== undefined || webhookUrl !== undefined;
}

/** Maximum number of requests per account and process that may be waiting for queued captures to finish. */
export const waitsPerAccountMax = 256;
const countWait = createOpenLimit(
  waitsPerAccountMax,
  (count) =>
    `The account already has ${count} requests waiting for captures to end: wait for fewer at a time, or set async to true and send webhook_url.`,
);

/** Time allowed beyond a capture's own timeout, for waiting in the queue and for storing the files. */
const awaitedGraceMs = 30_000;

export function createQueuedCaptures(parts: QueuedParts): QueuedCaptures {
  const { captureJobs, assertWebhookUrl } = parts;
  const awaitEnd = createAwaitEnd(parts);
  const sendEnd = createSendEnd(parts);

  return {
    async answer(http, reply, caller, request) {
      const isAsync = request.isAsync || prefersAsync(http.headers.prefer);
      refuseMixed(request, isAsync);
      const disconnected = followDisconnection(reply);
      const webhookUrl = request.webhookUrl === undefined ? undefined : await assertWebhookUrl(request.webhookUrl, disconnected);
      const requests = request.outputs.map((one) => one.request);
      parts.proxies.assertUsable(caller, requests);
      assertSecretsAllowed(caller, requests);
      await parts.pageSessions.assertUsable(caller, requests);
      const idempotency = idempotencyOf(http);
      if (!isAsync) countWait(caller.userId, reply);
      const id = v7();
      const submitted = await captureJobs.submit(caller, {
        id,
        outputs: request.outputs,
        idempotency,
        isAwaited: !isAsync,
        webhookUrl,
      });
      reply.header("cache-control", "no-store");
      if (submitted.id !== id) markRepeated(reply);
      if (isAsync) {
        reply.code(202).header("location", `/v1/captures/${submitted.id}`);
        if (prefersAsync(http.headers.prefer)) reply.header("preference-applied", "respond-async");
        return captureState.parse(await stateOf(parts, http, caller.userId, submitted));
      }
      const timeoutMs = Math.max(...request.outputs.map((one) => one.request.options.timeout)) * 1000;
      const record = await awaitEnd(caller, submitted, AbortSignal.any([disconnected, AbortSignal.timeout(timeoutMs + awaitedGraceMs)]));
      disconnected.throwIfAborted();
      const { responseType } = request;
      return await sendEnd(http, reply, record, { userId: caller.userId, responseType, isRepeated: submitted.id !== id, disconnected });
    },
  };
}

/** Waits for a capture to finish; during a shutdown, only if it is already running. */
function createAwaitEnd({ captureRecords, untilEnded, closing }: QueuedParts) {
  return async ({ userId }: Caller, submitted: CaptureRecord, signal: AbortSignal): Promise<CaptureRecord> => {
    const find = async () => (await captureRecords.find({ userId }, submitted.id)) ?? submitted;
    await untilEnded(submitted.id, AbortSignal.any([signal, closing])).catch(() => {});
    const record = await find();
    if (record.status !== "running") return record;
    await untilEnded(submitted.id, signal).catch(() => {});
    return await find();
  };
}

interface Sending {
  userId: string;
  responseType: string;
  /** Whether the capture was started by an earlier request with the same `Idempotency-Key`. */
  isRepeated: boolean;
  disconnected: AbortSignal;
}

function createSendEnd(parts: QueuedParts) {
  return async (
    http: FastifyRequest,
    reply: FastifyReply,
    record: CaptureRecord,
    { userId, responseType, isRepeated, disconnected }: Sending,
  ): Promise<object> => {
    const finished = resultOf(record);
    if (!finished)
      throw new AppError("unavailable", {
        message: "The capture has not ended yet: repeat the request with the same Idempotency-Key.",
        retryAfterSeconds: 5,
      });
    const capture = await withCopies(parts.readCopies, userId, finished);
    await turnOf(userId);
    const isNew = !isRepeated && capture.outputs.some((one) => "files" in one && !one.fromCache);
    reply.header("x-cache", isNew ? "MISS" : "HIT");
    const description = describeCapture(parts, { id: record.id, http, capture });
    if (responseType === "json") return description;
    return await sendZip(http, reply, { description, capture, bodies: await storedBodies(parts.store, capture, disconnected) });
  };
}

function refuseMixed({ responseType, webhookUrl }: CapturesRequest, isAsync: boolean): void {
  if (isAsync && responseType === "zip") throw wrongParameter("response_type", "must be json for an asynchronous capture", "json");
  if (!isAsync && webhookUrl !== undefined)
    throw wrongParameter("webhook_url", "requires an asynchronous capture: set async to true", '"async": true');
}

export function queuedCapturesRoutes(keyRoute: KeyRoute, parts: QueuedParts): void {
  const { captureJobs, captureRecords, untilEnded, closing } = parts;

  keyRoute(readCapture, async ({ caller, params: { id }, query: { wait }, request, reply }) => {
    const first = existing(await captureRecords.find(ownerOf(caller), id));
    if (wait === 0 || first.endedAt) return await stateOf(parts, request, caller.userId, first);
    countWait(caller.userId, reply);
    const disconnected = followDisconnection(reply);
    await untilEnded(id, AbortSignal.any([disconnected, closing, AbortSignal.timeout(wait * 1000)])).catch(() => {});
    disconnected.throwIfAborted();
    return await stateOf(parts, request, caller.userId, (await captureRecords.find(ownerOf(caller), id)) ?? first);
  });

  keyRoute(cancelCaptureOperation, async ({ caller, params: { id }, request }) =>
    stateOf(parts, request, caller.userId, await captureJobs.cancel(ownerOf(caller), id)),
  );
}
