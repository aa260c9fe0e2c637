/** Users: created, read, changed and deleted. */

import type { Database, Queries } from "../../database.ts";
import { AppError } from "../../errors.ts";
import { isCounted } from "../keys/store.ts";

export interface User {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  image: string | null;
  role: "user" | "admin";
  /** False: signs in at the identity provider only. */
  hasPassword: boolean;
  /** Whether sign-ins with the password take a code, too. */
  hasSecondFactor: boolean;
  createdAt: Date;
}

export interface FirstSteps {
  keyMade: boolean;
  pictureTaken: boolean;
  keyUsed: boolean;
  /** Keys that count towards the plan's maximum. */
  keysUsed: number;
}

const uniqueViolation = "23505";

/**
 * @param name defaults to the part of `address` before the `@`.
 * @throws {AppError} `invalid_parameters` when `address` is no e-mail address; `email_taken`.
 */
export async function createUser(queries: Queries, address: string, name?: string): Promise<{ id: string; email: string }> {
  const email = normalized(address);
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254)
    throw new AppError("invalid_parameters", { details: [{ parameter: "email", message: `"${address}" is not an e-mail address` }] });
  try {
    const { rows } = await queries.query<{ id: string }>("insert into users (email, name) values ($1, $2) returning id", [
      email,
      name?.trim() || email.slice(0, email.indexOf("@")),
    ]);
    return { id: (rows[0] as { id: string }).id, email };
  } catch (error) {
    if ((error as { code?: unknown }).code !== uniqueViolation) throw error;
    throw new AppError("email_taken", { message: `The user ${email} already exists.`, cause: error });
  }
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

/** @throws {AppError} `not_signed_in` when the account is gone. */
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

/** What a new user has done so far. */
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
  await database.query("update users set name = $2, updated_at = now() where id = $1 and deleted_at is null", [userId, name]);
}

/** @throws {AppError} `not_found`. */
export async function setRole(database: Database, address: string, role: "user" | "admin"): Promise<void> {
  const { id } = await findUser(database, address);
  await database.query("update users set role = $2, updated_at = now() where id = $1", [id, role]);
}

/** Counts the address as proved. @throws {AppError} `not_found`. */
export async function confirmAddress(database: Database, address: string): Promise<void> {
  const { id } = await findUser(database, address);
  await database.query("update users set email_verified = true, updated_at = now() where id = $1", [id]);
}

/** A disabled account's sessions end, and its keys are refused, at once. @throws {AppError} `not_found`. */
export async function setDisabled(database: Database, userId: string, disabled: boolean): Promise<void> {
  const { rowCount } = await database.query(
    `with sessions_gone as (delete from sessions where user_id = $1 and $2)
     update users set disabled_at = case when $2 then coalesce(disabled_at, now()) end, updated_at = now()
      where id = $1 and deleted_at is null`,
    [userId, disabled],
  );
  if (rowCount === 0) throw new AppError("not_found");
}

/**
 * Removes all personal data in one statement: sessions, identities, second factors, keys, name, address. The images, possibly very many, are left to
 * images/retention.ts, and the rest of the row to clean-up.ts once they are gone.
 */
export async function deleteUser(database: Database, userId: string): Promise<void> {
  await database.query(
    `with sessions_gone as (delete from sessions where user_id = $1),
          app_gone as (delete from two_factors where user_id = $1),
          passkeys_gone as (delete from passkeys where user_id = $1),
          identities_gone as (delete from identities where user_id = $1),
          keys_gone as (delete from api_keys where user_id = $1),
          subscription_gone as (delete from subscriptions where user_id = $1),
          billing_gone as (delete from billing_customers where user_id = $1)
     update users
        set deleted_at = now(), disabled_at = now(), updated_at = now(), name = '', image = null, role = 'user', email_verified = false,
            two_factor_enabled = false,
            email = 'deleted-' || id || '@deleted.invalid'
      where id = $1 and deleted_at is null`,
    [userId],
  );
}
