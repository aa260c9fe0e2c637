/** Response schemas of webhook deliveries. */

import { z } from "zod";
import { type Delivery, deliveryStates } from "../../webhooks/deliveries.ts";
import { eventTypes } from "../../webhooks/emit.ts";
import { answerFrom } from "../openapi/answer-from.ts";
import { count, nullableCount, nullableText, nullableTime } from "./schemas.ts";

export const deliveryState = z.enum(deliveryStates);

export const deliverySchema = z
  .object({
    id: z.uuid().meta({ description: "Id of the event, as in the `webhook-id` header." }),
    type: z.enum(eventTypes),
    url: z.string(),
    state: deliveryState,
    tries: count.meta({ description: "Number of attempts so far." }),
    tries_max: count,
    next_try_at: nullableTime,
    status: nullableCount.meta({ description: "HTTP status of the latest response; null if there is none." }),
    error: nullableText.meta({ description: "Why the webhook has not been delivered, as a sentence." }),
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
  status: nullableCount.meta({ description: "null without a response." }),
  response_headers: headers.nullable(),
  response_body: nullableText.meta({ description: "At most 64 KB." }),
  is_cut: z.boolean().meta({ description: "Whether the body was truncated or incomplete." }),
  error: nullableText,
});

export const deliveryDetails = z
  .object({
    delivery: deliverySchema,
    body: z.string().meta({ description: "The body as sent with every attempt." }),
    attempts: z.array(attempt).meta({ description: "Latest first, at most 50." }),
  })
  .meta({ schemaName: "WebhookDeliveryDetails" });

const answer = answerFrom(deliverySchema);

export const deliveryAnswer = (of: Delivery) =>
  answer({ ...of, tries: of.attempts, triesMax: of.attemptsMax, nextTryAt: of.nextAttemptAt });

export const attemptAnswer = answerFrom(attempt);
