/** Links that confirm an address or set a password: e-mailed, or printed by a command. */

import { createHash, randomBytes } from "node:crypto";
import type { Database, Queries } from "../../database/database.ts";
import { record } from "./audit.ts";
import { confirmEmailPage, resetPasswordPage } from "./auth-names.ts";
import { findUser } from "./users.ts";

/** Lifetime of both kinds of link. */
export const linkSeconds = 3600;

/** Prefix of Better Auth's identifiers for reset tokens. */
export const resetPrefix = "reset-password:";

/** Hashes Better Auth's identifier for a reset token: it contains the token, which must not be readable in the table. */
export async function hashResetIdentifier(identifier: string): Promise<string> {
  return createHash("sha256").update(identifier).digest("base64url");
}

/** Creates a one-time link for choosing a password, valid for an hour. @throws {AppError} `not_found`. */
export async function createResetLink(database: Database, address: string, publicUrl: string): Promise<string> {
  const { id } = await findUser(database, address);
  const token = randomBytes(24).toString("base64url");
  const identifier = await hashResetIdentifier(`${resetPrefix}${token}`);
  await database.transaction(async (transaction) => {
    await transaction.query("insert into verifications (identifier, value, expires_at) values ($1, $2, now() + $3 * interval '1 second')", [
      identifier,
      id,
      linkSeconds,
    ]);
    await record(transaction, { action: "sign_in.reset_link_created", accountId: id });
  });
  return resetLink(publicUrl, token);
}

/** The user whose password the token resets; undefined if the token is not valid. */
export async function userOfResetToken(database: Database, token: string): Promise<string | undefined> {
  const { rows } = await database.query<{ value: string }>("select value from verifications where identifier = $1 and expires_at > now()", [
    await hashResetIdentifier(`${resetPrefix}${token}`),
  ]);
  return rows[0]?.value;
}

/** After a password change, invalidates reset links, and sign-ins with the old password that are waiting for a code. */
export async function endPendingSteps(queries: Pick<Queries, "query">, userId: string): Promise<void> {
  await queries.query("delete from verifications where value = $1", [userId]);
}

/** @param publicUrl `WEB_PUBLIC_URL`. */
export function resetLink(publicUrl: string, token: string): string {
  return linkTo(publicUrl, resetPasswordPage, token);
}

/** @param publicUrl `WEB_PUBLIC_URL`. */
export function confirmationLink(publicUrl: string, token: string): string {
  return linkTo(publicUrl, confirmEmailPage, token);
}

function linkTo(publicUrl: string, page: string, token: string): string {
  return `${new URL(page, publicUrl)}?${new URLSearchParams({ token })}`;
}
