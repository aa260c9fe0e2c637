/** Accounts are rechecked on schedule, even if their webhooks were lost. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../src/shared/errors.ts";
import type { TestDatabase } from "../../support/database.ts";
import { setUpBilling } from "./set-up.ts";

/** Sets the times of the last checks back by `hours`. */
const pass = (database: TestDatabase, hours: number) =>
  database.query(`update billing_customers set due_at = due_at - interval '${hours} hours'`);
const aDayLater = (database: TestDatabase) => database.query("update billing_comparison set at = at - interval '24 hours 1 minute'");

test("if every webhook is lost, a subscriber's change takes effect at the next hourly check", async (t) => {
  const { provider, billing, database, pro, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  const subscription = provider.subscribe(userId, pro);
  await billing.reconcile(userId);
  provider.change(subscription, { status: "past_due" }, "subscription.past_due");
  assert.equal(await billing.dueAccounts.run(), 0);
  await pass(database, 1);
  assert.equal(await billing.dueAccounts.run(), 1);
  assert.equal(await planOf(userId), "free");
});

test("an account whose subscription has ended is checked once a day", async (t) => {
  const { provider, billing, database, pro, createAccount } = await setUpBilling(t);
  const userId = await createAccount();
  provider.subscribe(userId, pro, { status: "canceled" });
  await billing.reconcile(userId);
  await pass(database, 22);
  assert.equal(await billing.dueAccounts.run(), 0);
  await pass(database, 2);
  assert.equal(await billing.dueAccounts.run(), 1);
});

test("if every webhook is lost and nobody returns from checkout, the nightly comparison finds all new subscribers and no others", async (t) => {
  const { provider, billing, database, pro, createAccount, planOf } = await setUpBilling(t);
  const users = await Promise.all(Array.from({ length: 130 }, createAccount));
  const [last = "", ...buyers] = users;
  for (const userId of buyers) provider.subscribe(userId, pro);
  provider.subscribe("an unrelated id", pro);
  assert.equal(await billing.dueAccounts.run(), 0, "not twice a day");
  await aDayLater(database);
  assert.equal(await billing.dueAccounts.run(), buyers.length);
  for (const userId of buyers) assert.equal(await planOf(userId), "pro");
  assert.equal(await planOf(last), "free");
  await aDayLater(database);
  assert.equal(await billing.dueAccounts.run(), 0, "known subscribers are covered by the hourly check");
});

test("concurrent replicas query the provider once per account, and compare subscriptions once", async (t) => {
  const { provider, billing, database, pro, createAccount, planOf, startReplica } = await setUpBilling(t);
  const users = await Promise.all(Array.from({ length: 20 }, createAccount));
  for (const userId of users) provider.subscribe(userId, pro);
  await database.query("insert into billing_customers (user_id) select id from users");
  const replicas = [billing, startReplica(), startReplica()];
  const counts = await Promise.all(replicas.map(({ dueAccounts }) => dueAccounts.run()));
  assert.equal(
    counts.reduce((sum, one) => sum + one),
    users.length,
  );
  assert.equal(new Set(provider.requests).size, provider.requests.length);
  for (const userId of users) assert.equal(await planOf(userId), "pro");
  provider.requests.length = 0;
  await aDayLater(database);
  await Promise.all(replicas.map(({ dueAccounts }) => dueAccounts.run()));
  assert.deepEqual(provider.requests, ["GET /v1/subscriptions/"]);
});

test("while the provider is down, runs fail without losing anything; the next successful run catches up", async (t) => {
  const { provider, billing, database, pro, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  provider.subscribe(userId, pro);
  await database.query("insert into billing_customers (user_id) values ($1)", [userId]);
  provider.fails = "away";
  await assert.rejects(billing.dueAccounts.run(), (error) => error instanceof AppError && error.code === "unavailable");
  provider.fails = undefined;
  await pass(database, 1);
  assert.equal(await billing.dueAccounts.run(), 1);
  assert.equal(await planOf(userId), "pro");
});

test("a failed comparison is repeated within two hours, not a day later", async (t) => {
  const { provider, billing, database, pro, createAccount } = await setUpBilling(t);
  provider.subscribe(await createAccount(), pro);
  await aDayLater(database);
  provider.fails = 503;
  await assert.rejects(billing.dueAccounts.run());
  provider.fails = undefined;
  await database.query("update billing_comparison set at = at - interval '2 hours'");
  assert.equal(await billing.dueAccounts.run(), 1);
});

test("closing waits for the account being checked, and doesn't start another", async (t) => {
  const { provider, billing, database, pro, createAccount, planOf } = await setUpBilling(t);
  for (const userId of [await createAccount(), await createAccount()]) provider.subscribe(userId, pro);
  await database.query("insert into billing_customers (user_id) select id from users");
  const [held, release] = provider.holdNext();
  const running = billing.dueAccounts.run();
  await held;
  const closed = billing.dueAccounts.close();
  release();
  await closed;
  assert.equal(await running, 1);
  const { rows } = await database.query("select id from users");
  const plans = await Promise.all(rows.map(({ id }) => planOf(id)));
  assert.deepEqual(plans.sort(), ["free", "pro"]);
});
