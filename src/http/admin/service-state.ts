/** `/v1/admin/state` and `/v1/admin/totals`: recent failures, the state of this replica's queue and browsers, and totals. */

import { z } from "zod";
import { recentFailures } from "../../accounts/history/history.ts";
import { readTotals } from "../../accounts/people/directory.ts";
import { dailyUsage } from "../../accounts/usage/report.ts";
import { failureMessage } from "../../shared/errors.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { ManagementParts } from "../account/parts.ts";
import { count, usageDay } from "../account/schemas.ts";
import { operation } from "../openapi/operation.ts";
import { componentCheck } from "../server/health.ts";
import type { Routes } from "../server/operation-routes.ts";

const state = z
  .object({
    failures: z
      .array(z.object({ code: z.string(), message: z.string(), last_hour: count, last_day: count }))
      .meta({ description: "Failed captures of all accounts by error code, most frequent first." }),
    replica: z
      .object({
        status: z.enum(["healthy", "degraded", "unhealthy"]),
        uptime: count.meta({ description: "Seconds since the process started." }),
        checks: z.array(componentCheck),
        queue: z.object({ running: count, waiting: count, capacity: count.meta({ description: "Captures that can run concurrently." }) }),
        browsers: z.object({
          open: count,
          started: count,
          retries: count.meta({ description: "Captures that were retried in another browser." }),
          ended_early: z.array(z.object({ reason: z.string(), count })),
        }),
      })
      .meta({ description: "The process that handled the request. Its counts start from zero when it starts." }),
  })
  .meta({ schemaName: "ServiceState" });

const readState = operation({
  id: "getServiceState",
  tag: "Administration",
  method: "GET",
  path: "/v1/admin/state",
  summary: "Recent failures, queue and browsers",
  access: "admin",
  answer: state,
});

export const serviceStateOperations = [readState];

export function serviceStateRoutes({ accountRoute }: Routes, { database, health, slots, metrics }: ManagementParts): void {
  accountRoute(readState, async () => {
    const [failures, { status, checks }, browsers] = await Promise.all([recentFailures(database), health(), browserCounts(metrics)]);
    const { running, waiting, max, started: open } = slots.state();
    return {
      failures: failures.map(({ code, lastHour, lastDay }) => ({
        code,
        message: failureMessage(code),
        last_hour: lastHour,
        last_day: lastDay,
      })),
      replica: {
        status,
        uptime: Math.floor(process.uptime()),
        checks,
        queue: { running, waiting, capacity: max },
        browsers: { open, ...browsers },
      },
    };
  });
}

async function browserCounts({ browserLaunches, captureRetries, browserEnds }: Metrics) {
  const [launches, retries, ends] = await Promise.all([browserLaunches.get(), captureRetries.get(), browserEnds.get()]);
  return {
    started: launches.values[0]?.value ?? 0,
    retries: retries.values[0]?.value ?? 0,
    ended_early: ends.values.map(({ labels, value }) => ({ reason: String(labels.reason), count: value })),
  };
}

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
