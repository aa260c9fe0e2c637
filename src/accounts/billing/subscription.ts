/** Reads an account's subscription at the provider, as of the last check. */

import type { Database } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import type { SubscriptionStatus } from "../usage/plans.ts";
import type { Reconcile } from "./reconcile.ts";

export interface KnownSubscription {
  status: SubscriptionStatus;
  /** Plan of the subscribed product, whether or not the status grants it; null if the product isn't linked to a plan. */
  planId: string | null;
  planName: string | null;
  amount: number | null;
  currency: string | null;
  period: "day" | "week" | "month" | "year" | null;
  trialEndsAt: Date | null;
  currentPeriodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
  endsAt: Date | null;
  resumesAt: Date | null;
  checkedAt: Date;
}

const columns = `b.status, p.id as "planId", p.name as "planName", b.amount, b.currency, b.period, b.trial_ends_at as "trialEndsAt",
  b.current_period_end as "currentPeriodEnd", b.cancel_at_period_end as "cancelAtPeriodEnd", b.ends_at as "endsAt",
  b.resumes_at as "resumesAt", b.checked_at as "checkedAt"`;
const tables = "billing_customers b left join plans p on p.billing_product_id = b.product_id";

/** Returns null if there is no subscription, or if it isn't known yet. */
export async function readSubscription(database: Database, userId: string): Promise<KnownSubscription | null> {
  const { rows } = await database.query<KnownSubscription>(
    `select ${columns} from ${tables} where b.user_id = $1 and b.status is not null`,
    [userId],
  );
  return rows[0] ?? null;
}

/**
 * Called before an account is deleted, because the provider would otherwise keep charging the user. Accounts with a customer record are
 * reconciled first, since the latest webhook may not have arrived. @throws {AppError} `not_possible` if there is a subscription that
 * isn't set to end; `unavailable`.
 */
export async function assertNotPaying(database: Database, reconcile: Reconcile, userId: string): Promise<void> {
  const { rowCount } = await database.query("select 1 from billing_customers where user_id = $1", [userId]);
  if (rowCount === 1) await reconcile(userId);
  const subscription = await readSubscription(database, userId);
  if (
    !subscription ||
    subscription.cancelAtPeriodEnd ||
    !["trialing", "active", "past_due", "unpaid", "paused"].includes(subscription.status)
  )
    return;
  throw new AppError("not_possible", {
    message: 'You have a subscription. Cancel it first: choose "Manage subscription" on the plan page.',
  });
}

export interface Subscriber extends KnownSubscription {
  userId: string;
  name: string;
  email: string;
  /** The plan in force, which may have been set manually. */
  currentPlanId: string;
  currentPlanSource: "default" | "manual" | "billing";
}

/** Sorted by status, most urgent first, then by name. */
export async function listSubscribers(database: Database, limit: number): Promise<Subscriber[]> {
  const { rows } = await database.query<Subscriber>(
    `select ${columns}, u.id as "userId", u.name, u.email, a.plan_id as "currentPlanId", coalesce(s.source, 'default') as "currentPlanSource"
       from ${tables} join users u on u.id = b.user_id join account_plans a on a.user_id = u.id left join subscriptions s on s.user_id = u.id
      where b.status is not null and u.deleted_at is null
      order by array_position(array['past_due', 'unpaid', 'paused', 'trialing', 'active'], b.status), u.name, u.id limit $1`,
    [limit],
  );
  return rows;
}

/**
 * Times of the latest webhook and the latest comparison of all subscriptions; each is null if there has been none. A failed comparison is
 * recorded as 23 hours old, so that it is repeated after an hour.
 */
export async function readBillingTimes(database: Database): Promise<{ webhookAt: Date | null; comparedAt: Date | null }> {
  const { rows } = await database.query<{ webhookAt: Date | null; comparedAt: Date | null }>(
    `select (select max(received_at) from billing_events) as "webhookAt",
            (select nullif(at, '-infinity') from billing_comparison) as "comparedAt"`,
  );
  return rows[0] ?? { webhookAt: null, comparedAt: null };
}
