/** `/v1/account/webhooks`: the signing secret, test events, and paused URLs. */

import { z } from "zod";
import { record } from "../../accounts/people/audit.ts";
import { listPaused, resumeAddress } from "../../webhooks/addresses.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { nullableTime } from "./schemas.ts";

const declare = operationsFor({ tag: "Webhooks", access: "account" });

const path = "/v1/account/webhooks";

const readState = declare.get(path, {
  id: "getWebhooks",
  summary: "The state of the account's webhooks",
  answer: z
    .object({
      secret: z
        .object({
          created_at: z.date(),
          shown: z.boolean().meta({ description: "Whether the secret has been shown, which is possible only once." }),
          previous_until: nullableTime.meta({
            description: "After a rotation, the time until which webhooks are also signed with the old secret.",
          }),
        })
        .nullable()
        .meta({ description: "Null if there is no secret yet." }),
      paused: z
        .array(z.object({ id: z.uuid(), url: z.string(), reason: z.string(), paused_at: z.date() }))
        .meta({ description: "URLs to which no new events are sent until they are resumed; at most 100." }),
      allow_http: z.boolean().meta({ description: "If false, URLs must be https." }),
    })
    .meta({ schemaName: "Webhooks" }),
});

const secret = z.string().meta({ description: "Begins with `whsec_`; returned only once." });

const showSecret = declare.post(`${path}/secret`, {
  id: "showWebhookSecret",
  summary: "Show the signing secret, once",
  description: "Creates it if there is none.",
  status: 201,
  answer: z.object({ secret }),
  failures: ["not_possible"],
});

const rotateSecret = declare.post(`${path}/secret/rotate`, {
  id: "rotateWebhookSecret",
  summary: "Rotate the signing secret",
  description: "For 24 hours, webhooks carry two signatures: one made with the new secret, one with the old.",
  status: 201,
  answer: z.object({ secret }),
  failures: ["not_possible"],
});

const sendTest = declare.post(`${path}/test`, {
  id: "sendTestWebhook",
  summary: "Send a test event",
  description: "Sent once, even to a paused URL.",
  body: z.strictObject({ url: z.string().trim().min(1).max(4096).meta({ format: "uri" }) }),
  status: 202,
  answer: z.object({ id: z.uuid().meta({ description: "Id of the delivery." }) }),
  failures: ["rate_limited"],
});

const resume = declare.post(`${path}/addresses/:id/resume`, {
  id: "resumeWebhookAddress",
  summary: "Resume a paused URL",
  description: "New events are sent to the URL again. Events that occurred during the pause are recorded as failed; each can be resent.",
  failures: ["not_found"],
});

export const webhookOperations = [readState, showSecret, rotateSecret, sendTest, resume];

const vetTimeoutMs = 10_000;

export function webhookRoutes(
  { accountRoute }: Routes,
  { config, database, webhooks: { secrets, test }, countSend }: ManagementParts,
): void {
  accountRoute(readState, async (_input, { userId }) => {
    const found = await secrets.state(database, userId);
    const paused = await listPaused(database, userId);
    return {
      secret: found ? { created_at: found.createdAt, shown: found.isShown, previous_until: found.previousUntil } : null,
      paused: paused.map(({ id, url, reason, pausedAt }) => ({ id, url, reason, paused_at: pausedAt })),
      allow_http: config.WEBHOOK_ALLOW_HTTP,
    };
  });

  for (const [shown, action, change] of [
    [showSecret, "webhook.secret_shown", secrets.show],
    [rotateSecret, "webhook.secret_rotated", secrets.rotate],
  ] as const)
    accountRoute(shown, (_input, { userId, actor }) =>
      database.as(actor).transaction(async (transaction) => {
        const answer = { secret: await change(transaction, userId) };
        await record(transaction, { action, accountId: userId });
        return answer;
      }),
    );

  accountRoute(sendTest, async ({ body }, { userId }) => {
    await countSend(userId);
    return { id: await test(userId, body.url, AbortSignal.timeout(vetTimeoutMs)) };
  });

  accountRoute(resume, async ({ params }, { userId, actor }) => {
    await database.as(actor).transaction(async (transaction) => {
      const { url, wasPaused } = await resumeAddress(transaction, userId, params.id);
      if (wasPaused) await record(transaction, { action: "webhook.resumed", accountId: userId, subject: url, subjectId: params.id });
    });
  });
}
