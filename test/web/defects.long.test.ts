/** How the dashboard shows captures, keys and failures, in a real browser. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { pixelAt } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
let site: Site;
let dashboard: Dashboard;
before(async () => {
  site = await createSite(scope, { "/": colouredPage("#0a7"), "/slow": () => {} });
  dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: site.host });
});

const playground = (path: string, options = "") => `/playground?url=${encodeURIComponent(`${site.origin}${path}`)}${options}`;
const takeButton = (page: Page) => page.getByRole("button", { name: "Take screenshot" });

async function createKey(page: Page, name: string, website = ""): Promise<string> {
  await page.goto("/keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Allowed websites").fill(website);
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  return (await page.locator("[data-secret]").textContent()) ?? "";
}

for (const website of ["example.com", "*.example.com"])
  test(`a key restricted to ${website}: the <img> snippet is shown first, and the curl command works`, async () => {
    const page = await dashboard.signUp(`Ada ${website.length}`);
    await createKey(page, "Site", website);
    assert.deepEqual((await page.getByRole("tab").allTextContents())[0], "<img>");
    await page.getByRole("tab", { name: "curl" }).click();
    const shown = (await page.getByRole("tabpanel").locator("code").textContent()) ?? "";
    const command = shown
      .replace("url=https://example.com", `url=${site.origin}/`)
      .replace(dashboard.origin, dashboard.service.origin)
      .replace(/-o \S+/, "-o /dev/null -s -w '%{http_code}'");
    assert.equal((await promisify(execFile)("sh", ["-c", command])).stdout, "200", command);
  });

test("the playground accepts a URL without a scheme", async () => {
  const page = await dashboard.signUp("Grace");
  await page.goto("/playground");
  await page.getByLabel("URL", { exact: true }).fill("example.invalid/path");
  await takeButton(page).click();
  await page.getByText("does not resolve").waitFor();
  await page.getByText("url=https://example.invalid/path").waitFor();
});

test("an error for a playground field is shown once", async () => {
  const page = await dashboard.signUp("Joan");
  await page.goto(playground("/", "&width=0"));
  await takeButton(page).click();
  await page.getByText("width must be").first().waitFor();
  assert.equal(await page.getByText("width must be").count(), 1);
});

test("while a screenshot is being taken, only one text is shown in its place", async () => {
  const page = await dashboard.signUp("Hedy");
  await page.goto(playground("/slow"));
  await page.getByText("A sample. Enter a URL, and your page appears here.").waitFor();
  await takeButton(page).click();
  await page.getByRole("paragraph").filter({ hasText: "Capturing…" }).waitFor();
  assert.equal(await page.getByText("A sample. Enter a URL, and your page appears here.").count(), 0);
  await page.getByRole("button", { name: "Cancel" }).click();
});

test("a capture of an error page is marked with the target's status, not as a success, in the list and on its page", async () => {
  site.serve({ "/gone": (_request, response) => response.writeHead(404, { "content-type": "text/html" }).end("<h1>Nothing here</h1>") });
  site.serve({ "/moved": (_request, response) => response.writeHead(302, { location: "/gone" }).end() });
  const page = await dashboard.signUp("Ida");
  await page.goto(playground("/moved"));
  await takeButton(page).click();
  await page.getByText("404", { exact: true }).waitFor();
  await page.goto("/screenshots");
  await page.getByText("Error page").and(page.locator("span")).waitFor();
  await page.getByRole("link", { name: "/moved" }).click();
  const details = page.locator("section").filter({ hasText: "Details" }).first();
  await details.getByText("404", { exact: true }).waitFor();
  await details.getByText(`${site.origin}/gone`).waitFor();
  await page.locator("section").filter({ hasText: "Timing" }).first().getByText("Until the target responded").waitFor();
  assert.equal(await page.getByText("Captured", { exact: true }).count(), 0);
});

test("the old key of a rotation is shown as replaced and then revoked, without a reload", async () => {
  const page = await dashboard.signUp("Lise");
  await createKey(page, "Blog");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Blog" }).click();
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("row").getByText("Replaced").waitFor();
  await page.getByRole("row").filter({ hasText: "Replaced" }).getByRole("link", { name: "Blog" }).click();
  await page.getByText("Replaced by").waitFor();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke permanently" }).click();
  await page.getByText("A revoked key can't be restored.").waitFor();
  assert.equal(await page.getByText("Active", { exact: true }).count(), 0);
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByText("1 revoked key").click();
  await page.getByRole("row").getByText("Revoked").waitFor();
  assert.equal(await page.getByText("Active", { exact: true }).count(), 1);
});

test("a list of keys that was requested before a revocation doesn't show the key as active afterwards", async () => {
  const page = await dashboard.signUp("Vera");
  await createKey(page, "Blog");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Blog" }).click();
  await page.getByRole("heading", { name: "Rules" }).waitFor();
  await page.reload(); // nothing but this page is cached
  await page.getByRole("heading", { name: "Rules" }).waitFor();
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(
    "**/v1/account/keys",
    async (route) => {
      const response = await route.fetch();
      requested.resolve();
      await released.promise;
      await route.fulfill({ response }).catch(() => {}); // the page may have aborted the request
    },
    { times: 1 },
  );
  await page.getByRole("link", { name: "API keys" }).hover(); // preloads the list
  await requested.promise;
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke permanently" }).click();
  await page.getByText("A revoked key can't be restored.").waitFor();
  released.resolve();
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByText("1 revoked key").waitFor();
  assert.equal(await page.getByText("Active", { exact: true }).count(), 0);
});

test("a dashboard on localhost can be used at 127.0.0.1", async () => {
  const page = await dashboard.visit({ baseURL: dashboard.origin.replace("localhost", "127.0.0.1") });
  await page.goto("/sign-up");
  await page.getByLabel("Name").fill("Mary");
  await page.getByLabel("E-mail").fill("mary@example.com");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "First steps" }).waitFor();
});

test("when offline, a page says that the service is unreachable, and can be retried", async () => {
  const page = await dashboard.signUp("Edith");
  await page.goto("/plan");
  await page.getByRole("heading", { name: "Plan" }).first().waitFor();
  await page.context().setOffline(true);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByText("The service is unreachable. Check your connection.").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
});

test("errors for fields use the field's label", async () => {
  const page = await dashboard.signUp("Ellen");
  await page.goto("/settings");
  await page.getByLabel("Current password").fill("wrong horse battery");
  await page.getByLabel("New password").fill("another horse battery");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Current password is wrong.").waitFor();
});

test("transparent parts of an image are light, even in dark mode", async () => {
  const page = await dashboard.signUp("Emmy", { colorScheme: "dark" });
  site.serve({ "/clear": "<!doctype html><title>Clear</title><p>Black text" });
  await page.goto(playground("/clear", "&format=png&omit_background=true&width=300&height=200"));
  await takeButton(page).click();
  await page.getByText("300 × 200 pixels").waitFor();
  const isLight = (png: Uint8Array) => Number.parseInt(pixelAt(png, 150, 100).slice(1, 3), 16) > 0xc0;
  assert.ok(isLight(await page.getByRole("img", { name: "Screenshot of" }).screenshot()), "in the playground");
  await page.getByRole("link", { name: "What happened during the capture" }).click();
  await page.getByRole("heading", { name: "Details" }).waitFor();
  assert.ok(isLight(await page.getByRole("img", { name: "Screenshot of" }).screenshot()), "on its page");
});

test("every counted failure is listed, including refused and unresolved targets, and counts are up to date immediately", async () => {
  const page = await dashboard.signUp("Irene");
  const post = (url: string) =>
    page.request.post(`/v1/account/playground?url=${encodeURIComponent(url)}`, { headers: { origin: dashboard.origin } });
  assert.equal((await (await post("http://10.0.0.1/")).json()).code, "target_blocked");
  assert.equal((await (await post("http://unknown.invalid/")).json()).code, "name_not_resolved");
  assert.equal((await post(`${site.origin}/`)).status(), 200);
  await page.goto("/");
  await page.getByText(/^Failed 2$/).waitFor();
  await page.goto("/screenshots?status=failed");
  for (const name of ["10.0.0.1", "unknown.invalid"]) await page.getByRole("link", { name }).waitFor();
});

test("first steps turn green once the key is used, and are gone on the next visit", async () => {
  const page = await dashboard.signUp("Rosalind");
  const key = await createKey(page, "Blog");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByText("Waiting for your first request…").waitFor();
  assert.equal((await dashboard.service.take({ api_key: key, url: `${site.origin}/` })).status, 200);
  const steps = page.locator("section").filter({ has: page.getByRole("heading", { name: "First steps" }) });
  await steps.getByRole("button", { name: "Done" }).waitFor();
  assert.equal(await steps.getByText("Done:").count(), 3);
  await page.getByRole("link", { name: site.host }).waitFor(); // the rest of the page follows
  await page.reload();
  await page.getByRole("heading", { name: "Usage" }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "First steps" }).count(), 0);
});
