/** The screenshot history, the charts that link to it, and the list of keys. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { fileScope } from "../support/scope.ts";
import { createSite, type Site } from "../support/site.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
let site: Site;
let dashboard: Dashboard;
before(async () => {
  const titled = (title: string) => `<!doctype html><title>${title}</title><p>text`;
  site = await createSite(scope, { "/one": titled("First page"), "/two": titled("Second page"), "/three": titled("Third page") });
  dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: site.host });
});

const post = (page: Page, path: string, data?: object) =>
  page.request.post(path, { ...(data ? { data } : {}), headers: { origin: dashboard.origin } });

/** Resolves once the record has been written. */
async function capture(page: Page, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    const url = encodeURIComponent(`${site.origin}${path}`);
    assert.equal((await post(page, `/v1/account/playground?url=${url}&width=40&height=30&response_type=empty`)).status(), 204);
  }
}

test("screenshots show the page's title and a status, in grid and list, with their total number", async () => {
  const page = await dashboard.signUp("Ada");
  await capture(page, "/one", "/two");
  await post(page, `/v1/account/playground?url=${encodeURIComponent(`${site.origin}/one`)}&selector=.nowhere`);
  await page.goto("/screenshots");
  await page.getByText("3 screenshots").waitFor();
  await page.getByRole("listitem").filter({ hasText: "Second page" }).getByText("Captured").waitFor();
  await page.getByRole("radio", { name: "List" }).check();
  await page.getByRole("row").filter({ hasText: "First page" }).getByRole("cell", { name: "Playground", exact: true }).waitFor();
  await page.getByRole("row").getByText("Failed", { exact: true }).waitFor();
  await page.waitForURL(/view=list/);
  await page.getByLabel("Status").selectOption("failed");
  await page.getByText("1 match").waitFor();
  await page.reload();
  await page.getByRole("row").first().waitFor();
  assert.equal(await page.getByRole("row").count(), 2, "the header and one row");
  assert.deepEqual(dashboard.errors, []);
});

test("a screenshot of the caller's own document shows its kind and hash instead of a link", async () => {
  const page = await dashboard.signUp("Emmy");
  const html = "<title>An invoice</title><p>confidential";
  const query = new URLSearchParams({ html, base_url: `${site.origin}/`, width: "40", height: "30", response_type: "empty" });
  assert.equal((await post(page, `/v1/account/playground?${query}`)).status(), 204);
  await page.goto("/screenshots");
  await page.getByRole("link", { name: "An invoice" }).first().click();
  await page.getByText(new RegExp(`HTML, sha256 [0-9a-f]{64}, ${html.length} bytes`)).waitFor();
  await page.getByRole("link", { name: `${site.origin}/`, exact: true }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Open in the playground" }).count(), 0, "its text is not stored");
  assert.deepEqual(dashboard.errors, []);
});

test("the outputs of one capture are a single history entry, whose page lists them all; they are selected and deleted together", async () => {
  const page = await dashboard.signUp("Hedy");
  await capture(page, "/two");
  const outputs = [
    { name: "desktop", width: 60 },
    { name: "phone", width: 40, format: "png" },
    { name: "words", format: "text" },
    { name: "gone", selector: ".nowhere" },
  ];
  const taken = await post(page, "/v1/account/playground/captures", { url: `${site.origin}/one`, height: 30, outputs });
  assert.equal(taken.status(), 200, await taken.text());
  await page.goto("/screenshots");
  await page.getByText("5 screenshots").waitFor();
  const card = page.getByRole("listitem").filter({ hasText: "4 outputs: desktop, phone, words, gone" });
  await card.getByText("1 of 4 failed").waitFor();
  assert.equal(await page.getByRole("link", { name: "First page" }).count(), 1);
  await page.getByRole("radio", { name: "List" }).check();
  const row = page.getByRole("row").filter({ hasText: "4 outputs: desktop, phone, words, gone" });
  await row.getByRole("cell", { name: /3 files/ }).waitFor();

  await row.getByRole("link", { name: "First page" }).click();
  const strip = page.getByRole("navigation", { name: "Outputs of this capture" });
  await strip.getByRole("link", { name: /desktop JPEG/ }).waitFor();
  assert.match((await strip.locator("[aria-current=page]").textContent()) ?? "", /^desktop/);
  assert.deepEqual(
    (await strip.getByRole("link").allInnerTexts()).map((text) => text.trim().split("\n")[0]),
    ["desktop", "phone", "Text", "gone"],
  );
  await strip.getByRole("link", { name: /gone Failed/ }).click();
  await page.getByText("selector_not_found").waitFor();
  await strip.getByRole("link", { name: /phone PNG/ }).click();
  await page.getByText("40 × 30 pixels").waitFor();

  await page.goto("/screenshots?view=list");
  await page.getByRole("button", { name: "More filters" }).click();
  await page.getByLabel("Format").selectOption("png");
  await page.getByText("1 match").waitFor();
  await page.getByRole("row").filter({ hasText: "Output: phone" }).waitFor();
  await page.getByLabel("Format").selectOption("");
  await page.getByRole("checkbox", { name: "/one, 4 outputs" }).check();
  await page.getByText("4 selected").waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("4 screenshots deleted").waitFor();
  await page.getByText("1 screenshot", { exact: true }).waitFor();
  assert.deepEqual(dashboard.errors, []);
});

test("several screenshots can be deleted together", async () => {
  const page = await dashboard.signUp("Grace");
  await capture(page, "/one", "/two", "/three");
  await page.goto("/screenshots");
  await page.getByRole("checkbox", { name: "/one" }).check();
  await page.getByRole("checkbox", { name: "/three" }).check();
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("2 screenshots deleted").waitFor();
  await page.getByText("1 screenshot", { exact: true }).waitFor();
  await page.getByRole("checkbox", { name: "/one" }).waitFor({ state: "detached" });
  await page.getByRole("checkbox", { name: "/three" }).waitFor({ state: "detached" });
  assert.equal(await page.getByRole("link", { name: site.host }).count(), 1);
  await page.getByRole("checkbox", { name: "Select all" }).check();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No screenshots yet" }).waitFor();
});

test("a screenshot's page links to the next newer and older screenshot in the list that it was opened from", async () => {
  const page = await dashboard.signUp("Joan");
  await capture(page, "/one", "/two", "/one");
  await page.goto("/screenshots?url=/one");
  await page.getByText("2 matches").waitFor();
  await page.getByRole("link", { name: "First page" }).first().click();
  await page.getByRole("heading", { name: "First page" }).waitFor();
  const newest = page.url();
  const [newer, older] = [page.getByRole("link", { name: "Newer screenshot" }), page.getByRole("link", { name: "Older screenshot" })];
  assert.equal(await newer.getAttribute("aria-disabled"), "true");
  await older.click();
  await page.waitForURL((url) => url.href !== newest);
  await page.getByRole("heading", { name: "First page" }).waitFor();
  await page.locator('[aria-label="Older screenshot"][aria-disabled="true"]').waitFor();
  await newer.click();
  await page.waitForURL(newest);
});

test("a chart shows 7, 30 or 90 days with their values, and each bar links to its day in the history", async () => {
  const page = await dashboard.signUp("Ida");
  await capture(page, "/one", "/two");
  await dashboard.service.pool.query(
    "insert into usage_days (user_id, key_id, day, captured) select id, gen_random_uuid(), current_date - 3, 5 from users where name = 'Ida'",
  );
  await page.goto("/");
  const bars = page.getByRole("group", { name: "Days with requests" });
  const today = bars.getByRole("link", { name: /2 captured, 0 cached, 0 failed/ });
  await today.waitFor();
  assert.equal(await bars.locator("> *").count(), 30);
  await page.getByRole("radio", { name: "90 days" }).check();
  await page.getByText("90 days", { exact: true }).and(page.locator("figcaption *")).waitFor();
  assert.equal(await bars.locator("> *").count(), 90);
  await today.focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByText("Captured 5").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByText("2 matches").waitFor();
  const day = new Date().toISOString().slice(0, 10);
  assert.deepEqual([await page.getByLabel("From").inputValue(), await page.getByLabel("To").inputValue()], [day, day]);
});

test("the list of keys shows requests of the last 30 days, creation and expiry dates, and a menu for each key", async () => {
  const page = await dashboard.signUp("Lise");
  const { secret } = await (await post(page, "/v1/account/keys", { name: "Blog", expires_at: "2100-01-02T12:00:00Z" })).json();
  for (const path of ["/one", "/two"])
    assert.equal((await dashboard.service.take({ api_key: secret, url: `${site.origin}${path}` })).status, 200);
  await page.goto("/keys");
  const row = page.getByRole("row").filter({ hasText: "Blog" });
  await row.getByRole("cell", { name: "2", exact: true }).waitFor();
  await row.getByRole("cell", { name: "2 Jan 2100" }).waitFor();
  await row.getByRole("button", { name: "Actions for Blog" }).click();
  await page.getByRole("button", { name: "Disable" }).click();
  await row.getByText("Disabled").waitFor();
  await row.getByRole("button", { name: "Actions for Blog" }).click();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke permanently" }).click();
  await page.getByText("1 revoked key").waitFor();
  assert.deepEqual(dashboard.errors, []);
});
