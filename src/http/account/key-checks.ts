/** Read-only key operations: the signing secret, and whether a page would be allowed. */

import { z } from "zod";
import { checkDomains, domainEntriesMax } from "../../accounts/keys/domains.ts";
import { readKey } from "../../accounts/keys/store.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { nullableText } from "./schemas.ts";

const declare = operationsFor({ tag: "Keys", access: "account" });

const readSigningSecret = declare.get("/v1/account/keys/:id/signing-secret", {
  id: "getSigningSecret",
  summary: "The secret that signs requests with the key",
  description: "Derived from the key; never changes.",
  answer: z.object({ signing_secret: z.string() }),
  failures: ["not_found"],
});

const checkKeyDomains = declare.post("/v1/account/keys/check", {
  id: "checkDomains",
  summary: "Check a list of domains",
  description: "Validates a list before it is saved, and reports whether a page would be allowed. Nothing is stored.",
  body: z.strictObject({
    list: z.enum(["domains", "targets"]),
    entries: z.array(z.string().max(300)).max(domainEntriesMax),
    allow_missing_origin: z.boolean().default(false),
    address: z
      .string()
      .max(2048)
      .nullable()
      .default(null)
      .meta({ description: "A page's URL; empty for a request without Origin and Referer; null to check only the entries." }),
  }),
  answer: z
    .object({
      entries: z.array(z.object({ input: z.string(), entry: nullableText, problem: nullableText })),
      verdict: z.object({ allowed: z.boolean(), entry: nullableText, reason: z.string() }).nullable(),
    })
    .meta({ schemaName: "KeyCheck" }),
});

export const keyCheckOperations = [checkKeyDomains, readSigningSecret];

export function keyCheckRoutes({ accountRoute }: Routes, { database, signatures }: ManagementParts): void {
  accountRoute(readSigningSecret, async ({ params }, { userId }) => {
    const { id } = await readKey(database, userId, params.id);
    return { signing_secret: signatures.secretOf(id) };
  });

  accountRoute(checkKeyDomains, async ({ body }) => {
    const { list, entries, allow_missing_origin: allowMissingOrigin, address } = body;
    return checkDomains({ list, entries, allowMissingOrigin, address });
  });
}
