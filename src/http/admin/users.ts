/** `/v1/admin/users`: all accounts, their plans and keys, and links to reset their passwords. */

import { z } from "zod";
import { listKeys, revokeKey } from "../../accounts/keys/store.ts";
import * as directory from "../../accounts/people/directory.ts";
import { createResetLink } from "../../accounts/people/mailed-links.ts";
import { setDisabled } from "../../accounts/people/users.ts";
import { setPlan } from "../../accounts/usage/plans.ts";
import { AppError } from "../../shared/errors.ts";
import { key, keyAnswer } from "../account/key-schemas.ts";
import type { ManagementParts } from "../account/parts.ts";
import { count, cursor, month, nextCursor, nullableCount, nullableTime, pageOf, planSource } from "../account/schemas.ts";
import { answerFrom, operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";

const declare = operationsFor({ tag: "Administration", access: "admin" });

const planId = z.string().min(1).max(100);

const adminUser = z
  .object({
    id: z.uuid(),
    name: z.string(),
    email: z.string(),
    role: z.enum(["user", "admin"]),
    disabled_at: nullableTime,
    created_at: z.date(),
    plan_id: z.string(),
    plan_source: planSource,
    rate_limit_override: nullableCount.meta({ description: "If null, the plan's limit applies." }),
    monthly_quota_override: nullableCount.meta({ description: "If null, the plan's limit applies." }),
    month,
    keys_active: count,
    last_used_at: nullableTime,
  })
  .meta({ schemaName: "AdminUser" });
const entryAnswer = answerFrom(adminUser);
const oneUser = z.object({ user: adminUser });

const listUsers = declare.get("/v1/admin/users", {
  id: "listUsers",
  summary: "All accounts",
  query: z.strictObject({
    limit: z.int().min(1).max(100).default(50),
    cursor,
    sort: z
      .enum(["newest", "usage", "plan"])
      .default("newest")
      .meta({ description: "Newest accounts, most active accounts or highest-ranked plans first." }),
    plan_id: planId.optional(),
    use: z
      .enum(["none", "some", "most", "all"])
      .optional()
      .meta({ description: "How much of the month's quota is used: none, some, at least 80%, all." }),
    search: z.string().max(254).optional().meta({ description: "Text in the name or the e-mail address." }),
  }),
  answer: z.object({ users: z.array(adminUser), next_cursor: nextCursor }),
});

const readUser = declare.get("/v1/admin/users/:id", {
  id: "getUser",
  summary: "One account",
  answer: oneUser,
  failures: ["not_found"],
});

const setUserPlan = declare.put("/v1/admin/users/:id/plan", {
  id: "setUserPlan",
  summary: "Put an account on a plan",
  description: "Limits in the request override the plan's.",
  body: z.strictObject({
    plan_id: planId,
    rate_limit: z.int().min(1).max(2_147_483_647).nullable().default(null).meta({ description: "Requests per minute." }),
    monthly_quota: z.int().min(0).max(2_147_483_647).nullable().default(null),
  }),
  answer: oneUser,
  failures: ["not_found"],
});

const disableUser = declare.post("/v1/admin/users/:id/disable", {
  id: "disableUser",
  summary: "Disable an account",
  description: "Its sessions end and its keys stop working immediately.",
  answer: oneUser,
  failures: ["not_found", "not_possible"],
});

const enableUser = declare.post("/v1/admin/users/:id/enable", {
  id: "enableUser",
  summary: "Re-enable an account",
  answer: oneUser,
  failures: ["not_found"],
});

export const adminUserOperations = [listUsers, readUser, setUserPlan, disableUser, enableUser];

export function adminUserRoutes({ accountRoute }: Routes, { database, keys, clock }: ManagementParts): void {
  const now = () => new Date(clock.now());
  const userOf = async (id: string) => ({ user: entryAnswer(await directory.readDirectoryEntry(database, id, now())) });

  accountRoute(listUsers, async ({ query: { limit, cursor: after, plan_id, ...chosen } }) => {
    const found = await directory.listEntries(database, { ...chosen, planId: plan_id, after, limit: limit + 1, now: now() });
    const { page, next_cursor } = pageOf(found, limit);
    return { users: page.map(entryAnswer), next_cursor };
  });

  accountRoute(readUser, async ({ params }) => await userOf(params.id));

  accountRoute(setUserPlan, async ({ params, body }, { actor }) => {
    await directory.readDirectoryEntry(database, params.id, now());
    const choice = { planId: body.plan_id, rateLimit: body.rate_limit ?? undefined, quota: body.monthly_quota ?? undefined };
    await setPlan(database.as(actor), params.id, choice);
    keys.forget(params.id);
    return await userOf(params.id);
  });

  accountRoute(disableUser, async ({ params }, { userId, actor }) => {
    if (params.id === userId) throw new AppError("not_possible", { message: "Administrators can't disable themselves." });
    await setDisabled(database.as(actor), params.id, true);
    keys.forget(params.id);
    return await userOf(params.id);
  });

  accountRoute(enableUser, async ({ params }, { actor }) => {
    await setDisabled(database.as(actor), params.id, false);
    keys.forget(params.id);
    return await userOf(params.id);
  });
}

const listUserKeys = declare.get("/v1/admin/users/:id/keys", {
  id: "listUserKeys",
  summary: "An account's keys",
  description: "Newest first, including revoked keys.",
  answer: z.object({ keys: z.array(key) }),
  failures: ["not_found"],
});

const revokeUserKey = declare.post("/v1/admin/users/:id/keys/:key_id/revoke", {
  id: "revokeUserKey",
  summary: "Revoke an account's key permanently",
  params: z.strictObject({ id: z.uuid(), key_id: z.uuid() }),
  answer: z.object({ key }),
  failures: ["not_found"],
});

const createUserResetLink = declare.post("/v1/admin/users/:id/reset-link", {
  id: "createUserResetLink",
  summary: "Create a password reset link for a user",
  description:
    "The link is returned only once, for the administrator to pass on. It works once, and expires after an hour. The current password keeps working until the link is used.",
  status: 201,
  answer: z.object({ link: z.string() }),
  failures: ["not_found"],
});

export const adminUserAccessOperations = [listUserKeys, revokeUserKey, createUserResetLink];

export function adminUserAccessRoutes({ accountRoute }: Routes, { config, database, keys, clock, usage }: ManagementParts): void {
  const entryOf = (id: string) => directory.readDirectoryEntry(database, id, new Date(clock.now()));

  accountRoute(createUserResetLink, async ({ params }, { actor }) => {
    const { email } = await entryOf(params.id);
    return { link: await createResetLink(database.as(actor), email, config.WEB_PUBLIC_URL) };
  });

  accountRoute(listUserKeys, async ({ params }) => {
    await entryOf(params.id);
    await usage.flush();
    return { keys: (await listKeys(database, params.id)).map(keyAnswer) };
  });

  accountRoute(revokeUserKey, async ({ params }, { actor }) => {
    const revoked = await revokeKey(database.as(actor), params.id, params.key_id);
    keys.forget(params.id);
    return { key: keyAnswer(revoked) };
  });
}
