/** What callers see of a batch, and the operations for it. */

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

/** Its body is made of the options' schema, which depends on the settings; `batches-input.ts` validates it. */
export const createBatch = operation({
  id: "createBatch",
  tag: "Screenshots",
  method: "POST",
  path: "/v1/batches",
  summary: "Capture many pages",
  description:
    "Queues up to 1,000 captures at once, all or none: they are reserved from the quota together. What an entry says overrides `shared`. Each capture takes its own turn, and can be read as any other. A repeated request with the same `Idempotency-Key` gets the first one's batch, for 24 hours.",
  access: "public",
  status: 202,
  answer: batchState,
  failures: [...admissionFailures, "quota_exceeded", "idempotency_key_reused"],
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

export const batchOperations = [createBatch, readBatch, cancelBatch];

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
