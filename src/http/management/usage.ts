/** `GET /v1/account/usage`: what an account's keys were used for. */

import { z } from "zod";
import type { Management } from "../../accounts/management.ts";
import type { Clock } from "../../clock.ts";
import { operation } from "../operation.ts";
import type { Serve } from "../serve.ts";
import { keyFilter, month, nullableText, usageCounts, usageDay } from "./schemas.ts";

const readUsage = operation({
  id: "getUsage",
  tag: "Usage",
  method: "GET",
  path: "/v1/account/usage",
  summary: "What the account used, by day and by key",
  description: "Some seconds late.",
  access: "account",
  query: z.strictObject({
    days: z.int().min(1).max(366).default(30).meta({ description: "Number of days, today included." }),
    key_id: keyFilter,
  }),
  answer: z.object({
    month,
    days: z.array(usageDay).meta({ description: "Oldest first, every day of the range." }),
    keys: z
      .array(
        usageCounts.extend({ key_id: nullableText.meta({ description: "null: the playground." }), name: nullableText, hint: nullableText }),
      )
      .meta({ description: "Of the same range, most captures first." }),
    totals: usageCounts,
  }),
});

export const usageOperations = [readUsage];

export function usageRoutes(serve: Serve, { management, clock }: { management: Management; clock: Clock }): void {
  serve.toAccount(readUsage, async ({ query }, { userId }) => {
    const now = new Date(clock.now());
    const [plan, report] = await Promise.all([
      management.planOf(userId),
      management.usageReport({ userId, days: query.days, now, keyId: query.key_id }),
    ]);
    return {
      month: await management.monthOf(userId, plan, now),
      days: report.days,
      keys: report.keys.map(({ keyId: key_id, ...key }) => ({ key_id, ...key })),
      totals: report.totals,
    };
  });
}
