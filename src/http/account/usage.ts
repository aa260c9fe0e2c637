/** `GET /v1/account/usage`: an account's usage by day and by key. */

import { z } from "zod";
import { monthOf, planOf } from "../../accounts/usage/plans.ts";
import { usageReport } from "../../accounts/usage/report.ts";
import { operation } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { keyFilter, month, nullableText, usageCounts, usageDay } from "./schemas.ts";

const readUsage = operation({
  id: "getUsage",
  tag: "Usage",
  method: "GET",
  path: "/v1/account/usage",
  summary: "The account's usage, by day and by key",
  description: "Delayed by a few seconds.",
  access: "account",
  query: z.strictObject({
    days: z.int().min(1).max(366).default(30).meta({ description: "Number of days, including today." }),
    key_id: keyFilter,
  }),
  answer: z
    .object({
      month,
      days: z.array(usageDay).meta({ description: "One entry for every day, oldest first." }),
      keys: z
        .array(
          usageCounts.extend({
            key_id: nullableText.meta({ description: "Null for the playground." }),
            name: nullableText,
            hint: nullableText,
          }),
        )
        .meta({ description: "Totals for the same days by key, most captures first." }),
      totals: usageCounts,
    })
    .meta({ schemaName: "Usage" }),
});

export const usageOperations = [readUsage];

export function usageRoutes({ accountRoute }: Routes, { database, usage, clock }: ManagementParts): void {
  accountRoute(readUsage, async ({ query }, { userId }) => {
    await usage.flush(); // includes what this replica has counted so far
    const now = new Date(clock.now());
    const [plan, report] = await Promise.all([
      planOf(database, userId),
      usageReport(database, { userId, days: query.days, now, keyId: query.key_id }),
    ]);
    return {
      month: await monthOf(database, userId, plan, now),
      days: report.days,
      keys: report.keys.map(({ keyId: key_id, ...key }) => ({ key_id, ...key })),
      totals: report.totals,
    };
  });
}
