/** User journeys through the dashboard, in a real browser. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, test } from "node:test";
import type { Page, Request } from "playwright-core";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Site;
let dashboard: Dashboard;
before(async () => {
  site = await createSite(scope, { "/": colouredPage("#0a7") });
  dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: site.host });
});

const take = (key: string) => dashboard.service.take({ api_key: key, url: `${site.origin}/` }, { referer: "https://example.com/" });
const shownSecret = (page: Page) => page.locator("[data-secret]").textContent();

/** Waits until the service has noticed a change made directly in the database. */
async function refused(page: Page, key: string): Promise<void> {
  let status = 200;
  while (status === 200) {
    ({ status } = await take(key));
    await page.waitForTimeout(20);
  }
  assert.equal(status, 403);
}

test("a new user signs up, creates a key, takes screenshots, rotates and revokes the key", async () => {
  const page = await dashboard.visit({ permissions: ["clipboard-write"] });
  await page.goto("/");
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("E-mail").fill("ada@example.com");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "First steps" }).waitFor();
  await page.getByText("0 of 100 screenshots").waitFor();

  // The key is shown only once.
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Blog");
  await page.getByLabel("Allowed websites").fill("example.com");
  await page.getByLabel("Test a page").fill("https://www.example.com/blog");
  await page.getByText("Not allowed.").waitFor();
  await page.getByLabel("Test a page").fill("example.com/blog");
  await page.getByText("Allowed.", { exact: true }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await page.getByRole("heading", { name: "Your new key" }).waitFor();
  const key = (await shownSecret(page)) ?? "";
  assert.match(key, /^ss_[0-9A-Za-z]{36}$/);
  for (const press of [() => page.keyboard.press("Escape"), () => page.mouse.click(4, 4), () => page.keyboard.press("Escape")]) {
    await press();
    assert.equal(await shownSecret(page), key, "it was closed before the key was copied");
  }
  assert.equal((await take(key)).status, 200);
  await page.reload();
  await page.getByRole("link", { name: "Blog" }).waitFor();
  assert.ok(!(await page.content()).includes(key));

  // The playground takes a screenshot without a key.
  await page.getByRole("link", { name: "Playground" }).click();
  await page.getByLabel("URL", { exact: true }).fill(`${site.origin}/`);
  await page.getByLabel("Width", { exact: true }).fill("640");
  await page.getByRole("button", { name: "Take screenshot" }).click();
  await page.getByText("640 × 720 pixels").waitFor();
  await page.waitForURL(/\?url=.*&width=640$/);

  // Both screenshots are in the gallery and counted.
  await page.getByRole("link", { name: "Screenshots" }).click();
  await page.getByRole("heading", { name: "Screenshots" }).waitFor();
  const address = site.origin.replace("http://", "");
  assert.equal(await page.getByRole("link", { name: address }).count(), 2);
  await page.getByRole("link", { name: address }).first().click();
  await page.getByText("640 × 720 pixels").waitFor();
  await page.getByRole("img", { name: "Screenshot of" }).waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByText("2 of 100 screenshots").waitFor();

  // After a rotation, the old key works until its grace period ends.
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("link", { name: "Blog" }).click();
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("heading", { name: "Your new key" }).waitFor();
  const next = (await shownSecret(page)) ?? "";
  assert.notEqual(next, key);
  await page.getByRole("button", { name: "Copy the key" }).click();
  await page.getByRole("dialog").getByRole("status").filter({ hasText: "Copied" }).waitFor();
  assert.equal((await take(key)).status, 200);
  assert.equal((await take(next)).status, 200);
  await dashboard.service.pool.query("update api_keys set expires_at = now() where replaced_by is not null");
  await refused(page, key);

  // A revoked key stops working immediately.
  await page.keyboard.press("Escape");
  await page.getByText("Active", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke permanently" }).click();
  await page.getByText("A revoked key can't be restored.").waitFor();
  assert.equal((await take(next)).status, 403);
  assert.deepEqual(dashboard.errors, []);
});

longTest("the dashboard shows the signing secret of a key that accepts only signed requests", async () => {
  const page = await dashboard.signUp("Hedy");
  await page.goto("/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Signed");
  await page.getByText("Allowed targets, signed requests, expiry").click();
  await page.getByLabel("Signed requests only").check();
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const key = (await shownSecret(page)) ?? "";
  assert.equal((await take(key)).status, 403);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Signed" }).click();
  await page.getByRole("button", { name: "Show signing secret" }).click();
  const secret = (await page.locator("code.control").textContent()) ?? "";
  const query = `${new URLSearchParams({ api_key: key, url: `${site.origin}/` })}`;
  const signature = createHmac("sha256", secret).update(query).digest("hex");
  assert.equal((await fetch(`${dashboard.service.origin}/v1/screenshots/take?${query}&signature=${signature}`)).status, 200);
});

test("signing out clears the page, and signing in returns to the requested page", async () => {
  const page = await dashboard.signUp("Grace");
  // A response that the page is still waiting for reports that the session has ended, while the sign-in page loads.
  const held = async (path: string) => {
    const release = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<Request>();
    await page.route(path, async (route) => {
      arrived.resolve(route.request());
      await release.promise;
      await route.continue();
    });
    return { arrived: arrived.promise, release: () => release.resolve() };
  };
  const billing = await held("**/v1/account/billing");
  const methods = await held("**/v1/auth/methods");
  await page.goto("/plan", { waitUntil: "commit" });
  // Without a response, the page has canceled the request when it left.
  const late = (await billing.arrived).response().then((response) => response?.status() ?? 0);
  await page.getByRole("button", { name: "Account of Grace" }).click();
  const signedOut = page.waitForResponse((response) => response.url().endsWith("/v1/auth/sign-out"));
  await page.getByRole("button", { name: "Sign out" }).click();
  await Promise.all([signedOut, methods.arrived]);
  billing.release();
  const status = await late;
  assert.ok([401, 0].includes(status), `${status}`);
  await page.waitForTimeout(100); // the page's handlers have run
  methods.release();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.ok(!(await page.content()).includes("Grace"));
  await page.goto("/settings");
  await page.getByLabel("E-mail").fill("grace@example.com");
  await page.getByLabel("Password").fill("wrong horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  assert.equal(await page.getByLabel("Name").inputValue(), "Grace");
});

test("a session that was ended elsewhere redirects to the sign-in page", async () => {
  const page = await dashboard.signUp("Joan");
  await page.goto("/keys");
  await page.getByRole("heading", { name: "No API keys yet" }).waitFor();
  await dashboard.service.pool.query("delete from sessions where user_id = (select id from users where email = 'joan@example.com')");
  await page.getByRole("link", { name: "Screenshots" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.match(page.url(), /\/sign-in\?to=/);
});

longTest("while the service is unreachable, pages show an error and can be retried", async () => {
  const page = await dashboard.signUp("Rosalind");
  await page.route("/v1/**", (route) =>
    route.fulfill({ status: 503, json: { message: "The service is currently unreachable.", code: "unavailable" } }),
  );
  await page.goto("/plan");
  await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
  await page.getByText("The service is currently unreachable.").waitFor();
  await page.unroute("/v1/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Plan" }).waitFor();
});
