/** `/v1/account/batches`: an account's batches, for the dashboard. */

import { z } from "zod";
import { type BatchCapture, type BatchRecord, listBatchCaptures } from "../../screenshots/queued/batch-records.ts";
import { captureStatuses } from "../../screenshots/queued/records.ts";
import { existing } from "../../shared/errors.ts";
import { createStreamLimit, openBatchZip } from "../batches/follow.ts";
import { batchState, batchStateOf } from "../batches/state.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import { followDisconnection } from "../server/requests.ts";
import { answersFor, screenshotSchema } from "./history-entry.ts";
import type { ManagementParts } from "./parts.ts";
import { cursor, nextCursor, nullableText, nullableTime, pageOf } from "./schemas.ts";

const declare = operationsFor({ tag: "Screenshots", access: "account" });

const path = "/v1/account/batches";
const failures = ["not_found" as const];

const batch = batchState
  .extend({ names: z.array(z.string()).meta({ description: "Names of the batch's first three captures." }) })
  .meta({ schemaName: "AccountBatch" });

const batchCapture = z
  .object({
    id: z.uuid(),
    index: z.int().meta({ description: "Position in the batch, starting at 0." }),
    name: z.string().meta({ description: "Unique within the batch." }),
    depth: z.int().optional().meta({ description: "In a crawl: the number of links followed from the first page to this one." }),
    status: z.enum(captureStatuses),
    error: nullableText.meta({ description: "Error code, if the capture failed." }),
    error_message: nullableText,
    ended_at: nullableTime,
    screenshot: screenshotSchema
      .nullable()
      .meta({ description: "The first output that has a file, or simply the first output if none has; null if no output is on record." }),
  })
  .meta({ schemaName: "BatchCapture" });

const list = declare.get(path, {
  id: "listBatches",
  summary: "The account's batches",
  description: "Newest first.",
  query: z.strictObject({ limit: z.int().min(1).max(100).default(25), cursor, status: batchState.shape.status.optional() }),
  answer: z.object({ batches: z.array(batch), next_cursor: nextCursor }),
});

const read = declare.get(`${path}/:id`, {
  id: "getAccountBatch",
  summary: "One batch, with its progress",
  answer: z.object({ batch }),
  failures,
});

const listCaptures = declare.get(`${path}/:id/captures`, {
  id: "listBatchCaptures",
  summary: "The captures in a batch",
  description: "In batch order: as requested or, for a crawl, as pages were found.",
  query: z.strictObject({ limit: z.int().min(1).max(100).default(50), cursor, status: z.enum(captureStatuses).optional() }),
  answer: z.object({ captures: z.array(batchCapture), next_cursor: nextCursor }),
  failures,
});

const cancel = declare.delete(`${path}/:id`, {
  id: "cancelAccountBatch",
  summary: "Cancel a batch's captures that have not started",
  description: "Canceled captures are not charged; running ones are completed. Canceling again has no effect.",
  answer: z.object({ batch }),
  failures,
});

const zip = declare.get(`${path}/:id/zip`, {
  id: "getAccountBatchZip",
  summary: "A batch's files as one zip",
  description: "The files of the captures that have ended, and `manifest.json`, which describes each file and lists failures.",
  answer: z.string().meta({ contentType: "application/zip" }),
  failures,
});

export const accountBatchOperations = [list, read, listCaptures, cancel, zip];

export function accountBatchRoutes({ accountRoute }: Routes, parts: ManagementParts): void {
  const { database, batchRecords, batchJobs, closing } = parts;
  const find = async (userId: string, id: string) => existing(await batchRecords.find({ userId }, id));

  accountRoute(list, async ({ query: { limit, cursor: before, status } }, { userId }) => {
    const isRunning = status && status === "running";
    const { page, next_cursor } = pageOf(await batchRecords.list(userId, { isRunning, before, limit: limit + 1 }), limit);
    return { batches: page.map(batchAnswer), next_cursor };
  });

  accountRoute(read, async ({ params }, { userId }) => ({ batch: batchAnswer(await find(userId, params.id)) }));

  accountRoute(listCaptures, async ({ params: { id }, query: { limit, cursor: after, status } }, { userId }) => {
    await find(userId, id);
    const found = await listBatchCaptures(database, userId, { id, status, after, limit: limit + 1 });
    const { page, next_cursor } = pageOf(found, limit);
    const shown = page.flatMap(({ screenshot }) => screenshot ?? []);
    const answerOf = await answersFor(parts.readCopies, userId, shown);
    return { captures: page.map((one) => captureAnswer(one, answerOf)), next_cursor };
  });

  accountRoute(cancel, async ({ params: { id } }, { userId }) => {
    await batchJobs.cancel({ userId }, id);
    return { batch: batchAnswer(await find(userId, id)) };
  });

  const countStream = createStreamLimit();
  accountRoute(zip, async ({ params, request, reply }, { userId }) => {
    const { id } = await find(userId, params.id);
    countStream(userId, reply);
    const signal = AbortSignal.any([followDisconnection(reply), closing]);
    return reply.send(await openBatchZip(parts, { id, request, reply, signal }));
  });
}

function batchAnswer(record: BatchRecord): z.input<typeof batch> {
  return { ...batchStateOf(record), names: record.names };
}

function captureAnswer(of: BatchCapture, answerOf: Awaited<ReturnType<typeof answersFor>>): z.input<typeof batchCapture> {
  return {
    id: of.id,
    index: of.position,
    name: of.name,
    ...(of.depth !== null && { depth: of.depth }),
    status: of.status,
    error: of.failure?.code ?? null,
    error_message: of.failure?.message ?? null,
    ended_at: of.endedAt,
    screenshot: of.screenshot && answerOf(of.screenshot),
  };
}
