/** Reduces a customer's subscriptions at the provider to the plan they grant and the one subscription to show. */

import type { models } from "@polar-sh/sdk/2026-10";

/** A plan that can be bought. */
export interface PlanProduct {
  planId: string;
  rank: number;
  productId: string;
}

/**
 * The subscription that grants the plan or, if none is active, the one that explains why there is no plan. If there are no subscriptions,
 * all fields are null except `customerId`, which may still be known, and `cancelAtPeriodEnd`.
 */
export interface BillingSnapshot {
  customerId: string | null;
  subscriptionId: string | null;
  productId: string | null;
  /** Granted by the active subscriptions. */
  planId: string | null;
  status: models.SubscriptionStatus | null;
  /** Amount per period, in the currency's smallest unit. */
  amount: number | null;
  currency: string | null;
  period: models.RecurringInterval | null;
  trialEndsAt: string | null;
  currentPeriodEnd: string | null;
  cancelAtPeriodEnd: boolean;
  endsAt: string | null;
  /** Time at which a paused subscription resumes; null if it must be resumed manually. */
  resumesAt: string | null;
}

/** Most urgent first. If no subscription is active, the customer is shown the one with the most urgent status. */
const inactiveStatuses: models.SubscriptionStatus[] = ["past_due", "unpaid", "paused", "incomplete", "canceled", "incomplete_expired"];

/**
 * The plan depends on `state` alone: it is the highest-ranked plan among the active subscriptions.
 * @param state null if the provider doesn't know the customer.
 * @param all subscriptions in any status; needed only if none is active.
 */
export function snapshotOf(state: models.CustomerState | null, all: models.Subscription[], plans: PlanProduct[]): BillingSnapshot {
  const planOf = new Map(plans.map((plan) => [plan.productId, plan]));
  const rankOf = ({ product_id }: { product_id: string }) => planOf.get(product_id)?.rank ?? -1;
  const [active] = (state?.active_subscriptions ?? []).toSorted((a, b) => rankOf(b) - rankOf(a));
  const shown = active ?? all.toSorted(byUrgency)[0];
  return {
    customerId: state?.id ?? null,
    subscriptionId: shown?.id ?? null,
    productId: shown?.product_id ?? null,
    planId: (active && planOf.get(active.product_id)?.planId) ?? null,
    // The SDK declares the status in a customer's state using another schema's type.
    status: (shown?.status as models.SubscriptionStatus | undefined) ?? null,
    amount: shown?.amount ?? null,
    currency: shown?.currency ?? null,
    period: shown?.recurring_interval ?? null,
    trialEndsAt: shown?.trial_end ?? null,
    currentPeriodEnd: shown?.current_period_end ?? null,
    cancelAtPeriodEnd: shown?.cancel_at_period_end ?? false,
    endsAt: shown?.ends_at ?? null,
    resumesAt: shown && "resumes_at" in shown ? shown.resumes_at : null,
  };
}

function byUrgency(a: models.Subscription, b: models.Subscription): number {
  return inactiveStatuses.indexOf(a.status) - inactiveStatuses.indexOf(b.status) || b.created_at.localeCompare(a.created_at);
}
