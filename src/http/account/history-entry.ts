/** Public representation of a screenshot in the management API. */

import { z } from "zod";
import type { Copy, ReadCopies } from "../../accounts/destinations/copies.ts";
import type { HistoryEntry } from "../../accounts/history/history.ts";
import { verdictKinds } from "../../capture/verdict/verdict.ts";
import { failureMessage, unansweredFailures } from "../../shared/errors.ts";
import { formats } from "../../shared/formats.ts";
import { copySchema } from "../destinations/schemas.ts";
import { answerFrom } from "../openapi/operation.ts";
import { nullableCount, nullableText } from "./schemas.ts";

/** Path of the account's screenshots. Images are at `/:id/image` under this path. */
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
    key_id: nullableText.meta({ description: "Null for screenshots taken in the playground." }),
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
    capture_id: z.uuid().nullable().meta({ description: "Shared by all outputs of a capture; null if there is only one." }),
    output: nullableText.meta({ description: "Name of the output; null if it is the only one." }),
    copies: z.array(copySchema).meta({ description: "The screenshot's copies in destinations, newest first." }),
    created_at: z.date(),
    expires_at: z.date(),
  })
  .meta({ schemaName: "HistoryEntry" });

const answer = answerFrom(screenshotSchema);

/** Reads the copies of the `shown` screenshots. @returns a function that builds the public representation of each. */
export async function answersFor(readCopies: ReadCopies, userId: string, shown: HistoryEntry[]) {
  const copies = shown.length === 0 ? undefined : await readCopies(userId, [...new Set(shown.map(({ id }) => id))]);
  return (of: HistoryEntry) => screenshotAnswer(of, copies?.get(of.id) ?? []);
}

function screenshotAnswer(of: HistoryEntry, copies: Copy[]): z.input<typeof screenshotSchema> {
  return answer({
    ...of,
    copies,
    image: of.objectKey === null ? null : `${path}/${of.id}/image`,
    verdict: of.verdict as z.input<typeof verdictSchema> | null,
    errorMessage: of.error === null ? null : failureMessage(of.error),
  });
}
