/** An account as its owner sees it: who they are, where they are signed in, and how they leave. */

import type pg from "pg";
import { AppError } from "../../errors.ts";
import { isCounted } from "../keys/store.ts";
import { isPassword } from "./passwords.ts";

export interface User {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  image: string | null;
  role: "user" | "admin";
  /** False: signs in at the identity provider only. */
  hasPassword: boolean;
  createdAt: Date;
}

export interface Session {
  id: string;
  ipAddress: string | null;
  userAgent: string | null;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

export interface FirstSteps {
  keyMade: boolean;
  pictureTaken: boolean;
  keyUsed: boolean;
  keysUsed: number;
}

/** @throws {AppError} `not_signed_in` when the account is gone. */
export async function userOf(pool: pg.Pool, userId: string): Promise<User> {
  const { rows } = await pool.query<User>(
    `select id, name, email, email_verified as "emailVerified", image, role, created_at as "createdAt",
            exists (select 1 from identities i where i.user_id = u.id and i.password is not null) as "hasPassword"
       from users u where id = $1 and deleted_at is null`,
    [userId],
  );
  if (!rows[0]) throw new AppError("not_signed_in");
  return rows[0];
}

/** Keys that count towards the plan's number, and which of the first steps were done. */
export async function firstSteps(pool: pg.Pool, userId: string): Promise<FirstSteps> {
  const { rows } = await pool.query<FirstSteps>(
    `select count(*) > 0 as "keyMade", coalesce(bool_or(last_used_at is not null), false) as "keyUsed",
            count(*) filter (where ${isCounted})::integer as "keysUsed",
            exists (select 1 from usage_periods where user_id = $1 and used > 0) as "pictureTaken"
       from api_keys where user_id = $1`,
    [userId],
  );
  return rows[0] as FirstSteps;
}

export async function renameUser(pool: pg.Pool, userId: string, name: string): Promise<void> {
  await pool.query("update users set name = $2, updated_at = now() where id = $1 and deleted_at is null", [userId, name]);
}

/** Newest first. */
export async function listSessions(pool: pg.Pool, userId: string): Promise<Session[]> {
  const { rows } = await pool.query<Session>(
    `select id, nullif(ip_address, '') as "ipAddress", nullif(user_agent, '') as "userAgent", created_at as "createdAt",
            updated_at as "lastSeenAt", expires_at as "expiresAt"
       from sessions where user_id = $1 and expires_at > now() order by created_at desc, id`,
    [userId],
  );
  return rows;
}

/** @throws {AppError} `not_found` when the user has no such session. */
export async function endSession(pool: pg.Pool, userId: string, sessionId: string): Promise<void> {
  const { rowCount } = await pool.query("delete from sessions where id = $1 and user_id = $2", [sessionId, userId]);
  if (rowCount === 0) throw new AppError("not_found");
}

/** All but `sessionId`; how many there were. */
export async function endOtherSessions(pool: pg.Pool, userId: string, sessionId: string): Promise<number> {
  const { rowCount } = await pool.query("delete from sessions where user_id = $1 and id <> $2", [userId, sessionId]);
  return rowCount ?? 0;
}

/**
 * @throws {AppError} `invalid_parameters` unless it is confirmed: by the password, or by the address where there is none.
 */
export async function assertConfirmed(pool: pg.Pool, userId: string, given: { password?: string; email?: string }): Promise<void> {
  const { rows } = await pool.query<{ email: string; hash: string | null }>(
    `select u.email, i.password as hash from users u
       left join identities i on i.user_id = u.id and i.password is not null where u.id = $1`,
    [userId],
  );
  const { email, hash } = rows[0] ?? { email: "", hash: null };
  const parameter = hash ? "password" : "email";
  if (given[parameter] === undefined) throw refused(parameter, `${parameter} is missing`);
  const right = hash ? await isPassword(given.password ?? "", hash) : given.email?.trim().toLowerCase() === email;
  if (!right) throw refused(parameter, `${parameter} is wrong`);
}

function refused(parameter: string, message: string): AppError {
  return new AppError("invalid_parameters", { details: [{ parameter, message }] });
}

/**
 * Takes the person out of the database in one statement: sessions, ways to sign in, keys, name, address. The pictures, which may be very
 * many, are left to the retention (images/retention.ts), and the rest of the row to clean-up.ts when they are gone.
 */
export async function deleteUser(pool: pg.Pool, userId: string): Promise<void> {
  await pool.query(
    `with sessions_gone as (delete from sessions where user_id = $1),
          identities_gone as (delete from identities where user_id = $1),
          keys_gone as (delete from api_keys where user_id = $1),
          subscription_gone as (delete from subscriptions where user_id = $1)
     update users
        set deleted_at = now(), disabled_at = now(), updated_at = now(), name = '', image = null, role = 'user', email_verified = false,
            email = 'deleted-' || id || '@deleted.invalid'
      where id = $1 and deleted_at is null`,
    [userId],
  );
}
