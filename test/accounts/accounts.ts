/** Users and keys for tests, made in their database. */

import type pg from "pg";
import { createApiKey, createUser, type NewKey, setPlan } from "../../src/accounts/admin.ts";
import type { ApiKey } from "../../src/accounts/keys/authenticate.ts";

/** A user on `planId` and a key of theirs. */
export async function createAccount(pool: pg.Pool, { planId = "free", rules = {} }: { planId?: string; rules?: Partial<NewKey> } = {}) {
  const { id: userId, email } = await createUser(pool, `user-${crypto.randomUUID()}@example.test`);
  if (planId !== "free") await setPlan(pool, email, { planId });
  const key = await createApiKey(pool, email, { prefix: "ss", ...rules });
  return { userId, email, key };
}

/** A key as `authenticate` hands it out, of a user who exists. */
export async function createQuotaKey(pool: pg.Pool, monthlyQuota: number | null, anchor: Date | null = null): Promise<ApiKey> {
  const { id: userId } = await createUser(pool, `user-${crypto.randomUUID()}@example.test`);
  return {
    id: crypto.randomUUID(),
    userId,
    planId: "free",
    name: "test",
    allowedDomains: [],
    allowedTargets: [],
    allowMissingOrigin: false,
    requireSignature: false,
    rateLimit: null,
    monthlyQuota,
    retentionDays: 7,
    anchor,
    expiresAt: null,
  };
}
