/** Rotates keys: a new key replaces the old one, which keeps working for a grace period. */

import type { Database, Queries } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import { record } from "../people/audit.ts";
import { generateKey, hashKey, keyHint } from "./authenticate.ts";
import { assertChangeable, auditOf, type NewKey, type OwnedKey, readKey } from "./store.ts";

const graceHours = 24;

/**
 * Replaces a key with a new one that has the same rules. The old key keeps working for 24 hours, or until it expires if that is sooner.
 * @throws {AppError} `not_found`, `changed_meanwhile`, `not_possible`.
 */
export async function rotateKey(
  database: Database,
  userId: string,
  id: string,
  version: number,
  prefix: string,
): Promise<NewKey & { replaced: OwnedKey }> {
  const secret = generateKey(prefix);
  return await database.transaction(async (transaction) => {
    const old = await readKey(transaction, userId, id, "for update");
    assertChangeable(old, version);
    if (old.state !== "active")
      throw new AppError("not_possible", { message: `Only an active key can be rotated; this one is ${old.state}.` });
    await assertNoPredecessor(transaction, id);
    const newId = await copyKey(transaction, id, secret);
    await transaction.query(
      `update api_keys set replaced_by = $2, version = version + 1, expires_at = least(expires_at, now() + $3 * interval '1 hour') where id = $1`,
      [id, newId, graceHours],
    );
    await record(transaction, auditOf("key.rotated", userId, old));
    return { key: await readKey(transaction, userId, newId), secret, replaced: await readKey(transaction, userId, id) };
  });
}

/** The previous key must have expired or been revoked: each rotation would otherwise add a key with the plan's full rate limit. */
async function assertNoPredecessor(transaction: Queries, id: string): Promise<void> {
  const { rows } = await transaction.query<{ hint: string }>(
    "select hint from api_keys where replaced_by = $1 and revoked_at is null and expires_at > now()",
    [id],
  );
  if (rows[0])
    throw new AppError("not_possible", {
      message: `The key that this one replaced, ${rows[0].hint}, has not expired or been revoked: revoke it first, or wait until it expires.`,
    });
}

/**
 * Copies the row, replacing only the key and what belongs to it (id, version, and creation and last-use times), so that columns added later
 * are copied as well.
 */
async function copyKey(transaction: Queries, id: string, secret: string): Promise<string> {
  const { rows } = await transaction.query<{ id: string }>(
    `insert into api_keys
     select (jsonb_populate_record(k, jsonb_build_object('id', gen_random_uuid(), 'hash', $2::bytea, 'hint', $3::text, 'version', 1,
              'last_used_at', null, 'created_at', now()))).*
       from api_keys k where id = $1
     returning id`,
    [id, hashKey(secret), keyHint(secret)],
  );
  return (rows[0] as { id: string }).id;
}
