/** Users and keys for tests, made in their database. */

import type pg from "pg";
import { createApiKey, createUser, type NewKey, setPlan } from "../../src/accounts/admin.ts";
import type { ApiKey } from "../../src/accounts/keys.ts";

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

/** Asks `isTrue` until it says yes; each time it should do some work that lets others run, as a query does. */
export async function eventually(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(10_000);
  while (!(await isTrue())) if (deadline.aborted) throw new Error(`it did not come true in time: ${what}`);
}

/** `promise`, or an error when it takes longer than anything here should. */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`it did not come true in time: ${what}`)), 10_000);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
