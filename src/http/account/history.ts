/** `/v1/account/screenshots`: the history of an account's screenshots. */

import { z } from "zod";
import { listOutputs, listScreenshots, neighbors, readScreenshot } from "../../accounts/history/history.ts";
import { countScreenshots } from "../../accounts/history/search.ts";
import { AppError } from "../../shared/errors.ts";
import { extensions } from "../../shared/formats.ts";
import { linkLifetimeSeconds } from "../../storage/link.ts";
import { callStore } from "../../storage/store.ts";
import { operationsFor } from "../openapi/operation.ts";
import { isUnchanged, setContent } from "../screenshots/answer.ts";
import { type Routes, revalidated } from "../server/operation-routes.ts";
import { answersFor, formatSchema, path, screenshotSchema, statusSchema, verdictSchema } from "./history-entry.ts";
import type { ManagementParts } from "./parts.ts";
import { count, cursor, days, keyFilter, nextCursor, nullableCount, nullableText, nullableTime } from "./schemas.ts";

/** Time of an entry in an explanation, the record that `explain` keeps of a capture. */
const at = z.int().meta({ description: "Milliseconds since the capture was assigned a browser." });

const explanationSchema = z
  .object({
    steps: z.array(z.object({ at, text: z.string() })).meta({ description: "Steps of the capture, in order." }),
    redirects: z
      .array(z.object({ from: z.string(), to: z.string(), status: z.int() }))
      .meta({ description: "Redirects of the page itself." }),
    requests: z
      .array(
        z.object({
          at,
          duration: z.int().nullable().meta({ description: "Milliseconds; null if the request was still pending when the capture ended." }),
          url: z.string(),
          type: z.string(),
          status: z.int().nullable().meta({ description: "HTTP status; null if there was no response." }),
          bytes: z.int().nullable().meta({ description: "Bytes received, including headers." }),
          outcome: z.enum(["done", "failed", "blocked", "pending"]),
          reason: z.string().nullable().meta({ description: "The error of a failed request, or the option that blocked the request." }),
        }),
      )
      .meta({ description: "The page's requests in order, at most 200, excluding those from cross-origin frames." }),
    requests_total: z.int(),
    refused: z
      .array(z.object({ host: z.string(), port: z.int(), reason: z.string() }))
      .meta({ description: "Connections from the page that were refused." }),
    console: z
      .array(z.object({ level: z.enum(["error", "warning"]), text: z.string(), source: z.string().nullable() }))
      .meta({ description: "The page's errors and warnings; empty if the capture failed." }),
  })
  .meta({ schemaName: "Explanation", description: "Record of a capture that used the `explain` option." });

const declare = operationsFor({ tag: "Screenshots", access: "account" });

const filter = {
  status: statusSchema.optional(),
  key_id: keyFilter,
  url: z.string().max(2048).optional().meta({ description: "Text contained in the URL." }),
  text: z.string().max(2048).optional().meta({ description: "Text contained in the URL or in the page's title." }),
  format: formatSchema.optional(),
  verdict: verdictSchema.optional(),
  ...days,
};

const listHistory = declare.get(path, {
  id: "listScreenshots",
  summary: "The account's screenshots",
  description:
    "Newest first. A request searches at most about 600 screenshots: `searched_to` tells how far the search got, and `next_cursor` continues it from there.",
  query: z.strictObject({
    limit: z.int().min(1).max(100).default(24),
    cursor,
    ...filter,
  }),
  answer: z.object({
    screenshots: z.array(screenshotSchema).meta({ description: "May be empty even if there is another page." }),
    next_cursor: nextCursor,
    searched_to: nullableTime.meta({ description: "Older screenshots have not been searched yet; null if the search was complete." }),
  }),
});

const countHistory = declare.get(`${path}/count`, {
  id: "countScreenshots",
  summary: "Count the account's screenshots that match a filter",
  query: z.strictObject(filter),
  answer: z.object({
    count: count.meta({ description: "At most 1,000." }),
    is_complete: z.boolean().meta({ description: "False if there may be more than `count`." }),
  }),
});

const readHistory = declare.get(`${path}/:id`, {
  id: "getScreenshot",
  summary: "One screenshot, with its options",
  query: z.strictObject(filter).meta({ description: "Filter for `newer_id` and `older_id`." }),
  answer: z.object({
    screenshot: screenshotSchema.extend({
      target_status: nullableCount.meta({ description: "HTTP status of the target's response; null if unknown." }),
      final_url: nullableText.meta({ description: "URL of the captured page, after redirects; null if unknown." }),
      warnings: z.array(z.string()),
      timings: z.object({ queue: count, navigate: count, wait: count, shoot: count }).nullable().meta({
        description:
          "Milliseconds spent waiting for a browser, for the target's response and for the page to be ready, and capturing the image.",
      }),
      options: z.record(z.string(), z.unknown()).meta({ description: "Values of secret options are replaced by `given`." }),
      explanation: explanationSchema.nullable().meta({ description: "Only with the `explain` option." }),
      link: nullableText.meta({
        description: "Signed link to the image; it is valid for a day, and works without signing in. Null if the image isn't stored.",
      }),
      outputs: z
        .array(screenshotSchema)
        .meta({ description: "All outputs of the same capture, including this one; empty if it is the only output." }),
      newer_id: nullableText.meta({
        description: "The next newer screenshot that matches the filter; null if the search, which is limited, found none.",
      }),
      older_id: nullableText.meta({
        description: "The next older screenshot that matches the filter; null if the search, which is limited, found none.",
      }),
    }),
  }),
  failures: ["not_found"],
});

const readImage = declare.get(`${path}/:id/image`, {
  id: "getScreenshotImage",
  summary: "The image of a screenshot",
  query: z.strictObject({ download: z.boolean().default(false).meta({ description: "Send the image as an attachment." }) }),
  answer: z.file().meta({ hasEtag: true }),
  failures: ["not_found"],
});

export const historyOperations = [listHistory, countHistory, readHistory, readImage];

export function historyRoutes({ accountRoute }: Routes, { database, store, links, linkBase, readCopies }: ManagementParts): void {
  accountRoute(listHistory, async ({ query }, { userId }) => {
    const { limit, cursor: before, key_id: keyId, ...filter } = query;
    const { screenshots, next, searchedTo } = await listScreenshots(database, userId, { ...filter, keyId, before, limit });
    const answerOf = await answersFor(readCopies, userId, screenshots);
    return { screenshots: screenshots.map(answerOf), next_cursor: next, searched_to: searchedTo };
  });

  accountRoute(countHistory, async ({ query: { key_id: keyId, ...filter } }, { userId }) => {
    const { count, isComplete } = await countScreenshots(database, userId, { ...filter, keyId });
    return { count, is_complete: isComplete };
  });

  accountRoute(readHistory, async ({ params, query: { key_id: keyId, ...filter }, request }, { userId }) => {
    const found = await readScreenshot(database, userId, params.id);
    const { newer, older } = await neighbors(database, userId, params.id, { ...filter, keyId });
    const { id, format: type, objectKey, captureId } = found;
    const outputs = captureId === null ? [] : await listOutputs(database, userId, captureId);
    const answerOf = await answersFor(readCopies, userId, [found, ...outputs]);
    const isStored = type !== null && objectKey !== null;
    return {
      screenshot: {
        ...answerOf(found),
        target_status: found.targetStatus,
        final_url: found.finalUrl,
        warnings: found.warnings,
        timings: found.timings,
        options: found.options,
        explanation: found.explanation as z.input<typeof explanationSchema> | null,
        link: isStored ? `${linkBase(request)}${links.sign(id, type, linkLifetimeSeconds)}` : null,
        outputs: outputs.map(answerOf),
        newer_id: newer,
        older_id: older,
      },
    };
  });

  accountRoute(readImage, async ({ params, query, request, reply }, { userId }) => {
    const { id, format: type, objectKey, bytes } = await readScreenshot(database, userId, params.id);
    if (type === null || objectKey === null) throw new AppError("not_found");
    const etag = `"${id}"`; // an image never changes
    reply.header("cache-control", revalidated).header("etag", etag);
    if (isUnchanged(request, etag)) return reply.code(304).send();
    const image = await callStore((signal) => store.get(objectKey, signal, { bytes }));
    if (!image) throw new AppError("not_found");
    if (query.download) reply.header("content-disposition", `attachment; filename="${id}.${extensions[type]}"`);
    return setContent(reply, type, image.bytes).send(image.stream);
  });
}
