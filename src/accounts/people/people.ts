/** What an operator does to people: gives them a new password, makes them administrators. */

import { randomBytes } from "node:crypto";
import type pg from "pg";
import { inTransaction } from "../../database.ts";
import { AdminError, findUser } from "../admin.ts";
import { hashOfPassword, passwordLength } from "./passwords.ts";

/**
 * Sets the password, also for who had none, and ends all sessions. There is no mail by which people could do it themselves.
 * @param given a random one when undefined.
 * @returns the new password.
 * @throws {AdminError} when the user is unknown or the password can't be used.
 */
export async function resetPassword(pool: pg.Pool, address: string, given?: string): Promise<string> {
  const password = given ?? randomBytes(15).toString("base64url");
  const { min, max } = passwordLength;
  if (password.length < min || password.length > max) throw new AdminError(`A password has ${min} to ${max} characters.`);
  const hash = await hashOfPassword(password);
  await inTransaction(pool, async (client) => {
    const { id } = await findUser(client, address);
    await client.query(
      `insert into identities (user_id, provider_id, account_id, password) values ($1::uuid, 'credential', $1::uuid::text, $2)
       on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = now()`,
      [id, hash],
    );
    await client.query("delete from sessions where user_id = $1", [id]);
  });
  return password;
}

/** @throws {AdminError} when the user is unknown. */
export async function setRole(pool: pg.Pool, address: string, role: "user" | "admin"): Promise<void> {
  const { id } = await findUser(pool, address);
  await pool.query("update users set role = $2, updated_at = now() where id = $1", [id, role]);
}
