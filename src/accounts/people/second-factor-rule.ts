/** Decides who must have a second factor, and resets a lost one. */

import type { Database } from "../../database/database.ts";
import { record } from "./audit.ts";
import { findUser } from "./users.ts";

/** Who must have a second factor: `REQUIRE_SECOND_FACTOR`. */
export type SecondFactorRule = "nobody" | "administrators" | "everyone";

/** Whether the user must set one up before anything else. For users without a password, the identity provider's rules apply instead. */
export async function lacksSecondFactor(
  database: Database,
  rule: SecondFactorRule,
  user: { id: string; isAdmin: boolean; hasSecondFactor: boolean },
): Promise<boolean> {
  const applies = rule === "everyone" || (rule === "administrators" && user.isAdmin);
  if (!applies || user.hasSecondFactor) return false;
  const { rowCount } = await database.query("select 1 from identities where user_id = $1 and password is not null", [user.id]);
  return rowCount === 1;
}

/**
 * For a user who lost the app and the recovery codes: removes app, codes and passkeys, and ends all sessions. @throws {AppError}
 * `not_found`.
 */
export async function resetSecondFactor(database: Database, address: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const { id } = await findUser(transaction, address);
    await transaction.query(
      `with app_gone as (delete from two_factors where user_id = $1),
            passkeys_gone as (delete from passkeys where user_id = $1),
            sessions_gone as (delete from sessions where user_id = $1)
       update users set two_factor_enabled = false, updated_at = now() where id = $1`,
      [id],
    );
    await record(transaction, { action: "sign_in.second_factor_reset", accountId: id });
  });
}
