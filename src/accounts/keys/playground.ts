/** A person in the playground as one who asks for pictures: the account's limits, and no key. */

import type pg from "pg";
import { AppError } from "../../errors.ts";
import type { Caller } from "./authenticate.ts";

/** @throws {AppError} `not_signed_in` when the account is gone. */
export async function playgroundCaller(pool: pg.Pool, userId: string): Promise<Caller> {
  const { rows } = await pool.query<Omit<Caller, "id" | "allowedDomains" | "allowedTargets">>(
    `select user_id as "userId", rate_limit as "rateLimit", monthly_quota as "monthlyQuota", retention_days as "retentionDays", anchor
       from account_plans where user_id = $1`,
    [userId],
  );
  if (!rows[0]) throw new AppError("not_signed_in");
  return { ...rows[0], id: null, allowedDomains: [], allowedTargets: [] };
}
