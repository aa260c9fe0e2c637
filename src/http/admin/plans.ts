/** `/v1/admin/plans`: lists and changes plans. */

import { z } from "zod";
import { type EditablePlan, editPlan, listEditablePlans } from "../../accounts/usage/edit-plan.ts";
import type { Config } from "../../settings/config.ts";
import type { ManagementParts } from "../account/parts.ts";
import { count, nullableCount, nullableText, plan, planAnswer } from "../account/schemas.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";

const declare = operationsFor({ tag: "Administration", access: "admin" });

const integerMax = 2_147_483_647;

const adminPlan = plan
  .extend({
    requests_per_minute: nullableCount.meta({ description: "If null, the service's rate limit applies." }),
    billing_product_id: nullableText.meta({ description: "Product at the billing provider that grants the plan." }),
    is_public: z.boolean().meta({ description: "Whether users who are not on the plan can see it." }),
    users: count.meta({ description: "Accounts on this plan." }),
  })
  .meta({ schemaName: "AdminPlan" });

const listAllPlans = declare.get("/v1/admin/plans", {
  id: "listAllPlans",
  summary: "All plans, including those that aren't public",
  answer: z.object({ plans: z.array(adminPlan) }),
});

const changePlan = declare.patch("/v1/admin/plans/:id", {
  id: "changePlan",
  summary: "Change a plan's name, limits and product",
  description: "Omitted members are left unchanged. Limits apply immediately to all accounts on the plan that have no limits of their own.",
  params: z.strictObject({ id: z.string().regex(/^[^\0]{1,100}$/) }),
  body: z.strictObject({
    name: z.string().trim().min(1).max(100).optional(),
    requests_per_minute: z
      .int()
      .min(1)
      .max(integerMax)
      .nullable()
      .optional()
      .meta({ description: "If null, the service's rate limit applies." }),
    monthly_quota: z.int().min(0).max(integerMax).nullable().optional().meta({ description: "Null if unlimited." }),
    max_keys: z.int().min(1).max(10_000).optional(),
    retention_days: z.int().min(1).max(36_500).optional().meta({ description: "Retention of screenshots taken after the change." }),
    billing_product_id: z.string().trim().min(1).max(200).nullable().optional(),
  }),
  answer: z.object({ plans: z.array(adminPlan) }),
  failures: ["not_found"],
});

export const adminPlanOperations = [listAllPlans, changePlan];

export function adminPlanRoutes({ accountRoute }: Routes, { config, database, keys }: ManagementParts): void {
  const all = async () => ({ plans: (await listEditablePlans(database)).map((one) => adminPlanAnswer(one, config)) });

  accountRoute(listAllPlans, all);

  accountRoute(changePlan, async ({ params, body: { requests_per_minute, ...edit } }, { actor }) => {
    await editPlan(database.as(actor), params.id, { ...edit, rate_limit: requests_per_minute });
    keys.forget("*");
    return await all();
  });
}

function adminPlanAnswer(of: EditablePlan, config: Config): z.input<typeof adminPlan> {
  return {
    ...planAnswer(of, config),
    requests_per_minute: of.rateLimit,
    billing_product_id: of.billingProductId,
    is_public: of.isPublic,
    users: of.users,
  };
}
