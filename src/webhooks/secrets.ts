/** Manages the signing secret of an account's webhooks: created on demand, shown once, rotated with an overlap. */

import { randomBytes } from "node:crypto";
import type { Queries } from "../database/database.ts";
import { AppError } from "../shared/errors.ts";
import type { Seal } from "../shared/seal.ts";

export interface SecretState {
  createdAt: Date;
  /** Whether the secret has been shown to its owner. */
  isShown: boolean;
  /** Time until which the previous secret is also used for signing; null if there is none. */
  previousUntil: Date | null;
}

export interface Secrets {
  /** Undefined if there is no secret yet. */
  state(queries: Queries, userId: string): Promise<SecretState | undefined>;
  /** The current secret, created if there is none. @throws {AppError} `not_possible` if it was shown before or can't be decrypted. */
  show(queries: Queries, userId: string): Promise<string>;
  /**
   * Creates a new secret in the caller's transaction; the old one remains in use for 24 hours.
   * @throws {AppError} `not_possible` while the previous secret is still in use.
   */
  rotate(transaction: Queries, userId: string): Promise<string>;
  /**
   * All secrets currently used for signing, newest first; creates one if there is none. Empty if `AUTH_SECRET` has changed since
   * they were stored.
   */
  signing(queries: Queries, userId: string): Promise<string[]>;
}

const overlapHours = 24;
/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytes = 32;
const unreadable =
  "The webhook secret can't be decrypted because the service's AUTH_SECRET has changed: rotate the webhook secret to get a new one.";
const alreadyShown = "The secret has already been shown and can't be shown again: rotate it to get a new one.";

export function createSecrets(seal: Seal): Secrets {
  async function create(queries: Queries, userId: string, isShown: boolean): Promise<string> {
    const secret = `whsec_${randomBytes(secretBytes).toString("base64")}`;
    await queries.query(
      `insert into webhook_secrets (user_id, sealed, shown_at) values ($1, $2, case when $3 then now() end)
       on conflict (user_id) where expires_at is null do nothing`,
      [userId, seal.close(secret, userId), isShown],
    );
    return secret;
  }

  async function signing(queries: Queries, userId: string): Promise<string[]> {
    const { rows } = await queries.query<{ sealed: Buffer }>(
      `select sealed from webhook_secrets where user_id = $1 and (expires_at is null or expires_at > now()) order by expires_at desc nulls first`,
      [userId],
    );
    return rows.map(({ sealed }) => seal.open(sealed, userId)).filter((secret) => secret !== undefined);
  }

  return {
    async state(queries, userId) {
      const { rows } = await queries.query<SecretState>(
        `select created_at as "createdAt", shown_at is not null as "isShown",
                (select max(expires_at) from webhook_secrets where user_id = $1 and expires_at > now()) as "previousUntil"
           from webhook_secrets where user_id = $1 and expires_at is null`,
        [userId],
      );
      return rows[0];
    },
    async show(queries, userId) {
      await create(queries, userId, false);
      const current = "user_id = $1 and expires_at is null";
      const { rows } = await queries.query<{ sealed: Buffer }>(`select sealed from webhook_secrets where ${current}`, [userId]);
      const secret = rows[0] && seal.open(rows[0].sealed, userId);
      if (secret === undefined) throw new AppError("not_possible", { message: unreadable });
      const marking = `update webhook_secrets set shown_at = now() where ${current} and shown_at is null and sealed = $2`;
      const { rowCount } = await queries.query(marking, [userId, rows[0]?.sealed]);
      if (rowCount === 0) throw new AppError("not_possible", { message: alreadyShown });
      return secret;
    },
    async rotate(transaction, userId) {
      await transaction.query("select 1 from users where id = $1 for update", [userId]);
      const { rowCount } = await transaction.query("select 1 from webhook_secrets where user_id = $1 and expires_at > now()", [userId]);
      if (rowCount !== 0)
        throw new AppError("not_possible", {
          message: "The secret was rotated within the last 24 hours: the previous one is still in use.",
        });
      await transaction.query(
        "update webhook_secrets set expires_at = now() + $2 * interval '1 hour' where user_id = $1 and expires_at is null",
        [userId, overlapHours],
      );
      return await create(transaction, userId, true);
    },
    async signing(queries, userId) {
      const found = await queries.query("select 1 from webhook_secrets where user_id = $1 and expires_at is null", [userId]);
      if (found.rowCount === 0) await create(queries, userId, false);
      return await signing(queries, userId);
    },
  };
}
