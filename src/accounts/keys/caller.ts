/** Callers and their permissions. A caller is an API key, or a dashboard user without a key. */

import type { Queries } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";

export interface Caller {
  /** Id of the API key; null for requests from the dashboard, and for watches last changed there. */
  id: string | null;
  userId: string;
  /** Id of the account's plan. */
  planId: string;
  /** Websites on which the key may be used, in stored form (see domains.ts). If empty, it may be used anywhere. */
  allowedDomains: string[];
  /** Targets that may be captured, in stored form. If empty, any target may be. */
  allowedTargets: string[];
  /** Requests per minute; if null, `RATE_LIMIT_MAX_REQUESTS` per `RATE_LIMIT_WINDOW_MS`. */
  rateLimit: number | null;
  /** Screenshots per quota month; null if unlimited. */
  monthlyQuota: number | null;
  /** Days for which screenshots are kept. */
  retentionDays: number;
  /** Start of the first quota month; null for calendar months in UTC. */
  anchor: Date | null;
}

export interface ApiKey extends Caller {
  id: string;
  name: string;
  allowMissingOrigin: boolean;
  /** Whether only signed requests are accepted. */
  requireSignature: boolean;
  expiresAt: Date | null;
}

/** The owner of captures, batches and watches: a whole account, or one of its keys. */
export interface Owner {
  userId: string;
  /** Undefined for the whole account. */
  keyId?: string | undefined;
}

/**
 * A restricted key sees only what it created itself. Anything else might show pages outside its allowed targets, and a key with allowed
 * domains is visible to every visitor to those sites.
 */
export function ownerOf({ userId, id, allowedDomains, allowedTargets }: Caller): Owner {
  const isRestricted = allowedDomains.length > 0 || allowedTargets.length > 0;
  return { userId, keyId: isRestricted && id !== null ? id : undefined };
}

/**
 * Finds the key with this hash, even if it has expired; null if there is none, or if the key is disabled or revoked, or its account is
 * disabled.
 */
export async function findKey(database: Queries, hash: Buffer): Promise<ApiKey | null> {
  const { rows } = await database.query<ApiKey>({
    name: "find_key",
    timeoutMs: Number.POSITIVE_INFINITY, // requests with different deadlines share the query, and a late result is still cached
    text: `${selectKey} where k.hash = $1 and ${usableKeySql}`,
    values: [hash],
  });
  return rows[0] ?? null;
}

const selectKey = `
  select k.id, k.user_id as "userId", p.plan_id as "planId", k.name, k.allowed_domains as "allowedDomains",
         k.allowed_targets as "allowedTargets", k.allow_missing_origin as "allowMissingOrigin", k.require_signature as "requireSignature",
         p.rate_limit as "rateLimit", p.monthly_quota as "monthlyQuota", p.retention_days as "retentionDays",
         p.anchor, k.expires_at as "expiresAt"
    from api_keys k
    join account_plans p on p.user_id = k.user_id
    join users u on u.id = k.user_id`;
const usableKeySql = "k.enabled and k.revoked_at is null and u.disabled_at is null";

/**
 * Reads the current state of the caller that queued a capture. @throws {AppError} `invalid_api_key` if the key can no longer be used;
 * `not_signed_in` if there is no key and the account was disabled or deleted.
 */
export async function queuedCaller(database: Queries, { userId, keyId }: { userId: string; keyId: string | null }): Promise<Caller> {
  if (keyId === null) {
    const { rowCount } = await database.query("select from users where id = $1 and disabled_at is null and deleted_at is null", [userId]);
    if (rowCount === 0)
      throw new AppError("not_signed_in", { message: "The account was disabled or deleted while the capture was queued." });
    return await playgroundCaller(database, userId);
  }
  const { rows } = await database.query<ApiKey>(`${selectKey} where k.id = $1 and ${usableKeySql}`, [keyId]);
  const [key] = rows;
  if (!key || (key.expiresAt && key.expiresAt.getTime() <= Date.now()))
    throw new AppError("invalid_api_key", { message: "The API key was revoked or disabled, or expired, while the capture was queued." });
  return key;
}

/**
 * The caller for requests from the dashboard: it has the account's limits and none of a key's restrictions.
 * @throws {AppError} `not_signed_in` if the account's row is gone; a deleted account's row remains until its images are gone.
 */
export async function playgroundCaller(database: Queries, userId: string): Promise<Caller> {
  const { rows } = await database.query<Omit<Caller, "id" | "allowedDomains" | "allowedTargets">>(
    `select user_id as "userId", plan_id as "planId", rate_limit as "rateLimit", monthly_quota as "monthlyQuota", retention_days as "retentionDays", anchor
       from account_plans where user_id = $1`,
    [userId],
  );
  if (!rows[0]) throw new AppError("not_signed_in");
  return { ...rows[0], id: null, allowedDomains: [], allowedTargets: [] };
}
