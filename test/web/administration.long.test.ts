/** Administration and the audit log, in a real browser. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
let site: Site;
let dashboard: Dashboard;
let admin: Page;
before(async () => {
  site = await createSite(scope, {
    "/": colouredPage("#0a7"),
    "/moved": (_request, response) => response.writeHead(302, { location: "/gone" }).end(),
    "/gone": (_request, response) => response.writeHead(404, { "content-type": "text/html" }).end("<h1>Nothing here</h1>"),
  });
  dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  admin = await dashboard.signUp("Root");
  await dashboard.service.pool.query("update users set role = 'admin' where name = 'Root'");
});

const post = async (page: Page, path: string, data?: unknown) => {
  const response = await page.request.post(path, { ...(data ? { data } : {}), headers: { origin: dashboard.origin } });
  assert.ok(response.ok(), `${path}: ${await response.text()}`);
  return await response.json();
};

test("an administrator edits a plan, its users see the new limits, and both see the change in the activity", async () => {
  const user = await dashboard.signUp("Ada");
  await admin.goto("/admin/plans");
  await admin.getByRole("button", { name: "Edit Free" }).click();
  const dialog = admin.getByRole("dialog");
  await dialog.getByLabel("Screenshots per month").fill("250");
  await dialog.getByLabel("Product at the billing provider").fill("prod_free");
  await dialog.getByRole("button", { name: "Save" }).click();
  await admin.locator("section").filter({ hasText: "Free" }).getByText("250 per month").waitFor();
  await admin.getByText("prod_free").waitFor();

  await user.goto("/");
  await user.getByText("0 of 250 screenshots").waitFor();

  await admin.getByRole("link", { name: "Activity" }).click();
  const entry = admin.getByRole("listitem").filter({ hasText: "Plan edited" }).first();
  await entry.getByText("Screenshots per month: 100 → 250").waitFor();
  await entry.getByText("root@example.com").waitFor();
});

test("an administrator filters users by plan and usage, sorts them, and opens one to revoke a key", async () => {
  const [busy, idle] = [await dashboard.signUp("Busy"), await dashboard.signUp("Idle")];
  const { secret } = await post(busy, "/v1/account/keys", { name: "Shop" });
  assert.equal((await dashboard.service.take({ api_key: secret, url: `${site.origin}/` })).status, 200);
  await idle.close();
  await admin.goto("/admin/users");
  await admin.getByLabel("Used this month").selectOption("Something");
  await admin.getByRole("link", { name: "Idle" }).waitFor({ state: "detached" });
  await admin.getByLabel("Plan", { exact: true }).selectOption("Free");
  await admin.getByLabel("Sort by").selectOption("Most used this month");
  await admin.waitForURL(/use=some.*sort=usage|sort=usage.*use=some/);
  await admin.getByRole("link", { name: "Busy" }).click();
  await admin.getByRole("heading", { name: "Busy" }).waitFor();
  await admin.getByRole("button", { name: /Revoke Shop/ }).click();
  await admin.getByRole("button", { name: "Revoke permanently" }).click();
  await admin.getByText("Revoked").first().waitFor();
  assert.equal((await dashboard.service.take({ api_key: secret, url: `${site.origin}/` })).status, 403);

  await busy.goto("/settings");
  await busy.getByRole("link", { name: "Show activity" }).click();
  const revoked = busy.getByRole("listitem").filter({ hasText: "Key revoked" });
  await revoked.getByText("An administrator").waitFor();
  const created = busy.getByRole("listitem").filter({ hasText: "Key created" });
  await created.getByText("You").waitFor();
  await created.getByText("127.0.0.1").waitFor();
  await busy.getByLabel("Kind").selectOption("Account");
  await revoked.waitFor({ state: "detached" });
  assert.equal(await busy.getByText("root@example.com").count(), 0);
});

test("an administrator sees recent failures by code, the queue and the browsers", async () => {
  const user = await dashboard.signUp("Hedy");
  const { secret } = await post(user, "/v1/account/keys", { name: "Shop" });
  const failed = await dashboard.service.take({
    api_key: secret,
    url: `${site.origin}/`,
    selector: ".nowhere",
    error_on_selector_not_found: "true",
  });
  assert.equal((await failed.json()).code, "selector_not_found");
  await admin.goto("/admin");
  const row = admin.getByRole("row").filter({ hasText: "selector_not_found" });
  await row.waitFor();
  assert.deepEqual((await row.getByRole("cell").allTextContents()).slice(1), ["1", "1"]);
  const replica = admin.locator("section").filter({ hasText: "This replica" });
  await replica.getByText("Healthy").waitFor();
  await replica.getByText(/^0 of \d+ running, 0 waiting$/).waitFor();
});

test("the page of a screenshot taken with a key shows the target's status, final URL, warnings and timings", async () => {
  const user = await dashboard.signUp("Ida");
  const { secret } = await post(user, "/v1/account/keys", { name: "Shop" });
  const taken = await dashboard.service.take({
    api_key: secret,
    url: `${site.origin}/moved`,
    styles: "nonsense",
    response_type: "json",
  });
  const { id } = await taken.json();
  await user.goto(`/screenshots/${id}`);
  const details = user.locator("section").filter({ hasText: "Details" }).first();
  await details.getByText("404", { exact: true }).waitFor();
  await details.getByText(`${site.origin}/gone`).waitFor();
  await details.getByText("styles contains no valid CSS rule").waitFor();
  const timing = user.locator("section").filter({ hasText: "Timing" }).first();
  await timing.getByText("until the page was ready").waitFor();
});
