/** Moves an account to the plan that its subscriptions at the billing provider entitle it to. */

import type { BaseLogger } from "pino";
import type { BillingCustomers } from "./customers.ts";
import type { BillingProvider } from "./provider.ts";
import { type BillingSnapshot, snapshotOf } from "./snapshot.ts";

/**
 * Idempotent, and safe to run concurrently on several replicas: the result is always the provider's latest state. A plan that was set
 * manually is kept. @throws {AppError} `unavailable` if the provider or the database is down; the plan is then unchanged.
 */
export type Reconcile = (userId: string) => Promise<void>;

/** Maximum number of attempts. A retry happens only if the row changed during the calls to the provider. */
const attemptsMax = 5;

export function createReconcile(
  customers: BillingCustomers,
  provider: Pick<BillingProvider, "stateOf" | "subscriptionsOf">,
  log: BaseLogger,
): Reconcile {
  return async (userId) => {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const revision = await customers.revisionOf(userId);
      if (revision === null) return; // the account was deleted
      const snapshot = await readSnapshot(userId);
      if (await customers.write(userId, revision, snapshot)) return;
    }
    await customers.markDue(userId);
  };

  async function readSnapshot(userId: string): Promise<BillingSnapshot> {
    const plans = await customers.planProducts();
    const state = await provider.stateOf(userId);
    const all = state && state.active_subscriptions.length === 0 ? await provider.subscriptionsOf(userId) : [];
    const snapshot = snapshotOf(state, all, plans);
    const isActive = snapshot.status === "active" || snapshot.status === "trialing";
    if (isActive && snapshot.planId === null)
      log.warn(
        { userId, product: snapshot.productId },
        "an account is subscribed to a product that isn't linked to any plan: link the product to a plan",
      );
    return snapshot;
  }
}
