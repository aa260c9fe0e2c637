/** Creates, reads, changes and deletes users. */

import type { Database, Queries } from "../../database/database.ts";
import { isUniqueViolation } from "../../database/violations.ts";
import { AppError, existing } from "../../shared/errors.ts";
import { isCounted } from "../keys/store.ts";
import { record, removeNames } from "./audit.ts";

export interface User {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  image: string | null;
  role: "user" | "admin";
  /** False if the user signs in only through the identity provider. */
  hasPassword: boolean;
  /** Whether password sign-ins also require a code. */
  hasSecondFactor: boolean;
  createdAt: Date;
}

export interface FirstSteps {
  keyMade: boolean;
  pictureTaken: boolean;
  keyUsed: boolean;
  /** Keys that count toward the plan's maximum. */
  keysUsed: number;
}

/**
 * @param name defaults to the part of `address` before the `@`.
 * @throws {AppError} `invalid_parameters` if `address` isn't an e-mail address; `email_taken`.
 */
export async function createUser(queries: Queries, address: string, name?: string): Promise<{ id: string; email: string }> {
  const email = normalized(address);
  assertAddress(email);
  try {
    const { rows } = await queries.query<{ id: string }>("insert into users (email, name) values ($1, $2) returning id", [
      email,
      name?.trim() || email.slice(0, email.indexOf("@")),
    ]);
    const { id } = rows[0] as { id: string };
    await record(queries, { action: "account.created", accountId: id });
    return { id, email };
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError("email_taken", { message: `The user ${email} already exists.`, cause: error });
  }
}

/** @throws {AppError} `invalid_parameters` if `address` isn't an e-mail address. */
export function assertAddress(address: string): void {
  if (/^[^\s@]+@[^\s@]+$/.test(address) && address.length <= 254) return;
  throw new AppError("invalid_parameters", { details: [{ parameter: "email", message: `"${address}" is not an e-mail address` }] });
}

/** @throws {AppError} `not_found`. */
export async function findUser(queries: Queries, address: string): Promise<{ id: string; email: string }> {
  const email = normalized(address);
  const { rows } = await queries.query<{ id: string; email: string }>("select id, email from users where email = $1", [email]);
  if (!rows[0]) throw new AppError("not_found", { message: `The user ${email} does not exist.` });
  return rows[0];
}

function normalized(address: string): string {
  return address.trim().toLowerCase();
}

/** @throws {AppError} `not_signed_in` if the account was deleted. */
export async function readUser(database: Database, userId: string): Promise<User> {
  const { rows } = await database.query<User>(
    `select id, name, email, email_verified as "emailVerified", image, role, created_at as "createdAt",
            two_factor_enabled as "hasSecondFactor",
            exists (select 1 from identities i where i.user_id = u.id and i.password is not null) as "hasPassword"
       from users u where id = $1 and deleted_at is null`,
    [userId],
  );
  if (!rows[0]) throw new AppError("not_signed_in");
  return rows[0];
}

/** A new user's progress through the first steps. */
export async function readFirstSteps(database: Database, userId: string): Promise<FirstSteps> {
  const { rows } = await database.query<FirstSteps>(
    `select count(*) > 0 as "keyMade", coalesce(bool_or(last_used_at is not null), false) as "keyUsed",
            count(*) filter (where ${isCounted})::integer as "keysUsed",
            exists (select 1 from usage_periods where user_id = $1 and used > 0) as "pictureTaken"
       from api_keys where user_id = $1`,
    [userId],
  );
  return rows[0] as FirstSteps;
}

export async function renameUser(database: Database, userId: string, name: string): Promise<void> {
  await changeUser(database, userId, "account.renamed", { field: "name", to: name });
}

/** @throws {AppError} `not_found`. */
export async function setRole(database: Database, address: string, role: "user" | "admin"): Promise<void> {
  const { id } = await findUser(database, address);
  await changeUser(database, id, "account.role_changed", { field: "role", to: role });
}

/** Has no effect if the column already has this value. */
async function changeUser(
  database: Database,
  userId: string,
  action: "account.renamed" | "account.role_changed",
  { field, to }: { field: "name" | "role"; to: string },
): Promise<void> {
  await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ from: string }>(
      `select ${field} as from from users where id = $1 and deleted_at is null for update`,
      [userId],
    );
    const { from = to } = rows[0] ?? {};
    if (from === to) return;
    await transaction.query(`update users set ${field} = $2, updated_at = now() where id = $1`, [userId, to]);
    await record(transaction, { action, accountId: userId, changes: [{ field, from, to }] });
  });
}

/** Marks the address as verified. @throws {AppError} `not_found`. */
export async function confirmAddress(database: Database, address: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const { id } = await findUser(transaction, address);
    const { rowCount } = await transaction.query(
      "update users set email_verified = true, updated_at = now() where id = $1 and not email_verified",
      [id],
    );
    if (rowCount === 1) await record(transaction, { action: "sign_in.address_confirmed", accountId: id });
  });
}

/** Disabling an account immediately ends its sessions and invalidates its keys. @throws {AppError} `not_found`. */
export async function setDisabled(database: Database, userId: string, disabled: boolean): Promise<void> {
  await database.transaction(async (transaction) => {
    if (disabled) await transaction.query("delete from sessions where user_id = $1", [userId]);
    const { rows } = await transaction.query<{ before: Date | null }>(
      `update users u set disabled_at = case when $2 then coalesce(u.disabled_at, now()) end, updated_at = now()
         from (select id, disabled_at as before from users where id = $1 and deleted_at is null for update) old
        where u.id = old.id returning before`,
      [userId, disabled],
    );
    if ((existing(rows[0]).before !== null) !== disabled)
      await record(transaction, { action: disabled ? "account.disabled" : "account.enabled", accountId: userId });
  });
}

/** Long, because a user may have hundreds of thousands of watch runs. */
const deletionTimeoutMs = 60_000;

/**
 * Removes the user's name, address, sign-in data, keys, page sessions, destinations and watches in one transaction. Images, captures and
 * webhook deliveries, which may be numerous, are deleted later by storage/retention.ts and clean-up.ts; the latter finally deletes the
 * user's row.
 */
export async function deleteUser(database: Database, userId: string): Promise<void> {
  const limits = { timeoutMs: deletionTimeoutMs, statementTimeoutMs: deletionTimeoutMs };
  await database.transaction(async (transaction) => {
    // Whoever works on one of these rows then adds rows of the user, which locks the user's row: the other order would deadlock.
    for (const table of ["api_keys", "watches"])
      await transaction.query(`select 1 from ${table} where user_id = $1 order by id for update`, [userId]);
    const { rowCount } = await transaction.query(
      `with sessions_gone as (delete from sessions where user_id = $1),
            app_gone as (delete from two_factors where user_id = $1),
            passkeys_gone as (delete from passkeys where user_id = $1),
            identities_gone as (delete from identities where user_id = $1),
            links_gone as (delete from verifications where value = $1::uuid::text),
            keys_gone as (delete from api_keys where user_id = $1),
            subscription_gone as (delete from subscriptions where user_id = $1),
            billing_gone as (delete from billing_customers where user_id = $1),
            page_sessions_gone as (delete from page_sessions where user_id = $1),
            destinations_gone as (delete from destinations where user_id = $1),
            watches_gone as (delete from watches where user_id = $1),
            webhook_secrets_gone as (delete from webhook_secrets where user_id = $1),
            webhook_addresses_gone as (delete from webhook_addresses where user_id = $1)
       update users
          set deleted_at = now(), disabled_at = now(), updated_at = now(), name = '', image = null, role = 'user', email_verified = false,
              two_factor_enabled = false,
              email = 'deleted-' || id || '@deleted.invalid'
        where id = $1 and deleted_at is null`,
      [userId],
    );
    if (rowCount === 0) return;
    await removeNames(transaction, userId);
    await record(transaction, { action: "account.deleted", accountId: userId });
  }, limits);
}
