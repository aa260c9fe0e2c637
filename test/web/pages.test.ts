/** Every page, in both colour schemes, on a desk and on a phone. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { type FrontEnd, startFrontEnd } from "./front-end.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** For people who want to look: a folder that receives a picture of every page. */
const folder = process.env.TEST_PICTURES;

const scope = fileScope();
let front: FrontEnd;
let full: Page;
let empty: Page;
let stranger: Page;
const ids = { key: "", screenshot: "", failed: "", user: "" };

before(async () => {
  const site = await createSite(scope, { "/": colouredPage("#0a7", "<h1>A page</h1>") });
  front = await startFrontEnd(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  stranger = await front.visit();
  empty = await front.signUp("New Here");
  full = await front.signUp("Ada Lovelace");
  await front.service.pool.query("update users set role = 'admin' where name = 'Ada Lovelace'");
  const post = (path: string, data?: unknown) => full.request.post(path, { ...(data ? { data } : {}), headers: { origin: front.origin } });
  const { key } = await (
    await post("/v1/account/keys", { name: "Blog", allowed_domains: ["example.com", "*.example.com"], require_signature: true })
  ).json();
  await post(`/v1/account/playground?url=${site.origin}/`);
  await post(`/v1/account/playground?url=http://${site.host}/&selector=.nowhere`);
  const { screenshots } = await (await full.request.get("/v1/account/screenshots")).json();
  const { users } = await (await full.request.get("/v1/admin/users")).json();
  ids.key = key.id;
  ids.screenshot = screenshots.find(({ status }: { status: string }) => status === "done").id;
  ids.failed = screenshots.find(({ status }: { status: string }) => status === "failed").id;
  ids.user = users.find(({ name }: { name: string }) => name === "New Here").id;
  for (const page of [full, empty, stranger]) await page.context().addInitScript({ content: axe });
});

/** Opens the page and does what shows its state. */
const views: Record<string, (page: { full: Page; empty: Page; stranger: Page }) => Promise<Page>> = {
  "sign-in": async (people) => open(people.stranger, "/sign-in?error=account_not_linked"),
  "sign-up": async (people) => open(people.stranger, "/sign-up"),
  overview: async (people) => open(people.full, "/"),
  "overview, empty": async (people) => open(people.empty, "/"),
  playground: async (people) => {
    const page = await open(people.full, "/playground");
    for (const group of await page.locator("details > summary").all()) await group.click();
    return page;
  },
  screenshots: async (people) => open(people.full, "/screenshots"),
  "screenshots, none": async (people) => open(people.empty, "/screenshots"),
  "screenshots, none that match": async (people) => open(people.full, "/screenshots?url=nowhere"),
  screenshot: async (people) => open(people.full, `/screenshots/${ids.screenshot}`),
  "screenshot, failed": async (people) => open(people.full, `/screenshots/${ids.failed}`),
  keys: async (people) => open(people.full, "/keys"),
  "keys, none": async (people) => open(people.empty, "/keys"),
  "new key": async (people) => {
    const page = await open(people.full, "/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Web sites that may use it").fill("bücher.example\n*.com");
    await page.getByText("anybody can have a domain").waitFor();
    return page;
  },
  key: async (people) => open(people.full, `/keys/${ids.key}`),
  "revoke a key": async (people) => {
    const page = await open(people.full, `/keys/${ids.key}`);
    await page.getByRole("button", { name: "Revoke" }).click();
    return page;
  },
  plan: async (people) => open(people.full, "/plan"),
  settings: async (people) => open(people.full, "/settings"),
  "delete the account": async (people) => {
    const page = await open(people.full, "/settings");
    await page.getByRole("button", { name: "Delete account" }).click();
    return page;
  },
  administration: async (people) => open(people.full, "/admin"),
  "a user": async (people) => open(people.full, `/admin/users/${ids.user}`),
  "no such page": async (people) => open(people.full, "/nowhere"),
};

async function open(page: Page, path: string): Promise<Page> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  return page;
}

for (const [name, view] of Object.entries(views)) {
  test(`${name}: nothing that keeps people out, no complaint, nothing beside the screen`, async () => {
    for (const width of [1280, 390]) {
      for (const page of [full, empty, stranger]) await page.setViewportSize({ width, height: 844 });
      const page = await view({ full, empty, stranger });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        if (folder) {
          mkdirSync(folder, { recursive: true });
          const fullPage = (await page.locator("dialog").count()) === 0;
          await page.screenshot({ path: `${folder}/${name.replace(/\W+/g, "-")}-${colorScheme}-${width}.png`, fullPage });
        }
        const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
        assert.deepEqual(
          violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
          [],
          `${colorScheme}, ${width}`,
        );
      }
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${width}`);
    }
    assert.deepEqual(front.complaints, []);
  });
}

test("by keyboard: the focus goes along to a new page and into a dialog, which gives it back", async () => {
  await full.setViewportSize({ width: 1280, height: 844 });
  const page = await open(full, "/");
  await page.keyboard.press("Tab");
  assert.equal(await focused(page), "Skip to the content");
  await page.getByRole("link", { name: "API keys" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "H1");
  await page.keyboard.press("Tab");
  assert.equal(await focused(page), "New key");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "name");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await focused(page), "New key");
});

async function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent ?? "");
}

test("what is there doesn't move while the rest of a page loads", async () => {
  await full.setViewportSize({ width: 1280, height: 844 });
  for (const path of ["/", "/screenshots", `/keys/${ids.key}`, `/screenshots/${ids.screenshot}`]) {
    await open(full, path);
    const shift = await full.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
          }).observe({ type: "layout-shift", buffered: true });
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
        }),
    );
    assert.ok(shift < 0.01, `${path}: ${shift}`);
  }
});
