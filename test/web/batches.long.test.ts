/** Batches in the dashboard, in a real browser: progress while one runs, its captures and files, cancellation, and crawls. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { fileScope } from "../support/scope.ts";
import { closedPage, createSite, type Site } from "../support/site.ts";
import { assertAccessibleAtAnySize } from "./accessible.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
let site: Site;
let dashboard: Dashboard;
before(async () => {
  site = await createSite(scope, { "/": "<!doctype html><title>Open page</title><p>text" });
  dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_JOBS: "1" });
});

/** Starts a batch with a new key of the account. */
async function startBatch(page: Page, captures: object[]): Promise<string> {
  const made = await page.request.post("/v1/account/keys", { data: { name: "Batches" }, headers: { origin: dashboard.origin } });
  const response = await fetch(`${dashboard.service.origin}/v1/batches`, {
    method: "POST",
    headers: { authorization: `Bearer ${(await made.json()).secret}`, "content-type": "application/json" },
    body: JSON.stringify({ shared: { width: 320, height: 200 }, captures }),
  });
  assert.equal(response.status, 202, await response.clone().text());
  return ((await response.json()) as { id: string }).id;
}

/** Waits until the page shows `number` captures in a state. */
const counted = (page: Page, state: string, number: number) =>
  page.locator("dl > div").filter({ hasText: state }).getByText(String(number), { exact: true }).waitFor();

test("a batch's progress and end are shown; its captures can be filtered, and link to their screenshots and files", async () => {
  const page = await dashboard.signUp("Ada Lovelace");
  await page.goto("/batches");
  await page.getByRole("heading", { name: "No batches yet" }).waitFor();
  await assertAccessibleAtAnySize(page, "batches, none");
  const closed = closedPage(site, "/closed");
  const captures = [
    { url: `${site.origin}/`, name: "first" },
    { url: `${site.origin}/closed`, name: "second" },
    { url: `http://${site.host}/`, selector: ".nowhere", name: "third" },
  ];
  await startBatch(page, captures);
  await eventually("the second page has been requested", () => page.evaluate("1").then(closed.requested));
  await page.reload();
  await page.getByText("1 of 3 captures").waitFor();
  await page.getByRole("link", { name: "first and 2 more" }).click();
  await counted(page, "Done", 1);
  await counted(page, "Running", 1);
  await counted(page, "Waiting", 1);
  await assertAccessibleAtAnySize(page, "batch, running");
  closed.open();
  await counted(page, "Done", 2);
  await counted(page, "Failed", 1);
  await page.getByText(/^Ended/).waitFor();
  const items = page.locator("main").getByRole("listitem");
  await items.filter({ hasText: "third" }).getByText("Failed", { exact: true }).waitFor();
  assert.equal(await items.count(), 3);
  await assertAccessibleAtAnySize(page, "batch, done");

  await page.getByLabel("State").selectOption("failed");
  await page.waitForURL(/status=failed/);
  await items.filter({ hasText: "Open page" }).waitFor({ state: "detached" });
  assert.equal(await items.count(), 1);
  await page.getByLabel("State").selectOption("canceled");
  await page.getByText("No captures in this state.").waitFor();
  await page.getByLabel("State").selectOption("done");
  const [zip] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download zip" }).click()]);
  assert.match(zip.suggestedFilename(), /^batch-.*\.zip$/);
  assert.equal(await zip.failure(), null);
  await page.getByRole("link", { name: "Open page" }).first().click();
  await page.getByText("320 × 200 pixels").waitFor();
  await page.goto("/batches?status=running");
  await page.getByText("No batches in this state.").waitFor();
  await page.getByRole("radio", { name: "Done" }).click();
  await page.getByText("1 failed").waitFor();
  await assertAccessibleAtAnySize(page, "batches");
  assert.deepEqual(dashboard.errors, []);
});

test("canceling a batch cancels captures that have not started; running ones finish", async () => {
  const page = await dashboard.signUp("Grace Hopper");
  const held = closedPage(site, "/held");
  const id = await startBatch(page, [{ url: `${site.origin}/held` }, { url: `${site.origin}/` }, { url: `${site.origin}/` }]);
  await eventually("the page has been requested", () => page.evaluate("1").then(held.requested));
  await page.goto(`/batches/${id}`);
  await page.getByRole("button", { name: "Cancel batch" }).click();
  await assertAccessibleAtAnySize(page, "cancel a batch");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel batch" }).click();
  await counted(page, "Canceled", 2);
  await counted(page, "Running", 1);
  held.open();
  await counted(page, "Done", 1);
  await page.getByText(/^Ended/).waitFor();
  assert.equal(await page.getByRole("button", { name: "Cancel batch" }).count(), 0);
  assert.deepEqual(dashboard.errors, []);
});

test("a batch is started from a list of URLs, with errors naming invalid lines, or from a sitemap", async () => {
  const page = await dashboard.signUp("Mary");
  site.serve({
    "/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${site.origin}/</loc></url></urlset>`,
  });
  await page.goto("/batches");
  await page.getByRole("link", { name: "Create batch" }).first().click();
  await page.getByRole("textbox", { name: "URLs" }).fill(`# pages\n${site.host}\n\nftp://example.com\n`);
  await page.getByText("2 pages.").waitFor();
  await assertAccessibleAtAnySize(page, "new batch");
  await page.getByRole("button", { name: "Create batch" }).click();
  await page.getByText("Line 4 has the scheme ftp").waitFor();
  await page.getByRole("textbox", { name: "URLs" }).fill(`# pages\n${site.host}\n\n${site.host}/?two\n`);
  await page.getByLabel("Format").selectOption("png");
  await page.getByRole("button", { name: "Create batch" }).click();
  await page.waitForURL(/\/batches\/[\w-]{36}$/);
  await page.getByText("Batch of 2 captures created").waitFor();
  await counted(page, "Done", 2);
  await page.goto("/batches/new");
  await page.getByRole("radio", { name: "Sitemap" }).check();
  await page.getByRole("textbox", { name: "Sitemap" }).fill(`${site.host}/sitemap.xml`);
  await page.getByLabel("Page limit").fill("5");
  await page.getByRole("button", { name: "Create batch" }).click();
  await page.waitForURL(/\/batches\/[\w-]{36}$/);
  await counted(page, "Done", 1);
  const { month } = await (await page.request.get("/v1/account")).json();
  assert.equal(month.used, 3);
  const formats = await (await page.request.get("/v1/account/screenshots?format=png")).json();
  assert.equal(formats.screenshots.length, 2);
  assert.deepEqual(
    dashboard.errors.splice(0).filter((error) => !error.includes("400")),
    [],
  );
});

test("a site is crawled: depths, and what was left out by reason, are shown", async () => {
  const page = await dashboard.signUp("Sophie Wilson");
  const linked = (links: string[]) => `<!doctype html><title>Site</title><body>${links.map((href) => `<a href="${href}">x</a>`).join("")}`;
  site.serve({
    "/robots.txt": "User-agent: *\nDisallow: /site/private",
    "/site/": linked(["one", "private", "print/1", "https://example.org/"]),
    "/site/one": linked(["two"]),
    "/site/two": linked(["three"]),
  });
  await page.goto("/batches/new");
  await page.getByRole("radio", { name: "Site", exact: true }).check();
  await page.getByLabel("First page").fill(`${site.host}/site/private`);
  await page.getByLabel("Depth").fill("2");
  await page.getByLabel("Page limit").fill("50");
  await page.getByLabel("Exclude").fill("*/print/*\n");
  await assertAccessibleAtAnySize(page, "new batch of a site");
  await page.getByRole("button", { name: "Create batch" }).click();
  await page.getByText("First page can't be crawled: its site's robots.txt disallows it").waitFor();
  await page.getByLabel("First page").fill(`${site.host}/site/`);
  await page.getByRole("button", { name: "Create batch" }).click();
  await page.waitForURL(/\/batches\/[\w-]{36}$/);
  await page.getByText(/^Ended/).waitFor();
  await counted(page, "Done", 3);
  await page.getByRole("heading", { name: `Site ${site.host}/site` }).waitFor();
  await page.getByText("Depth 2 of 2 · at most 50 pages").waitFor();
  for (const text of ["1 disallowed by robots.txt", "1 excluded by the patterns", "1 on other sites", "1 too deep"])
    await page.getByText(text).waitFor();
  await page.getByText(`${site.origin}/site/three`).waitFor();
  await page.getByText("Depth 1", { exact: true }).waitFor();
  await assertAccessibleAtAnySize(page, "batch of a site, done");
  assert.deepEqual(
    dashboard.errors.splice(0).filter((error) => !error.includes("400")),
    [],
  );
});

test("another account's batch is not found", async () => {
  const owner = await dashboard.signUp("Mary Jackson");
  const id = await startBatch(owner, [{ url: `${site.origin}/` }]);
  const other = await dashboard.signUp("Joan Clarke");
  await other.goto(`/batches/${id}`);
  await other.getByRole("heading", { name: "Not found" }).waitFor();
  dashboard.errors.splice(0); // the browser logs the 404
});
