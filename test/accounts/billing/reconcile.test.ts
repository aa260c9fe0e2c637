/** An account has the plan granted by its subscriptions at the provider. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { models } from "@polar-sh/sdk/2026-10";
import { readSubscription } from "../../../src/accounts/billing/subscription.ts";
import { listAudit } from "../../../src/accounts/people/audit.ts";
import { planOf as accountPlanOf, setPlan } from "../../../src/accounts/usage/plans.ts";
import { AppError } from "../../../src/shared/errors.ts";
import { createApiKey } from "../accounts.ts";
import { setUpBilling } from "./set-up.ts";

const isAway = (error: unknown) => error instanceof AppError && error.code === "unavailable";

test("only the provider's statuses active and trialing grant the plan; all statuses are stored by name", async (t) => {
  const { provider, billing, database, pro, createAccount, planOf } = await setUpBilling(t);
  const grants: Record<models.SubscriptionStatus, boolean> = {
    incomplete: false,
    incomplete_expired: false,
    trialing: true,
    active: true,
    past_due: false,
    canceled: false,
    unpaid: false,
    paused: false,
  };
  for (const [status, isGranted] of Object.entries(grants) as [models.SubscriptionStatus, boolean][]) {
    const userId = await createAccount();
    provider.subscribe(userId, pro, { status });
    await billing.reconcile(userId);
    assert.equal(await planOf(userId), isGranted ? "pro" : "free", status);
    const known = await readSubscription(database, userId);
    assert.deepEqual([known?.status, known?.planId, known?.amount, known?.currency, known?.period], [status, "pro", 1900, "usd", "month"]);
  }
});

test("an account that the provider doesn't know stays on the free plan", async (t) => {
  const { billing, database, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  await billing.reconcile(userId);
  assert.equal(await planOf(userId), "free");
  assert.equal(await readSubscription(database, userId), null);
});

test("if there are several active subscriptions, the highest-ranked plan applies, whichever came first", async (t) => {
  const { provider, billing, pro, enterprise, createAccount, planOf } = await setUpBilling(t);
  const [one, other] = [await createAccount(), await createAccount()];
  for (const product of [pro, enterprise]) provider.subscribe(one, product);
  for (const product of [enterprise, pro]) provider.subscribe(other, product);
  for (const userId of [one, other]) {
    await billing.reconcile(userId);
    assert.equal(await planOf(userId), "enterprise");
  }
});

test("canceled at the end of the period: the plan stays until the provider ends it, and the end date is stored", async (t) => {
  const { provider, billing, database, pro, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  const subscription = provider.subscribe(userId, pro);
  const end = subscription.current_period_end;
  provider.change(subscription, { cancel_at_period_end: true, ends_at: end }, "subscription.canceled");
  await billing.reconcile(userId);
  assert.equal(await planOf(userId), "pro");
  const known = await readSubscription(database, userId);
  assert.deepEqual([known?.cancelAtPeriodEnd, known?.endsAt?.toISOString()], [true, end]);
  provider.change(subscription, { status: "canceled", ended_at: end }, "subscription.revoked");
  await billing.reconcile(userId);
  assert.equal(await planOf(userId), "free");
});

test("a plan change caused by billing is recorded in the audit log once", async (t) => {
  const { provider, billing, database, pro, createAccount } = await setUpBilling(t);
  const userId = await createAccount();
  const subscription = provider.subscribe(userId, pro);
  await billing.reconcile(userId);
  await billing.reconcile(userId);
  provider.change(subscription, { status: "canceled", ended_at: new Date().toISOString() }, "subscription.revoked");
  await billing.reconcile(userId);
  const { entries } = await listAudit(database, { accountId: userId, kind: "plan", limit: 10 });
  assert.deepEqual(
    entries.map(({ via, changes }) => [via, changes[0]]),
    [
      ["billing", { field: "plan", from: "pro", to: "free" }],
      ["billing", { field: "plan", from: "free", to: "pro" }],
    ],
  );
});

test("a refund that ends the subscription ends the plan; a refund that leaves it active doesn't", async (t) => {
  const { provider, billing, pro, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  const subscription = provider.subscribe(userId, pro);
  provider.change(subscription, {}, "subscription.updated");
  await billing.reconcile(userId);
  assert.equal(await planOf(userId), "pro");
  provider.change(subscription, { status: "canceled" }, "subscription.revoked");
  await billing.reconcile(userId);
  assert.equal(await planOf(userId), "free");
});

test("paused: the free plan applies until the subscription resumes, and the resume time is stored", async (t) => {
  const { provider, billing, database, pro, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  const subscription = provider.subscribe(userId, pro);
  const resumesAt = "2027-01-01T00:00:00.000Z";
  provider.change(subscription, { status: "paused", resumes_at: resumesAt }, "subscription.paused");
  await billing.reconcile(userId);
  assert.equal(await planOf(userId), "free");
  assert.equal((await readSubscription(database, userId))?.resumesAt?.toISOString(), resumesAt);
  provider.change(subscription, { status: "active", resumes_at: null }, "subscription.resumed");
  await billing.reconcile(userId);
  assert.equal(await planOf(userId), "pro");
});

test("a product without a plan grants nothing and is logged; assigning it to a plan schedules a check of its subscribers", async (t) => {
  const { provider, billing, database, createAccount, planOf, logged } = await setUpBilling(t);
  const userId = await createAccount();
  const other = provider.addProduct({ name: "Other", amount: 500 });
  provider.subscribe(userId, other);
  await billing.reconcile(userId);
  assert.equal(await planOf(userId), "free");
  assert.ok(logged().includes(other.id));
  await database.query("update plans set billing_product_id = $1 where id = 'pro'", [other.id]);
  assert.equal(await billing.dueAccounts.run(), 1);
  assert.equal(await planOf(userId), "pro");
});

test("a manually set plan is never changed; when it is removed, the paid plan applies again", async (t) => {
  const { provider, billing, database, pro, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  const subscription = provider.subscribe(userId, pro);
  await setPlan(database, userId, { planId: "enterprise", quota: 7 });
  await billing.reconcile(userId);
  provider.change(subscription, { status: "past_due" }, "subscription.past_due");
  await billing.reconcile(userId);
  const { id, source, status, monthlyQuota } = await accountPlanOf(database, userId);
  assert.deepEqual([id, source, status, monthlyQuota], ["enterprise", "manual", "active", 7]);
  assert.equal((await readSubscription(database, userId))?.status, "past_due");

  provider.change(subscription, { status: "active" }, "subscription.active");
  await setPlan(database, userId, { planId: "free" });
  await billing.dueAccounts.run();
  assert.equal(await planOf(userId), "pro");
});

test("a downgrade keeps the start of quota months, keys beyond the new limit, and the original retention of screenshots", async (t) => {
  const { provider, billing, database, pro, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  const subscription = provider.subscribe(userId, pro);
  await billing.reconcile(userId);
  const { rows: users } = await database.query("select email from users where id = $1", [userId]);
  for (let made = 0; made < 5; made++) await createApiKey(database, users[0].email, { domains: [], targets: [] });
  const { anchor } = await accountPlanOf(database, userId);
  await database.query(
    `insert into screenshots (id, user_id, period_start, url, options, cache_key, status, expires_at)
     values (gen_random_uuid(), $1, now(), 'https://example.com', '{}', '', 'done', '2030-01-01')`,
    [userId],
  );
  provider.change(subscription, { status: "canceled" }, "subscription.revoked");
  await billing.reconcile(userId);
  assert.equal(await planOf(userId), "free");
  assert.deepEqual((await accountPlanOf(database, userId)).anchor, anchor);
  const { rows: keys } = await database.query("select 1 from api_keys where user_id = $1 and revoked_at is null and enabled", [userId]);
  assert.equal(keys.length, 5);
  const { rows } = await database.query("select expires_at from screenshots where user_id = $1", [userId]);
  assert.equal(rows[0].expires_at.toISOString(), "2030-01-01T00:00:00.000Z");
});

test("while the provider is down, refuses or fails, nothing changes, and neither error nor log contains its secrets", async (t) => {
  const { provider, billing, pro, createAccount, planOf, logged } = await setUpBilling(t);
  const userId = await createAccount();
  const subscription = provider.subscribe(userId, pro);
  await billing.reconcile(userId);
  provider.change(subscription, { status: "canceled" }, "subscription.revoked");
  for (const failure of ["away", "nonsense", 401, 403, 404, 429, 500, 503] as const) {
    provider.fails = failure;
    await assert.rejects(billing.reconcile(userId), (error: AppError) => {
      assert.doesNotMatch(`${error.message} ${error.cause} ${JSON.stringify(error)}`, /never-be-seen/);
      return isAway(error);
    });
    assert.equal(await planOf(userId), "pro", String(failure));
  }
  assert.doesNotMatch(logged(), /never-be-seen/);
  provider.fails = undefined;
  await billing.reconcile(userId);
  assert.equal(await planOf(userId), "free");
});

test("a response read before a change never overwrites one read after it", async (t) => {
  const { provider, billing, pro, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  const subscription = provider.subscribe(userId, pro);
  const [held, release] = provider.holdNext();
  const late = billing.reconcile(userId);
  await held;
  provider.change(subscription, { status: "canceled" }, "subscription.revoked");
  await billing.reconcile(userId);
  release();
  await late;
  assert.equal(await planOf(userId), "free");
});

test("a deleted account is ignored", async (t) => {
  const { provider, billing, database, pro, createAccount } = await setUpBilling(t);
  const userId = await createAccount();
  provider.subscribe(userId, pro);
  await database.query("update users set deleted_at = now() where id = $1", [userId]);
  await billing.reconcile(userId);
  assert.deepEqual((await database.query("select 1 from billing_customers")).rows, []);
});

test("the provider's test double rejects what the provider rejects", async (t) => {
  const { provider, createAccount } = await setUpBilling(t);
  const { createPolar } = await import("@polar-sh/sdk/2026-10");
  const polar = createPolar({ accessToken: provider.settings.BILLING_ACCESS_TOKEN ?? "", baseUrl: provider.origin });
  const stranger = createPolar({ accessToken: "another", baseUrl: provider.origin });
  const userId = await createAccount();
  const refusedWith = (statusCode: number) => (error: { statusCode?: number }) => error.statusCode === statusCode;
  await assert.rejects(stranger.customers.getStateExternal(userId), refusedWith(401));
  await assert.rejects(polar.customers.getStateExternal(userId), refusedWith(404));
  const urls = { success_url: "https://example.com/", return_url: null };
  await assert.rejects(polar.checkouts.create({ products: [userId], ...urls }), refusedWith(422));
  await assert.rejects(polar.customerSessions.create({ external_customer_id: userId }), refusedWith(422));
  const customer = await polar.customers.create({ type: "individual", external_id: userId, email: "a@example.com" });
  await assert.rejects(polar.customers.create({ type: "individual", external_id: "other", email: "A@example.com" }), refusedWith(422));
  await assert.rejects(polar.customers.update(customer.id, { external_id: "other" }), refusedWith(422));
  provider.fails = 429;
  await assert.rejects(polar.customers.getStateExternal(userId), refusedWith(429));
});
