/** `/v1/admin/totals`: the whole service, for administrators. */

import { z } from "zod";
import { readTotals } from "../../accounts/people/directory.ts";
import { dailyUsage } from "../../accounts/usage/report.ts";
import type { ManagementParts } from "../account/parts.ts";
import { count, usageDay } from "../account/schemas.ts";
import { operation } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";

const getTotals = operation({
  id: "getTotals",
  tag: "Administration",
  method: "GET",
  path: "/v1/admin/totals",
  summary: "Totals of accounts, keys and screenshots, and usage by day",
  access: "admin",
  query: z.strictObject({ days: z.int().min(1).max(366).default(30) }),
  answer: z
    .object({
      users: count,
      users_disabled: count,
      keys_active: count,
      screenshots_stored: count,
      days: z.array(usageDay),
    })
    .meta({ schemaName: "AdminTotals" }),
});

export const administrationOperations = [getTotals];

export function administrationRoutes({ accountRoute }: Routes, { database, clock }: ManagementParts): void {
  accountRoute(getTotals, async ({ query }) => {
    const [{ users, usersDisabled, keysActive, screenshotsStored }, days] = await Promise.all([
      readTotals(database),
      dailyUsage(database, { userId: null, days: query.days, now: new Date(clock.now()) }),
    ]);
    return { users, users_disabled: usersDisabled, keys_active: keysActive, screenshots_stored: screenshotsStored, days };
  });
}
