/** Creates links to the provider's pages: the checkout for a plan, and the portal for managing a subscription. */

import type { Database } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import { readUser } from "../people/users.ts";
import type { BillingProvider } from "./provider.ts";
import type { Reconcile } from "./reconcile.ts";
import type { PlanProduct } from "./snapshot.ts";
import { readSubscription } from "./subscription.ts";

export interface Purchase {
  /**
   * Returns the URL of the checkout page for a plan. @throws {AppError} `not_found` if the plan isn't sold; `not_possible` if the user
   * already has a subscription, or the provider refuses; `unavailable`.
   */
  checkout(userId: string, planId: string): Promise<string>;
  /**
   * Returns the URL of the provider's customer portal. @throws {AppError} `not_possible` if the user never bought anything; `unavailable`.
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
   * Creates the customer in advance, so that the checkout can't match another account's customer by e-mail address.
   * @throws {AppError} `not_possible` if the provider rejects the address.
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
        throw new AppError("not_possible", { message: "You already have a subscription: change it with Manage subscription." });
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
