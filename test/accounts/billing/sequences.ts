/** Random customer histories whose webhooks arrive in any order, repeatedly, late or never. */

import assert from "node:assert/strict";
import type { models } from "@polar-sh/sdk/2026-10";
import fc from "fast-check";
import type { Scope } from "../../support/scope.ts";
import { deliver, setUpBilling } from "./set-up.ts";

const changes = {
  end: [{ status: "canceled" }, "subscription.revoked"],
  cancel: [{ cancel_at_period_end: true }, "subscription.canceled"],
  uncancel: [{ cancel_at_period_end: false }, "subscription.uncanceled"],
  fail: [{ status: "past_due" }, "subscription.past_due"],
  pay: [{ status: "active" }, "subscription.active"],
  pause: [{ status: "paused" }, "subscription.paused"],
  resume: [{ status: "active" }, "subscription.resumed"],
  giveUp: [{ status: "unpaid" }, "subscription.updated"],
  trial: [{ status: "trialing" }, "subscription.updated"],
  upgrade: [{}, "subscription.updated"],
} as const;

type Step =
  | { subscription: 0 | 1; change: keyof typeof changes | "subscribe" }
  | { deliver: number[]; concurrent: boolean }
  | { work: 0 | 1 };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      subscription: fc.constantFrom(0 as const, 1 as const),
      change: fc.constantFrom("subscribe" as const, ...(Object.keys(changes) as (keyof typeof changes)[])),
    }),
  },
  { weight: 3, arbitrary: fc.record({ deliver: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 5 }), concurrent: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ work: fc.constantFrom(0 as const, 1 as const) }) },
);

/**
 * Each history has two subscriptions and two replicas. `deliver` picks from all webhooks so far, so that some arrive out of order,
 * repeatedly, late or never. @throws if the resulting plan is not the one that the provider's final state grants.
 */
export async function checkSequences(t: Scope, numRuns: number): Promise<void> {
  const { provider, billing, pro, enterprise, database, createAccount, planOf, startReplica } = await setUpBilling(t);
  const replicas = [billing, startReplica()] as const;
  const products = [pro, enterprise] as const;

  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
    const userId = await createAccount();
    const subscriptions: (models.Subscription | undefined)[] = [undefined, undefined];
    provider.events.length = 0;
    let isCurrent = false;
    for (const [index, one] of steps.entries()) {
      if ("work" in one) await replicas[one.work].dueAccounts.run();
      else if ("deliver" in one) {
        if (provider.events.length === 0) continue;
        const picked = one.deliver.map((number) => provider.events[number % provider.events.length] as (typeof provider.events)[number]);
        const isNew = (await database.query("select 1 from billing_events where id = any($1)", [picked.map(({ id }) => id)])).rowCount;
        const deliveries = picked.map((event, at) => () => deliver(provider, replicas[((index + at) % 2) as 0 | 1], [event]));
        if (one.concurrent) await Promise.all(deliveries.map((send) => send()));
        else for (const send of deliveries) await send();
        if (isNew !== new Set(picked).size) isCurrent = true;
      } else {
        const subscription = subscriptions[one.subscription];
        if (one.change === "subscribe" || !subscription)
          subscriptions[one.subscription] = provider.subscribe(userId, products[one.subscription]);
        else {
          const [change, type] = changes[one.change];
          const upgraded = one.change === "upgrade" ? { product_id: enterprise.id } : {};
          provider.change(subscription, { ...change, ...upgraded }, type);
        }
        isCurrent = false;
      }
    }
    for (const { dueAccounts } of replicas) await dueAccounts.run();
    // If no new webhook has arrived since the last change, the hourly check has to find it.
    if (!isCurrent) {
      await database.query(
        "insert into billing_customers (user_id) values ($1) on conflict (user_id) do update set due_at = now() - interval '1 hour'",
        [userId],
      );
      for (const { dueAccounts } of replicas) await dueAccounts.run();
    }
    assert.equal(await planOf(userId), granted(provider.stateOf(userId)));
  });

  function granted(state: models.CustomerState | undefined): string {
    const active = (state?.active_subscriptions ?? []).map(({ product_id }) => product_id);
    return active.includes(enterprise.id) ? "enterprise" : active.includes(pro.id) ? "pro" : "free";
  }

  await fc.assert(property, { numRuns });
}
