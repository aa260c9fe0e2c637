/** `/v1/account/sessions` and `/v1/account/password`: the account's sessions and password. */

import { z } from "zod";
import { record } from "../../accounts/people/audit.ts";
import * as sessions from "../../accounts/people/sessions.ts";
import { answerFrom, operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { sendCookies, visitorOf } from "./request-session.ts";
import { count, newPassword, nullableText, password } from "./schemas.ts";

const declare = operationsFor({ tag: "Account", access: "account" });

const session = z
  .object({
    id: z.uuid(),
    current: z.boolean().meta({ description: "Whether this is the session that sent the request." }),
    ip_address: nullableText,
    user_agent: nullableText,
    created_at: z.date(),
    last_seen_at: z.date().meta({ description: "Accurate to within an hour." }),
    expires_at: z.date(),
  })
  .meta({ schemaName: "Session" });

const changePassword = declare.post("/v1/account/password", {
  id: "changePassword",
  summary: "Change the password",
  description: "Ends all other sessions.",
  body: z.strictObject({ current_password: password, new_password: newPassword }),
  failures: ["not_possible", "rate_limited"],
});

const listSessions = declare.get("/v1/account/sessions", {
  id: "listSessions",
  summary: "The account's sessions",
  description: "The newest 500.",
  beforeSecondFactor: true,
  answer: z.object({ sessions: z.array(session) }),
});

const endSession = declare.delete("/v1/account/sessions/:id", {
  id: "endSession",
  summary: "End a session",
  failures: ["not_found"],
});

const endOtherSessions = declare.delete("/v1/account/sessions", {
  id: "endOtherSessions",
  summary: "End all other sessions",
  answer: z.object({ ended: count }),
});

const sessionAnswer = answerFrom(session);

export const sessionOperations = [changePassword, listSessions, endSession, endOtherSessions];

export function sessionRoutes({ accountRoute }: Routes, { database, signIn, countAttempt }: ManagementParts): void {
  accountRoute(changePassword, async ({ body, request, reply }, { userId, actor }) => {
    await countAttempt(request.ip, userId);
    const passwords = { current: body.current_password, new: body.new_password };
    sendCookies(reply, await signIn.changePassword(visitorOf(request, reply), passwords));
    await record(database.as(actor), { action: "sign_in.password_changed", accountId: userId }); // the sign-in library doesn't record it
  });

  accountRoute(listSessions, async (_input, { userId, sessionId }) => {
    const open = await sessions.listSessions(database, userId);
    return { sessions: open.map((one) => sessionAnswer({ ...one, current: one.id === sessionId })) };
  });

  accountRoute(endSession, async ({ params }, { userId }) => {
    await sessions.endSession(database, userId, params.id);
  });

  accountRoute(endOtherSessions, async (_input, { userId, sessionId }) => ({
    ended: await sessions.endOtherSessions(database, userId, sessionId),
  }));
}
