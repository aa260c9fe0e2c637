/** A user's active sessions. */

import type { Database } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";

export interface SignInSession {
  id: string;
  ipAddress: string | null;
  userAgent: string | null;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

const listedMax = 500;

/** The newest ones, newest first. */
export async function listSessions(database: Database, userId: string): Promise<SignInSession[]> {
  const { rows } = await database.query<SignInSession>(
    `select id, nullif(ip_address, '') as "ipAddress", nullif(user_agent, '') as "userAgent", created_at as "createdAt",
            updated_at as "lastSeenAt", expires_at as "expiresAt"
       from sessions where user_id = $1 and expires_at > now() order by created_at desc, id limit ${listedMax}`,
    [userId],
  );
  return rows;
}

/** @throws {AppError} `not_found` if the user has no such session. */
export async function endSession(database: Database, userId: string, sessionId: string): Promise<void> {
  const { rowCount } = await database.query("delete from sessions where id = $1 and user_id = $2", [sessionId, userId]);
  if (rowCount === 0) throw new AppError("not_found");
}

/** Ends all sessions except `sessionId`; returns how many it ended. */
export async function endOtherSessions(database: Database, userId: string, sessionId: string): Promise<number> {
  const { rowCount } = await database.query("delete from sessions where user_id = $1 and id <> $2", [userId, sessionId]);
  return rowCount ?? 0;
}
