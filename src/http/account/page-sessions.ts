/** `/v1/sessions` with an API key, and `/v1/account/page-sessions` in the dashboard: sessions for pages that need a sign-in. */

import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { type Caller, playgroundCaller } from "../../accounts/keys/caller.ts";
import type { PageSession, PageSessions } from "../../accounts/sessions/page-sessions.ts";
import type { Actor, Database } from "../../database/database.ts";
import { sessionName, storageState } from "../../shared/storage-state.ts";
import { admissionFailures } from "../captures/state.ts";
import type { KeyRoute } from "../input/key-routes.ts";
import { answerFrom } from "../openapi/answer-from.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import { cursor, nextCursor, nullableTime, pageOf } from "./schemas.ts";

/** Limits on bodies, checked before a body is parsed: a state may contain values of any depth. */
export const sessionBodies = { megabytesMax: 1, bounds: { parts: 20_000, levels: 40 } };

const sessionSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    hosts: z.array(z.string()).meta({ description: "Hosts that the session may be used for; a leading dot includes subdomains." }),
    version: z.int().meta({ description: "Number of states saved under this name so far." }),
    created_at: z.date(),
    updated_at: z.date(),
    last_used_at: nullableTime.meta({ description: "To the minute." }),
  })
  .meta({ schemaName: "PageSession" });

const answerOf = answerFrom(sessionSchema);
const params = z.strictObject({ name: sessionName.meta({ description: "Name of the session." }) });
const keyInQuery = { api_key: z.string().optional().meta({ description: "The API key, unless it is in a header." }) };
const limit = z.int().min(1).max(100).default(50);
const answerOfList = z.object({ sessions: z.array(sessionSchema), next_cursor: nextCursor });
const withKey = operationsFor({ tag: "Sessions", access: "key" });
const inDashboard = operationsFor({ tag: "Sessions", access: "account" });

const save = withKey.post("/v1/sessions", {
  id: "savePageSession",
  summary: "Save a session",
  description:
    "Saves cookies and storage for captures with `session`. Replaces any session with this name. The state is encrypted and never returned.",
  body: z.object({
    name: sessionName.meta({ valid: "1 to 64 letters, digits, _ and -", description: "Name to send as the `session` option." }),
    state: storageState.meta({ description: "As Playwright's `storageState` returns it: cookies, and each origin's storage." }),
  }),
  status: 201,
  answer: sessionSchema,
  failures: [...admissionFailures, "payload_too_large", "session_limit_reached"],
});

const list = withKey.get("/v1/sessions", {
  id: "listPageSessions",
  summary: "The account's sessions",
  description: "Newest first, without their states.",
  query: z.object({ limit, before: cursor, ...keyInQuery }),
  answer: answerOfList,
  failures: admissionFailures,
});

const one = { params, failures: [...admissionFailures, "not_found" as const], query: z.object(keyInQuery) };
const read = withKey.get("/v1/sessions/:name", {
  ...one,
  id: "getPageSession",
  summary: "Read a session, without its state",
  answer: sessionSchema,
});
const remove = withKey.delete("/v1/sessions/:name", {
  ...one,
  id: "deletePageSession",
  summary: "Delete a session",
  description: "Its state is deleted immediately.",
});

export const pageSessionOperations = [save, list, read, remove];

const listInDashboard = inDashboard.get("/v1/account/page-sessions", {
  id: "listPageSessionsInDashboard",
  summary: "The account's page sessions",
  query: z.strictObject({ limit, cursor }),
  answer: answerOfList,
});
const removeInDashboard = inDashboard.delete("/v1/account/page-sessions/:name", {
  id: "deletePageSessionInDashboard",
  summary: "Delete a page session",
  params,
  failures: ["not_found"],
});

export const dashboardPageSessionOperations = [listInDashboard, removeInDashboard];

interface Parts {
  database: Database;
  pageSessions: PageSessions;
}

export function pageSessionRoutes(keyRoute: KeyRoute, { database, pageSessions }: Parts): void {
  const by = ({ userId }: Caller, { ip }: FastifyRequest): Actor => ({ via: "api", userId, ip });
  keyRoute(save, async ({ caller, body: { name, state }, request, reply }) => {
    reply.header("location", `/v1/sessions/${name}`);
    return answerOf(await pageSessions.save(database.as(by(caller, request)), caller, name, state));
  });
  keyRoute(list, async ({ caller, query: { limit, before } }) => {
    return answerOfPage(await pageSessions.list(caller, { limit: limit + 1, before }), limit);
  });
  keyRoute(read, async ({ caller, params: { name } }) => answerOf(await pageSessions.read(caller, name)));
  keyRoute(remove, async ({ caller, params: { name }, request }) => {
    await pageSessions.remove(database.as(by(caller, request)), caller, name);
    return undefined;
  });
}

export function dashboardSessionRoutes({ accountRoute }: Routes, { database, pageSessions }: Parts): void {
  accountRoute(listInDashboard, async ({ query: { limit, cursor: before } }, { userId }) => {
    return answerOfPage(await pageSessions.list(await playgroundCaller(database, userId), { limit: limit + 1, before }), limit);
  });
  accountRoute(removeInDashboard, async ({ params: { name } }, { userId, actor }) => {
    await pageSessions.remove(database.as(actor), await playgroundCaller(database, userId), name);
    return undefined;
  });
}

function answerOfPage(found: PageSession[], limit: number): z.input<typeof answerOfList> {
  const { page, next_cursor } = pageOf(found, limit);
  return { sessions: page.map(answerOf), next_cursor };
}
