/** `/v1/account/screenshots`: an account's screenshots. */

import { z } from "zod";
import { forgetScreenshot, listScreenshots, readScreenshot, type Screenshot } from "../../accounts/usage/history.ts";
import { verdictKinds } from "../../capture/verdict/verdict.ts";
import type { Database } from "../../database.ts";
import { AppError, failures, unansweredFailures } from "../../errors.ts";
import { contentTypes, extensions } from "../../images/object-key.ts";
import type { ImageStore } from "../../images/store.ts";
import type { CaptureCache } from "../../screenshots/cache.ts";
import { callStore } from "../call-store.ts";
import { explanationSchema } from "../explanation-schema.ts";
import { operation } from "../operation.ts";
import { isUnchanged } from "../screenshots/answer.ts";
import { type Routes, revalidated } from "../serve.ts";
import { cursor, idParams, keyFilter, nextCursor, nullableCount, nullableText, pageOf } from "./schemas.ts";

const tag = "Screenshots" as const;
const access = "account" as const;
const path = "/v1/account/screenshots";

const status = z.enum(["pending", "done", "failed"]);
const format = z.enum(["jpeg", "png", "webp"]);
const verdict = z.enum(verdictKinds);

const screenshot = z
  .object({
    id: z.uuid(),
    url: z.string(),
    status,
    key_id: nullableText.meta({ description: "null: the playground." }),
    key_name: nullableText,
    key_hint: nullableText,
    format: format.nullable(),
    width: nullableCount,
    height: nullableCount,
    bytes: nullableCount,
    duration_ms: nullableCount,
    image: nullableText.meta({ description: "Path of the image; null if it isn't stored." }),
    verdict: verdict.nullable().meta({ description: "What the image shows; null unless the screenshot is done." }),
    verdict_reason: nullableText.meta({ description: "Why, if it is not `ok`; sentences for a person." }),
    error: nullableText.meta({
      description: `Why there is no image: an error code, or one of ${Object.keys(unansweredFailures)
        .map((code) => `\`${code}\``)
        .join(", ")}.`,
    }),
    error_message: nullableText.meta({ description: "Human-readable message for `error`." }),
    created_at: z.date(),
    expires_at: z.date(),
  })
  .meta({ schemaName: "HistoryEntry" });

const listHistory = operation({
  id: "listScreenshots",
  tag,
  method: "GET",
  path,
  summary: "The account's screenshots",
  description: "Newest first.",
  access,
  query: z.strictObject({
    limit: z.int().min(1).max(100).default(24),
    cursor,
    status: status.optional(),
    key_id: keyFilter,
    url: z.string().max(2048).optional().meta({ description: "Text that the URL contains." }),
    format: format.optional(),
    verdict: verdict.optional(),
    since: z.iso.date().optional().meta({ description: "First day, in UTC." }),
    until: z.iso.date().optional().meta({ description: "Last day, in UTC." }),
  }),
  answer: z.object({ screenshots: z.array(screenshot), next_cursor: nextCursor }),
});

const readHistory = operation({
  id: "getScreenshot",
  tag,
  method: "GET",
  path: `${path}/:id`,
  summary: "One screenshot, with its options",
  access,
  params: idParams,
  answer: z.object({
    screenshot: screenshot.extend({
      options: z.record(z.string(), z.unknown()).meta({ description: "Values of secret options are replaced by `given`." }),
      explanation: explanationSchema.nullable().meta({ description: "With the option `explain`." }),
    }),
  }),
  failures: ["not_found"],
});

const readImage = operation({
  id: "getScreenshotImage",
  tag,
  method: "GET",
  path: `${path}/:id/image`,
  summary: "The image of a screenshot",
  access,
  params: idParams,
  query: z.strictObject({ download: z.boolean().default(false).meta({ description: "Send the image as an attachment." }) }),
  answer: z.file().meta({ hasEtag: true }),
  failures: ["not_found"],
});

const deleteHistory = operation({
  id: "deleteScreenshot",
  tag,
  method: "DELETE",
  path: `${path}/:id`,
  summary: "Delete a screenshot and its image",
  description: "It still counts towards the quota.",
  access,
  params: idParams,
  failures: ["not_found", "not_possible"],
});

export const historyOperations = [listHistory, readHistory, readImage, deleteHistory];

export function historyRoutes(
  { accountRoute }: Routes,
  { database, store, cache }: { database: Database; store: ImageStore; cache: CaptureCache },
): void {
  accountRoute(listHistory, async ({ query }, { userId }) => {
    const { limit, cursor: before, key_id: keyId, ...filter } = query;
    const found = await listScreenshots(database, userId, { ...filter, keyId, before, limit: limit + 1 });
    const { page, next_cursor } = pageOf(found, limit);
    return { screenshots: page.map(screenshotAnswer), next_cursor };
  });

  accountRoute(readHistory, async ({ params }, { userId }) => {
    const found = await readScreenshot(database, userId, params.id);
    return {
      screenshot: {
        ...screenshotAnswer(found),
        options: found.options,
        explanation: found.explanation as z.input<typeof explanationSchema> | null,
      },
    };
  });

  accountRoute(readImage, async ({ params, query, request, reply }, { userId }) => {
    const { id, format: type, objectKey } = await readScreenshot(database, userId, params.id);
    if (type === null || objectKey === null) throw new AppError("not_found");
    const etag = `"${id}"`; // an image never changes
    reply.header("cache-control", revalidated).header("etag", etag);
    if (isUnchanged(request, etag)) return reply.code(304).send();
    const image = await callStore((signal) => store.get(objectKey, signal));
    if (!image) throw new AppError("not_found");
    if (query.download) reply.header("content-disposition", `attachment; filename="${id}.${extensions[type]}"`);
    return reply.type(contentTypes[type]).header("content-length", image.bytes).send(image.stream);
  });

  accountRoute(deleteHistory, async ({ params }, { userId }) => {
    const { status: state, objectKey, cacheKey } = await readScreenshot(database, userId, params.id);
    if (state === "pending") throw new AppError("not_possible", { message: "The screenshot is still being captured." });
    await callStore(() => cache.forget(userId, cacheKey, params.id));
    if (objectKey !== null) await callStore((signal) => store.remove(objectKey, signal));
    await forgetScreenshot(database, userId, params.id);
    return undefined;
  });
}

function screenshotAnswer(of: Screenshot): z.input<typeof screenshot> {
  return {
    id: of.id,
    url: of.url,
    status: of.status,
    key_id: of.keyId,
    key_name: of.keyName,
    key_hint: of.keyHint,
    format: of.format,
    width: of.width,
    height: of.height,
    bytes: of.bytes,
    duration_ms: of.durationMs,
    image: of.objectKey === null ? null : `${path}/${of.id}/image`,
    verdict: of.verdict as z.input<typeof verdict> | null,
    verdict_reason: of.verdictReason,
    error: of.error,
    error_message: of.error === null ? null : messageOf(of.error),
    created_at: of.createdAt,
    expires_at: of.expiresAt,
  };
}

function messageOf(code: string): string {
  if (Object.hasOwn(failures, code)) return failures[code as keyof typeof failures].message;
  return unansweredFailures[code as keyof typeof unansweredFailures] ?? unansweredFailures.abandoned;
}
