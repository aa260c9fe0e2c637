/** The watch operations, which are the same with an API key and with a dashboard session. */

import { z } from "zod";
import type { FailureCode } from "../../shared/errors.ts";
import { runStatuses } from "../../watches/run-records.ts";
import { watchStates } from "../../watches/watch-records.ts";
import { admissionFailures } from "../captures/state.ts";
import { keyInQuery, operation, operationsFor } from "../openapi/operation.ts";
import { accepted, changes, created, muting, runSchema, watchSchema } from "./schemas.ts";

export type WatchOperations = ReturnType<typeof allFor>;

const cursor = z.uuid().optional().meta({ description: "Id of the last entry on the previous page." });
const limit = z.int().min(1).max(100).default(50);
const nextCursor = z.uuid().nullable().meta({ description: "Value of `before` for the next page; null on the last page." });

function basicsFor(access: "key" | "account") {
  const isWithKey = access === "key";
  const path = isWithKey ? "/v1/watches" : "/v1/account/watches";
  const query = z.object(isWithKey ? keyInQuery : {});
  const params = z.strictObject({ id: z.uuid().meta({ description: "Id of the watch." }) });
  const refused = isWithKey ? admissionFailures : [];
  return {
    path,
    one: `${path}/:id`,
    named: (id: string) => (isWithKey ? id : `${id}InDashboard`),
    declare: operationsFor({ tag: "Watches", access }),
    query,
    params,
    refused,
    withOptions: isWithKey ? ({ options: "watch" } as const) : {},
    ofOne: { params, failures: [...refused, "not_found"] as FailureCode[] },
    page: { limit, before: cursor, ...query.shape },
  };
}

type Basics = ReturnType<typeof basicsFor>;

function ownOperations({ declare, path, one, named, query, refused, withOptions, ofOne, page }: Basics) {
  return {
    create: declare.post(path, {
      ...withOptions,
      id: named("createWatch"),
      summary: "Watch a page",
      description:
        "Captures the page at an interval or by a cron expression, compares each run with the accepted one, and reports changes. Each run counts as one screenshot toward the quota.",
      body: created,
      status: 201,
      answer: watchSchema,
      failures: [...refused, "invalid_url", "target_not_allowed", "proxy_not_allowed", "idempotency_key_reused", "watch_limit_reached"],
    }),
    list: declare.get(path, {
      id: named("listWatches"),
      summary: "The account's watches",
      description: "Newest first; fewer than `limit` if their options and muted regions are very long together.",
      query: z.object({ ...page, state: z.enum(watchStates).optional() }),
      answer: z.object({ watches: z.array(watchSchema), next_cursor: nextCursor }),
      failures: refused,
    }),
    read: declare.get(one, { ...ofOne, id: named("getWatch"), summary: "Read a watch", query, answer: watchSchema }),
    change: declare.patch(one, {
      ...ofOne,
      ...withOptions,
      id: named("changeWatch"),
      summary: "Change a watch",
      description:
        "Omitted members are left unchanged; null resets a member to its default. A different `url` or different capture options restart the watch: its next run becomes the accepted one, and the watch learns again.",
      body: changes,
      answer: watchSchema,
      failures: [...ofOne.failures, "invalid_url", "target_not_allowed", "proxy_not_allowed"],
    }),
    remove: declare.delete(one, {
      ...ofOne,
      id: named("deleteWatch"),
      summary: "Delete a watch, its runs and their images",
      query,
    }),
  };
}

function actionOperations({ declare, one, named, ofOne }: Basics) {
  return {
    run: declare.post(`${one}/run`, {
      ...ofOne,
      id: named("runWatch"),
      summary: "Run a watch now",
      description: "Returns the new run, or the current one if it has not ended. Also possible while the watch is paused.",
      status: 202,
      answer: runSchema,
      failures: [...ofOne.failures, "quota_exceeded", "idempotency_key_reused"],
    }),
    pause: declare.post(`${one}/pause`, {
      ...ofOne,
      id: named("pauseWatch"),
      summary: "Pause a watch",
      answer: watchSchema,
    }),
    resume: declare.post(`${one}/resume`, {
      ...ofOne,
      id: named("resumeWatch"),
      summary: "Resume a watch",
      description: "The watch runs immediately if it is still learning, or if its interval ended during the pause.",
      answer: watchSchema,
    }),
    accept: declare.post(`${one}/accept`, {
      ...ofOne,
      id: named("acceptRun"),
      summary: "Accept a run",
      description: "Later runs are compared with the accepted run.",
      body: accepted,
      answer: watchSchema,
    }),
  };
}

function mutedOperations({ declare, one, named, params, query, ofOne }: Basics) {
  return {
    mute: declare.post(`${one}/muted`, {
      ...ofOne,
      id: named("mute"),
      summary: "Mute a part of the page",
      description: "Send `selector` or `box`.",
      body: muting,
      answer: watchSchema,
    }),
    unmute: declare.delete(`${one}/muted/:mute_id`, {
      ...ofOne,
      id: named("unmute"),
      params: params.extend({ mute_id: z.uuid() }),
      summary: "Unmute a part of the page",
      query,
      answer: watchSchema,
    }),
  };
}

function runOperations({ declare, one, named, params, query, ofOne, page }: Basics) {
  return {
    runs: declare.get(`${one}/runs`, {
      ...ofOne,
      id: named("listRuns"),
      summary: "A watch's runs",
      description: "Newest first, each with its first three regions. Runs are kept for 90 days.",
      query: z.object({ ...page, status: z.enum(runStatuses).optional() }),
      answer: z.object({ runs: z.array(runSchema), next_cursor: nextCursor }),
    }),
    readRun: declare.get(`${one}/runs/:run_id`, {
      ...ofOne,
      id: named("getRun"),
      params: params.extend({ run_id: z.uuid() }),
      summary: "Read a run",
      query,
      answer: runSchema,
    }),
  };
}

function allFor(access: "key" | "account") {
  const basics = basicsFor(access);
  return { ...ownOperations(basics), ...actionOperations(basics), ...mutedOperations(basics), ...runOperations(basics) };
}

export const watchOperations = allFor("key");
export const dashboardWatchOperations = allFor("account");

const signed = {
  tag: "Watches",
  method: "GET",
  access: "public",
  query: z.object({ signature: z.string().default("").meta({ description: "Signature of the URL." }) }),
} as const;

export const watchFeed = operation({
  ...signed,
  id: "getWatchFeed",
  path: "/v1/watches/:id/feed.atom",
  summary: "A page's changes as an Atom feed",
  description: "The URL is the watch's `feed_url`. Contains the last 30 reported changes and failures.",
  params: z.strictObject({ id: z.uuid() }),
  answer: z.string().meta({ contentType: "application/atom+xml" }),
  failures: ["signature_invalid", "not_found"],
});

export const runDifference = operation({
  ...signed,
  id: "getRunDifference",
  path: "/v1/watches/:id/runs/:run_id/difference.png",
  summary: "A run's image with the changed regions marked",
  description: "The URL is the run's `difference_link`.",
  params: z.strictObject({ id: z.uuid(), run_id: z.uuid() }),
  answer: z.file(),
  failures: ["signature_invalid", "not_found", "queue_full"],
});
