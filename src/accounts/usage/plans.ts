/** Reads and assigns plans: an account's limits, how much of the current month's quota is used, and plan changes. */

import type { Database, Queries } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import { changesOf, record } from "../people/audit.ts";
import { quotaPeriod } from "./quota.ts";

export interface Plan {
  id: string;
  name: string;
  /** Requests per minute; if null, the service's own limit. */
  rateLimit: number | null;
  /** Null if unlimited. */
  monthlyQuota: number | null;
  maxKeys: number;
  retentionDays: number;
}

export const subscriptionStatuses = [
  "incomplete",
  "incomplete_expired",
  "trialing",
  "active",
  "past_due",
  "canceled",
  "unpaid",
  "paused",
] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

export interface AccountPlan extends Plan {
  source: "default" | "manual" | "billing";
  /** Status at the billing provider, even one that doesn't grant a plan; `active` without a subscription, and for plans set manually. */
  status: SubscriptionStatus;
  currentPeriodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
  /** Start of the first quota month; null for calendar months in UTC. */
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

/** The plan with the account's overrides applied. @throws {AppError} `not_signed_in` if the account's row is gone. */
export async function planOf(database: Database, userId: string): Promise<AccountPlan> {
  const { rows } = await database.query<AccountPlan>(
    `select p.id, p.name, a.rate_limit as "rateLimit", a.monthly_quota as "monthlyQuota", a.max_keys as "maxKeys",
            a.retention_days as "retentionDays", a.anchor, coalesce(s.source, 'default') as source, coalesce(b.status, 'active') as status,
            b.current_period_end as "currentPeriodEnd", coalesce(b.cancel_at_period_end, false) as "cancelAtPeriodEnd"
       from account_plans a
       join plans p on p.id = a.plan_id
       left join subscriptions s on s.user_id = a.user_id
       left join billing_customers b on b.user_id = a.user_id and s.source is distinct from 'manual'
      where a.user_id = $1`,
    [userId],
  );
  if (!rows[0]) throw new AppError("not_signed_in");
  return rows[0];
}

/** Plans, sorted by rank: only public plans, unless `all` is set. Always includes the plan of `userId`, if given. */
export async function listPlans(
  database: Database,
  { all, userId }: { all: boolean; userId?: string },
): Promise<(Plan & { current: boolean })[]> {
  const { rows } = await database.query<Plan & { current: boolean }>(
    `select ${planColumns}, p.id = coalesce(a.plan_id, '') as current
       from plans p left join account_plans a on a.user_id = $2
      where $1 or p.is_public or p.id = a.plan_id
      order by p.rank`,
    [all, userId ?? null],
  );
  return rows;
}

export async function monthOf(
  database: Database,
  userId: string,
  plan: Pick<AccountPlan, "anchor" | "monthlyQuota">,
  now: Date,
): Promise<Month> {
  const period = quotaPeriod(plan.anchor, now);
  const { rows } = await database.query<{ used: number }>("select used from usage_periods where user_id = $1 and period_start = $2", [
    userId,
    period.start,
  ]);
  return { ...period, ...share(plan.monthlyQuota, rows[0]?.used ?? 0) };
}

/** `remaining` is never negative, even if the quota was lowered during the month. */
export function share(quota: number | null, used: number): Pick<Month, "used" | "quota" | "remaining"> {
  return { used, quota, remaining: quota === null ? null : Math.max(quota - used, 0) };
}

export interface PlanChoice {
  planId: string;
  /** Overrides the plan's requests per minute. */
  rateLimit?: number | undefined;
  /** Overrides the plan's screenshots per month; `unlimited` only on a plan without a quota, because an override can't remove a quota. */
  quota?: number | "unlimited" | undefined;
}

/**
 * Puts a user on a plan manually, regardless of any subscription. Earlier overrides are removed; the start of the quota months is kept.
 * `free` is different: it takes no overrides, returns the user to calendar months, and ends the manual plan, so that a subscription at the
 * billing provider applies again.
 * @throws {AppError} `invalid_parameters` if the plan doesn't exist or doesn't allow the override.
 */
export async function setPlan(database: Database, userId: string, choice: PlanChoice): Promise<void> {
  await database.transaction((transaction) => setPlanIn(transaction, userId, choice));
}

/** Like `setPlan`, within `transaction`. */
export async function setPlanIn(transaction: Queries, userId: string, choice: PlanChoice): Promise<void> {
  await recordPlanChange(transaction, userId, () => assignPlan(transaction, userId, choice));
}

/** Runs `change` and records any change to the user's plan in the audit log. */
export async function recordPlanChange(transaction: Queries, userId: string, change: () => Promise<void>): Promise<void> {
  const before = await assignedPlan(transaction, userId);
  await change();
  const changes = changesOf(before, await assignedPlan(transaction, userId));
  if (changes.length > 0) await record(transaction, { action: "plan.assigned", accountId: userId, changes });
}

/** A user without a subscription is on `free`. */
async function assignedPlan(transaction: Queries, userId: string) {
  const { rows } = await transaction.query<{ plan: string; source: string; rate_limit: number | null; monthly_quota: number | null }>(
    `select plan_id as plan, source, rate_limit_override as rate_limit, monthly_quota_override as monthly_quota
       from subscriptions where user_id = $1 for update`,
    [userId],
  );
  return rows[0] ?? { plan: "free", source: "default", rate_limit: null, monthly_quota: null };
}

interface PlanQuota {
  id: string;
  monthly_quota: number | null;
}

async function assignPlan(queries: Queries, userId: string, { planId, rateLimit, quota }: PlanChoice): Promise<void> {
  const { plan, plans } = await findPlan(queries, planId);
  if (planId === "free") {
    if (rateLimit !== undefined || quota !== undefined) throw refused("The free plan can't have custom limits; choose another plan");
    await queries.query("delete from subscriptions where user_id = $1", [userId]);
    await queries.query("update billing_customers set due_at = now(), revision = revision + 1 where user_id = $1", [userId]);
    return;
  }
  if (quota === "unlimited" && plan.monthly_quota !== null) {
    const unlimited = plans.filter(({ monthly_quota }) => monthly_quota === null).map(({ id }) => id);
    const hint = unlimited.length > 0 ? `choose ${unlimited.join(" or ")}` : "create a plan without monthly_quota";
    throw refused(`The ${planId} plan has a quota of ${plan.monthly_quota}, which can be changed for a user but not removed: ${hint}`);
  }
  await upsertSubscription(queries, userId, planId, rateLimit ?? null, quota === "unlimited" ? null : (quota ?? null));
}

/** The plan, and all plans sorted by rank. @throws {AppError} `invalid_parameters` if the plan doesn't exist. */
export async function findPlan(queries: Queries, planId: string): Promise<{ plan: PlanQuota; plans: PlanQuota[] }> {
  const { rows: plans } = await queries.query<PlanQuota>("select id, monthly_quota from plans order by rank");
  const plan = plans.find(({ id }) => id === planId);
  if (!plan) throw refused(`There is no plan "${planId}"; the plans are ${plans.map(({ id }) => id).join(", ")}`);
  return { plan, plans };
}

function refused(message: string): AppError {
  return new AppError("invalid_parameters", { details: [{ parameter: "plan_id", message }] });
}

/** Keeps an existing anchor, because a new one would start a new quota month. */
async function upsertSubscription(
  queries: Queries,
  userId: string,
  planId: string,
  rateLimit: number | null,
  quota: number | null,
): Promise<void> {
  await queries.query(
    `insert into subscriptions (user_id, plan_id, source, anchor, rate_limit_override, monthly_quota_override)
     values ($1, $2, 'manual', date_trunc('second', now()), $3, $4)
     on conflict (user_id) do update
       set plan_id = excluded.plan_id, source = 'manual', rate_limit_override = excluded.rate_limit_override, monthly_quota_override = excluded.monthly_quota_override, updated_at = now()`,
    [userId, planId, rateLimit, quota],
  );
}
