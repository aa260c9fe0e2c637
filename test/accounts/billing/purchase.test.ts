/** Buying a plan, managing a subscription, and prices. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError, type FailureCode } from "../../../src/shared/errors.ts";
import { longOnly } from "../../support/long-only.ts";
import { setUpBilling } from "./set-up.ts";

const longTest = longOnly(test);

const withCode = (code: FailureCode, message?: RegExp) => (error: unknown) =>
  error instanceof AppError && error.code === code && (message?.test(error.message) ?? true);

test("a checkout belongs to the account, even if the customer is new, and returns to the plan page", async (t) => {
  const { provider, billing, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  const url = await billing.purchase.checkout(userId, "pro");
  assert.match(provider.pay(url), /^http:\/\/localhost:3001\/plan\?checkout=[0-9a-f-]{36}$/);
  await billing.reconcile(userId);
  assert.equal(await planOf(userId), "pro");
});

test("concurrent checkouts for one account create one customer", async (t) => {
  const { provider, billing, createAccount } = await setUpBilling(t);
  const userId = await createAccount();
  const urls = await Promise.all([billing.purchase.checkout(userId, "pro"), billing.purchase.checkout(userId, "enterprise")]);
  assert.equal(new Set(urls).size, 2);
  assert.ok(provider.stateOf(userId));
});

test("a checkout is refused while there is a subscription, even if it is paused or past due", async (t) => {
  const { provider, billing, pro, createAccount } = await setUpBilling(t);
  for (const status of ["active", "trialing", "past_due", "unpaid", "paused"] as const) {
    const userId = await createAccount();
    provider.subscribe(userId, pro, { status });
    await assert.rejects(billing.purchase.checkout(userId, "enterprise"), withCode("not_possible", /Manage subscription/), status);
  }
  for (const status of ["canceled", "incomplete", "incomplete_expired"] as const) {
    const userId = await createAccount();
    provider.subscribe(userId, pro, { status });
    assert.match(await billing.purchase.checkout(userId, "pro"), /checkout/, status);
  }
});

test("plans without a product, or whose product the provider doesn't sell, can't be bought", async (t) => {
  const { billing, database, pro, createAccount } = await setUpBilling(t);
  const userId = await createAccount();
  await assert.rejects(billing.purchase.checkout(userId, "free"), withCode("not_found"));
  await assert.rejects(billing.purchase.checkout(userId, "none"), withCode("not_found"));
  pro.is_archived = true;
  await assert.rejects(billing.purchase.checkout(userId, "pro"), withCode("not_possible"));
  await database.query("update plans set billing_product_id = $1 where id = 'pro'", [crypto.randomUUID()]);
  await assert.rejects(billing.purchase.checkout(userId, "pro"), withCode("not_possible"));
});

test("an account isn't linked to another customer of the provider who has the same e-mail address", async (t) => {
  const { provider, billing, database, pro, createAccount } = await setUpBilling(t);
  const userId = await createAccount();
  provider.subscribe("another account", pro);
  await database.query("update users set email = 'another account@example.com' where id = $1", [userId]);
  await assert.rejects(billing.purchase.checkout(userId, "pro"), withCode("not_possible", /e-mail address/));
  assert.equal(provider.stateOf(userId), undefined);
});

test("only customers can open the portal", async (t) => {
  const { provider, billing, pro, createAccount } = await setUpBilling(t);
  const userId = await createAccount();
  await assert.rejects(billing.purchase.portal(userId), withCode("not_possible", /no subscription to manage/));
  provider.subscribe(userId, pro);
  assert.match(await billing.purchase.portal(userId), /\/portal\//);
});

test("while the provider is down, checkout and portal fail with an error that says so", async (t) => {
  const { provider, billing, createAccount } = await setUpBilling(t);
  const userId = await createAccount();
  provider.fails = "away";
  await assert.rejects(billing.purchase.checkout(userId, "pro"), withCode("unavailable", /billing provider is unavailable/));
  await assert.rejects(billing.purchase.portal(userId), withCode("unavailable", /billing provider is unavailable/));
});

longTest("a call to a provider that never responds ends at its deadline, without a retry", async (t) => {
  const { provider, billing, createAccount } = await setUpBilling(t);
  const userId = await createAccount();
  provider.fails = "hangs";
  await assert.rejects(billing.purchase.portal(userId), withCode("unavailable"));
  assert.equal(provider.requests.length, 1);
});

test("prices come from the provider and remain available during an outage; plans that are not for sale have none", async (t) => {
  const { provider, billing, database } = await setUpBilling(t);
  const trial = provider.addProduct({ name: "Pro", amount: 2900, trialDays: 14 });
  await database.query("update plans set billing_product_id = $1 where id = 'pro'", [trial.id]);
  const prices = await billing.readPrices();
  const shared = { currency: "usd", period: "month", periodCount: 1 };
  assert.deepEqual(
    prices.toSorted((a, b) => Number(a.amount) - Number(b.amount)),
    [
      { planId: "pro", amount: 2900, ...shared, trial: { unit: "day", count: 14 } },
      { planId: "enterprise", amount: 9900, ...shared, trial: null },
    ],
  );
  provider.fails = "away";
  assert.deepEqual(await billing.readPrices(), prices);
  await database.query("update plans set billing_product_id = null where id = 'pro'");
  await assert.rejects(billing.readPrices(), withCode("unavailable"));
});
