/** What an operator does to accounts: makes users and keys, sets plans, revokes. */

import type pg from "pg";
import { inTransaction } from "../database.ts";
import { normalizeDomainEntries } from "./keys/domains.ts";
import { createKey, hashKey, isWellFormedKey } from "./keys/format.ts";
import { countKeys, insertKey, keyState, type OwnedKey, revokeOwnedKey } from "./keys/store.ts";

/** The operator asked for something that can't be; the message is a sentence for them. */
export class AdminError extends Error {
  override readonly name = "AdminError";
}

/** Where a statement runs: a pool, or a connection of it within a transaction. */
type Connection = pg.Pool | pg.PoolClient;

const uniqueViolation = "23505";
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * @param name defaults to the part of the address before the `@`.
 * @throws {AdminError} when the address is none or is taken.
 */
export async function createUser(connection: Connection, address: string, name?: string): Promise<{ id: string; email: string }> {
  const email = address.trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254) throw new AdminError(`"${address}" is not an e-mail address.`);
  try {
    const { rows } = await connection.query<{ id: string }>("insert into users (email, name) values ($1, $2) returning id", [
      email,
      name?.trim() || email.slice(0, email.indexOf("@")),
    ]);
    return { id: (rows[0] as { id: string }).id, email };
  } catch (error) {
    if ((error as { code?: unknown }).code === uniqueViolation) throw new AdminError(`There is a user ${email} already.`);
    throw error;
  }
}

interface PlanChoice {
  planId: string;
  /** Requests per minute instead of the plan's. */
  rateLimit?: number | undefined;
  /** Screenshots per month instead of the plan's; `unlimited` only on a plan that has no quota, as an override can't lift one. */
  quota?: number | "unlimited" | undefined;
}

/**
 * Puts a user on a plan by hand. Earlier overrides go; the quota months keep their beginning. `free` takes no overrides.
 * @throws {AdminError} when the user or the plan is unknown, or an override can't be.
 */
export async function setPlan(pool: pg.Pool, address: string, choice: PlanChoice): Promise<{ id: string; email: string }> {
  const user = await findUser(pool, address);
  await choosePlan(pool, user.id, choice);
  return user;
}

/** The same by the user's id. @throws {AdminError} when the plan is unknown, or an override can't be. */
export async function choosePlan(connection: Connection, userId: string, { planId, rateLimit, quota }: PlanChoice): Promise<void> {
  const { rows: plans } = await connection.query<{ id: string; monthly_quota: number | null }>(
    "select id, monthly_quota from plans order by rank",
  );
  const plan = plans.find(({ id }) => id === planId);
  if (!plan) throw new AdminError(`There is no plan "${planId}"; there are ${plans.map(({ id }) => id).join(", ")}.`);
  if (planId === "free") {
    if (rateLimit !== undefined || quota !== undefined)
      throw new AdminError("The plan free takes no limits of its own; choose another plan.");
    await connection.query("delete from subscriptions where user_id = $1", [userId]);
    return;
  }
  if (quota === "unlimited" && plan.monthly_quota !== null) {
    const unlimited = plans.filter(({ monthly_quota }) => monthly_quota === null).map(({ id }) => id);
    const hint = unlimited.length > 0 ? `choose ${unlimited.join(" or ")}` : "give a plan no monthly_quota";
    throw new AdminError(
      `The plan ${planId} has a quota of ${plan.monthly_quota}, which can be changed for one user but not lifted: ${hint}.`,
    );
  }
  await upsertSubscription(connection, userId, planId, rateLimit ?? null, quota === "unlimited" ? null : (quota ?? null));
}

/** An existing anchor stays: a new one would begin a new quota month. */
async function upsertSubscription(
  connection: Connection,
  userId: string,
  planId: string,
  rateLimit: number | null,
  quota: number | null,
): Promise<void> {
  await connection.query(
    `insert into subscriptions (user_id, plan_id, source, status, anchor, rate_limit_override, monthly_quota_override)
     values ($1, $2, 'manual', 'active', date_trunc('second', now()), $3, $4)
     on conflict (user_id) do update
       set plan_id = excluded.plan_id, source = 'manual', status = 'active', current_period_end = null, cancel_at_period_end = false,
           rate_limit_override = excluded.rate_limit_override, monthly_quota_override = excluded.monthly_quota_override, updated_at = now()`,
    [userId, planId, rateLimit, quota],
  );
}

export interface NewKey {
  prefix: string;
  name?: string | undefined;
  domains?: string[] | undefined;
  targets?: string[] | undefined;
  allowMissingOrigin?: boolean | undefined;
  requireSignature?: boolean | undefined;
  expiresAt?: Date | undefined;
}

/**
 * Makes a key and returns it; only its hash is stored, so this is the one time that it can be shown.
 * @throws {AdminError} when the user is unknown, has as many keys as the plan allows, or an entry of a list can't be used.
 */
export async function createApiKey(pool: pg.Pool, address: string, rules: NewKey): Promise<string> {
  const name = rules.name?.trim() || "API key";
  if (name.length > 100) throw new AdminError("The name of a key has at most 100 characters.");
  if (rules.expiresAt && rules.expiresAt <= new Date()) throw new AdminError("The key would have expired already.");
  const key = createKey(rules.prefix);
  await inTransaction(pool, async (client) => {
    const user = await findUser(client, address);
    const { used, max, planId } = await countKeys(client, user.id);
    if (used >= max) throw new AdminError(`${user.email} has ${used} keys and the plan ${planId} allows ${max}: revoke one first.`);
    await insertKey(client, user.id, key, {
      name,
      allowedDomains: listOf(rules.domains ?? []),
      allowedTargets: listOf(rules.targets ?? []),
      allowMissingOrigin: rules.allowMissingOrigin ?? false,
      requireSignature: rules.requireSignature ?? false,
      enabled: true,
      expiresAt: rules.expiresAt ?? null,
    });
  });
  return key;
}

interface ListedKey {
  id: string;
  hint: string;
  email: string;
  name: string;
  state: OwnedKey["state"];
  domains: string[];
  targets: string[];
  lastUsedAt: Date | null;
}

/** The keys of one user, or all, oldest first. @throws {AdminError} when the user is unknown. */
export async function listKeys(pool: pg.Pool, address?: string): Promise<ListedKey[]> {
  const user = address === undefined ? null : await findUser(pool, address);
  const { rows } = await pool.query<ListedKey>(
    `select k.id, k.hint, u.email, k.name, ${keyState}, k.allowed_domains as domains, k.allowed_targets as targets,
            k.last_used_at as "lastUsedAt"
       from api_keys k join users u on u.id = k.user_id
      where $1::uuid is null or k.user_id = $1
      order by u.email, k.created_at`,
    [user?.id ?? null],
  );
  return rows;
}

/**
 * Revokes for good; every replica refuses the key at once.
 * @param which the key's id, its hint (`...` may stand for `…`), or the key itself.
 * @throws {AdminError} when no key, a revoked one, or more than one is meant.
 */
export async function revokeKey(pool: pg.Pool, which: string): Promise<{ id: string; hint: string }> {
  const { userId, ...key } = await findActiveKey(pool, which);
  await revokeOwnedKey(pool, userId, key.id);
  return key;
}

/** The one key in use that is meant; like `revokeKey`. */
export async function findActiveKey(pool: pg.Pool, which: string): Promise<{ id: string; userId: string; hint: string }> {
  const text = which.trim();
  const [column, value] = uuidPattern.test(text)
    ? ["id", text]
    : isWellFormedKey(text)
      ? ["hash", hashKey(text)]
      : ["hint", text.replace("...", "…")];
  const { rows: keys } = await pool.query<{ id: string; userId: string; hint: string; revoked: boolean }>(
    `select id, user_id as "userId", hint, revoked_at is not null as revoked from api_keys where ${column} = $1`,
    [value],
  );
  const active = keys.filter(({ revoked }) => !revoked);
  const [key] = active;
  if (active.length > 1)
    throw new AdminError(`${active.length} keys look like ${active[0]?.hint}; give the id: ${active.map(({ id }) => id).join(", ")}.`);
  if (!key)
    throw new AdminError(keys[0] ? `The key ${keys[0].hint} is revoked already.` : "There is no such key; key:list shows ids and hints.");
  return { id: key.id, userId: key.userId, hint: key.hint };
}

function listOf(texts: string[]): string[] {
  try {
    return normalizeDomainEntries(texts);
  } catch (error) {
    throw new AdminError((error as Error).message);
  }
}

function emailOf(address: string): string {
  return address.trim().toLowerCase();
}

export async function findUser(connection: Connection, address: string): Promise<{ id: string; email: string }> {
  const { rows } = await connection.query<{ id: string; email: string }>("select id, email from users where email = $1", [
    emailOf(address),
  ]);
  if (!rows[0]) throw new AdminError(`There is no user ${emailOf(address)}.`);
  return rows[0];
}
