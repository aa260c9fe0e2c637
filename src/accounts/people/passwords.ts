/** Passwords: length limits, hashing, resets, and confirmation of sensitive actions. */

import { randomBytes } from "node:crypto";
import type { Database } from "../../database/database.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import { record } from "./audit.ts";
import { type Client, inHashTurn } from "./hash-turns.ts";
import { endPendingSteps } from "./mailed-links.ts";
import { findUser } from "./users.ts";

/** In characters. The upper bound limits the cost of hashing, which anyone can trigger. */
export const passwordLength = { min: 10, max: 128 };

/** Loaded on first use: a service that only takes screenshots doesn't need it. */
const crypto = () => import("better-auth/crypto");

/**
 * Sets the password, even for a user who had none, and ends all sessions.
 * @param given a random password by default.
 * @returns the new password.
 * @throws {AppError} `not_found`, `invalid_parameters`.
 */
export async function resetPassword(database: Database, address: string, given?: string): Promise<string> {
  const password = given ?? randomBytes(15).toString("base64url");
  const { min, max } = passwordLength;
  if (password.length < min || password.length > max)
    throw new AppError("invalid_parameters", {
      details: [{ parameter: "password", message: `A password must have ${min} to ${max} characters` }],
    });
  const { hashPassword } = await crypto();
  const hash = await hashPassword(password);
  await database.transaction(async (transaction) => {
    const { id } = await findUser(transaction, address);
    await transaction.query(
      `insert into identities (user_id, provider_id, account_id, password) values ($1::uuid, 'credential', $1::uuid::text, $2)
       on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = now()`,
      [id, hash],
    );
    await transaction.query("delete from sessions where user_id = $1", [id]);
    await record(transaction, { action: "sign_in.password_reset", accountId: id });
    await endPendingSteps(transaction, id);
  });
  return password;
}

/** @throws {AppError} `invalid_parameters` unless `given` has the user's password or, if there is none, their e-mail address. */
export async function assertConfirmed(
  database: Database,
  client: Client,
  userId: string,
  given: { password?: string; email?: string },
): Promise<void> {
  if (await assertPassword(database, client, userId, given.password, "password")) return;
  const { rows } = await database.query<{ email: string }>("select email from users where id = $1", [userId]);
  if (given.email === undefined) throw wrongParameter("email", "is missing");
  if (given.email.trim().toLowerCase() !== rows[0]?.email) throw wrongParameter("email", "is wrong");
}

/**
 * @returns false if the user has no password.
 * @throws {AppError} `invalid_parameters`, naming `parameter`, if the user has a password and `given` is missing or wrong.
 */
export async function assertPassword(
  database: Database,
  client: Client,
  userId: string,
  given?: string,
  parameter = "current_password",
): Promise<boolean> {
  const { rows } = await database.query<{ hash: string }>(
    "select password as hash from identities where user_id = $1 and password is not null",
    [userId],
  );
  if (!rows[0]) return false;
  if (given === undefined) throw wrongParameter(parameter, "is missing");
  const { hash } = rows[0];
  const { verifyPassword } = await crypto();
  if (!(await inHashTurn(client, () => verifyPassword({ hash, password: given })))) throw wrongParameter(parameter, "is wrong");
  return true;
}
