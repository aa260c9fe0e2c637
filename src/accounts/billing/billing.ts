/** Builds the billing services from the settings, if the operator sells plans. */

import type { BaseLogger } from "pino";
import type { Database } from "../../database/database.ts";
import type { Config } from "../../settings/config.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { createBillingCustomers } from "./customers.ts";
import { createDueAccounts, type DueAccounts } from "./due-accounts.ts";
import { createBillingProvider } from "./provider.ts";
import { createPrices, createPurchase, type Purchase, type ReadPrices } from "./purchase.ts";
import { createReconcile, type Reconcile } from "./reconcile.ts";
import { type BillingWebhooks, createBillingWebhooks } from "./webhooks.ts";

export interface Billing {
  reconcile: Reconcile;
  dueAccounts: DueAccounts;
  webhooks: BillingWebhooks;
  readPrices: ReadPrices;
  purchase: Purchase;
}

interface Parts {
  database: Database;
  clock: Clock;
  log: BaseLogger;
  metrics: Metrics;
}

/** Returns undefined if `BILLING_ACCESS_TOKEN` isn't set. Doesn't call the provider itself; the caller starts and closes `dueAccounts`. */
export function createBilling(config: Config, { database, clock, log, metrics }: Parts): Billing | undefined {
  if (config.BILLING_ACCESS_TOKEN === "") return undefined;
  const provider = createBillingProvider({
    accessToken: config.BILLING_ACCESS_TOKEN,
    environment: config.BILLING_ENVIRONMENT,
    baseUrl: config.BILLING_BASE_URL,
  });
  const customers = createBillingCustomers(database);
  const { planProducts } = customers;
  const reconcile = createReconcile(customers, provider, log);
  const webhooks = createBillingWebhooks(database, {
    secret: config.BILLING_WEBHOOK_SECRET,
    log,
    onStored: () => dueAccounts.poke(),
  });
  const dueAccounts = createDueAccounts({ database, provider, reconcile, storeLate: webhooks.storeLate, log, metrics });
  return {
    reconcile,
    dueAccounts,
    webhooks,
    readPrices: createPrices({ provider, planProducts, clock }),
    purchase: createPurchase({
      database,
      provider,
      planProducts,
      reconcile,
      planPage: `${new URL(config.WEB_PUBLIC_URL).origin}/plan`,
    }),
  };
}
