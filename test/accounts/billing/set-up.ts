/** Billing on the test's own database, with the real SDK and a fake provider. */

import type { models } from "@polar-sh/sdk/2026-10";
import { pino } from "pino";
import { type Billing, createBilling } from "../../../src/accounts/billing/billing.ts";
import { createUser } from "../../../src/accounts/people/users.ts";
import type { Database } from "../../../src/database/database.ts";
import type { Config } from "../../../src/settings/config.ts";
import { readConfig } from "../../../src/settings/read-config.ts";
import { systemClock } from "../../../src/shared/clock.ts";
import { createMetrics, type Metrics } from "../../../src/telemetry/metrics.ts";
import { type BillingDouble, type ProviderEvent, type SignOptions, startBillingDouble } from "../../support/billing/provider.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import type { Scope } from "../../support/scope.ts";

export interface BillingSetUp {
  database: TestDatabase;
  provider: BillingDouble;
  billing: Billing;
  metrics: Metrics;
  pro: models.Product;
  enterprise: models.Product;
  /** Another replica on the same database; if `on` is given, it is used as the database connection. */
  startReplica(on?: Database): Billing;
  logged(): string;
  createAccount(): Promise<string>;
  /** Id of the account's plan, as stored with its keys. */
  planOf(userId: string): Promise<string>;
}

const names = ["BILLING_ACCESS_TOKEN", "BILLING_ENVIRONMENT", "BILLING_WEBHOOK_SECRET", "BILLING_BASE_URL", "WEB_PUBLIC_URL"] as const;

export async function setUpBilling(t: Scope): Promise<BillingSetUp> {
  const provider = await startBillingDouble(t);
  const database = await createTestDatabase(t);
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line) => lines.push(line) });
  const metrics = createMetrics();
  const startReplica = (on: Database = database) => {
    const replica = createBilling(config as Config, { database: on, clock: systemClock, log, metrics }) as Billing;
    database.beforeDrop(() => replica.dueAccounts.close());
    return replica;
  };
  const config = await readConfig(provider.settings, names);
  const billing = startReplica();
  const pro = provider.addProduct({ name: "Pro", amount: 1900 });
  const enterprise = provider.addProduct({ name: "Enterprise", amount: 9900 });
  await sellPlans(database, { pro, enterprise });
  // The first comparison would find every subscriber, even without a webhook.
  await database.query("update billing_comparison set at = now()");
  let accounts = 0;
  return {
    database,
    provider,
    billing,
    metrics,
    pro,
    enterprise,
    startReplica,
    logged: () => lines.join(""),
    createAccount: async () => (await createUser(database, `user-${++accounts}@example.com`)).id,
    planOf: async (userId) => (await database.query("select plan_id from account_plans where user_id = $1", [userId])).rows[0]?.plan_id,
  };
}

export async function sellPlans(database: Pick<TestDatabase, "query">, products: Record<string, models.Product>): Promise<void> {
  for (const [planId, { id }] of Object.entries(products))
    await database.query("update plans set billing_product_id = $2 where id = $1", [planId, id]);
}

/** Delivers webhooks directly to a replica, in order. */
export async function deliver(
  provider: BillingDouble,
  replica: Billing,
  events: ProviderEvent[],
  options: SignOptions = {},
): Promise<void> {
  for (const event of events) {
    const { headers, body } = provider.sign(event, options);
    await replica.webhooks.receive(Buffer.from(body), headers);
  }
}
