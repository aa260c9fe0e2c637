/** Webhooks: accepted only with the provider's signature, stored once, and followed by a check of the account. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { pino } from "pino";
import { createBillingWebhooks } from "../../../src/accounts/billing/webhooks.ts";
import { createPool } from "../../../src/database/create-pool.ts";
import { createDatabase } from "../../../src/database/database.ts";
import { AppError, type FailureCode } from "../../../src/shared/errors.ts";
import { type ProviderEvent, unknownEvent } from "../../support/billing/provider.ts";
import type { TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { openGate } from "../../support/gate.ts";
import type { Scope } from "../../support/scope.ts";
import { deliver, setUpBilling } from "./set-up.ts";

const withCode = (code: FailureCode) => (error: unknown) => error instanceof AppError && error.code === code;
const storedIds = async (database: TestDatabase) =>
  (await database.query("select id from billing_events order by id")).rows.map(({ id }) => id);

test("a webhook moves its account to the purchased plan", async (t) => {
  const { provider, billing, pro, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  provider.subscribe(userId, pro);
  await deliver(provider, billing, provider.events.slice(-1));
  await eventually("the plan is in effect", async () => (await planOf(userId)) === "pro");
});

test("every type of webhook about a customer is attributed to the account", async (t) => {
  const { provider, billing, database, pro, createAccount } = await setUpBilling(t);
  const userId = await createAccount();
  provider.subscribe(userId, pro);
  assert.deepEqual(
    provider.events.map(({ payload }) => (payload as { type: string }).type),
    ["customer.created", "subscription.created", "subscription.active", "customer.state_changed"],
  );
  for (const event of provider.events) {
    await billing.dueAccounts.run();
    await database.query("delete from billing_customers");
    await deliver(provider, billing, [event]);
    assert.equal((await database.query("select 1 from billing_customers where user_id = $1", [userId])).rowCount, 1);
  }
});

test("a webhook with a wrong, expired, future, missing or foreign signature, or with a modified body, has no effect", async (t) => {
  const { provider, billing, database, pro, createAccount, planOf } = await setUpBilling(t);
  const userId = await createAccount();
  provider.subscribe(userId, pro);
  const event = provider.events.slice(-1);
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  for (const options of [
    { secret: "another" },
    { at: minutes(-6) },
    { at: minutes(6) },
    { without: "webhook-id" },
    { without: "webhook-timestamp" },
    { without: "webhook-signature" },
    { body: "{}" },
    { body: "" },
  ] as const)
    await assert.rejects(deliver(provider, billing, event, options), withCode("signature_invalid"), JSON.stringify(options));
  assert.deepEqual(await storedIds(database), []);
  assert.equal(await billing.dueAccounts.run(), 0);
  assert.equal(await planOf(userId), "free");
});

test("without a secret, webhooks are not accepted", async (t) => {
  const { provider, database, pro, createAccount } = await setUpBilling(t);
  provider.subscribe(await createAccount(), pro);
  const closed = createBillingWebhooks(database, { secret: "", log: pino({ level: "silent" }), onStored: () => {} });
  const { headers, body } = provider.sign(provider.events[0] as ProviderEvent);
  await assert.rejects(closed.receive(Buffer.from(body), headers), withCode("not_found"));
  assert.deepEqual(await storedIds(database), []);
});

test("a webhook that is resent, to whichever replica and whenever, is stored once and has no further effect", async (t) => {
  const { provider, billing, database, pro, createAccount, startReplica } = await setUpBilling(t);
  const userId = await createAccount();
  provider.subscribe(userId, pro);
  const event = provider.events.slice(-1);
  const other = startReplica();
  await Promise.all([billing, other, billing, other].map((replica) => deliver(provider, replica, event)));
  await Promise.all([billing.dueAccounts.run(), other.dueAccounts.run()]);
  assert.deepEqual(await storedIds(database), [event[0]?.id]);
  const { rows: before } = await database.query("select revision, due_at from billing_customers");
  await deliver(provider, other, event);
  assert.deepEqual((await database.query("select revision, due_at from billing_customers")).rows, before);
});

test("webhooks of unknown types, or about unknown accounts, are accepted and have no effect", async (t) => {
  const { provider, billing, database, pro, createAccount } = await setUpBilling(t);
  const userId = await createAccount();
  provider.subscribe(randomUUID(), pro);
  provider.subscribe("an unrelated id", pro);
  await deliver(provider, billing, [unknownEvent(userId), ...provider.events]);
  assert.equal((await storedIds(database)).length, provider.events.length + 1);
  assert.equal(await billing.dueAccounts.run(), 0);
});

test("a signed body that is not JSON is rejected with that reason", async (t) => {
  const { provider, billing } = await setUpBilling(t);
  const { Webhook } = await import("standardwebhooks");
  const at = new Date();
  const signature = new Webhook(Buffer.from(provider.settings.BILLING_WEBHOOK_SECRET ?? "").toString("base64")).sign("id", at, "no JSON");
  const headers = { "webhook-id": "id", "webhook-timestamp": String(Math.floor(at.getTime() / 1000)), "webhook-signature": signature };
  await assert.rejects(billing.webhooks.receive(Buffer.from("no JSON"), headers), withCode("invalid_parameters"));
});

test("signed events without data, and with ids or types that can't be stored, are no internal errors", async (t) => {
  const { provider, billing, database } = await setUpBilling(t);
  const { Webhook } = await import("standardwebhooks");
  const webhook = new Webhook(Buffer.from(provider.settings.BILLING_WEBHOOK_SECRET ?? "").toString("base64"));
  const receive = (id: string, event: unknown) => {
    const [at, body] = [new Date(), JSON.stringify(event)];
    const headers = { "webhook-id": id, "webhook-timestamp": String(Math.floor(at.getTime() / 1000)) };
    return billing.webhooks.receive(Buffer.from(body), { ...headers, "webhook-signature": webhook.sign(id, at, body) });
  };
  for (const [index, data] of [null, 7, "text", [], { customer: 7 }, { customer: null }].entries())
    await receive(`id-${index}`, { type: "unknown.type", timestamp: "2026-01-01T00:00:00Z", data });
  for (const [id, type] of [
    ["x".repeat(6_000), "unknown.type"],
    ["id-7", "unknown\0type"],
    ["id-8", "x".repeat(6_000)],
  ] as const)
    await assert.rejects(
      receive(id, { type, timestamp: "2026-01-01T00:00:00Z", data: {} }),
      withCode("invalid_parameters"),
      id.slice(0, 9),
    );
  assert.equal((await storedIds(database)).length, 6);
});

test("personal data from webhooks is not stored", async (t) => {
  const { provider, billing, database, pro, createAccount } = await setUpBilling(t);
  provider.subscribe(await createAccount(), pro);
  await deliver(provider, billing, provider.events);
  assert.doesNotMatch(JSON.stringify((await database.query("select * from billing_events")).rows), /@/);
});

/** A purchase whose webhook reaches a replica just after the database has stopped responding to it. */
async function deliverToHungDatabase(t: Scope) {
  const { provider, database, pro, createAccount, planOf, startReplica } = await setUpBilling(t);
  const gate = await openGate(t, database.settings);
  const pool = createPool({ ...database.settings, host: gate.host, port: gate.port }, pino({ level: "silent" }));
  database.beforeDrop(() => pool.end());
  const replica = startReplica(createDatabase(pool));
  const userId = await createAccount();
  provider.subscribe(userId, pro);
  gate.swallow();
  await deliver(provider, replica, provider.events.slice(-1));
  return { gate, replica, database, isBought: async () => (await planOf(userId)) === "pro" };
}

test("a webhook is accepted while the database doesn't respond, and stored as soon as it responds again", async (t) => {
  const { gate, database, isBought } = await deliverToHungDatabase(t);
  assert.deepEqual(await storedIds(database), []);
  await gate.mend();
  await eventually("the plan is in effect", isBought);
});

test("a webhook that could not be stored after its response is stored by the next run", async (t) => {
  const { gate, replica, isBought } = await deliverToHungDatabase(t);
  gate.cut();
  await gate.mend();
  await eventually("the plan is in effect", async () => {
    await replica.dueAccounts.run().catch(() => {});
    return await isBought();
  });
});

test("while the database is down, webhooks get a 503, so that the provider retries them", async (t) => {
  const { provider, database, pro, createAccount, startReplica } = await setUpBilling(t);
  provider.subscribe(await createAccount(), pro);
  const replica = startReplica(database.connect({ port: 1 }));
  await assert.rejects(deliver(provider, replica, provider.events.slice(-1)), withCode("unavailable"));
});

test("the time since the latest webhook is a metric; it is absent before the first", async (t) => {
  const { provider, billing, database, metrics, pro, createAccount } = await setUpBilling(t);
  const name = "tintype_billing_webhook_age_seconds";
  const value = async () => (await metrics.billingWebhookAge.get()).values[0]?.value;
  await billing.dueAccounts.run();
  assert.equal(await value(), undefined, name);
  provider.subscribe(await createAccount(), pro);
  await deliver(provider, billing, provider.events);
  await database.query("update billing_events set received_at = now() - interval '1 hour'");
  await billing.dueAccounts.run();
  assert.equal(Math.floor(Number(await value()) / 60), 60, name);
});
