/** Public representation of a batch, and the operations on it. */

import { z } from "zod";
import { leftOutReasons } from "../../screenshots/crawl/left-out.ts";
import type { BatchRecord, CrawlProgress } from "../../screenshots/queued/batch-records.ts";
import { admissionFailures } from "../captures/state.ts";
import { keyInQuery, operationsFor } from "../openapi/operation.ts";

const declare = operationsFor({ tag: "Screenshots", access: "key" });

/** Pages that a crawl left out, by reason; see docs/batches.md for the reasons. */
const leftOut = z
  .object({
    reason: z.enum(leftOutReasons),
    count: z.int(),
    examples: z.array(z.string()).meta({ description: "URLs of a few of these pages." }),
  })
  .meta({ schemaName: "LeftOut" });

const crawlState = z
  .object({
    url: z.string(),
    depth: z.int(),
    limit: z.int(),
    include: z.array(z.string()),
    exclude: z.array(z.string()),
    deepest: z.int().meta({ description: "Greatest depth of the captures so far; the first page has depth 0." }),
    left_out: z.array(leftOut).meta({ description: "Pages that were found but not captured, by reason; the most frequent first." }),
  })
  .meta({ schemaName: "Crawl" });

export const batchState = z
  .object({
    id: z.uuid(),
    status: z.enum(["running", "done"]).meta({ description: "`done` once the batch's last capture has ended." }),
    total: z.int().meta({ description: "Number of captures." }),
    counts: z
      .object({ queued: z.int(), running: z.int(), done: z.int(), failed: z.int(), canceled: z.int() })
      .meta({ description: "Number of captures by status." }),
    rate: z.number().nullable().meta({ description: "Recent captures per minute; null if none has ended recently." }),
    seconds_left: z.int().nullable().meta({ description: "Estimated from `rate`; null if captures are left and the rate is unknown." }),
    created_at: z.date(),
    ended_at: z.date().nullable(),
    crawl: crawlState.optional().meta({ description: "Set if the batch follows links. `total` then grows until the batch has ended." }),
  })
  .meta({ schemaName: "Batch" });

export const batchParams = z.strictObject({ id: z.uuid().meta({ description: "Id of the batch." }) });

/** The body schema is derived from the options, which depend on the settings; `input.ts` validates the body. */
export const createBatch = declare.post("/v1/batches", {
  id: "createBatch",
  summary: "Capture many pages",
  description:
    "Queues up to 1,000 captures, all or none: the quota is reserved for all of them together. A capture's own options override `shared`. Captures are queued individually, and each can be read like any other capture. For 24 hours, a repeated request with the same `Idempotency-Key` returns the first request's batch. With `crawl`, the batch starts with one page and grows as pages link to others. A key that is restricted to targets or domains can read and cancel only batches that it has created.",
  options: "batch",
  status: 202,
  answer: batchState,
  failures: [...admissionFailures, "target_not_allowed", "proxy_not_allowed", "not_found", "quota_exceeded", "idempotency_key_reused"],
});

export const readBatch = declare.get("/v1/batches/:id", {
  id: "getBatch",
  summary: "Read a batch's progress",
  params: batchParams,
  query: z.object(keyInQuery),
  answer: batchState,
  failures: [...admissionFailures, "not_found"],
});

export const cancelBatch = declare.delete("/v1/batches/:id", {
  id: "cancelBatch",
  summary: "Cancel a batch's captures that have not started",
  description: "Canceled captures are not charged; running ones are completed. Canceling again has no effect.",
  params: batchParams,
  query: z.object(keyInQuery),
  answer: batchState,
  failures: [...admissionFailures, "not_found"],
});

export const batchResults = declare.get("/v1/batches/:id/results", {
  id: "getBatchResults",
  summary: "Read the ended captures in a batch",
  description:
    "One line of JSON per capture, in the format of `GET /v1/captures/{id}`, in the order in which they ended. Empty lines keep the connection open; ignore them. After an interruption, continue with `after`.",
  params: batchParams,
  query: z.object({
    after: z.uuid().optional().meta({ description: "The `id` in the last line received; the response continues after it." }),
    follow: z.boolean().default(false).meta({ description: "Keep the response open for further captures until the batch has ended." }),
    ...keyInQuery,
  }),
  answer: z.string().meta({ contentType: "application/x-ndjson" }),
  failures: [...admissionFailures, "not_found"],
});

export const batchEvents = declare.get("/v1/batches/:id/events", {
  id: "getBatchEvents",
  summary: "Follow a batch's progress",
  description:
    "Server-sent events in the format of `GET /v1/batches/{id}`: `progress` whenever a count has changed, and `done` when the batch has ended. The stream ends after `done`.",
  params: batchParams,
  query: z.object(keyInQuery),
  answer: z.string().meta({ contentType: "text/event-stream" }),
  failures: [...admissionFailures, "not_found"],
});

export const batchZip = declare.get("/v1/batches/:id/zip", {
  id: "getBatchZip",
  summary: "Fetch a batch's files as one zip",
  description: "The files of the captures that have ended, and `manifest.json`, which describes each file and lists failures.",
  params: batchParams,
  query: z.object(keyInQuery),
  answer: z.string().meta({ contentType: "application/zip" }),
  failures: [...admissionFailures, "not_found"],
});

export const batchOperations = [createBatch, readBatch, cancelBatch, batchResults, batchEvents, batchZip];

export function batchStateOf(record: BatchRecord): z.input<typeof batchState> {
  const { id, total, counts, endedLately, latelySeconds, createdAt, endedAt, crawl } = record;
  const perSecond = endedLately / Math.max(1, latelySeconds);
  const left = counts.queued + counts.running;
  const isUnknown = perSecond === 0 && left > 0;
  return {
    id,
    status: endedAt ? "done" : "running",
    total,
    counts,
    rate: endedLately === 0 ? null : Math.round(perSecond * 600) / 10,
    seconds_left: isUnknown ? null : left === 0 ? 0 : Math.ceil(left / perSecond),
    created_at: createdAt,
    ended_at: endedAt,
    ...(crawl && { crawl: crawlStateOf(crawl) }),
  };
}

function crawlStateOf({ leftOut: byReason, ...crawl }: CrawlProgress): z.input<typeof crawlState> {
  const all = leftOutReasons.flatMap((reason) => (byReason[reason] ? [{ reason, ...byReason[reason] }] : []));
  return { ...crawl, left_out: all.sort((one, other) => other.count - one.count) };
}
