/** The prices of plans, from the provider; kept in memory for some minutes. */

import type { models } from "@polar-sh/sdk/2026-10";
import type { Clock } from "../../clock.ts";
import type { BillingProvider } from "./provider.ts";
import type { PlanProduct } from "./snapshot.ts";

export interface Price {
  planId: string;
  /** In the currency's smallest unit; null: not a fixed price. */
  amount: number | null;
  /** In lower case: `usd`. */
  currency: string | null;
  period: models.RecurringInterval;
  /** Periods between two payments. */
  periodCount: number;
  /** Before the first payment; null: none. */
  trial: { unit: models.TrialInterval; count: number } | null;
}

/** Of the plans that can be bought. @throws {AppError} `unavailable` when the provider is away and there are no earlier ones. */
export type ReadPrices = () => Promise<Price[]>;

const freshMs = 10 * 60_000;

interface Dependencies {
  provider: Pick<BillingProvider, "products">;
  planProducts: () => Promise<PlanProduct[]>;
  clock: Clock;
}

export function createPrices({ provider, planProducts, clock }: Dependencies): ReadPrices {
  let kept: { key: string; until: number; prices: Price[] } | undefined;

  return async () => {
    const plans = await planProducts();
    const key = JSON.stringify(plans);
    if (kept?.key === key && clock.now() < kept.until) return kept.prices;
    try {
      const products = plans.length === 0 ? [] : await provider.products(plans.map(({ productId }) => productId));
      const prices = plans.flatMap(({ planId, productId }) => {
        const product = products.find(({ id }) => id === productId);
        return product ? priceOf(planId, product) : [];
      });
      kept = { key, until: clock.now() + freshMs, prices };
    } catch (error) {
      if (kept?.key !== key) throw error;
    }
    return kept.prices;
  };
}

/** Empty for products that are no subscription. */
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
