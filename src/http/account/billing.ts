/** `/v1/account/billing`: the account's subscription, prices, and links to the provider's checkout and portal. */

import type { FastifyInstance, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Billing } from "../../accounts/billing/billing.ts";
import { readSubscription } from "../../accounts/billing/subscription.ts";
import type { BillingWebhooks } from "../../accounts/billing/webhooks.ts";
import { subscriptionStatuses } from "../../accounts/usage/plans.ts";
import { AppError } from "../../shared/errors.ts";
import { answerFrom, operation, operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { count, nullableCount, nullableText, nullableTime } from "./schemas.ts";

const declare = operationsFor({ tag: "Billing", access: "account" });

const period = z.enum(["day", "week", "month", "year"]);

export const subscription = z
  .object({
    status: z.enum(subscriptionStatuses),
    plan_id: nullableText.meta({
      description: "Plan that is linked to the subscribed product, whether or not `status` grants it; null if there is none.",
    }),
    plan_name: nullableText,
    amount: nullableCount.meta({ description: "Price per period, in the currency's smallest unit." }),
    currency: nullableText,
    period: period.nullable(),
    trial_ends_at: nullableTime,
    current_period_end: nullableTime,
    cancel_at_period_end: z.boolean(),
    ends_at: nullableTime,
    resumes_at: nullableTime.meta({ description: "When a paused subscription resumes; null if it must be resumed manually." }),
    checked_at: z.date().meta({ description: "When the provider was last queried." }),
  })
  .meta({ schemaName: "Subscription" });

const state = z
  .object({
    enabled: z.boolean().meta({ description: "If false, the operator assigns plans, and none can be bought." }),
    subscription: subscription.nullable(),
  })
  .meta({ schemaName: "Billing" });

const price = z
  .object({
    plan_id: z.string(),
    amount: nullableCount.meta({ description: "In the currency's smallest unit; null if the price isn't fixed." }),
    currency: nullableText,
    period,
    period_count: count.meta({ description: "Number of periods between payments." }),
    trial: z.object({ unit: period, count }).nullable(),
  })
  .meta({ schemaName: "Price" });

const readBilling = declare.get("/v1/account/billing", {
  id: "getBilling",
  summary: "The account's subscription",
  description: "As of the last check; the billing provider is not queried.",
  answer: state,
});

const listPrices = declare.get("/v1/account/billing/prices", {
  id: "listPrices",
  summary: "The prices of the plans that can be bought",
  answer: z.object({ prices: z.array(price) }),
});

const checkBilling = declare.post("/v1/account/billing/check", {
  id: "checkBilling",
  summary: "Refresh the account's subscription from the billing provider",
  description:
    "The plan is in effect by the time the response arrives. Each process queries the provider at most once every two seconds per account; requests in between get the previous result.",
  answer: state,
  failures: ["not_possible"],
});

const link = z.object({ url: z.string().meta({ description: "The URL for the browser to open." }) });

const startCheckout = declare.post("/v1/account/billing/checkout", {
  id: "startCheckout",
  summary: "Buy a plan",
  body: z.strictObject({ plan_id: z.string().min(1).max(100) }),
  answer: link,
  failures: ["not_possible", "not_found", "rate_limited"],
});

const openPortal = declare.post("/v1/account/billing/portal", {
  id: "openPortal",
  summary: "Manage the subscription at the billing provider",
  answer: link,
  failures: ["not_possible", "rate_limited"],
});

export const billingOperations = [readBilling, listPrices, checkBilling, startCheckout, openPortal];

const checkPauseMs = 2_000;

export function billingRoutes({ accountRoute }: Routes, { database, billing, countAttempt }: ManagementParts): void {
  /** Recent checks in this replica, by account. */
  const recent = new LRUCache<string, Promise<void>>({ max: 10_000, ttl: checkPauseMs });

  async function stateOf(userId: string): Promise<z.input<typeof state>> {
    const known = await readSubscription(database, userId);
    return { enabled: billing !== undefined, subscription: known && subscriptionAnswer(known) };
  }

  accountRoute(readBilling, async (_input, { userId }) => await stateOf(userId));

  accountRoute(listPrices, async () => ({ prices: ((await billing?.readPrices()) ?? []).map(answerFrom(price)) }));

  accountRoute(checkBilling, async (_input, { userId }) => {
    const { reconcile } = enabled(billing);
    const check = recent.get(userId) ?? reconcile(userId);
    if (!recent.has(userId)) recent.set(userId, check);
    await check.catch((error) => {
      recent.delete(userId);
      throw error;
    });
    return await stateOf(userId);
  });

  /** Limits the calls per account and IP address, because all accounts share the provider's rate limit. */
  const limited = async (request: FastifyRequest, userId: string) => {
    await countAttempt(request.ip, `billing:${userId}`);
    return enabled(billing).purchase;
  };

  accountRoute(startCheckout, async ({ body, request }, { userId }) => ({
    url: await (await limited(request, userId)).checkout(userId, body.plan_id),
  }));

  accountRoute(openPortal, async ({ request }, { userId }) => ({ url: await (await limited(request, userId)).portal(userId) }));
}

/** @throws {AppError} `not_possible` if billing is not configured. */
export function enabled(billing: Billing | undefined): Billing {
  if (!billing) throw new AppError("not_possible", { message: "This service doesn't sell plans: its operator assigns them." });
  return billing;
}

export const subscriptionAnswer = answerFrom(subscription);

export const receiveBillingWebhook = operation({
  id: "receiveBillingWebhook",
  tag: "Webhooks",
  method: "POST",
  path: "/v1/billing/webhook",
  summary: "Receive a webhook from the billing provider",
  description: "Signed as specified by [Standard Webhooks](https://www.standardwebhooks.com). A repeated webhook has no effect.",
  access: "public",
  checksOrigin: false,
  status: 202,
  failures: ["invalid_parameters", "signature_invalid", "not_found", "payload_too_large", "unsupported_media_type"],
});

const bodyBytesMax = 1024 * 1024;

/**
 * Requires a dedicated Fastify instance: the signature covers the raw body, so it is not parsed.
 * @param webhooks undefined if billing is not configured.
 */
export function billingWebhookRoute(app: FastifyInstance, { publicRoute }: Routes, webhooks: BillingWebhooks | undefined): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer", bodyLimit: bodyBytesMax }, (_request, body, done) => done(null, body));
  publicRoute(receiveBillingWebhook, async ({ request }) => {
    if (!webhooks) throw new AppError("not_found");
    await webhooks.receive(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0), request.headers);
  });
}
