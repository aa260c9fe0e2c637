/** Creates users and API keys in a test's database. */

import type { ApiKey } from "../../src/accounts/keys/caller.ts";
import { normalizeDomainEntries } from "../../src/accounts/keys/domains.ts";
import { createKey } from "../../src/accounts/keys/store.ts";
import { createUser, findUser } from "../../src/accounts/people/users.ts";
import { type PlanChoice, setPlan } from "../../src/accounts/usage/plans.ts";
import type { Database } from "../../src/database/database.ts";

export interface NewKey {
  prefix?: string;
  name?: string;
  domains?: string[];
  targets?: string[];
  allowMissingOrigin?: boolean;
  requireSignature?: boolean;
  expiresAt?: Date;
}

/** Creates a key for the user with the address `email`, and returns it. */
export async function createApiKey(database: Database, email: string, key: NewKey = {}): Promise<string> {
  const { id } = await findUser(database, email);
  const { secret } = await createKey(database, id, key.prefix ?? "ss", {
    name: key.name ?? "API key",
    allowedDomains: normalizeDomainEntries(key.domains ?? []),
    allowedTargets: normalizeDomainEntries(key.targets ?? []),
    allowMissingOrigin: key.allowMissingOrigin ?? false,
    requireSignature: key.requireSignature ?? false,
    enabled: true,
    expiresAt: key.expiresAt ?? null,
  });
  return secret;
}

/** Puts the user with the address `email` on a plan. */
export async function setPlanOf(database: Database, email: string, choice: PlanChoice): Promise<void> {
  const { id } = await findUser(database, email);
  await setPlan(database, id, choice);
}

/** Creates a user on `planId`, and a key of theirs. */
export async function createAccount(database: Database, { planId = "free", rules = {} }: { planId?: string; rules?: NewKey } = {}) {
  const { id: userId, email } = await createUser(database, `user-${crypto.randomUUID()}@example.test`);
  if (planId !== "free") await setPlan(database, userId, { planId });
  const key = await createApiKey(database, email, rules);
  return { userId, email, key };
}

/** Creates a user, and returns a key of theirs as `authenticate` returns it. */
export async function createQuotaKey(database: Database, monthlyQuota: number | null, anchor: Date | null = null): Promise<ApiKey> {
  const { id: userId } = await createUser(database, `user-${crypto.randomUUID()}@example.test`);
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
