/** `/v1/sessions` with an API key, and `/v1/account/page-sessions` in the dashboard: sessions for pages that need a sign-in. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { type Caller, playgroundCaller } from "../../accounts/keys/caller.ts";
import type { SignIn } from "../../accounts/people/sign-in.ts";
import type { PageSession } from "../../accounts/sessions/page-session.ts";
import { addressBucket, type CountAttempt, type RateLimiter } from "../../accounts/usage/rate-limit.ts";
import type { Actor, Database } from "../../database/database.ts";
import type { Config } from "../../settings/config.ts";
import { sessionName } from "../../shared/storage-state.ts";
import { turnOf } from "../../shared/turns.ts";
import { requireSession } from "../account/request-session.ts";
import { cursor, nextCursor, nullableText, nullableTime, pageOf } from "../account/schemas.ts";
import { admissionFailures } from "../captures/state.ts";
import type { KeyRoute } from "../input/key-routes.ts";
import { captureFailures, playgroundFailures } from "../openapi/answers.ts";
import { answerFrom, operationsFor } from "../openapi/operation.ts";
import { admissionBy } from "../screenshots/admission.ts";
import { acceptJson, bodyOf } from "../screenshots/json-input.ts";
import { createOperationRoutes, type Routes } from "../server/operation-routes.ts";
import { limitsOfBodies, readSaved, type SavedSession, savedSession } from "./session-body.ts";
import { type SignInParts, saveSignedIn, signInAgain } from "./session-sign-in.ts";

const sessionSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    hosts: z.array(z.string()).meta({ description: "Hosts that the session may be used for; a leading dot includes subdomains." }),
    version: z.int().meta({ description: "Number of states saved under this name so far." }),
    created_at: z.date(),
    updated_at: z.date(),
    last_used_at: nullableTime.meta({ description: "Accurate to within a minute." }),
    signs_in: z
      .boolean()
      .meta({ description: "Whether the session has sign-in steps, which run again when the session has been signed out." }),
    signed_in_at: nullableTime.meta({ description: "When the steps last signed in." }),
    sign_in_error: nullableText.meta({ description: "Why the last sign-in attempt failed; null if it succeeded or there was none." }),
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
    "Saves cookies and storage for captures with `session`. Send either the `state` itself, or a `url` and `steps` that sign in; the steps run immediately, in a capture that counts as a screenshot. Replaces any session with this name, unless the sign-in fails. State, steps and secrets are encrypted and never returned.",
  body: savedSession,
  status: 201,
  answer: sessionSchema,
  failures: [...captureFailures(), "payload_too_large", "session_limit_reached"],
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
const signAgain = withKey.post("/v1/sessions/:name/sign-in", {
  params,
  id: "signInPageSession",
  summary: "Sign in again",
  description:
    "Runs the session's steps again, in a capture that counts as a screenshot. Captures do this automatically when they show a sign-in page. The session keeps its state if the sign-in fails.",
  answer: sessionSchema,
  failures: [...captureFailures(), "not_found"],
});
const remove = withKey.delete("/v1/sessions/:name", {
  ...one,
  id: "deletePageSession",
  summary: "Delete a session",
  description: "Its state is deleted immediately.",
});

export const pageSessionOperations = [save, list, read, signAgain, remove];

const listInDashboard = inDashboard.get("/v1/account/page-sessions", {
  id: "listPageSessionsInDashboard",
  summary: "The account's page sessions",
  query: z.strictObject({ limit, cursor }),
  answer: answerOfList,
});
const saveInDashboard = inDashboard.post("/v1/account/page-sessions", {
  id: "savePageSessionInDashboard",
  summary: "Save a page session",
  description: "Same as with an API key.",
  body: savedSession,
  status: 201,
  answer: sessionSchema,
  failures: [...playgroundFailures(), "payload_too_large", "session_limit_reached"],
});
const signAgainInDashboard = inDashboard.post("/v1/account/page-sessions/:name/sign-in", {
  id: "signInPageSessionInDashboard",
  summary: "Run a page session's sign-in again",
  description: "Same as with an API key.",
  params,
  answer: sessionSchema,
  failures: [...playgroundFailures(), "not_found"],
});
const removeInDashboard = inDashboard.delete("/v1/account/page-sessions/:name", {
  id: "deletePageSessionInDashboard",
  summary: "Delete a page session",
  params,
  failures: ["not_found"],
});

export const dashboardPageSessionOperations = [listInDashboard, saveInDashboard, signAgainInDashboard, removeInDashboard];

interface Parts extends SignInParts {
  database: Database;
}

/** @param by.actor the user or key that saves the session, for the audit log. */
async function saveFrom(parts: Parts, body: SavedSession, by: { caller: Caller; actor: Actor; reply: FastifyReply }) {
  const saved = readSaved(body);
  if ("plan" in saved) return await saveSignedIn(parts, { ...by, ...saved });
  return await parts.pageSessions.save(parts.database.as(by.actor), by.caller, saved.name, saved.state);
}

export function pageSessionRoutes(keyRoute: KeyRoute, parts: Parts): void {
  const { database, pageSessions } = parts;
  const by = ({ userId }: Caller, { ip }: FastifyRequest): Actor => ({ via: "api", userId, ip });
  keyRoute(save, async ({ caller, body, request, reply }) => {
    const session = await saveFrom(parts, body, { caller, actor: by(caller, request), reply });
    reply.header("location", `/v1/sessions/${session.name}`);
    return answerOf(session);
  });
  keyRoute(list, async ({ caller, query: { limit, before } }) => {
    return answerOfPage(await pageSessions.list(caller, { limit: limit + 1, before }), limit);
  });
  keyRoute(read, async ({ caller, params: { name } }) => answerOf(await pageSessions.read(caller, name)));
  keyRoute(signAgain, async ({ caller, params: { name }, request, reply }) =>
    answerOf(await signInAgain(parts, { caller, actor: by(caller, request), reply, name })),
  );
  keyRoute(remove, async ({ caller, params: { name }, request }) => {
    await pageSessions.remove(database.as(by(caller, request)), caller, name);
    return undefined;
  });
}

type DashboardParts = Parts & {
  signIn: SignIn;
  rateLimiter: RateLimiter;
  countChange: CountAttempt;
  config: Pick<Config, "MAX_REQUEST_BODY_MB">;
};

export function dashboardSessionRoutes({ accountRoute }: Routes, parts: DashboardParts, app: FastifyInstance): void {
  const { database, pageSessions } = parts;
  accountRoute(listInDashboard, async ({ query: { limit, cursor: before } }, { userId }) => {
    return answerOfPage(await pageSessions.list(await playgroundCaller(database, userId), { limit: limit + 1, before }), limit);
  });
  accountRoute(signAgainInDashboard, async ({ params: { name }, request, reply }, { userId, actor }) => {
    const caller = await admitted(parts, userId, request, reply);
    return answerOf(await signInAgain(parts, { caller, actor, reply, name }));
  });
  accountRoute(removeInDashboard, async ({ params: { name } }, { userId, actor }) => {
    await pageSessions.remove(database.as(actor), await playgroundCaller(database, userId), name);
    return undefined;
  });
  app.register(async (saves) => saveRoute(saves, parts));
}

/** Counts the request toward the rate limit, and returns the account as a caller. @throws {AppError} `rate_limited`, `not_signed_in`. */
function admitted({ database, rateLimiter }: DashboardParts, userId: string, request: FastifyRequest, reply: FastifyReply) {
  return admissionBy(async () => await playgroundCaller(database, userId), rateLimiter).admit(request, reply);
}

/** Accepts larger bodies than other dashboard routes, so it checks the session before the body is received. */
function saveRoute(app: FastifyInstance, parts: DashboardParts): void {
  const { signIn, countChange, config } = parts;
  const { config: limits, bounds } = limitsOfBodies(config);
  acceptJson(app, limits, bounds);
  app.addHook("onRequest", async (request, reply) => void (await requireSession(signIn, request, reply)));
  app.addHook("preHandler", async (request) => {
    const address = addressBucket(request.ip);
    await turnOf(address);
    request.body = await bodyOf(request).read(address);
  });
  createOperationRoutes(app, signIn, countChange).accountRoute(saveInDashboard, async ({ body, request, reply }, { userId, actor }) => {
    return answerOf(await saveFrom(parts, body, { caller: await admitted(parts, userId, request, reply), actor, reply }));
  });
}

function answerOfPage(found: PageSession[], limit: number): z.input<typeof answerOfList> {
  const { page, next_cursor } = pageOf(found, limit);
  return { sessions: page.map(answerOf), next_cursor };
}
