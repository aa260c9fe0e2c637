/** `/v1/account/webhooks/deliveries`: past and pending webhook deliveries of an account. */

import { z } from "zod";
import { type Delivery, deliveryStates, excerptCharacters, findDelivery, listDeliveries, readDelivery } from "../../webhooks/deliveries.ts";
import { eventTypes } from "../../webhooks/emit.ts";
import { idempotencyKeyOf } from "../captures/idempotency.ts";
import { answerFrom, operationsFor } from "../openapi/operation.ts";
import { assertRoomFor } from "../server/client-limits.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { count, cursor, nextCursor, nullableCount, nullableText, nullableTime, pageOf } from "./schemas.ts";

const deliveryState = z.enum(deliveryStates);

const deliverySchema = z
  .object({
    id: z.uuid().meta({ description: "Id of the event, as in the `webhook-id` header." }),
    type: z
      .enum([...eventTypes, "copy"])
      .meta({ description: "`copy` if a screenshot is copied to a destination; otherwise the webhook's event." }),
    url: z.string(),
    state: deliveryState,
    tries: count.meta({ description: "Number of attempts so far." }),
    tries_max: count,
    next_try_at: nullableTime,
    status: nullableCount.meta({ description: "HTTP status of the latest response; null if there is none." }),
    error: nullableText.meta({ description: "Why the delivery has not succeeded, as a sentence." }),
    created_at: z.date(),
    settled_at: nullableTime,
  })
  .meta({ schemaName: "WebhookDelivery" });

const headers = z.record(z.string(), z.string());

const attempt = z.object({
  number: count,
  started_at: z.date(),
  duration_ms: count,
  request_headers: headers,
  status: nullableCount.meta({ description: "Null if there was no response." }),
  response_headers: headers.nullable(),
  response_body: nullableText.meta({
    description: `At most 64 KB of the latest attempt's, and ${excerptCharacters.toLocaleString("en")} characters of the others'.`,
  }),
  is_cut: z.boolean().meta({ description: "Whether the body was longer or incomplete." }),
  error: nullableText,
});

const deliveryDetails = z
  .object({
    delivery: deliverySchema,
    body: z.string().meta({ description: "The body as sent with every attempt." }),
    attempts: z.array(attempt).meta({ description: "Latest first, at most 50." }),
  })
  .meta({ schemaName: "WebhookDeliveryDetails" });

const answer = answerFrom(deliverySchema);

const deliveryAnswer = (of: Delivery) => answer({ ...of, tries: of.attempts, triesMax: of.attemptsMax, nextTryAt: of.nextAttemptAt });

const attemptAnswer = answerFrom(attempt);

const declare = operationsFor({ tag: "Webhooks", access: "account" });

const path = "/v1/account/webhooks/deliveries";

const list = declare.get(path, {
  id: "listWebhookDeliveries",
  summary: "The account's webhooks",
  description: "Newest first; kept for 30 days.",
  query: z.strictObject({ limit: z.int().min(1).max(100).default(50), cursor, state: deliveryState.optional() }),
  answer: z.object({ deliveries: z.array(deliverySchema), next_cursor: nextCursor }),
});

const read = declare.get(`${path}/:id`, {
  id: "getWebhookDelivery",
  summary: "One webhook, with every request and response",
  answer: deliveryDetails,
  failures: ["not_found"],
});

const resend = declare.post(`${path}/:id/resend`, {
  id: "resendWebhook",
  summary: "Send a webhook again",
  description:
    "Sends immediately, with the same `webhook-id`, even to a paused URL. Does nothing if more than `after_tries` attempts have been made, or one is in progress, so a repeated request doesn't send the webhook twice. After 50 attempts, a webhook can't be sent again. With an `Idempotency-Key` header, it also does nothing if that key has already been used for this webhook.",
  body: z.strictObject({ after_tries: count.max(2_147_483_647).meta({ description: "The last known value of `tries`." }) }),
  status: 202,
  answer: z.object({ delivery: deliverySchema }),
  failures: ["not_found", "not_possible", "rate_limited"],
});

export const webhookDeliveryOperations = [list, read, resend];

export function webhookDeliveryRoutes({ accountRoute }: Routes, { database, webhooks, countSend }: ManagementParts): void {
  accountRoute(list, async ({ query: { limit, cursor: before, state } }, { userId }) => {
    const { page, next_cursor } = pageOf(await listDeliveries(database, userId, { state, before, limit: limit + 1 }), limit);
    return { deliveries: page.map(deliveryAnswer), next_cursor };
  });

  accountRoute(read, async ({ params, request }, { userId }) => {
    assertRoomFor(request);
    const { delivery, attempts } = await readDelivery(database, userId, params.id);
    return { delivery: deliveryAnswer(delivery), body: delivery.body, attempts: attempts.map(attemptAnswer) };
  });

  accountRoute(resend, async ({ params, body, request }, { userId }) => {
    const key = idempotencyKeyOf(request);
    await countSend(userId);
    await webhooks.resend(userId, params.id, { attempts: body.after_tries, key });
    return { delivery: deliveryAnswer(await findDelivery(database, userId, params.id)) };
  });
}
