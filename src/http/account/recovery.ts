/** `/v1/auth/email/*` and `/v1/auth/password/*`: address confirmation and password reset through e-mailed links. */

import { z } from "zod";
import { record } from "../../accounts/people/audit.ts";
import { userOfResetToken } from "../../accounts/people/mailed-links.ts";
import { readUser } from "../../accounts/people/users.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { visitorOf } from "./request-session.ts";
import { email, newPassword, password } from "./schemas.ts";

const declarePublic = operationsFor({ tag: "Sign-in", access: "public" });
const declare = operationsFor({ tag: "Account", access: "account" });

const token = z.string().min(1).max(1000).meta({ secret: true, description: "Token from the link." });

const forgotPassword = declarePublic.post("/v1/auth/password/forgot", {
  id: "forgotPassword",
  summary: "Mail a link to choose a new password",
  description: "The response is the same for addresses without an account. At most five e-mails per hour are sent to an address.",
  body: z.strictObject({ email }),
  failures: ["not_possible", "rate_limited"],
});

const resetPassword = declarePublic.post("/v1/auth/password/reset", {
  id: "resetPassword",
  summary: "Choose a new password, with the token from a link",
  description: "The link works once. All sessions end, and the address is confirmed. A second factor is kept.",
  body: z.strictObject({ token, password: newPassword }),
  failures: ["link_invalid", "rate_limited"],
});

const confirmEmail = declarePublic.post("/v1/auth/email/confirm", {
  id: "confirmEmail",
  summary: "Confirm an e-mail address, with the token from a link",
  description:
    "Requires the account's password, so that the owner of an address can't confirm an account that someone else created with it. Uses POST because mail scanners open links.",
  body: z.strictObject({ token, password }),
  failures: ["link_invalid", "rate_limited"],
});

const sendConfirmation = declare.post("/v1/account/email/confirmation", {
  id: "sendEmailConfirmation",
  summary: "Mail a link to confirm the account's address",
  failures: ["not_possible", "rate_limited"],
});

export const recoveryOperations = [forgotPassword, resetPassword, confirmEmail, sendConfirmation];

export function recoveryRoutes({ publicRoute, accountRoute }: Routes, { database, signIn, countAttempt }: ManagementParts): void {
  publicRoute(forgotPassword, async ({ body, request }) => {
    await countAttempt(request.ip);
    await signIn.forgotPassword(visitorOf(request), body.email);
  });

  publicRoute(resetPassword, async ({ body, request, reply }) => {
    await countAttempt(request.ip);
    const userId = await userOfResetToken(database, body.token);
    await signIn.resetPassword(visitorOf(request, reply), body);
    // The sign-in library makes the change, but doesn't record it. Only a valid token identifies a user.
    if (userId !== undefined)
      await record(database.as({ via: "dashboard", userId, ip: request.ip }), { action: "sign_in.password_reset", accountId: userId });
  });

  publicRoute(confirmEmail, async ({ body, request, reply }) => {
    await countAttempt(request.ip);
    await signIn.confirmEmail(visitorOf(request, reply), body);
  });

  accountRoute(sendConfirmation, async ({ request }, { userId }) => {
    await countAttempt(request.ip);
    const { email: own } = await readUser(database, userId);
    await signIn.sendConfirmation(visitorOf(request), own);
  });
}
