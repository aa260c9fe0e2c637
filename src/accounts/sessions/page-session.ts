/** Page session records, without their state, and the checks on who may save a session under a given name. */

import type { Queries } from "../../database/database.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import { type Caller, type Owner, ownerOf } from "../keys/caller.ts";
import { assertNotPublic } from "../keys/restrictions.ts";

/** Excludes the state, which is never returned. */
export interface PageSession {
  /** UUIDv7. */
  id: string;
  name: string;
  /** Incremented each time a state is saved. */
  version: number;
  /** Hosts for which the session may be used; a leading dot includes subdomains. */
  hosts: string[];
  createdAt: Date;
  updatedAt: Date;
  /** Accurate to within a minute. */
  lastUsedAt: Date | null;
  /** Whether it has sign-in steps. */
  signsIn: boolean;
  /** Time of the last sign-in that used its steps. */
  signedInAt: Date | null;
  /** Why its latest sign-in failed; null if it didn't fail. */
  signInError: string | null;
}

export const columns = `id, name, version, hosts, created_at as "createdAt", updated_at as "updatedAt", last_used_at as "lastUsedAt",
  sign_in is not null as "signsIn", signed_in_at as "signedInAt", sign_in_error as "signInError"`;
export const isOwned = "user_id = $1 and ($2::uuid is null or key_id = $2)";

/** @throws {AppError} `domain_not_allowed`. */
export function ownerAllowed(caller: Caller): Owner {
  assertNotPublic(caller, "can't be used for sessions");
  return ownerOf(caller);
}

/** Binds a ciphertext to its account and session. */
export const sealedFor = ({ userId }: Owner, id: string) => `${userId} ${id}`;

/**
 * Locks the names of the account's sessions. @returns the id of the session with this name, if any. @throws {AppError}
 * `session_limit_reached`; `invalid_parameters` if the name belongs to another key; `invalid_api_key` if the account was deleted.
 */
export async function lockName(transaction: Queries, owner: Owner, name: string, sessionsMax: number): Promise<string | undefined> {
  await transaction.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`page sessions ${owner.userId}`]);
  await assertExists(transaction, owner);
  const existing = await idOf(transaction, owner, name);
  if (existing === undefined) await assertMore(transaction, owner, sessionsMax);
  return existing;
}

/** The account may have been deleted during a sign-in; its row remains until its images are gone. @throws {AppError} `invalid_api_key`. */
async function assertExists(transaction: Queries, { userId }: Owner): Promise<void> {
  const { rows } = await transaction.query("select from users where id = $1 and deleted_at is null", [userId]);
  if (rows.length === 0) throw new AppError("invalid_api_key", { message: "The account has been deleted." });
}

/** The id of the session with this name, if there is one. @throws {AppError} `invalid_parameters` if it belongs to another key. */
async function idOf(transaction: Queries, { userId, keyId }: Owner, name: string): Promise<string | undefined> {
  const { rows } = await transaction.query<{ id: string; key: string | null }>(
    "select id, key_id as key from page_sessions where user_id = $1 and name = $2",
    [userId, name],
  );
  if (rows[0] && keyId !== undefined && rows[0].key !== keyId) throw wrongParameter("name", "is already the name of another key's session");
  return rows[0]?.id;
}

/**
 * Restricted keys together may use at most half of the account's limit, so that they can't exhaust it. @throws {AppError}
 * `session_limit_reached`.
 */
async function assertMore(transaction: Queries, { userId, keyId }: Owner, max: number): Promise<void> {
  const { rows } = await transaction.query<{ count: number; restricted: number }>(
    "select count(*)::integer as count, count(*) filter (where is_restricted)::integer as restricted from page_sessions where user_id = $1",
    [userId],
  );
  const { count = 0, restricted = 0 } = rows[0] ?? {};
  const sessions = (number: number) => (number === 1 ? "1 session" : `${number} sessions`);
  const limit = (message: string) => new AppError("session_limit_reached", { message });
  if (count >= max) throw limit(`The account already has ${sessions(max)}, the maximum.`);
  const share = Math.ceil(max / 2);
  if (keyId !== undefined && restricted >= share)
    throw limit(`The account's restricted keys already have ${sessions(share)}, the maximum for all restricted keys together.`);
}
