/** `/v1/admin/billing`: subscribers and the state of billing, for administrators. */

import { z } from "zod";
import { listSubscribers, readBillingTimes } from "../../accounts/billing/subscription.ts";
import { readDirectoryEntry } from "../../accounts/people/directory.ts";
import { enabled, subscription, subscriptionAnswer } from "../account/billing.ts";
import type { ManagementParts } from "../account/parts.ts";
import { nullableTime, planSource } from "../account/schemas.ts";
import { answerFrom, operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";

const declare = operationsFor({ tag: "Administration", access: "admin" });

const listMax = 500;

const subscriber = z
  .object({
    user_id: z.uuid(),
    name: z.string(),
    email: z.string(),
    current_plan_id: z.string().meta({ description: "The plan in force, which may have been set manually." }),
    current_plan_source: planSource,
    subscription,
  })
  .meta({ schemaName: "Subscriber" });

const overview = z
  .object({
    enabled: z.boolean(),
    environment: z.enum(["sandbox", "production"]),
    accepts_webhooks: z.boolean().meta({ description: "Whether `BILLING_WEBHOOK_SECRET` is set." }),
    last_webhook_at: nullableTime,
    last_comparison_at: nullableTime.meta({ description: "When all active subscriptions were last compared with the provider's." }),
    subscribers: z.array(subscriber).meta({ description: `At most ${listMax}; subscribers who need attention come first.` }),
  })
  .meta({ schemaName: "AdminBilling" });

const readOverview = declare.get("/v1/admin/billing", {
  id: "getAdminBilling",
  summary: "Subscribers and the state of billing",
  description: "As of the last check of each account; the billing provider is not queried.",
  answer: overview,
});

const checkUser = declare.post("/v1/admin/users/:id/billing/check", {
  id: "checkUserBilling",
  summary: "Refresh an account's subscription from the billing provider",
  failures: ["not_found", "not_possible"],
});

const subscriberAnswer = answerFrom(subscriber);

export const billingAdministrationOperations = [readOverview, checkUser];

export function billingAdministrationRoutes({ accountRoute }: Routes, { config, database, billing }: ManagementParts): void {
  accountRoute(readOverview, async () => {
    const [{ webhookAt, comparedAt }, subscribers] = await Promise.all([readBillingTimes(database), listSubscribers(database, listMax)]);
    return {
      enabled: billing !== undefined,
      environment: config.BILLING_ENVIRONMENT,
      accepts_webhooks: config.BILLING_WEBHOOK_SECRET !== "",
      last_webhook_at: webhookAt,
      last_comparison_at: comparedAt,
      subscribers: subscribers.map((of) => subscriberAnswer({ ...of, subscription: subscriptionAnswer(of) })),
    };
  });

  accountRoute(checkUser, async ({ params }) => {
    const { reconcile } = enabled(billing);
    await readDirectoryEntry(database, params.id, new Date());
    await reconcile(params.id);
  });
}
