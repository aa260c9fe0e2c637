/** The frame around every page: navigation, search, theme, account menu; and forms. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
let site: Site;
let dashboard: Dashboard;
before(async () => {
  site = await createSite(scope, {
    "/": colouredPage("#0a7"),
    "/hours": "<!doctype html><title>Opening hours</title><p>From nine to five.",
  });
  dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: site.host });
});

const background = (page: Page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

test("a selected theme applies immediately, and to the first paint of the next load", async () => {
  const page = await dashboard.signUp("Ada", { colorScheme: "light" });
  await page.goto("/plan");
  const light = await background(page);
  await page.getByRole("button", { name: "Account of Ada" }).click();
  await page.getByRole("radio", { name: "Dark" }).check();
  const dark = await background(page);
  assert.notEqual(dark, light);
  // The page as sent by the server, without any script, is already dark.
  const still = await dashboard.visit({
    colorScheme: "light",
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
  });
  await still.goto("/plan");
  assert.equal(await background(still), dark);
  await page.reload();
  assert.equal(await background(page), dark);
  await page.getByRole("button", { name: "Account of Ada" }).click();
  await page.getByRole("radio", { name: "As the system" }).check();
  assert.equal(await background(page), light);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await background(page), dark);
  assert.deepEqual(dashboard.errors, []);
});

test("/ opens a search over pages and what the account has that can be operated by keyboard alone", async () => {
  const page = await dashboard.signUp("Grace");
  const post = (path: string, data?: object) =>
    page.request.post(path, { ...(data ? { data } : {}), headers: { origin: dashboard.origin } });
  await post("/v1/account/keys", { name: "Newsletter" });
  await post(`/v1/account/playground?url=${encodeURIComponent(`${site.origin}/`)}&response_type=empty`);
  await post(`/v1/account/playground?url=${encodeURIComponent(`${site.origin}/hours`)}&response_type=empty`);
  const state = { cookies: [{ name: "sid", value: "1", domain: "127.0.0.1", path: "/" }], origins: [] };
  await post("/v1/account/page-sessions", { name: "members-area", state });
  await post("/v1/account/batches", { captures: [{ url: `${site.origin}/`, name: "brochure" }] });
  await post("/v1/account/watches", { url: `${site.origin}/`, name: "Terms of trade", every: "30d" });
  await page.goto("/plan");
  await page.getByRole("heading", { name: "Plan" }).first().waitFor();
  const search = async (key: string, text: string, found: string | RegExp) => {
    await page.keyboard.press(key);
    await page.getByRole("combobox", { name: /^Search/ }).waitFor();
    await page.keyboard.type(text);
    await page.getByRole("option", { name: found }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await search("Control+k", "newsl", "Newsletter");
  await page.getByRole("heading", { name: "Newsletter" }).waitFor();
  await search("/", `${site.host}/hours`, /^Opening hours/);
  await page.waitForURL(/\/screenshots\/[\w-]+$/);
  await search("/", "opening h", /^Opening hours/);
  await page.getByRole("heading", { name: "Opening hours" }).waitFor();
  await search("/", "terms of", /^Terms of trade/);
  await page.getByRole("heading", { name: "Terms of trade" }).waitFor();
  await search("/", "brochu", /^brochure/);
  await page.waitForURL(/\/batches\/[\w-]+$/);
  await search("/", "members", /^members-area/);
  await page.waitForURL(/\/sessions$/);
  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: /^Search/ }).waitFor(); // the list of the page before may still be shown
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Playground" }).waitFor();
  await page.getByLabel("URL", { exact: true }).press("/"); // text, in a field
  assert.equal(await page.getByLabel("URL", { exact: true }).inputValue(), "/");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.getByLabel("URL", { exact: true }).press("Control+k"); // also in a field
  await page.getByRole("combobox", { name: /^Search/ }).waitFor();
  await page.keyboard.press("Control+k");
  assert.equal(await page.getByRole("dialog").count(), 1);
});

test("it takes at most 4 clicks from sign-up to the first working curl command, and the page detects the request", async () => {
  const page = await dashboard.visit({ permissions: ["clipboard-read", "clipboard-write"] });
  let clicks = 0;
  await page.exposeFunction("countClick", () => clicks++);
  await page.addInitScript(() =>
    addEventListener("click", () => void (globalThis as unknown as { countClick(): void }).countClick(), true),
  );
  await page.goto("/sign-up");
  await page.getByLabel("Name").fill("Joan");
  await page.getByLabel("E-mail").fill("joan@example.com");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "Copy the curl code" }).click();
  await page.getByRole("button", { name: "Copy the curl code" }).getByText("Copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const command = copied
    .replace("url=https://example.com", `url=${site.origin}/`)
    .replace(/-o \S+/, "-o /dev/null -s -w '%{http_code} %{content_type}'");
  assert.equal((await promisify(execFile)("sh", ["-c", command])).stdout, "200 image/jpeg", command);
  await page.getByText("Your first request has arrived.").waitFor({ state: "attached" });
  assert.ok(clicks > 0 && clicks <= 4, `${clicks} clicks`);
});

test("a form shows errors at its fields before it is sent", async () => {
  const page = await dashboard.visit();
  await page.goto("/sign-up");
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
  const submit = page.getByRole("button", { name: "Create account" });
  await submit.click();
  for (const text of ["Name is required.", "E-mail is required.", "Password is required."]) await page.getByText(text).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "name");
  await page.getByLabel("Name").fill("Ida");
  await page.getByText("Name is required.").waitFor({ state: "detached" });
  await page.getByLabel("E-mail").pressSequentially("ida");
  await page.getByLabel("Password").pressSequentially("short");
  await page.getByText("E-mail must be an address, such as ada@example.com.").waitFor();
  await submit.click();
  await page.getByText("Password must have at least 10 characters.").waitFor();
  assert.deepEqual(sent, []);
  await page.getByLabel("E-mail").fill("ida@example.com");
  await page.getByLabel("Password").fill("correct horse battery");
  await submit.click();
  await page.getByRole("heading", { name: "First steps" }).waitFor();
});

test("a password can be shown while it is typed", async () => {
  const page = await dashboard.visit();
  await page.goto("/sign-in");
  const field = page.getByLabel("Password");
  await field.fill("correct horse battery");
  assert.equal(await field.getAttribute("type"), "password");
  await page.getByRole("button", { name: "Show password" }).click();
  assert.equal(await field.getAttribute("type"), "text");
  assert.equal(await field.inputValue(), "correct horse battery");
});

test("a deleted account is signed out, and a message confirms the deletion", async () => {
  const page = await dashboard.signUp("Annie");
  await page.goto("/settings");
  await page.getByRole("button", { name: "Delete account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Password", { exact: true }).fill("wrong horse battery");
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await dialog.getByText("Password is wrong.").waitFor();
  await dialog.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByText("Your account has been deleted").waitFor();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});
