/** Billing over HTTP with two replicas and the real SDK, against a strict fake of the provider. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { models } from "@polar-sh/sdk/2026-10";
import { setRole } from "../../../src/accounts/people/users.ts";
import { setPlan } from "../../../src/accounts/usage/plans.ts";
import { createApiKey } from "../../accounts/accounts.ts";
import { sellPlans } from "../../accounts/billing/set-up.ts";
import { type BillingDouble, startBillingDouble } from "../../support/billing/provider.ts";
import { eventually } from "../../support/eventually.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { startReplica, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";
import { type Person, signedUp, startWithVisitors } from "../../support/visitor.ts";

const longTest = longOnly(test);
const scope = fileScope();
let provider: BillingDouble;
let site: Site;
let service: TestService;
let replica: TestService;
let pro: models.Product;

before(async () => {
  provider = await startBillingDouble(scope);
  site = await createSite(scope, { "/": colouredPage("#00ff00") });
  service = await startWithVisitors(scope, { ROLE: "all", ...provider.settings, EGRESS_ALLOWED_HOSTS: site.host });
  replica = await startReplica(scope, service);
  pro = provider.addProduct({ name: "Pro", amount: 1900, trialDays: 14 });
  await sellPlans(service.database, { pro, enterprise: provider.addProduct({ name: "Enterprise", amount: 9900 }) });
  await service.database.query("update billing_comparison set at = now()");
});

/** Someone with an API key that both replicas have cached. */
async function customer(): Promise<{ person: Person; limits: () => Promise<(string | number | null)[]> }> {
  const person = await signedUp(service);
  const key = await createApiKey(service.database, person.email);
  const limits = async () => {
    await service.database.query("select 1"); // a cached key alone never triggers a lookup, so this also checks notifications
    const keys = await Promise.all([service, replica].map(({ services }) => services.keys.authenticate(key)));
    return keys.flatMap(({ planId, monthlyQuota }) => [planId, monthlyQuota]);
  };
  assert.deepEqual(await limits(), ["free", 100, "free", 100]);
  return { person, limits };
}

async function buy(person: Person): Promise<string> {
  const { status, body } = await person.post("/v1/account/billing/checkout", { plan_id: "pro" });
  assert.equal(status, 200, JSON.stringify(body));
  return provider.pay(body.url);
}

const upgraded = ["pro", 1000, "pro", 1000];
const inForce = (limits: () => Promise<unknown[]>, expected: unknown[]) =>
  eventually(`${expected} on both replicas`, async () => JSON.stringify(await limits()) === JSON.stringify(expected));

test("billing: after checkout, payment and webhook, the new limits apply on both replicas", async () => {
  const { person, limits } = await customer();
  await buy(person);
  assert.deepEqual(await limits(), ["free", 100, "free", 100], "nothing changes before the provider confirms the payment");
  const answer = await provider.send(replica.origin, provider.events.at(-1) as never);
  assert.deepEqual([answer.status, await answer.text()], [202, ""]);
  await inForce(limits, upgraded);
  const { plan } = (await person.get("/v1/account")).body;
  assert.deepEqual([plan.id, plan.source, plan.status], ["pro", "billing", "trialing"]);
  const { enabled, subscription } = (await person.get("/v1/account/billing")).body;
  assert.deepEqual([enabled, subscription.plan_name, subscription.amount], [true, "Pro", 1900]);
  assert.equal(subscription.trial_ends_at, subscription.current_period_end);
});

test("billing: if the webhook is lost, limits apply once the user returns from checkout", async () => {
  const { person, limits } = await customer();
  assert.match(await buy(person), /\/plan\?checkout=/);
  const { status, body } = await person.post("/v1/account/billing/check");
  assert.deepEqual([status, body.subscription.status], [200, "trialing"]);
  await inForce(limits, upgraded);
});

test("billing: if the webhook is lost and the user never returns, limits apply at the next hourly check on any replica", async () => {
  const { person, limits } = await customer();
  await buy(person);
  await service.database.query("update billing_customers set due_at = now() - interval '1 second' where user_id = $1", [person.userId]);
  await replica.services.billing?.dueAccounts.run();
  await inForce(limits, upgraded);
});

test("billing: a webhook with a wrong signature, an invalid body or more than 1 MB is rejected without effect", async () => {
  const { person, limits } = await customer();
  await buy(person);
  const event = provider.events.at(-1) as never;
  for (const [options, status, code] of [
    [{ secret: "another" }, 403, "signature_invalid"],
    [{ without: "webhook-signature" }, 403, "signature_invalid"],
    [{ body: "" }, 403, "signature_invalid"],
    [{ body: " ".repeat(1024 * 1024) }, 403, "signature_invalid"],
    [{ body: " ".repeat(1024 * 1024 + 1) }, 413, "payload_too_large"],
  ] as const) {
    const answer = await provider.send(service.origin, event, options);
    assert.deepEqual(
      [answer.status, ((await answer.json()) as { code: string }).code],
      [status, code],
      JSON.stringify(options).slice(0, 80),
    );
  }
  assert.equal((await fetch(`${service.origin}/v1/billing/webhook`, { method: "POST", body: "text" })).status, 415);
  assert.deepEqual(await limits(), ["free", 100, "free", 100]);
});

test("billing: while the provider is down, an upgrade fails with a clear error, the plan stays, and everything else works", async () => {
  const { person, limits } = await customer();
  provider.fails = "away";
  try {
    for (const path of ["checkout", "portal", "check"]) {
      const { status, body } = await person.post(`/v1/account/billing/${path}`, path === "checkout" ? { plan_id: "pro" } : undefined);
      assert.deepEqual([status, body.code, body.retryable], [503, "unavailable", true], path);
      assert.match(body.message, /billing provider is unavailable\. Your plan is unchanged/);
    }
    for (const path of ["", "/plans", "/billing", "/usage", "/keys"])
      assert.equal((await person.get(`/v1/account${path}`)).status, 200, path);
    assert.equal((await fetch(`${service.origin}/health/ready`)).status, 200);
    await signedUp(replica);
    assert.deepEqual(await limits(), ["free", 100, "free", 100]);
  } finally {
    provider.fails = undefined;
  }
  await buy(person);
  await person.post("/v1/account/billing/check");
  await inForce(limits, upgraded);
  for (const { logged } of [service, replica]) assert.doesNotMatch(logged(), /never-be-seen/);
});

test("billing: sign-up, sign-in, pages and captures never call the provider", async () => {
  provider.requests.length = 0;
  const { person } = await customer();
  const { email } = person;
  await person.post("/v1/auth/sign-in", { email, password: "a password that is long enough" });
  const key = await createApiKey(service.database, email);
  assert.equal((await service.take({ api_key: key, url: `${site.origin}/` })).status, 200);
  for (const path of ["", "/plans", "/billing"]) await person.get(`/v1/account${path}`);
  assert.deepEqual(provider.requests, []);
});

test("billing: repeated refreshes don't query the provider every time", async () => {
  const { person } = await customer();
  await person.post("/v1/account/billing/check");
  provider.requests.length = 0;
  for (let asked = 0; asked < 3; asked++) assert.equal((await person.post("/v1/account/billing/check")).status, 200);
  assert.deepEqual(provider.requests, []);
});

longTest("billing: concurrent requests share one check, and checkouts are rate-limited", async () => {
  const { person } = await customer();
  provider.requests.length = 0;
  await Promise.all(Array.from({ length: 10 }, () => person.post("/v1/account/billing/check")));
  assert.equal(provider.requests.filter((one) => one.endsWith("/state")).length, 1);
  for (const [path, body] of [
    ["checkout", { plan_id: "pro" }],
    ["portal", undefined],
  ] as const) {
    const { person: other } = await customer();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        other.ask("POST", `/v1/account/billing/${path}`, body, { "x-forwarded-for": `10.9.0.${turn}` }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(refused.length, 20, path);
    assert.equal(refused[0]?.body.code, "rate_limited");
  }
});

test("billing: plans that are sold include their prices", async () => {
  const { person } = await customer();
  const { prices } = (await person.get("/v1/account/billing/prices")).body;
  const sold = prices.find((one: { plan_id: string }) => one.plan_id === "pro");
  assert.deepEqual(sold, {
    plan_id: "pro",
    amount: 1900,
    currency: "usd",
    period: "month",
    period_count: 1,
    trial: { unit: "day", count: 14 },
  });
});

test("billing: a downgrade doesn't abort a running capture", async () => {
  const { person, limits } = await customer();
  const subscription = provider.subscribe(person.userId, pro);
  await person.post("/v1/account/billing/check");
  await inForce(limits, upgraded);
  const key = await createApiKey(service.database, person.email);
  const opened = Promise.withResolvers<() => void>();
  site.serve({ "/slow": (_request, response) => opened.resolve(() => response.end(colouredPage("#0000ff"))) });
  const capture = service.take({ api_key: key, url: `${site.origin}/slow` });
  const answerPage = await opened.promise;
  provider.change(subscription, { status: "canceled" }, "subscription.revoked");
  await provider.send(service.origin, provider.events.at(-1) as never);
  await inForce(limits, ["free", 100, "free", 100]);
  answerPage();
  const answer = await capture;
  assert.equal(answer.status, 200);
  await answer.arrayBuffer();
});

test("billing: an account can't be deleted while its subscription renews, but can be once it is canceled", async () => {
  const { person } = await customer();
  const subscription = provider.subscribe(person.userId, pro);
  await person.post("/v1/account/billing/check");
  const confirmed = { password: "a password that is long enough" };
  const { status, body } = await person.post("/v1/account/delete", confirmed);
  assert.deepEqual([status, body.code], [409, "not_possible"]);
  provider.change(subscription, { cancel_at_period_end: true }, "subscription.canceled");
  await service.services.billing?.reconcile(person.userId);
  assert.equal((await person.post("/v1/account/delete", confirmed)).status, 204);
});

test("billing: an account can't be deleted right after paying, even before the webhook, nor while the provider is down", async () => {
  const { person } = await customer();
  await buy(person);
  const confirmed = { password: "a password that is long enough" };
  assert.equal((await person.post("/v1/account/delete", confirmed)).body.code, "not_possible");
  provider.fails = "away";
  try {
    assert.equal((await person.post("/v1/account/delete", confirmed)).body.code, "unavailable");
    const { person: other } = await customer();
    assert.equal((await other.post("/v1/account/delete", confirmed)).status, 204, "was never a customer");
  } finally {
    provider.fails = undefined;
  }
});

test("billing: administrators see subscriptions, effective plans and the latest webhook, and can recheck an account", async () => {
  const admin = await signedUp(service, "Admin");
  await setRole(service.database, admin.email, "admin");
  const { person } = await customer();
  const subscription = provider.subscribe(person.userId, pro, { status: "past_due" });
  await setPlan(service.database, person.userId, { planId: "enterprise" });
  assert.equal((await person.get("/v1/admin/billing")).status, 403);
  assert.equal((await admin.post(`/v1/admin/users/${person.userId}/billing/check`)).status, 204);
  const { body } = await admin.get("/v1/admin/billing");
  assert.deepEqual([body.enabled, body.environment, body.accepts_webhooks], [true, "sandbox", true]);
  assert.ok(body.last_webhook_at);
  assert.equal(body.subscribers[0].email, person.email, "accounts that need attention come first");
  assert.deepEqual([body.subscribers[0].current_plan_id, body.subscribers[0].current_plan_source], ["enterprise", "manual"]);
  assert.deepEqual([body.subscribers[0].subscription.plan_name, body.subscribers[0].subscription.status], ["Pro", "past_due"]);
  provider.change(subscription, { status: "active" }, "subscription.active");
  assert.equal((await admin.post(`/v1/admin/users/${crypto.randomUUID()}/billing/check`)).status, 404);
});

test("billing: without a provider token, no prices are shown, checkout and webhooks are off, and the provider is never called", async (t) => {
  const closed = await startReplica(t, service, { BILLING_ACCESS_TOKEN: "" });
  const person = await signedUp(closed);
  provider.requests.length = 0;
  assert.deepEqual((await person.get("/v1/account/billing")).body, { enabled: false, subscription: null });
  assert.deepEqual((await person.get("/v1/account/billing/prices")).body, { prices: [] });
  const { status, body } = await person.post("/v1/account/billing/checkout", { plan_id: "pro" });
  assert.deepEqual([status, body.code], [409, "not_possible"]);
  assert.equal((await provider.send(closed.origin, provider.events.at(-1) as never)).status, 404);
  assert.deepEqual(provider.requests, []);
});
