/** `/v1/auth/second-factor` and `/v1/account/second-factor/*`: codes from an authenticator app, and recovery codes. */

import { z } from "zod";
import { record } from "../../accounts/people/audit.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { sendCookies, startSession, visitorOf } from "./request-session.ts";
import { entered, password } from "./schemas.ts";

const declarePublic = operationsFor({ tag: "Sign-in", access: "public" });
const declare = operationsFor({ tag: "Account", access: "account", beforeSecondFactor: true });

const code = z.string().min(6).max(30).meta({ secret: true, description: "Six digits from the app." });
const recoveryCodes = z
  .array(z.string())
  .meta({ description: "Each works once, in place of a code from the app. They can't be shown again." });

const finishSignIn = declarePublic.post("/v1/auth/second-factor", {
  id: "finishSignIn",
  summary: "Finish a sign-in with a code",
  description: "Allows five attempts within ten minutes of entering the password. Ten wrong codes in a row lock this step for 15 minutes.",
  body: z.strictObject({ code: code.meta({ description: "Six digits from the app, or a recovery code." }) }),
  answer: entered,
  failures: ["sign_in_expired", "account_disabled", "rate_limited"],
});

const startApp = declare.post("/v1/account/second-factor", {
  id: "startSecondFactor",
  summary: "Start setting up an authenticator app",
  description: "The app has no effect until it is confirmed with a code.",
  body: z.strictObject({ current_password: password }),
  answer: z.object({
    uri: z.string().meta({ description: "The `otpauth://…` URI for the app, usually shown as a QR code." }),
    recovery_codes: recoveryCodes,
  }),
  failures: ["not_possible", "rate_limited"],
});

const confirmApp = declare.post("/v1/account/second-factor/confirm", {
  id: "confirmSecondFactor",
  summary: "Finish setting up an authenticator app, with a code",
  description: "From then on, signing in with the password also requires a code.",
  body: z.strictObject({ code }),
  failures: ["not_possible", "rate_limited"],
});

const removeApp = declare.post("/v1/account/second-factor/remove", {
  id: "removeSecondFactor",
  summary: "Remove the authenticator app and the recovery codes",
  body: z.strictObject({ current_password: password }),
  failures: ["not_possible", "rate_limited"],
});

const renewRecoveryCodes = declare.post("/v1/account/second-factor/recovery-codes", {
  id: "renewRecoveryCodes",
  summary: "Create new recovery codes",
  description: "The earlier codes stop working.",
  body: z.strictObject({ current_password: password }),
  answer: z.object({ recovery_codes: recoveryCodes }),
  failures: ["not_possible", "rate_limited"],
});

export const secondFactorOperations = [finishSignIn, startApp, confirmApp, removeApp, renewRecoveryCodes];

export function secondFactorRoutes({ publicRoute, accountRoute }: Routes, { database, signIn, countAttempt }: ManagementParts): void {
  publicRoute(finishSignIn, async ({ body, request, reply }) => {
    await countAttempt(request.ip);
    return await startSession(database, reply, await signIn.finishSignIn(visitorOf(request), body.code));
  });

  accountRoute(startApp, async ({ body, request, reply }, { userId }) => {
    await countAttempt(request.ip, userId);
    const { uri, recoveryCodes: codes } = await signIn.startApp(visitorOf(request, reply), body.current_password);
    return { uri, recovery_codes: codes };
  });

  accountRoute(confirmApp, async ({ body, request, reply }, { userId, actor }) => {
    await countAttempt(request.ip, userId);
    sendCookies(reply, await signIn.confirmApp(visitorOf(request), { userId, code: body.code }));
    await record(database.as(actor), { action: "sign_in.app_added", accountId: userId }); // the sign-in library doesn't record it
  });

  accountRoute(removeApp, async ({ body, request, reply }, { userId, actor }) => {
    await countAttempt(request.ip, userId);
    sendCookies(reply, await signIn.removeApp(visitorOf(request, reply), body.current_password));
    await record(database.as(actor), { action: "sign_in.app_removed", accountId: userId });
  });

  accountRoute(renewRecoveryCodes, async ({ body, request, reply }, { userId, actor }) => {
    await countAttempt(request.ip, userId);
    const codes = await signIn.renewRecoveryCodes(visitorOf(request, reply), body.current_password);
    await record(database.as(actor), { action: "sign_in.recovery_codes_renewed", accountId: userId });
    return { recovery_codes: codes };
  });
}
