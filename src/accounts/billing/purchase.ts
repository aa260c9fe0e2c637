/** Plan prices and purchases. */

import type { models } from "@polar-sh/sdk/2026-10";
import type { Database } from "../../database/database.ts";
import type { Clock } from "../../shared/clock.ts";
import { AppError } from "../../shared/errors.ts";
import { readUser } from "../people/users.ts";
import type { BillingProvider } from "./provider.ts";
import type { Reconcile } from "./reconcile.ts";
import type { PlanProduct } from "./snapshot.ts";
import { readSubscription } from "./subscription.ts";

export interface Purchase {
  /**
   * Returns the URL of the checkout page for a plan. @throws {AppError} `not_found` if the plan isn't sold; `not_possible` if the user
   * already has a subscription, or the provider rejects the customer or the product; `unavailable`.
   */
  checkout(userId: string, planId: string): Promise<string>;
  /**
   * Returns the URL of the provider's customer portal. @throws {AppError} `not_possible` if the user isn't a customer yet; `unavailable`.
   */
  portal(userId: string): Promise<string>;
}

interface Dependencies {
  database: Database;
  provider: BillingProvider;
  planProducts: () => Promise<PlanProduct[]>;
  reconcile: Reconcile;
  /** URL of the dashboard's plan page. */
  planPage: string;
}

export function createPurchase({ database, provider, planProducts, reconcile, planPage }: Dependencies): Purchase {
  /**
   * Creates the customer before the checkout, so that the provider can't match another account's customer by e-mail address.
   * @throws {AppError} `not_possible` if the provider rejects the customer; `unavailable`.
   */
  async function ensureCustomer(userId: string): Promise<void> {
    if ((await provider.stateOf(userId)) !== null) return;
    const { email, name } = await readUser(database, userId);
    if (await provider.createCustomer({ userId, email, name })) return;
    if ((await provider.stateOf(userId)) !== null) return; // created by a concurrent request
    throw new AppError("not_possible", {
      message:
        "The billing provider rejected your e-mail address, or it already belongs to another account. Contact the operator of this service.",
    });
  }

  return {
    async checkout(userId, planId) {
      const product = (await planProducts()).find((plan) => plan.planId === planId);
      if (!product) throw new AppError("not_found", { message: `The plan "${planId}" can't be bought.` });
      await reconcile(userId);
      const status = (await readSubscription(database, userId))?.status;
      if (status && !["canceled", "incomplete", "incomplete_expired"].includes(status))
        throw new AppError("not_possible", { message: 'You already have a subscription. To change it, choose "Manage subscription".' });
      await ensureCustomer(userId);
      const successUrl = `${planPage}?checkout={CHECKOUT_ID}`;
      const url = await provider.createCheckout({ userId, productId: product.productId, successUrl, returnUrl: planPage });
      if (url === null)
        throw new AppError("not_possible", { message: "This plan can't be bought at the moment. Contact the operator of this service." });
      return url;
    },
    async portal(userId) {
      const url = await provider.createPortal(userId, `${planPage}?from=portal`);
      if (url === null)
        throw new AppError("not_possible", { message: "There is no subscription to manage: you have not bought a plan yet." });
      return url;
    },
  };
}

export interface Price {
  planId: string;
  /** In the currency's smallest unit; null if the price isn't fixed. */
  amount: number | null;
  /** In lower case: `usd`. */
  currency: string | null;
  period: models.RecurringInterval;
  /** Number of periods between payments. */
  periodCount: number;
  /** Free trial before the first payment; null if there is none. */
  trial: { unit: models.TrialInterval; count: number } | null;
}

/**
 * Prices of the plans that can be bought. @throws {AppError} `unavailable` if the database is unreachable, or if the provider is
 * unreachable and no prices for these plans are cached.
 */
export type ReadPrices = () => Promise<Price[]>;

const freshMs = 10 * 60_000;

interface PriceParts {
  provider: Pick<BillingProvider, "products">;
  planProducts: () => Promise<PlanProduct[]>;
  clock: Clock;
}

export function createPrices({ provider, planProducts, clock }: PriceParts): ReadPrices {
  let cached: { key: string; until: number; prices: Price[] } | undefined;

  return async () => {
    const plans = await planProducts();
    const key = JSON.stringify(plans);
    if (cached?.key === key && clock.now() < cached.until) return cached.prices;
    try {
      const products = plans.length === 0 ? [] : await provider.products(plans.map(({ productId }) => productId));
      const prices = plans.flatMap(({ planId, productId }) => {
        const product = products.find(({ id }) => id === productId);
        return product ? priceOf(planId, product) : [];
      });
      cached = { key, until: clock.now() + freshMs, prices };
    } catch (error) {
      if (cached?.key !== key) throw error;
    }
    return cached.prices;
  };
}

/** Empty for products that aren't subscriptions. */
function priceOf(planId: string, product: models.Product): Price[] {
  const { recurring_interval, recurring_interval_count, trial_interval, trial_interval_count, prices } = product;
  if (!recurring_interval) return [];
  const fixed = prices.find((price) => price.amount_type === "fixed" && !price.is_archived) as models.ProductPriceFixed | undefined;
  return [
    {
      planId,
      amount: fixed?.price_amount ?? null,
      currency: fixed?.price_currency ?? null,
      period: recurring_interval,
      periodCount: recurring_interval_count ?? 1,
      trial: trial_interval && trial_interval_count ? { unit: trial_interval, count: trial_interval_count } : null,
    },
  ];
}
