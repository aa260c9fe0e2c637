/**
 * Lists, creates, changes and revokes an account's keys. A change, unlike a revocation, states the version that it is based on, so that it
 * can't silently overwrite another change.
 */

import type { Database, Queries } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import { changesOf, type NewAuditEntry, record } from "../people/audit.ts";
import { generateKey, hashKey, keyHint } from "./authenticate.ts";

export interface OwnedKey extends KeyRules {
  id: string;
  version: number;
  hint: string;
  /** A `replaced` key works until it expires. */
  state: "active" | "disabled" | "expired" | "replaced" | "revoked";
  replacedBy: string | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  createdAt: Date;
}

export interface KeyRules {
  name: string;
  /** Websites on which the key may be used, in stored form (see domains.ts). If empty, it may be used anywhere. */
  allowedDomains: string[];
  /** Targets that may be captured, in the same form. If empty, any target may be. */
  allowedTargets: string[];
  allowMissingOrigin: boolean;
  /** Whether only signed requests are accepted. */
  requireSignature: boolean;
  enabled: boolean;
  expiresAt: Date | null;
}

/** `secret` is the key itself. Only its hash is stored, so it can't be shown again. */
export interface NewKey {
  key: OwnedKey;
  secret: string;
}

const listedMax = 200;

const columnsOf: Record<keyof KeyRules, string> = {
  name: "name",
  allowedDomains: "allowed_domains",
  allowedTargets: "allowed_targets",
  allowMissingOrigin: "allow_missing_origin",
  requireSignature: "require_signature",
  enabled: "enabled",
  expiresAt: "expires_at",
};

/** SQL for the `state` column. */
export const keyState = `case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' when not enabled then 'disabled'
       when replaced_by is not null then 'replaced' else 'active' end as state`;
const keyColumns = `id, version, name, hint, allowed_domains as "allowedDomains", allowed_targets as "allowedTargets",
  allow_missing_origin as "allowMissingOrigin", require_signature as "requireSignature", enabled, expires_at as "expiresAt",
  replaced_by as "replacedBy", revoked_at as "revokedAt", last_used_at as "lastUsedAt", created_at as "createdAt", ${keyState}`;

/** SQL condition for keys that count toward the plan's maximum. A rotated key no longer counts; its replacement does. */
export const isCounted = "revoked_at is null and replaced_by is null";

/** Maximum length of the lists of hosts until which revoked and replaced keys are listed, in bytes; a single key has up to 25 KB. */
const listedBytesMax = 500_000;

/** Newest first, including revoked and replaced keys unless all are very long together; at most 200. */
export async function listKeys(database: Database, userId: string): Promise<OwnedKey[]> {
  const { rows } = await database.query<OwnedKey>(
    `select ${keyColumns}
       from (select *, sum(octet_length(array_to_string(allowed_domains || allowed_targets, '')))
                         over (order by ${isCounted} desc, created_at desc, id) as bytes
               from api_keys where user_id = $1) keys
      where ${isCounted} or bytes < ${listedBytesMax}
      order by created_at desc, id limit $2`,
    [userId, listedMax],
  );
  return rows;
}

/** @throws {AppError} `not_found` if the user has no such key. */
export async function readKey(queries: Queries, userId: string, id: string, lock: "" | "for update" = ""): Promise<OwnedKey> {
  const { rows } = await queries.query<OwnedKey>(`select ${keyColumns} from api_keys where id = $1 and user_id = $2 ${lock}`, [id, userId]);
  if (!rows[0]) throw new AppError("not_found");
  return rows[0];
}

/** @throws {AppError} `key_limit_reached`. */
export async function createKey(database: Database, userId: string, prefix: string, rules: KeyRules): Promise<NewKey> {
  const secret = generateKey(prefix);
  const key = await database.transaction(async (transaction) => {
    const { used, max, planId } = await countKeys(transaction, userId);
    if (used >= max)
      throw new AppError("key_limit_reached", {
        message: `The ${planId} plan allows ${max === 1 ? "1 key" : `${max} keys`}, and ${used === 1 ? "1 is" : `${used} are`} in use: revoke one first.`,
      });
    const id = await insertKey(transaction, userId, secret, rules);
    const created = await readKey(transaction, userId, id);
    await record(transaction, auditOf("key.created", userId, created));
    return created;
  });
  return { key, secret };
}

/** Returns the new key's id. */
async function insertKey(transaction: Queries, userId: string, secret: string, rules: KeyRules): Promise<string> {
  const { rows } = await transaction.query<{ id: string }>(
    `insert into api_keys (user_id, name, hash, hint, allowed_domains, allowed_targets, allow_missing_origin, require_signature, enabled,
                           expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
    [
      userId,
      rules.name,
      hashKey(secret),
      keyHint(secret),
      rules.allowedDomains,
      rules.allowedTargets,
      rules.allowMissingOrigin,
      rules.requireSignature,
      rules.enabled,
      rules.expiresAt,
    ],
  );
  return (rows[0] as { id: string }).id;
}

/** Locks the user's row to serialize concurrent calls. */
async function countKeys(transaction: Queries, userId: string): Promise<{ used: number; max: number; planId: string }> {
  await transaction.query("select 1 from users where id = $1 for update", [userId]);
  const { rows } = await transaction.query<{ used: number; max: number; planId: string }>(
    `select p.plan_id as "planId", p.max_keys as max,
            (select count(*)::integer from api_keys k where k.user_id = p.user_id and ${isCounted}) as used
       from account_plans p where p.user_id = $1`,
    [userId],
  );
  return rows[0] ?? { used: 0, max: 0, planId: "" };
}

/** @throws {AppError} `not_found`, `changed_meanwhile`, `not_possible`. */
export async function changeKey(
  database: Database,
  userId: string,
  id: string,
  version: number,
  changes: { [Name in keyof KeyRules]?: KeyRules[Name] | undefined },
): Promise<OwnedKey> {
  return await database.transaction(async (transaction) => {
    const key = await readKey(transaction, userId, id, "for update");
    assertChangeable(key, version);
    if (changes.expiresAt !== undefined && key.replacedBy !== null)
      throw new AppError("not_possible", { message: "The key has been rotated: its expiry can't be changed." });
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const sets = given.map(([name], index) => `${columnsOf[name as keyof KeyRules]} = $${index + 2}`);
    await transaction.query(`update api_keys set ${["version = version + 1", ...sets].join(", ")} where id = $1`, [
      id,
      ...given.map(([, value]) => value),
    ]);
    const named = changesOf<KeyRules>(key, changes).map((change) => ({ ...change, field: columnsOf[change.field as keyof KeyRules] }));
    if (named.length > 0) await record(transaction, { ...auditOf("key.changed", userId, key), changes: named });
    return await readKey(transaction, userId, id);
  });
}

/**
 * Revokes a key immediately and permanently; does nothing if it is already revoked. A predecessor that still works counts toward the
 * maximum again: otherwise alternating rotation and revocation could create any number of working keys.
 * @throws {AppError} `not_found`.
 */
export async function revokeKey(database: Database, userId: string, id: string): Promise<OwnedKey> {
  return await database.transaction(async (transaction) => {
    const { rowCount } = await transaction.query(
      "update api_keys set revoked_at = now(), version = version + 1 where id = $1 and user_id = $2 and revoked_at is null",
      [id, userId],
    );
    const key = await readKey(transaction, userId, id);
    if (rowCount === 0) return key;
    await transaction.query(
      `update api_keys set replaced_by = null, version = version + 1
        where replaced_by = $1 and revoked_at is null and expires_at > now()`,
      [id],
    );
    await record(transaction, auditOf("key.revoked", userId, key));
    return key;
  });
}

/** Audit log entry for a change to a key. */
export function auditOf(action: NewAuditEntry["action"], userId: string, { id, name, hint }: OwnedKey): NewAuditEntry {
  return { action, accountId: userId, subject: `${name} ${hint}`, subjectId: id };
}

/** @throws {AppError} `not_possible`, `changed_meanwhile`. */
export function assertChangeable(key: OwnedKey, version: number): void {
  if (key.state === "revoked") throw new AppError("not_possible", { message: "The key is revoked; this can't be undone." });
  if (key.version !== version) throw new AppError("changed_meanwhile");
}
