/** Schemas of API keys in responses, and of their rules in requests. */

import { z } from "zod";
import { domainEntriesMax, normalizeDomainEntry } from "../../accounts/keys/domains.ts";
import { answerFrom } from "../openapi/operation.ts";
import { nullableText, nullableTime, timeInput } from "./schemas.ts";

export const key = z
  .object({
    id: z.uuid(),
    version: z.int().meta({ description: "Incremented by every change; updates must send the current version." }),
    name: z.string(),
    hint: z.string().meta({ description: "First and last characters of the key." }),
    state: z
      .enum(["active", "disabled", "expired", "replaced", "revoked"])
      .meta({ description: "`replaced`: rotated; works until `expires_at`." }),
    allowed_domains: z.array(z.string()).meta({ description: "Domains on which the key may be used. If empty, it may be used on all." }),
    allowed_targets: z.array(z.string()).meta({ description: "Hosts that the key may capture. If empty, it may capture all." }),
    allow_missing_origin: z
      .boolean()
      .meta({ description: "With `allowed_domains`: whether requests without `Origin` and `Referer` are allowed." }),
    require_signature: z.boolean().meta({ description: "Whether only signed requests are accepted." }),
    enabled: z.boolean(),
    expires_at: nullableTime,
    replaced_by: nullableText,
    revoked_at: nullableTime,
    last_used_at: nullableTime.meta({ description: "Accurate to within a minute." }),
    created_at: z.date(),
  })
  .meta({ schemaName: "Key" });

/** Rejects invalid entries with a message that explains why. */
const domainEntry = z
  .string()
  .max(300, { abort: true })
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

export const keyAnswer = answerFrom(key);
