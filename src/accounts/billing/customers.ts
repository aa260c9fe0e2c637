/** Reads and writes `billing_customers`: each customer's latest state at the provider, and when to check it again. */

import type { Actor, Database, Queries } from "../../database/database.ts";
import { recordPlanChange } from "../usage/plans.ts";
import type { BillingSnapshot, PlanProduct } from "./snapshot.ts";

/**
 * Each row's revision is an optimistic lock: a snapshot is written only if the revision hasn't changed since before the provider was
 * called. An older response therefore never overwrites a newer one, and no database connection is held during the call.
 */
export interface BillingCustomers {
  /** Creates the row if necessary. Returns null if there is no such account. */
  revisionOf(userId: string): Promise<number | null>;
  planProducts(): Promise<PlanProduct[]>;
  /** Also updates the account's plan. Returns false and changes nothing if the revision has changed. */
  write(userId: string, revision: number, snapshot: BillingSnapshot): Promise<boolean>;
  /** Makes the account due for reconciliation now. */
  markDue(userId: string): Promise<void>;
}

/** The jitter spreads out the checks of accounts that signed up at the same time. */
const nextCheck = { subscribed: "interval '54 minutes'", other: "interval '23 hours'", jitter: "random() * interval '6 minutes'" };
/** The actor recorded in the audit log. */
const provider: Actor = { via: "billing", userId: null, ip: null };
const ended = ["canceled", "incomplete_expired"];

export function createBillingCustomers(database: Database): BillingCustomers {
  return {
    async revisionOf(userId) {
      const { rows } = await database.query<{ revision: number }>(
        `insert into billing_customers (user_id) select id from users where id = $1 and deleted_at is null
         on conflict (user_id) do update set user_id = excluded.user_id returning revision`,
        [userId],
      );
      return rows[0]?.revision ?? null;
    },
    async planProducts() {
      const { rows } = await database.query<PlanProduct>(
        `select id as "planId", rank, billing_product_id as "productId" from plans where billing_product_id is not null`,
      );
      return rows;
    },
    write: (userId, revision, snapshot) =>
      database.as(provider).transaction(async (queries) => {
        const isWritten = await writeSnapshot(queries, userId, revision, snapshot);
        if (isWritten) await recordPlanChange(queries, userId, () => changePlan(queries, userId, snapshot.planId));
        return isWritten;
      }),
    async markDue(userId) {
      await database.query("update billing_customers set due_at = now(), revision = revision + 1 where user_id = $1", [userId]);
    },
  };
}

async function writeSnapshot(queries: Queries, userId: string, revision: number, of: BillingSnapshot): Promise<boolean> {
  const isSubscribed = of.status !== null && !ended.includes(of.status);
  const { rowCount } = await queries.query(
    `update billing_customers
        set customer_id = $3, subscription_id = $4, product_id = $5, plan_id = $6, status = $7, amount = $8, currency = $9, period = $10,
            trial_ends_at = $11, current_period_end = $12, cancel_at_period_end = $13, ends_at = $14, resumes_at = $15,
            revision = revision + 1, checked_at = now(),
            due_at = now() + ${isSubscribed ? nextCheck.subscribed : nextCheck.other} + ${nextCheck.jitter}
      where user_id = $1 and revision = $2`,
    [
      userId,
      revision,
      of.customerId,
      of.subscriptionId,
      of.productId,
      of.planId,
      of.status,
      of.amount,
      of.currency,
      of.period,
      of.trialEndsAt,
      of.currentPeriodEnd,
      of.cancelAtPeriodEnd,
      of.endsAt,
      of.resumesAt,
    ],
  );
  return rowCount === 1;
}

/** Doesn't change plans that were set manually. A former subscriber's row is kept, because it holds the start of the quota months. */
async function changePlan(queries: Queries, userId: string, planId: string | null): Promise<void> {
  if (planId === null) {
    await queries.query(
      "update subscriptions set plan_id = 'free', updated_at = now() where user_id = $1 and source = 'billing' and plan_id <> 'free'",
      [userId],
    );
    return;
  }
  await queries.query(
    `insert into subscriptions (user_id, plan_id, source, anchor) values ($1, $2, 'billing', date_trunc('second', now()))
     on conflict (user_id) do update set plan_id = excluded.plan_id, updated_at = now()
      where subscriptions.source = 'billing' and subscriptions.plan_id <> excluded.plan_id`,
    [userId, planId],
  );
}
