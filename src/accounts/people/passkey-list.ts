/** Lists and removes a user's passkeys. */

import type { Database } from "../../database/database.ts";
import { AppError, existing } from "../../shared/errors.ts";
import { record } from "./audit.ts";

export interface Passkey {
  id: string;
  name: string;
  /** Whether the passkey is synced, and so survives the loss of the device. */
  backedUp: boolean;
  createdAt: Date;
}

const countMax = 20;

/** Oldest first. */
export async function listPasskeys(database: Database, userId: string): Promise<Passkey[]> {
  const { rows } = await database.query<Passkey>(
    `select id, coalesce(name, 'Passkey') as name, backed_up as "backedUp", created_at as "createdAt"
       from passkeys where user_id = $1 order by created_at, id`,
    [userId],
  );
  return rows;
}

/** @throws {AppError} `not_possible` if the user already has twenty. */
export async function assertRoomForPasskey(database: Database, userId: string): Promise<void> {
  const { rows } = await database.query<{ count: number }>("select count(*)::integer as count from passkeys where user_id = $1", [userId]);
  if ((rows[0]?.count ?? 0) >= countMax)
    throw new AppError("not_possible", { message: `An account can have at most ${countMax} passkeys: remove one first.` });
}

/** @throws {AppError} `not_found`. */
export async function removePasskey(database: Database, userId: string, id: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ name: string | null }>(
      "delete from passkeys where id = $1 and user_id = $2 returning name",
      [id, userId],
    );
    const { name } = existing(rows[0]);
    await record(transaction, { action: "sign_in.passkey_removed", accountId: userId, subject: name ?? "Passkey" });
  });
}
