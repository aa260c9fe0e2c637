/** `/v1/auth/*`: sign-up, sign-in and sign-out, by password or through the identity provider. */

import type { FastifyReply } from "fastify";
import { z } from "zod";
import { findInvitation } from "../../accounts/people/invitations.ts";
import type { PasswordAccepted } from "../../accounts/people/sign-in.ts";
import { queryOf } from "../input/request-target.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { sendCookies, startSession, visitorOf } from "./request-session.ts";
import { email, newPassword, nullableText, password, personName, user } from "./schemas.ts";

const declare = operationsFor({ tag: "Sign-in", access: "public" });

const passwordAccepted = z.object({
  user: user.nullable().meta({ description: "Null if a code is also required; continue at `/v1/auth/second-factor`." }),
});
const signedUp = z.object({
  user: user.nullable().meta({
    description: "Null if a confirmation link was e-mailed to the address; the response is the same if the address already has an account.",
  }),
});

const readMethods = declare.get("/v1/auth/methods", {
  id: "getSignInMethods",
  summary: "Available sign-in methods",
  answer: z.object({
    password: z.boolean(),
    passkeys: z.boolean().meta({ description: "Whether passkeys work at the dashboard's URL." }),
    mail: z.boolean().meta({ description: "Whether addresses are confirmed, and forgotten passwords reset, by e-mail." }),
    providers: z.array(z.object({ id: z.string(), name: z.string() })).meta({ description: "External identity providers." }),
    sign_up: z.object({
      mode: z.enum(["open", "invite", "closed"]),
      domains: z.array(z.string()).meta({ description: "E-mail addresses at these domains don't need an invitation." }),
    }),
  }),
});

const invitation = z.string().min(1).max(100).meta({ secret: true, description: "Token from an invitation link." });

const readInvitation = declare.post("/v1/auth/invitation", {
  id: "getInvitation",
  summary: "Read an invitation",
  description: "Uses POST because URLs are logged.",
  body: z.strictObject({ invitation }),
  answer: z.object({
    email: nullableText.meta({ description: "The only address that can use the invitation; null if any can." }),
    plan: nullableText.meta({ description: "Name of the account's plan; null for the default." }),
    is_first: z.boolean().meta({ description: "Whether the new account becomes an administrator." }),
    expires_at: z.date(),
  }),
  failures: ["invitation_invalid", "rate_limited"],
});

const signUp = declare.post("/v1/auth/sign-up", {
  id: "signUp",
  summary: "Create an account and sign in",
  description:
    "If mail is configured, the address must be confirmed before the first sign-in, unless the account is created with an invitation for that address or for the first administrator.",
  body: z.strictObject({ name: personName, email, password: newPassword, invitation: invitation.optional() }),
  status: 201,
  answer: signedUp,
  failures: ["sign_up_refused", "invitation_invalid", "email_taken", "rate_limited"],
});

const signIn = declare.post("/v1/auth/sign-in", {
  id: "signIn",
  summary: "Sign in with a password",
  body: z.strictObject({
    email,
    password,
    remember: z.boolean().default(true).meta({ description: "If false, the session ends when the browser closes." }),
  }),
  answer: passwordAccepted,
  failures: ["invalid_credentials", "account_disabled", "email_not_verified", "rate_limited"],
});

const signOut = declare.post("/v1/auth/sign-out", {
  id: "signOut",
  summary: "Sign out",
});

/** A path in the dashboard. Browsers would resolve `//host` and `/\host` to another site. */
const returnTo = z
  .string()
  .max(2000, { abort: true })
  .regex(/^\/(?![/\\])[^\\\s]*$/);

const startWithProvider = declare.post("/v1/auth/sign-in/idp", {
  id: "startProviderSignIn",
  summary: "Start a sign-in through the identity provider",
  body: z.strictObject({
    return_to: returnTo.default("/").meta({ description: "Path in the dashboard to open after signing in." }),
    invitation: invitation.optional(),
  }),
  answer: z.object({ url: z.string().meta({ description: "The URL for the browser to open." }) }),
  failures: ["not_found", "invitation_invalid", "rate_limited"],
});

const finishWithProvider = declare.get("/v1/auth/callback/idp", {
  id: "finishProviderSignIn",
  summary: "The identity provider's callback",
  description: "Redirects to `return_to`, or to the sign-in page with an `error`.",
  query: z.object({}),
  status: 302,
});

export const signInOperations = [readMethods, readInvitation, signUp, signIn, signOut, startWithProvider, finishWithProvider];

export function signInRoutes({ publicRoute }: Routes, { database, signIn: users, signUp: policy, countAttempt }: ManagementParts): void {
  /** Responds with a null user if a second-factor code is still required. */
  async function accept(reply: FastifyReply, { userId, setCookie }: PasswordAccepted) {
    if (userId !== null) return await startSession(database, reply, { userId, setCookie });
    sendCookies(reply, setCookie);
    return { user: null };
  }

  publicRoute(readMethods, async () => ({
    password: true,
    passkeys: users.hasPasskeys,
    mail: users.hasMail,
    providers: users.providers,
    sign_up: { mode: policy.mode, domains: policy.domains },
  }));

  publicRoute(readInvitation, async ({ body, request }) => {
    await countAttempt(request.ip);
    const { email: only, planName, isFirst, expiresAt } = await findInvitation(database, body.invitation);
    return { email: only, plan: planName, is_first: isFirst, expires_at: expiresAt };
  });

  publicRoute(signUp, async ({ body: { invitation: token, ...user }, request, reply }) => {
    await countAttempt(request.ip);
    const made = await users.signUp({ ...visitorOf(request, reply), invitation: token }, user);
    return made ? await accept(reply, made) : { user: null };
  });

  publicRoute(signIn, async ({ body, request, reply }) => {
    await countAttempt(request.ip, body.email);
    return await accept(reply, await users.signIn(visitorOf(request, reply), body));
  });

  publicRoute(signOut, async ({ request, reply }) => {
    sendCookies(reply, await users.signOut(visitorOf(request)));
  });

  publicRoute(startWithProvider, async ({ body, request, reply }) => {
    await countAttempt(request.ip);
    const { url, setCookie } = await users.startWithProvider({ ...visitorOf(request), invitation: body.invitation }, body.return_to);
    sendCookies(reply, setCookie);
    return { url };
  });

  publicRoute(finishWithProvider, async ({ request, reply }) => {
    const { url, setCookie } = await users.finishWithProvider(visitorOf(request), queryOf(request).text);
    sendCookies(reply, setCookie);
    return reply.redirect(url, 302);
  });
}
