/** The shape of an API key in answers, and of its rules in input. */

import { z } from "zod";
import { domainEntriesMax, normalizeDomainEntry } from "../../accounts/keys/domains.ts";
import type { OwnedKey } from "../../accounts/keys/store.ts";
import { nullableText, nullableTime, timeInput } from "./schemas.ts";

export const key = z
  .object({
    id: z.uuid(),
    version: z.int().meta({ description: "Grows with each change; a change must name the current one." }),
    name: z.string(),
    hint: z.string().meta({ description: "The start and the end of the key." }),
    state: z
      .enum(["active", "disabled", "expired", "replaced", "revoked"])
      .meta({ description: "`replaced`: rotated, works until `expires_at`." }),
    allowed_domains: z.array(z.string()).meta({ description: "Where it may be used; empty: anywhere." }),
    allowed_targets: z.array(z.string()).meta({ description: "What it may capture; empty: everything." }),
    allow_missing_origin: z
      .boolean()
      .meta({ description: "With `allowed_domains`: whether requests without Origin and Referer are allowed, too." }),
    require_signature: z.boolean().meta({ description: "Whether only signed requests are accepted." }),
    enabled: z.boolean(),
    expires_at: nullableTime,
    replaced_by: nullableText,
    revoked_at: nullableTime,
    last_used_at: nullableTime.meta({ description: "Up to a minute late." }),
    created_at: z.date(),
  })
  .meta({ schemaName: "Key" });

/** Refused with a sentence that says why. */
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
  .transform((entries) => [...new Set(entries)])
  .meta({ valid: `a list of at most ${domainEntriesMax} hosts, such as example.com or *.example.com` });

export const keyName = z.string().trim().min(1).max(100);
export const keyVersion = z.int().min(1).max(2_147_483_647);

export const keyRules = {
  allowed_domains: domainEntries,
  allowed_targets: domainEntries,
  allow_missing_origin: z.boolean(),
  require_signature: z.boolean(),
  expires_at: timeInput.nullable(),
};

export function keyAnswer(of: OwnedKey): z.input<typeof key> {
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
