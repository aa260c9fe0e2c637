/** Reconciles accounts when they are due: after a webhook, every hour if they are subscribed, and every day otherwise. */

import type { BaseLogger } from "pino";
import type { Database } from "../../database/database.ts";
import { createCoalescer } from "../../shared/coalesce.ts";
import { forService } from "../../shared/work-owner.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { BillingProvider } from "./provider.ts";
import type { Reconcile } from "./reconcile.ts";

export interface DueAccounts {
  /** Reconciles every due account; resolves to the number of accounts. Rejects at the first failure; the next run handles the rest. */
  run(): Promise<number>;
  /** Starts a run now rather than at the next interval. */
  poke(): void;
  /** Runs every `everyMs` until `close`. Safe to start on any number of replicas. */
  start(everyMs: number): void;
  /** Waits for the current run; does not close the pool. */
  close(): Promise<void>;
}

interface Parts {
  database: Database;
  provider: Pick<BillingProvider, "subscribers">;
  reconcile: Reconcile;
  storeLate: () => Promise<void>;
  log: BaseLogger;
  metrics?: Pick<Metrics, "billingWebhookAge">;
}

export function createDueAccounts({ database, provider, reconcile, storeLate, log, metrics }: Parts): DueAccounts {
  let timer: NodeJS.Timeout | undefined;
  /** Settles when the last requested run does. */
  let latest: Promise<number> | undefined;
  let closed = false;

  // Calls during a run share the next run, because the current run may already have passed accounts that have since become due.
  const coalesced = createCoalescer(async () => {
    if (closed) return 0;
    await storeLate();
    const seconds = await secondsSinceWebhook(database);
    if (seconds !== null) metrics?.billingWebhookAge.set({ provider: "polar" }, seconds);
    await compareSubscribers(database, provider);
    let total = 0;
    for (let userId = await claim(database); userId !== undefined && !closed; userId = await claim(database)) {
      await reconcile(userId);
      total += 1;
    }
    return total;
  });

  function run(): Promise<number> {
    latest = coalesced("").then(({ result }) => result);
    return latest;
  }

  function poke(): void {
    if (closed) return;
    forService(run).catch((error) =>
      log.warn({ err: (error as Error).cause ?? error }, "failed to reconcile accounts with the billing provider"),
    );
  }

  return {
    run,
    poke,
    start(everyMs) {
      timer = setInterval(poke, everyMs).unref();
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await latest?.catch(() => {});
    },
  };
}

/**
 * Claims the next due account by postponing it for a minute: other replicas skip it for that long, and it is retried if this attempt fails.
 * A webhook makes it due immediately.
 */
async function claim(database: Database): Promise<string | undefined> {
  const { rows } = await database.query<{ user_id: string }>(
    `update billing_customers set due_at = now() + interval '1 minute'
      where user_id = (select user_id from billing_customers where due_at <= now() order by due_at limit 1 for update skip locked)
     returning user_id`,
  );
  return rows[0]?.user_id;
}

/**
 * Once a day, in case a webhook was lost, marks accounts as due if the provider lists them as subscribers but our table doesn't. Also
 * deletes webhook events older than 30 days.
 */
async function compareSubscribers(database: Database, provider: Pick<BillingProvider, "subscribers">): Promise<void> {
  const { rowCount } = await database.query("update billing_comparison set at = now() where at < now() - interval '1 day'");
  if (rowCount === 0) return;
  try {
    for await (const userIds of provider.subscribers()) {
      await database.query(
        `insert into billing_customers (user_id) select id from users where id::text = any($1::text[]) and deleted_at is null
         on conflict (user_id) do update set due_at = now(), revision = billing_customers.revision + 1
          where billing_customers.status is distinct from 'active' and billing_customers.status is distinct from 'trialing'`,
        [userIds],
      );
    }
    await database.query("delete from billing_events where received_at < now() - interval '30 days'");
  } catch (error) {
    await database.query("update billing_comparison set at = now() - interval '23 hours'");
    throw error;
  }
}

async function secondsSinceWebhook(database: Database): Promise<number | null> {
  const { rows } = await database.query<{ seconds: number | null }>(
    "select extract(epoch from now() - max(received_at))::float8 as seconds from billing_events",
  );
  return rows[0]?.seconds ?? null;
}
