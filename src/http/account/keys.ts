/** `/v1/account/keys`: an account's API keys. */

import { z } from "zod";
import { checkDomains, domainEntriesMax } from "../../accounts/keys/domains.ts";
import * as rotation from "../../accounts/keys/rotate.ts";
import * as store from "../../accounts/keys/store.ts";
import type { Clock } from "../../shared/clock.ts";
import { wrongParameter } from "../../shared/errors.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import { key, keyAnswer, keyName, keyRules, keyVersion } from "./key-schemas.ts";
import type { ManagementParts } from "./parts.ts";
import { nullableText } from "./schemas.ts";

const declare = operationsFor({ tag: "Keys", access: "account" });

const secret = z.string().meta({ description: "The key itself; returned only once." });

const listKeys = declare.get("/v1/account/keys", {
  id: "listKeys",
  summary: "The account's keys",
  description: "Newest first, including revoked keys.",
  answer: z.object({ keys: z.array(key) }),
});

const readKey = declare.get("/v1/account/keys/:id", {
  id: "getKey",
  summary: "One key",
  answer: z.object({ key }),
  failures: ["not_found"],
});

const createKey = declare.post("/v1/account/keys", {
  id: "createKey",
  summary: "Create a key",
  body: z.strictObject({
    name: keyName,
    allowed_domains: keyRules.allowed_domains.default([]),
    allowed_targets: keyRules.allowed_targets.default([]),
    allow_missing_origin: keyRules.allow_missing_origin.default(false),
    require_signature: keyRules.require_signature.default(false),
    expires_at: keyRules.expires_at.default(null),
  }),
  status: 201,
  answer: z.object({ key, secret }),
  failures: ["key_limit_reached"],
});

const changeKey = declare.patch("/v1/account/keys/:id", {
  id: "changeKey",
  summary: "Change a key's name and rules",
  description: "Omitted members are left unchanged. Changes take effect immediately.",
  body: z.strictObject({
    version: keyVersion,
    name: keyName.optional(),
    allowed_domains: keyRules.allowed_domains.optional(),
    allowed_targets: keyRules.allowed_targets.optional(),
    allow_missing_origin: keyRules.allow_missing_origin.optional(),
    require_signature: keyRules.require_signature.optional(),
    enabled: z.boolean().optional(),
    expires_at: keyRules.expires_at.optional(),
  }),
  answer: z.object({ key }),
  failures: ["not_found", "changed_meanwhile", "not_possible"],
});

const rotateKey = declare.post("/v1/account/keys/:id/rotate", {
  id: "rotateKey",
  summary: "Rotate a key",
  description: "Creates a new key with the same rules; the old one keeps working for 24 hours, or until it expires.",
  body: z.strictObject({ version: keyVersion }),
  status: 201,
  answer: z.object({ key, secret, replaced: key }),
  failures: ["not_found", "changed_meanwhile", "not_possible"],
});

const revokeKey = declare.post("/v1/account/keys/:id/revoke", {
  id: "revokeKey",
  summary: "Revoke a key permanently",
  answer: z.object({ key }),
  failures: ["not_found"],
});

export const keyOperations = [listKeys, createKey, readKey, changeKey, rotateKey, revokeKey];

export function keyRoutes({ accountRoute }: Routes, { config, database, keys, clock, usage }: ManagementParts): void {
  accountRoute(listKeys, async (_input, { userId }) => {
    await usage.flush();
    return { keys: (await store.listKeys(database, userId)).map(keyAnswer) };
  });

  accountRoute(readKey, async ({ params }, { userId }) => {
    await usage.flush();
    return { key: keyAnswer(await store.readKey(database, userId, params.id)) };
  });

  accountRoute(createKey, async ({ body }, { userId, actor }) => {
    assertFuture(body.expires_at, clock);
    const created = await store.createKey(database.as(actor), userId, config.DEFAULT_API_KEY_PREFIX, {
      name: body.name,
      allowedDomains: body.allowed_domains,
      allowedTargets: body.allowed_targets,
      allowMissingOrigin: body.allow_missing_origin,
      requireSignature: body.require_signature,
      enabled: true,
      expiresAt: body.expires_at,
    });
    return { key: keyAnswer(created.key), secret: created.secret };
  });

  accountRoute(changeKey, async ({ params, body }, { userId, actor }) => {
    assertFuture(body.expires_at, clock);
    const changed = await store.changeKey(database.as(actor), userId, params.id, body.version, {
      name: body.name,
      allowedDomains: body.allowed_domains,
      allowedTargets: body.allowed_targets,
      allowMissingOrigin: body.allow_missing_origin,
      requireSignature: body.require_signature,
      enabled: body.enabled,
      expiresAt: body.expires_at,
    });
    keys.forget(userId);
    return { key: keyAnswer(changed) };
  });

  accountRoute(rotateKey, async ({ params, body }, { userId, actor }) => {
    const rotated = await rotation.rotateKey(database.as(actor), userId, params.id, body.version, config.DEFAULT_API_KEY_PREFIX);
    keys.forget(userId);
    return { key: keyAnswer(rotated.key), secret: rotated.secret, replaced: keyAnswer(rotated.replaced) };
  });

  accountRoute(revokeKey, async ({ params }, { userId, actor }) => {
    const revoked = await store.revokeKey(database.as(actor), userId, params.id);
    keys.forget(userId);
    return { key: keyAnswer(revoked) };
  });
}

function assertFuture(time: Date | null | undefined, clock: Clock): void {
  if (time && time.getTime() <= clock.now()) throw wrongParameter("expires_at", "must be in the future", "a time in the future, or null");
}

const readSigningSecret = declare.get("/v1/account/keys/:id/signing-secret", {
  id: "getSigningSecret",
  summary: "Read a key's signing secret",
  description: "Derived from the key's id and `AUTH_SECRET`, so it changes only if `AUTH_SECRET` does.",
  answer: z.object({ signing_secret: z.string() }),
  failures: ["not_found"],
});

const checkKeyDomains = declare.post("/v1/account/keys/check", {
  id: "checkDomains",
  changesNothing: true,
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
    const { id } = await store.readKey(database, userId, params.id);
    return { signing_secret: signatures.secretOf(id) };
  });

  accountRoute(checkKeyDomains, async ({ body }) => {
    const { list, entries, allow_missing_origin: allowMissingOrigin, address } = body;
    return checkDomains({ list, entries, allowMissingOrigin, address });
  });
}
