/** Public representation of a batch, and the operations on it. */

import { z } from "zod";
import type { BatchRecord } from "../../accounts/usage/batch-records.ts";
import { operation } from "../operation.ts";
import { admissionFailures } from "./captures-state.ts";

export const batchState = z
  .object({
    id: z.uuid(),
    status: z.enum(["running", "done"]).meta({ description: "`done` once its last capture has ended." }),
    total: z.int().meta({ description: "Number of its captures." }),
    counts: z
      .object({ queued: z.int(), running: z.int(), done: z.int(), failed: z.int(), canceled: z.int() })
      .meta({ description: "Captures by their status." }),
    rate: z.number().nullable().meta({ description: "Captures that end in a minute, lately; null if none has." }),
    seconds_left: z.int().nullable().meta({ description: "Estimate from the rate." }),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ schemaName: "Batch" });

export const batchParams = z.strictObject({ id: z.uuid().meta({ description: "Id of the batch." }) });
const keyInQuery = { api_key: z.string().optional().meta({ description: "The API key, unless it is in a header." }) };

/** The body schema is derived from the options, which depend on the settings; `batches-input.ts` validates it. */
export const createBatch = operation({
  id: "createBatch",
  tag: "Screenshots",
  method: "POST",
  path: "/v1/batches",
  summary: "Capture many pages",
  description:
    "Queues up to 1,000 captures at once, all or none: they are reserved from the quota together. What an entry says overrides `shared`. Each capture takes its own turn, and can be read as any other. A repeated request with the same `Idempotency-Key` gets the first one's batch, for 24 hours. A key that is bound to targets or domains reads and cancels only the batches that it made.",
  access: "public",
  status: 202,
  answer: batchState,
  failures: [...admissionFailures, "target_not_allowed", "not_found", "quota_exceeded", "idempotency_key_reused"],
});

export const readBatch = operation({
  id: "getBatch",
  tag: "Screenshots",
  method: "GET",
  path: "/v1/batches/:id",
  summary: "Read the progress of a batch",
  access: "public",
  params: batchParams,
  query: z.object(keyInQuery),
  answer: batchState,
  failures: [...admissionFailures, "not_found"],
});

export const cancelBatch = operation({
  id: "cancelBatch",
  tag: "Screenshots",
  method: "DELETE",
  path: "/v1/batches/:id",
  summary: "Cancel the captures of a batch that have not begun",
  description: "They cost nothing then; those that run are finished. Canceling again changes nothing.",
  access: "public",
  params: batchParams,
  query: z.object(keyInQuery),
  answer: batchState,
  failures: [...admissionFailures, "not_found"],
});

export const batchResults = operation({
  id: "getBatchResults",
  tag: "Screenshots",
  method: "GET",
  path: "/v1/batches/:id/results",
  summary: "Read the ended captures of a batch",
  description:
    "A line of JSON for each, as `GET /v1/captures/{id}` answers, in the order of their end. Empty lines keep the connection open; ignore them. After an interruption, `after` continues.",
  access: "public",
  params: batchParams,
  query: z.object({
    after: z.uuid().optional().meta({ description: "Id of the last capture that you have: lines begin after it." }),
    follow: z.boolean().default(false).meta({ description: "Waits for further captures, until the batch has ended." }),
    ...keyInQuery,
  }),
  answer: z.string().meta({ contentType: "application/x-ndjson" }),
  failures: [...admissionFailures, "not_found"],
});

export const batchEvents = operation({
  id: "getBatchEvents",
  tag: "Screenshots",
  method: "GET",
  path: "/v1/batches/:id/events",
  summary: "Follow the progress of a batch",
  description:
    "Server-sent events, each with what `GET /v1/batches/{id}` answers: `progress` when a count has changed, and `done` at the end, which ends the stream.",
  access: "public",
  params: batchParams,
  query: z.object(keyInQuery),
  answer: z.string().meta({ contentType: "text/event-stream" }),
  failures: [...admissionFailures, "not_found"],
});

export const batchZip = operation({
  id: "getBatchZip",
  tag: "Screenshots",
  method: "GET",
  path: "/v1/batches/:id/zip",
  summary: "Fetch the files of a batch as one zip",
  description: "Those of the captures that have ended, and `manifest.json`, which says what each is and which have failed.",
  access: "public",
  params: batchParams,
  query: z.object(keyInQuery),
  answer: z.string().meta({ contentType: "application/zip" }),
  failures: [...admissionFailures, "not_found"],
});

export const batchOperations = [createBatch, readBatch, cancelBatch, batchResults, batchEvents, batchZip];

export function batchStateOf(record: BatchRecord): z.input<typeof batchState> {
  const { id, total, counts, endedLately, latelySeconds, createdAt, endedAt } = record;
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
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}
