/** What an account's plan allows, and what of its month is used. */

import type pg from "pg";
import { AppError } from "../../errors.ts";
import { quotaPeriod } from "./period.ts";

export interface Plan {
  id: string;
  name: string;
  /** Requests per minute; null: the service's own limit. */
  rateLimit: number | null;
  /** null: unlimited. */
  monthlyQuota: number | null;
  maxKeys: number;
  retentionDays: number;
}

export interface AccountPlan extends Plan {
  source: "default" | "manual" | "billing";
  status: "trialing" | "active" | "past_due" | "canceled";
  currentPeriodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
  /** Start of the first quota month; null: calendar months in UTC. */
  anchor: Date | null;
}

export interface Month {
  start: Date;
  end: Date;
  used: number;
  quota: number | null;
  remaining: number | null;
}

const planColumns = `p.id, p.name, p.rate_limit as "rateLimit", p.monthly_quota as "monthlyQuota", p.max_keys as "maxKeys", p.retention_days as "retentionDays"`;

/** With the account's own limits in place of the plan's. @throws {AppError} `not_signed_in` when the account is gone. */
export async function planOf(pool: pg.Pool, userId: string): Promise<AccountPlan> {
  const { rows } = await pool.query<AccountPlan>(
    `select p.id, p.name, a.rate_limit as "rateLimit", a.monthly_quota as "monthlyQuota", a.max_keys as "maxKeys",
            a.retention_days as "retentionDays", a.anchor, coalesce(s.source, 'default') as source, coalesce(s.status, 'active') as status,
            s.current_period_end as "currentPeriodEnd", coalesce(s.cancel_at_period_end, false) as "cancelAtPeriodEnd"
       from account_plans a
       join plans p on p.id = a.plan_id
       left join subscriptions s on s.user_id = a.user_id and s.plan_id = a.plan_id
      where a.user_id = $1`,
    [userId],
  );
  if (!rows[0]) throw new AppError("not_signed_in");
  return rows[0];
}

/** Plans by rank: the public ones and, given a user, that user's own. */
export async function listPlans(
  pool: pg.Pool,
  { all, userId }: { all: boolean; userId?: string },
): Promise<(Plan & { current: boolean })[]> {
  const { rows } = await pool.query<Plan & { current: boolean }>(
    `select ${planColumns}, p.id = coalesce(a.plan_id, '') as current
       from plans p left join account_plans a on a.user_id = $2
      where $1 or p.is_public or p.id = a.plan_id
      order by p.rank`,
    [all, userId ?? null],
  );
  return rows;
}

export async function monthOf(
  pool: pg.Pool,
  userId: string,
  plan: Pick<AccountPlan, "anchor" | "monthlyQuota">,
  now: Date,
): Promise<Month> {
  const period = quotaPeriod(plan.anchor, now);
  const { rows } = await pool.query<{ used: number }>("select used from usage_periods where user_id = $1 and period_start = $2", [
    userId,
    period.start,
  ]);
  return { ...period, ...share(plan.monthlyQuota, rows[0]?.used ?? 0) };
}

/** A quota that was made smaller in the middle of the month leaves nothing, not less than nothing. */
export function share(quota: number | null, used: number): Pick<Month, "used" | "quota" | "remaining"> {
  return { used, quota, remaining: quota === null ? null : Math.max(quota - used, 0) };
}
