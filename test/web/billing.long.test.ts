/** Buying and managing a plan in a real browser, with the pages of a fake billing provider. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import type { models } from "@polar-sh/sdk/2026-10";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { sellPlans } from "../accounts/billing/set-up.ts";
import { type BillingDouble, type ProviderEvent, startBillingDouble } from "../support/billing/provider.ts";
import { eventually } from "../support/eventually.ts";
import { fileScope } from "../support/scope.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = process.env.TEST_SCREENSHOTS;
const scope = fileScope();
let provider: BillingDouble;
let dashboard: Dashboard;
let pro: models.Product;
let people = 0;

before(async () => {
  provider = await startBillingDouble(scope);
  dashboard = await startDashboard(scope, provider.settings);
  pro = provider.addProduct({ name: "Pro", amount: 1900 });
  await sellPlans(dashboard.service.database, { pro });
});

async function person(): Promise<{ page: Page; userId: string }> {
  people += 1;
  const page = await dashboard.signUp(`Person ${people}`);
  const { user } = await (await page.request.get("/v1/account")).json();
  return { page, userId: user.id };
}

/** A person whose subscription is in this state. */
async function subscriber(changes: Partial<models.Subscription>): Promise<Page> {
  const { page, userId } = await person();
  provider.subscribe(userId, pro, changes);
  await dashboard.service.services.billing?.reconcile(userId);
  await page.goto("/plan");
  return page;
}

async function assertAccessible(page: Page, name: string): Promise<void> {
  await page.waitForLoadState("networkidle");
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      if (folder) await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
        `${name}, ${colorScheme}, ${width}`,
      );
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${name}, ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 844 });
}

test("upgrade: price, provider's page, and return with the new limits, even without a webhook", async () => {
  const { page } = await person();
  await page.goto("/plan");
  await page.getByText("$19").waitFor();
  await assertAccessible(page, "plan-free");
  await page.getByRole("button", { name: "Upgrade to Pro" }).click();
  await page.getByRole("heading", { name: "Pay for Pro" }).waitFor();
  await page.getByRole("button", { name: "Pay" }).click();
  await page.getByText("Your new limits are in effect").waitFor();
  await page.getByText("of 1,000 screenshots").waitFor();
  await page.getByText("You are on the Pro plan").waitFor();
  assert.equal(await page.getByRole("button", { name: /Upgrade/ }).count(), 0);
  await assertAccessible(page, "plan-upgraded");
  assert.deepEqual(dashboard.errors, []);
});

test("manage subscription: the provider's portal and back; a canceled plan shows when it ends", async () => {
  const page = await subscriber({});
  await page.getByText(/Renews on .* for .*\$19 a month/).waitFor();
  await page.getByRole("button", { name: "Manage subscription" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("link", { name: "Back" }).click();
  await page.getByText(/Pro ends on/).waitFor();
  await assertAccessible(page, "plan-ending");
});

test("a failed payment shows a banner on every page that links to the portal, until the card is updated", async () => {
  const page = await subscriber({ status: "past_due" });
  await page.goto("/keys");
  const banner = page.getByRole("complementary", { name: "Payment" });
  await banner.getByText("Your last payment failed").waitFor();
  await assertAccessible(page, "keys-past-due");
  await page.goto("/plan");
  await page.getByText("We couldn't charge your card").waitFor();
  await assertAccessible(page, "plan-past-due");
  await banner.getByRole("button", { name: "Update card" }).click();
  await page.getByRole("heading", { name: "Your subscription" }).waitFor();
  await page.getByRole("button", { name: "Update card" }).click();
  await page.getByRole("link", { name: "Back" }).click();
  await page.getByText("You are on the Pro plan").waitFor();
  assert.equal(await banner.count(), 0);
});

test("trial, pause and end are described in plain words", async () => {
  const trialEnd = "2031-03-04T12:00:00Z";
  const trial = await subscriber({ status: "trialing", trial_end: trialEnd });
  await trial.getByText("Your trial ends on 4 Mar 2031. After that Pro costs US$19 a month.").waitFor();
  const paused = await subscriber({ status: "paused", resumes_at: trialEnd });
  await paused.getByText("Pro is paused until 4 Mar 2031.").waitFor();
  await paused.getByRole("button", { name: "Resume" }).waitFor();
  const ended = await subscriber({ status: "canceled" });
  await ended.getByText("has ended").waitFor();
  await ended.getByRole("button", { name: "Upgrade to Pro" }).waitFor();
});

test("a webhook sent to the dashboard's URL reaches the service unchanged", async () => {
  const { page, userId } = await person();
  provider.subscribe(userId, pro);
  assert.equal((await provider.send(dashboard.origin, provider.events.at(-1) as ProviderEvent)).status, 202);
  await eventually("the plan is in effect", async () => (await (await page.request.get("/v1/account")).json()).plan.id === "pro");
});

test("after a downgrade, the list of keys says that there are more than the plan includes", async () => {
  const { page, userId } = await person();
  const subscription = provider.subscribe(userId, pro);
  await dashboard.service.services.billing?.reconcile(userId);
  for (const name of ["One", "Two", "Three", "Four", "Five"])
    await page.request.post("/v1/account/keys", { data: { name }, headers: { origin: dashboard.origin } });
  provider.change(subscription, { status: "canceled" }, "subscription.revoked");
  await dashboard.service.services.billing?.reconcile(userId);
  await page.goto("/keys");
  await page.getByText("Your plan includes 3 keys; 5 in use. All of them keep working. To create another, revoke 3 first.").waitFor();
  assert.equal(await page.getByText("Active", { exact: true }).count(), 5);
});

test("while the provider is down, the page works without prices, and says that changes may take a while", async () => {
  const page = await subscriber({});
  provider.fails = 503;
  // The service caches prices for several minutes, but not those of other products.
  await dashboard.service.pool.query("update plans set billing_product_id = 'another' where id = 'enterprise'");
  try {
    await page.reload();
    await page.getByText("Prices are not available at the moment").waitFor();
    assert.equal(await page.getByText(/^US\$19$/).count(), 0);
    await page.getByRole("button", { name: "Manage subscription" }).click();
    await page.getByText("The billing provider is unavailable").waitFor();
    await page.getByText("You are on the Pro plan").waitFor();
  } finally {
    provider.fails = undefined;
    dashboard.errors.length = 0; // the browser logs the 503
  }
});

test("an administrator sees subscriptions, and can query the provider again", async () => {
  const { page, userId } = await person();
  await dashboard.service.pool.query("update users set role = 'admin' where id = $1", [userId]);
  await page.goto("/admin");
  const row = page.getByRole("listitem").filter({ hasText: "Pro, US$19 a month" }).first();
  await row.waitFor();
  await row.getByRole("button", { name: /^Check now/ }).click();
  await page.getByText(/^Checked Person/).waitFor({ state: "attached" });
  await assertAccessible(page, "admin-billing");
});

test("without billing, the page shows limits and advice to ask the operator, but no prices or buttons", async (t) => {
  const plain = await startDashboard({ after: (close) => t.after(close) });
  const page = await plain.signUp("Ada");
  await page.goto("/plan");
  await page.getByText("ask your operator").waitFor();
  await page.getByText("1,000", { exact: true }).waitFor();
  assert.equal(await page.getByText("$").count(), 0);
  assert.equal(await page.getByRole("button", { name: /Upgrade|Manage/ }).count(), 0);
});
