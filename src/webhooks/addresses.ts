/** Counts failed deliveries per address; pauses and resumes addresses. */

import type { Database, Queries } from "../database/database.ts";
import { existing } from "../shared/errors.ts";

export interface PausedAddress {
  id: string;
  url: string;
  pausedAt: Date;
  /** A sentence. */
  reason: string;
}

/** Number of consecutive failed deliveries after which an address is paused. */
const failuresMax = 20;

interface Target {
  userId: string;
  url: string;
}

/** Resets the count. Called in the transaction that marks a delivery as delivered. */
export async function recordArrival(transaction: Queries, { userId, url }: Target): Promise<void> {
  await transaction.query("update webhook_addresses set failures = 0 where user_id = $1 and url = $2 and failures > 0", [userId, url]);
}

/** Counts a failure. Called in the transaction that marks a delivery as failed. @param kind `gone` pauses the address immediately. */
export async function recordFailure(transaction: Queries, { userId, url }: Target, kind: "counted" | "gone"): Promise<void> {
  await transaction.query(
    `insert into webhook_addresses as a (user_id, url, failures) values ($1, $2, 1)
     on conflict (user_id, url) do update set failures = a.failures + 1`,
    [userId, url],
  );
  await transaction.query(
    `update webhook_addresses set paused_at = now(), reason = $4
      where user_id = $1 and url = $2 and paused_at is null and (failures >= $3 or $5)`,
    [
      userId,
      url,
      failuresMax,
      kind === "gone" ? "It responded with 410 Gone." : `${failuresMax} deliveries in a row failed.`,
      kind === "gone",
    ],
  );
}

/** Most recently paused first, at most 100. */
export async function listPaused(database: Database, userId: string): Promise<PausedAddress[]> {
  const { rows } = await database.query<PausedAddress>(
    `select id, url, paused_at as "pausedAt", reason from webhook_addresses
      where user_id = $1 and paused_at is not null order by paused_at desc, id limit 100`,
    [userId],
  );
  return rows;
}

/** Resumes an address; `wasPaused` is false if it wasn't paused. @throws {AppError} `not_found`. */
export async function resumeAddress(queries: Queries, userId: string, id: string): Promise<{ url: string; wasPaused: boolean }> {
  const { rows } = await queries.query<{ url: string; wasPaused: boolean }>(
    `update webhook_addresses a set paused_at = null, reason = null, failures = 0
       from (select id, paused_at is not null as was from webhook_addresses where id = $1 and user_id = $2 for update) old
      where a.id = old.id returning a.url, old.was as "wasPaused"`,
    [id, userId],
  );
  return existing(rows[0]);
}
