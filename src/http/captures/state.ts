/** Public representation of a queued capture, and the operations on it. */

import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { ReadCopies } from "../../accounts/destinations/copies.ts";
import { resultOf } from "../../screenshots/captures/finished-capture.ts";
import { type CaptureRecord, captureStatuses } from "../../screenshots/queued/records.ts";
import { AppError, type FailureCode } from "../../shared/errors.ts";
import { turnOf } from "../../shared/turns.ts";
import type { Links } from "../../storage/link.ts";
import { withCopies } from "../destinations/copies.ts";
import type { LinkBase } from "../input/link-base.ts";
import { captureFailures, outputsAnswer, stateAnswer } from "../openapi/answers.ts";
import { keyInQuery, operationsFor } from "../openapi/operation.ts";
import { errorBodyOf } from "../server/error-handler.ts";
import { captureSchema, describeCapture, failedOutput } from "./answer.ts";

const declare = operationsFor({ tag: "Screenshots", access: "key" });
const waitMaxSeconds = 60;

export const captureState = captureSchema
  .partial()
  .extend({
    id: z.uuid(),
    status: z.enum(captureStatuses),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
    batch: z.object({ id: z.uuid(), index: z.int(), name: z.string(), depth: z.int().optional() }).optional().meta({
      description:
        "For a capture in a batch: its index in the request, and its name. In a crawl, pages are numbered as they are found, and `depth` is the number of links followed from the first page to this one.",
    }),
    error: failedOutput.optional(),
  })
  .meta({ schemaName: "CaptureState" });

const captureParams = z.strictObject({ id: z.uuid().meta({ description: "Id of the capture." }) });

export const admissionFailures: FailureCode[] = [
  "invalid_parameters",
  "invalid_api_key",
  "domain_not_allowed",
  "signature_invalid",
  "rate_limited",
  "internal_error",
  "unavailable",
];

/** The body schema is derived from the options, which depend on the settings; `input.ts` validates the body. */
export const createCaptures = declare.post("/v1/captures", {
  id: "createCaptures",
  summary: "Capture several outputs of one page",
  description:
    "The page is loaded once, unless outputs differ in something that the server or the page can detect while it loads, such as the user agent, cookies or the locale. An output's options override those beside `outputs`. The request counts as one screenshot and one request. If some outputs fail, their entries have an `error`; if all fail, the first error is returned. With `async` or `Prefer: respond-async`, the response is 202 with the capture's state, which can be read with `GET /v1/captures/{id}`. For 24 hours, a repeated request with the same `Idempotency-Key` returns the first one's response.",
  options: "outputs",
  answer: captureSchema,
  responses: (content) => ({
    200: outputsAnswer(content(captureSchema)),
    202: stateAnswer("The capture is queued.", content(captureState), "queued"),
  }),
  failures: [...captureFailures(), "idempotency_key_reused"],
});

export const readCapture = declare.get("/v1/captures/:id", {
  id: "getCapture",
  summary: "Read an asynchronous capture",
  description:
    "A capture with status `done` has the members of a synchronous response, with new links; one with status `failed` has an `error`. Synchronous captures with an `Idempotency-Key` can be read as well. Any of the account's keys may read a capture, but a key that is restricted to targets or domains can read and cancel only captures that it has created.",
  params: captureParams,
  query: z.object({
    wait: z.int().min(0).max(waitMaxSeconds).default(0).meta({ description: "Seconds to wait for the capture to end." }),
    ...keyInQuery,
  }),
  answer: captureState,
  failures: [...admissionFailures, "not_found"],
});

export const cancelCaptureOperation = declare.delete("/v1/captures/:id", {
  id: "cancelCapture",
  summary: "Cancel an asynchronous capture that has not started",
  description: "A canceled capture is not charged. Canceling it again has no effect.",
  params: captureParams,
  query: z.object(keyInQuery),
  answer: captureState,
  failures: [...admissionFailures, "not_found", "capture_begun"],
});

/**
 * Resolves in a turn of the account for captures that have ended: describing, validating and serializing a long one takes tens of
 * milliseconds, and many callers may ask at the same time.
 * @param userId the capture's account.
 */
export async function stateOf(
  parts: { links: Links; linkBase: LinkBase; readCopies: ReadCopies },
  http: FastifyRequest,
  userId: string,
  record: CaptureRecord,
): Promise<z.input<typeof captureState>> {
  const { id, status, createdAt, startedAt, endedAt, batchId, position, name, depth } = record;
  const times = {
    ...(batchId === null ? {} : { batch: { id: batchId, index: position ?? 0, name: name ?? "", ...(depth !== null && { depth }) } }),
    created_at: createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    ended_at: endedAt?.toISOString() ?? null,
  };
  try {
    const finished = resultOf(record);
    const capture = finished && (await withCopies(parts.readCopies, userId, finished));
    if (capture) await turnOf(userId);
    return { ...(capture ? describeCapture(parts, { id, http, capture }) : {}), id, status, ...times };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { id, status, ...times, error: errorBodyOf(error, http.id) as z.input<typeof failedOutput> };
  }
}
