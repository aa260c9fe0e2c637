/** Schemas shared by the operations of the management API. */

import { z } from "zod";
import { passwordLength } from "../../accounts/people/passwords.ts";
import type { User } from "../../accounts/people/users.ts";
import type { Plan } from "../../accounts/usage/plans.ts";
import type { Config } from "../../settings/config.ts";
import { answerFrom } from "../openapi/operation.ts";

export const personName = z.string().trim().min(1).max(100);
export const email = z.string().trim().toLowerCase().pipe(z.email().max(254)).meta({ format: "email" });

export const newPassword = z.string().min(passwordLength.min).max(passwordLength.max).meta({ secret: true });
/** Existing passwords may be shorter than the current minimum. */
export const password = z.string().min(1).max(passwordLength.max).meta({ secret: true });

/** A time with a UTC offset. */
export const timeInput = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .meta({ format: "date-time" });

/** PostgreSQL has no year 0. */
const day = z.iso.date({ abort: true }).refine((text) => !text.startsWith("0000"), "must not be in the year 0");
/** Filters that restrict a list to a range of days. */
export const days = {
  since: day.optional().meta({ description: "First day, in UTC." }),
  until: day.optional().meta({ description: "Last day, in UTC." }),
};

export const nullableText = z.string().nullable();
export const nullableTime = z.date().nullable();
export const nullableCount = z.int().min(0).nullable();
export const count = z.int().min(0);

export const user = z
  .object({
    id: z.uuid(),
    name: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    image: nullableText,
    role: z.enum(["user", "admin"]),
    has_password: z.boolean().meta({ description: "False if the user signs in only through the identity provider or with passkeys." }),
    second_factor: z.boolean().meta({ description: "Whether sign-ins with the password also require a code from an authenticator app." }),
    created_at: z.date(),
  })
  .meta({ schemaName: "User" });

export const entered = z.object({ user });

export const month = z
  .object({
    start: z.date(),
    end: z.date().meta({ description: "When the next month begins and the quota resets." }),
    used: count,
    quota: nullableCount.meta({ description: "Null if unlimited." }),
    remaining: nullableCount,
  })
  .meta({ schemaName: "Month" });

export const planSource = z.enum(["default", "manual", "billing"]);

export const plan = z.object({
  id: z.string(),
  name: z.string(),
  rate_limit: z.object({ requests: count, window_seconds: count }),
  monthly_quota: nullableCount.meta({ description: "Null if unlimited." }),
  max_keys: count,
  retention_days: count,
});

const counts = {
  captured: count.meta({ description: "New screenshots." }),
  cached: count.meta({ description: "Responses without a new capture." }),
  failed: count.meta({ description: "Captures that failed, or whose caller disconnected." }),
  rejected: count.meta({ description: "Requests rejected before a capture." }),
  bytes: count.meta({ description: "Bytes delivered." }),
};
export const usageCounts = z.object(counts).meta({ schemaName: "UsageCounts" });
export const usageDay = z.object({ day: z.iso.date(), ...counts }).meta({ schemaName: "UsageDay" });

const playground = "playground";
/** A key's id; null for the playground. */
export const keyFilter = z
  .union([z.literal(playground), z.uuid()])
  .transform((id) => (id === playground ? null : id))
  .optional();

export const cursor = z.uuid().optional().meta({ description: "`next_cursor` of the previous page." });
export const nextCursor = z.uuid().nullable().meta({ description: "Null on the last page." });

/** Cuts `found` to `limit` items. An extra item means that there is another page. */
export function pageOf<T extends { id: string }>(found: T[], limit: number): { page: T[]; next_cursor: string | null } {
  const page = found.slice(0, limit);
  return { page, next_cursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/** @param config provides the request limit for plans without one. */
export function planAnswer({ id, name, rateLimit, monthlyQuota, maxKeys, retentionDays }: Plan, config: Config): z.input<typeof plan> {
  return {
    id,
    name,
    rate_limit:
      rateLimit === null
        ? { requests: config.RATE_LIMIT_MAX_REQUESTS, window_seconds: Math.ceil(config.RATE_LIMIT_WINDOW_MS / 1000) }
        : { requests: rateLimit, window_seconds: 60 },
    monthly_quota: monthlyQuota,
    max_keys: maxKeys,
    retention_days: retentionDays,
  };
}

const answer = answerFrom(user);

export const userAnswer = (of: User) => answer({ ...of, secondFactor: of.hasSecondFactor });
