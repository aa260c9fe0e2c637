/** `/v1/auth/*`: signing up, in and out, by password or at the identity provider. */

import { z } from "zod";
import type { Management } from "../../accounts/management.ts";
import type { SignIn } from "../../accounts/people/sign-in.ts";
import type { CountTry } from "../../accounts/people/sign-in-limit.ts";
import { operation } from "../operation.ts";
import { queryOf } from "../query.ts";
import type { Serve } from "../serve.ts";
import { userAnswer } from "./account.ts";
import { email, newPassword, password, personName, user } from "./schemas.ts";
import { sendCookies, visitorOf } from "./session.ts";

const tag = "Sign-in" as const;
const access = "anybody" as const;
const entered = z.object({ user });

const readMethods = operation({
  id: "getSignInMethods",
  tag,
  method: "GET",
  path: "/v1/auth/methods",
  summary: "How one can sign in",
  access,
  answer: z.object({
    password: z.boolean(),
    providers: z.array(z.object({ id: z.string(), name: z.string() })).meta({ description: "External identity providers." }),
  }),
});

const signUp = operation({
  id: "signUp",
  tag,
  method: "POST",
  path: "/v1/auth/sign-up",
  summary: "Make an account and sign in",
  access,
  body: z.strictObject({ name: personName, email, password: newPassword }),
  status: 201,
  answer: entered,
  failures: ["email_taken", "rate_limited"],
});

const signIn = operation({
  id: "signIn",
  tag,
  method: "POST",
  path: "/v1/auth/sign-in",
  summary: "Sign in by password",
  access,
  body: z.strictObject({
    email,
    password,
    remember: z.boolean().default(true).meta({ description: "False: the session ends with the browser." }),
  }),
  answer: entered,
  failures: ["invalid_credentials", "account_disabled", "rate_limited"],
});

const signOut = operation({
  id: "signOut",
  tag,
  method: "POST",
  path: "/v1/auth/sign-out",
  summary: "End the session",
  access,
});

/** A path on the front end's own site; `//host` and `/\host` would be another one. */
const returnTo = z
  .string()
  .max(2000)
  .regex(/^\/(?![/\\])[^\\\s]*$/);

const startWithProvider = operation({
  id: "startProviderSignIn",
  tag,
  method: "POST",
  path: "/v1/auth/sign-in/idp",
  summary: "Begin to sign in at the identity provider",
  access,
  body: z.strictObject({ return_to: returnTo.default("/").meta({ description: "Where the browser ends up: a path of the front end." }) }),
  answer: z.object({ url: z.string().meta({ description: "Where the browser has to go." }) }),
  failures: ["not_found", "rate_limited"],
});

const finishWithProvider = operation({
  id: "finishProviderSignIn",
  tag,
  method: "GET",
  path: "/v1/auth/callback/idp",
  summary: "Where the identity provider sends the browser back to",
  description: "Redirects to `return_to`, or to the sign-in page with what went wrong as `error`.",
  access,
  query: z.object({}),
  status: 302,
});

export const signInOperations = [readMethods, signUp, signIn, signOut, startWithProvider, finishWithProvider];

interface SignInParts {
  management: Management;
  signIn: SignIn;
  countTry: CountTry;
}

export function signInRoutes(serve: Serve, { management, signIn: people, countTry }: SignInParts): void {
  serve.toAnybody(readMethods, async () => ({ password: true, providers: people.providers }));

  serve.toAnybody(signUp, async ({ body, request, reply }) => {
    await countTry(request.ip);
    const { userId, setCookie } = await people.signUp(visitorOf(request), body);
    sendCookies(reply, setCookie);
    return { user: userAnswer(await management.userOf(userId)) };
  });

  serve.toAnybody(signIn, async ({ body, request, reply }) => {
    await countTry(request.ip, body.email);
    const { userId, setCookie } = await people.signIn(visitorOf(request), body);
    sendCookies(reply, setCookie);
    return { user: userAnswer(await management.userOf(userId)) };
  });

  serve.toAnybody(signOut, async ({ request, reply }) => {
    sendCookies(reply, await people.signOut(visitorOf(request)));
    return undefined;
  });

  serve.toAnybody(startWithProvider, async ({ body, request, reply }) => {
    await countTry(request.ip);
    const { url, setCookie } = await people.startWithProvider(visitorOf(request), body.return_to);
    sendCookies(reply, setCookie);
    return { url };
  });

  serve.toAnybody(finishWithProvider, async ({ request, reply }) => {
    const { url, setCookie } = await people.finishWithProvider(visitorOf(request), queryOf(request).text);
    sendCookies(reply, setCookie);
    return reply.redirect(url, 302);
  });
}
