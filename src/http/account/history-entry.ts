/** Representation of a screenshot in the management API. */

import { z } from "zod";
import type { HistoryEntry } from "../../accounts/history/history.ts";
import { verdictKinds } from "../../capture/verdict/verdict.ts";
import { failureMessage, unansweredFailures } from "../../shared/errors.ts";
import { formats } from "../../shared/formats.ts";
import { nullableCount, nullableText } from "./schemas.ts";

/** Path of the account's screenshots. Images are at `/:id/image` below it. */
export const path = "/v1/account/screenshots";

export const statusSchema = z.enum(["pending", "done", "failed"]);
export const formatSchema = z.enum(formats);
export const verdictSchema = z.enum(verdictKinds);

export const screenshotSchema = z
  .object({
    id: z.uuid(),
    url: z.string(),
    title: nullableText.meta({ description: "Title of the page; null if it has none, or has not been captured." }),
    status: statusSchema,
    key_id: nullableText.meta({ description: "null: the playground." }),
    key_name: nullableText,
    key_hint: nullableText,
    format: formatSchema.nullable(),
    width: nullableCount,
    height: nullableCount,
    bytes: nullableCount,
    duration_ms: nullableCount,
    image: nullableText.meta({ description: "Path of the image; null if it isn't stored." }),
    verdict: verdictSchema.nullable().meta({ description: "What the image shows; null unless the screenshot is done." }),
    verdict_reason: nullableText.meta({ description: "Human-readable reasons if the verdict is not `ok`." }),
    error: nullableText.meta({
      description: `Why there is no image: an error code, or one of ${Object.keys(unansweredFailures)
        .map((code) => `\`${code}\``)
        .join(", ")}.`,
    }),
    error_message: nullableText.meta({ description: "Human-readable message for `error`." }),
    capture_id: z.uuid().nullable().meta({ description: "Shared by the outputs of one request; null: the only output." }),
    output: nullableText.meta({ description: "Name of the output; null: the only one." }),
    created_at: z.date(),
    expires_at: z.date(),
  })
  .meta({ schemaName: "HistoryEntry" });

export function screenshotAnswer(of: HistoryEntry): z.input<typeof screenshotSchema> {
  return {
    id: of.id,
    url: of.url,
    title: of.title,
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
    verdict: of.verdict as z.input<typeof verdictSchema> | null,
    verdict_reason: of.verdictReason,
    error: of.error,
    error_message: of.error === null ? null : failureMessage(of.error),
    capture_id: of.captureId,
    output: of.output,
    created_at: of.createdAt,
    expires_at: of.expiresAt,
  };
}
