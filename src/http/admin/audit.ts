/** `/v1/account/audit` and `/v1/admin/audit`: who changed what. */

import { z } from "zod";
import { type AuditEntry, auditActions, auditKinds, listAudit } from "../../accounts/people/audit.ts";
import type { ManagementParts } from "../account/parts.ts";
import { cursor, days, nextCursor, nullableText } from "../account/schemas.ts";
import { answerFrom, operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";

const declare = operationsFor({ tag: "Account", access: "account" });
const declareForAdmins = operationsFor({ tag: "Administration", access: "admin" });

const entry = z
  .object({
    id: z.uuid(),
    created_at: z.date(),
    action: z.enum(auditActions),
    by: z
      .enum(["owner", "administrator", "api", "command", "billing", "service"])
      .meta({ description: "`api`: an API key of the account; `command`: the operator's command line; `billing`: the billing provider." }),
    ip_address: nullableText.meta({ description: "IP address of the client; account owners see only their own." }),
    subject: nullableText.meta({ description: "What was changed, for example a key's name and hint." }),
    subject_id: nullableText,
    changes: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
  })
  .meta({ schemaName: "AuditEntry" });

const adminEntry = entry
  .extend({
    actor_id: nullableText.meta({ description: "The user who made the change." }),
    actor_email: nullableText,
    account_id: nullableText.meta({ description: "The account that was changed; null if the change concerns the whole service." }),
    account_email: nullableText,
  })
  .meta({ schemaName: "AdminAuditEntry" });

const filter = {
  limit: z.int().min(1).max(100).default(50),
  cursor,
  kind: z.enum(auditKinds).optional(),
  ...days,
};

const listOwn = declare.get("/v1/account/audit", {
  id: "listAudit",
  summary: "Changes to the account",
  description: "Newest first, fewer than `limit` if their changes are very long together; kept for a year.",
  query: z.strictObject(filter),
  answer: z.object({ entries: z.array(entry), next_cursor: nextCursor }),
});

const listAll = declareForAdmins.get("/v1/admin/audit", {
  id: "listAllAudit",
  summary: "Changes to all accounts, plans and invitations",
  description: "Newest first, fewer than `limit` if their changes are very long together; kept for a year.",
  query: z.strictObject({
    ...filter,
    user_id: z.uuid().optional().meta({ description: "Changes to this account, and changes made by this user." }),
  }),
  answer: z.object({ entries: z.array(adminEntry), next_cursor: nextCursor }),
});

export const auditOperations = [listOwn, listAll];

export function auditRoutes({ accountRoute }: Routes, { database }: ManagementParts): void {
  accountRoute(listOwn, async ({ query: { cursor: before, ...chosen } }, { userId }) => {
    const { entries, next } = await listAudit(database, { ...chosen, accountId: userId, before });
    return { entries: entries.map((one) => entryAnswer({ ...one, ip: one.actorId === userId ? one.ip : null })), next_cursor: next };
  });

  accountRoute(listAll, async ({ query: { cursor: before, user_id: userId, ...chosen } }) => {
    const { entries, next } = await listAudit(database, { ...chosen, userId, before });
    return { entries: entries.map(entryAnswer), next_cursor: next };
  });
}

const answer = answerFrom(adminEntry);

/** The entry with everything that administrators see; the schema for owners drops some members. */
function entryAnswer(of: AuditEntry): z.input<typeof adminEntry> {
  const by = of.via === "dashboard" ? (of.actorId === of.accountId ? "owner" : "administrator") : of.via;
  return answer({ ...of, by, ipAddress: of.ip });
}
