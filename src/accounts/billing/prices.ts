/** Reads plan prices from the provider and caches them for ten minutes. */

import type { models } from "@polar-sh/sdk/2026-10";
import type { Clock } from "../../shared/clock.ts";
import type { BillingProvider } from "./provider.ts";
import type { PlanProduct } from "./snapshot.ts";

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

/** Prices of the plans that can be bought. @throws {AppError} `unavailable` if the provider is unreachable and none are cached. */
export type ReadPrices = () => Promise<Price[]>;

const freshMs = 10 * 60_000;

interface Dependencies {
  provider: Pick<BillingProvider, "products">;
  planProducts: () => Promise<PlanProduct[]>;
  clock: Clock;
}

export function createPrices({ provider, planProducts, clock }: Dependencies): ReadPrices {
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
