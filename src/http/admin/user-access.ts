/** `/v1/admin/users/{id}/…`: a user's keys and password, for administrators. */

import { z } from "zod";
import { listKeys, revokeKey } from "../../accounts/keys/store.ts";
import { readDirectoryEntry } from "../../accounts/people/directory.ts";
import { createResetLink } from "../../accounts/people/mailed-links.ts";
import { key, keyAnswer } from "../account/key-schemas.ts";
import type { ManagementParts } from "../account/parts.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";

const declare = operationsFor({ tag: "Administration", access: "admin" });

const listUserKeys = declare.get("/v1/admin/users/:id/keys", {
  id: "listUserKeys",
  summary: "An account's keys",
  description: "Newest first, including revoked keys.",
  answer: z.object({ keys: z.array(key) }),
  failures: ["not_found"],
});

const revokeUserKey = declare.post("/v1/admin/users/:id/keys/:key_id/revoke", {
  id: "revokeUserKey",
  summary: "Revoke a key of an account permanently",
  params: z.strictObject({ id: z.uuid(), key_id: z.uuid() }),
  answer: z.object({ key }),
  failures: ["not_found"],
});

const createUserResetLink = declare.post("/v1/admin/users/:id/reset-link", {
  id: "createUserResetLink",
  summary: "Create a password reset link for a user",
  description:
    "Returned only here, for the administrator to pass on. The link works once, within an hour. The current password keeps working until it is used.",
  status: 201,
  answer: z.object({ link: z.string() }),
  failures: ["not_found"],
});

export const adminUserAccessOperations = [listUserKeys, revokeUserKey, createUserResetLink];

export function adminUserAccessRoutes({ accountRoute }: Routes, { config, database, keys, clock, usage }: ManagementParts): void {
  const readUser = (id: string) => readDirectoryEntry(database, id, new Date(clock.now()));

  accountRoute(createUserResetLink, async ({ params }, { actor }) => {
    const { email } = await readUser(params.id);
    return { link: await createResetLink(database.as(actor), email, config.WEB_PUBLIC_URL) };
  });

  accountRoute(listUserKeys, async ({ params }) => {
    await readUser(params.id);
    await usage.flush();
    return { keys: (await listKeys(database, params.id)).map(keyAnswer) };
  });

  accountRoute(revokeUserKey, async ({ params }, { actor }) => {
    const revoked = await revokeKey(database.as(actor), params.id, params.key_id);
    keys.forget(params.id);
    return { key: keyAnswer(revoked) };
  });
}
