/** `/v1/auth/passkey*` and `/v1/account/passkeys*`: signing in with passkeys, and managing them. */

import { z } from "zod";
import { record } from "../../accounts/people/audit.ts";
import * as passkeys from "../../accounts/people/passkeys.ts";
import { assertPassword } from "../../accounts/people/passwords.ts";
import { readUser } from "../../accounts/people/users.ts";
import { answerFrom, operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { sendCookies, startSession, visitorOf } from "./request-session.ts";
import { entered, password } from "./schemas.ts";

const declarePublic = operationsFor({ tag: "Sign-in", access: "public" });
const declare = operationsFor({ tag: "Account", access: "account" });

const credential = z.record(z.string(), z.unknown());
const challenge = z.object({ options: credential.meta({ description: "For `navigator.credentials`, as JSON." }) });
const response = credential.meta({ secret: true, description: "The browser's `PublicKeyCredential`, as JSON." });
const passkey = z
  .object({
    id: z.uuid(),
    name: z.string(),
    backed_up: z.boolean().meta({ description: "Whether the passkey is synchronized between devices." }),
    created_at: z.date(),
  })
  .meta({ schemaName: "Passkey" });

const challengeSignIn = declarePublic.post("/v1/auth/passkey/challenge", {
  id: "startPasskeySignIn",
  summary: "Start a sign-in with a passkey",
  answer: challenge,
  failures: ["not_possible", "rate_limited"],
});

const signInWithPasskey = declarePublic.post("/v1/auth/passkey", {
  id: "signInWithPasskey",
  summary: "Sign in with a passkey",
  description: "No code is needed, since the device verifies its user.",
  body: z.strictObject({ response }),
  answer: entered,
  failures: ["invalid_credentials", "account_disabled", "sign_in_expired", "rate_limited"],
});

const list = declare.get("/v1/account/passkeys", {
  id: "listPasskeys",
  summary: "The account's passkeys",
  beforeSecondFactor: true,
  answer: z.object({ passkeys: z.array(passkey) }),
});

const challengeNew = declare.post("/v1/account/passkeys/challenge", {
  id: "startPasskey",
  summary: "Start adding a passkey",
  body: z.strictObject({
    current_password: password.optional().meta({ description: "Required if the account has a password." }),
  }),
  answer: challenge,
  failures: ["not_possible", "rate_limited"],
});

const add = declare.post("/v1/account/passkeys", {
  id: "addPasskey",
  summary: "Add a passkey",
  body: z.strictObject({ name: z.string().trim().min(1).max(100), response }),
  status: 201,
  answer: z.object({ passkeys: z.array(passkey) }),
  failures: ["not_possible", "sign_in_expired"],
});

const remove = declare.delete("/v1/account/passkeys/:id", {
  id: "removePasskey",
  summary: "Remove a passkey",
  failures: ["not_found"],
});

export const passkeyOperations = [challengeSignIn, signInWithPasskey, list, challengeNew, add, remove];

export function passkeyRoutes({ publicRoute, accountRoute }: Routes, { database, signIn, countAttempt }: ManagementParts): void {
  const listOf = async (userId: string) => ({ passkeys: (await passkeys.listPasskeys(database, userId)).map(answerFrom(passkey)) });

  publicRoute(challengeSignIn, async ({ request, reply }) => {
    await countAttempt(request.ip);
    const { options, setCookie } = await signIn.passkeyChallenge(visitorOf(request));
    sendCookies(reply, setCookie);
    return { options };
  });

  publicRoute(signInWithPasskey, async ({ body, request, reply }) => {
    await countAttempt(request.ip);
    return await startSession(database, reply, await signIn.signInWithPasskey(visitorOf(request), body.response));
  });

  accountRoute(list, async (_input, { userId }) => await listOf(userId));

  accountRoute(challengeNew, async ({ body, request, reply }, { userId }) => {
    await countAttempt(request.ip, userId);
    await assertPassword(database, visitorOf(request, reply), userId, body.current_password);
    await passkeys.assertRoomForPasskey(database, userId);
    const { email } = await readUser(database, userId);
    const { options, setCookie } = await signIn.newPasskeyChallenge(visitorOf(request), email);
    sendCookies(reply, setCookie);
    return { options };
  });

  accountRoute(add, async ({ body, request }, { userId, actor }) => {
    await passkeys.addWithinLimit(database, userId, () => signIn.addPasskey(visitorOf(request), body.name, body.response));
    // The sign-in library makes the change, but doesn't record it.
    await record(database.as(actor), { action: "sign_in.passkey_added", accountId: userId, subject: body.name });
    return await listOf(userId);
  });

  accountRoute(remove, async ({ params }, { userId, actor }) => {
    await passkeys.removePasskey(database.as(actor), userId, params.id);
  });
}
