/** `/v1/account/keys`: an account's API keys. */

import { z } from "zod";
import { checkDomains } from "../../accounts/keys/domain-check.ts";
import { domainEntriesMax, normalizeDomainEntry } from "../../accounts/keys/domains.ts";
import type { Signatures } from "../../accounts/keys/signature.ts";
import type { KeyRules, OwnedKey } from "../../accounts/keys/store.ts";
import type { Management } from "../../accounts/management.ts";
import type { Clock } from "../../clock.ts";
import { AppError } from "../../errors.ts";
import { operation } from "../operation.ts";
import type { Serve } from "../serve.ts";
import { idParams, nullableText, nullableTime, timeInput } from "./schemas.ts";

const tag = "Keys" as const;
const access = "account" as const;

const key = z
  .object({
    id: z.uuid(),
    version: z.int().meta({ description: "Grows with each change; a change names the version that it changes." }),
    name: z.string(),
    hint: z.string().meta({ description: "What the key begins and ends with." }),
    state: z
      .enum(["active", "disabled", "expired", "replaced", "revoked"])
      .meta({ description: "`replaced`: rotated, works until `expires_at`." }),
    allowed_domains: z.array(z.string()).meta({ description: "Where it may be used; empty: anywhere." }),
    allowed_targets: z.array(z.string()).meta({
      description: "Hosts whose pages it may capture; empty: every host. Frames inside such a page may be of any host.",
    }),
    allow_missing_origin: z.boolean().meta({ description: "Whether requests that name no page are allowed although there are domains." }),
    require_signature: z.boolean().meta({ description: "Whether it takes signed requests only." }),
    enabled: z.boolean(),
    expires_at: nullableTime,
    replaced_by: nullableText,
    revoked_at: nullableTime,
    last_used_at: nullableTime.meta({ description: "Up to a minute late." }),
    created_at: z.date(),
  })
  .meta({ schemaName: "Key" });

const secret = z.string().meta({ description: "The key itself, this once." });
const version = z.int().min(1).max(2_147_483_647);
const name = z.string().trim().min(1).max(100);

/** Refused with the sentence that says why. */
const domainEntry = z
  .string()
  .max(300)
  .transform((text, context) => {
    try {
      return normalizeDomainEntry(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message, params: { isSentence: true } });
      return z.NEVER;
    }
  })
  .meta({ format: "host" });
const domainEntries = z
  .array(domainEntry)
  .max(domainEntriesMax)
  .transform((entries) => [...new Set(entries)]);

const rules = {
  allowed_domains: domainEntries,
  allowed_targets: domainEntries,
  allow_missing_origin: z.boolean(),
  require_signature: z.boolean(),
  expires_at: timeInput.nullable(),
};

const listKeys = operation({
  id: "listKeys",
  tag,
  method: "GET",
  path: "/v1/account/keys",
  summary: "The account's keys",
  description: "Newest first, revoked ones too.",
  access,
  answer: z.object({ keys: z.array(key) }),
});

const readKey = operation({
  id: "getKey",
  tag,
  method: "GET",
  path: "/v1/account/keys/:id",
  summary: "One key",
  access,
  params: idParams,
  answer: z.object({ key }),
  failures: ["not_found"],
});

const createKey = operation({
  id: "createKey",
  tag,
  method: "POST",
  path: "/v1/account/keys",
  summary: "Make a key",
  access,
  body: z.strictObject({
    name,
    allowed_domains: rules.allowed_domains.default([]),
    allowed_targets: rules.allowed_targets.default([]),
    allow_missing_origin: rules.allow_missing_origin.default(false),
    require_signature: rules.require_signature.default(false),
    expires_at: rules.expires_at.default(null),
  }),
  status: 201,
  answer: z.object({ key, secret }),
  failures: ["key_limit_reached"],
});

const changeKey = operation({
  id: "changeKey",
  tag,
  method: "PATCH",
  path: "/v1/account/keys/:id",
  summary: "Change a key's name and rules",
  description: "Members that are left out stay. Takes effect at once.",
  access,
  params: idParams,
  body: z.strictObject({
    version,
    name: name.optional(),
    allowed_domains: rules.allowed_domains.optional(),
    allowed_targets: rules.allowed_targets.optional(),
    allow_missing_origin: rules.allow_missing_origin.optional(),
    require_signature: rules.require_signature.optional(),
    enabled: z.boolean().optional(),
    expires_at: rules.expires_at.optional(),
  }),
  answer: z.object({ key }),
  failures: ["not_found", "changed_meanwhile", "not_possible"],
});

const rotateKey = operation({
  id: "rotateKey",
  tag,
  method: "POST",
  path: "/v1/account/keys/:id/rotate",
  summary: "Replace a key by a new one with the same rules",
  description: "The old one works for 24 hours more.",
  access,
  params: idParams,
  body: z.strictObject({ version }),
  status: 201,
  answer: z.object({ key, secret, replaced: key }),
  failures: ["not_found", "changed_meanwhile", "not_possible"],
});

const revokeKey = operation({
  id: "revokeKey",
  tag,
  method: "POST",
  path: "/v1/account/keys/:id/revoke",
  summary: "Revoke a key at once and for good",
  access,
  params: idParams,
  answer: z.object({ key }),
  failures: ["not_found"],
});

const readSigningSecret = operation({
  id: "getSigningSecret",
  tag,
  method: "GET",
  path: "/v1/account/keys/:id/signing-secret",
  summary: "What requests with the key are signed with",
  description: "Another one than the key itself, and the same each time.",
  access,
  params: idParams,
  answer: z.object({ signing_secret: z.string() }),
  failures: ["not_found"],
});

const checkKeyDomains = operation({
  id: "checkDomains",
  tag,
  method: "POST",
  path: "/v1/account/keys/check",
  summary: "Would this page be allowed?",
  description: "For a list as it is being typed; nothing is stored.",
  access,
  body: z.strictObject({
    list: z.enum(["domains", "targets"]),
    entries: z.array(z.string().max(300)).max(domainEntriesMax),
    allow_missing_origin: z.boolean().default(false),
    address: z.string().max(2048).nullable().default(null).meta({ description: "A page's address; empty: a request that names no page." }),
  }),
  answer: z.object({
    entries: z.array(z.object({ input: z.string(), entry: nullableText, problem: nullableText })),
    verdict: z.object({ allowed: z.boolean(), entry: nullableText, reason: z.string() }).nullable(),
  }),
});

export const keyOperations = [listKeys, createKey, checkKeyDomains, readKey, changeKey, rotateKey, revokeKey, readSigningSecret];

interface KeyParts {
  management: Management;
  clock: Clock;
  signatures: Signatures;
  /** Of new keys. */
  prefix: string;
}

export function keyRoutes(serve: Serve, { management, clock, signatures, prefix }: KeyParts): void {
  function assertFuture(time: Date | null | undefined): void {
    if (!time || time.getTime() > clock.now()) return;
    const details = [{ parameter: "expires_at", message: "expires_at must lie in the future", allowed: "a time in the future, or null" }];
    throw new AppError("invalid_parameters", { details });
  }

  serve.toAccount(listKeys, async (_input, { userId }) => ({ keys: (await management.listOwnedKeys(userId)).map(keyAnswer) }));

  serve.toAccount(readKey, async ({ params }, { userId }) => ({ key: keyAnswer(await management.readOwnedKey(userId, params.id)) }));

  serve.toAccount(createKey, async ({ body }, { userId }) => {
    assertFuture(body.expires_at);
    const made = await management.createOwnedKey(userId, prefix, {
      name: body.name,
      allowedDomains: body.allowed_domains,
      allowedTargets: body.allowed_targets,
      allowMissingOrigin: body.allow_missing_origin,
      requireSignature: body.require_signature,
      enabled: true,
      expiresAt: body.expires_at,
    });
    return { key: keyAnswer(made.key), secret: made.secret };
  });

  serve.toAccount(changeKey, async ({ params, body }, { userId }) => {
    assertFuture(body.expires_at);
    const changes: { [Name in keyof KeyRules]: KeyRules[Name] | undefined } = {
      name: body.name,
      allowedDomains: body.allowed_domains,
      allowedTargets: body.allowed_targets,
      allowMissingOrigin: body.allow_missing_origin,
      requireSignature: body.require_signature,
      enabled: body.enabled,
      expiresAt: body.expires_at,
    };
    return { key: keyAnswer(await management.changeOwnedKey(userId, params.id, body.version, changes)) };
  });

  serve.toAccount(rotateKey, async ({ params, body }, { userId }) => {
    const rotated = await management.rotateOwnedKey(userId, params.id, body.version, prefix);
    return { key: keyAnswer(rotated.key), secret: rotated.secret, replaced: keyAnswer(rotated.replaced) };
  });

  serve.toAccount(revokeKey, async ({ params }, { userId }) => ({ key: keyAnswer(await management.revokeOwnedKey(userId, params.id)) }));

  serve.toAccount(readSigningSecret, async ({ params }, { userId }) => {
    const { id } = await management.readOwnedKey(userId, params.id);
    return { signing_secret: signatures.secretOf(id) };
  });

  serve.toAccount(checkKeyDomains, async ({ body }) => {
    const { list, entries, allow_missing_origin: allowMissingOrigin, address } = body;
    return checkDomains({ list, entries, allowMissingOrigin, address });
  });
}

function keyAnswer(of: OwnedKey): z.input<typeof key> {
  return {
    id: of.id,
    version: of.version,
    name: of.name,
    hint: of.hint,
    state: of.state,
    allowed_domains: of.allowedDomains,
    allowed_targets: of.allowedTargets,
    allow_missing_origin: of.allowMissingOrigin,
    require_signature: of.requireSignature,
    enabled: of.enabled,
    expires_at: of.expiresAt,
    replaced_by: of.replacedBy,
    revoked_at: of.revokedAt,
    last_used_at: of.lastUsedAt,
    created_at: of.createdAt,
  };
}
