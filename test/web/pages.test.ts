/**
 * Accessibility and layout of five kinds of pages, alternating between desktop and phone; pages.long.test.ts checks all pages at both
 * sizes.
 */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { checkView, open, type Pages, startPages } from "./page-views.ts";

const longTest = longOnly(test);
const scope = fileScope();
let pages: Pages;

before(async () => {
  pages = await startPages(scope);
});

/** A form, a chart, a table, an error, a dialog. */
const kinds = ["sign-in, incomplete", "overview", "screenshots, list", "screenshot, failed", "new key"];

for (const [index, name] of kinds.entries()) {
  const isPhone = index % 2 === 1;
  test(`${name}, ${isPhone ? "phone" : "desktop"}: no accessibility violations, no console errors, no horizontal overflow`, async () => {
    await checkView(pages, name, isPhone ? 390 : 1440, [isPhone ? "dark" : "light"]);
  });
}

test("keyboard: focus moves to the heading of a new page and into a dialog, and returns when the dialog closes", async () => {
  await pages.full.setViewportSize({ width: 1280, height: 844 });
  const page = await open(pages.full, "/");
  await page.keyboard.press("Tab");
  assert.equal(await focused(page), "Skip to content");
  await page.getByRole("link", { name: "API keys" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "H1");
  await page.keyboard.press("Tab");
  assert.equal(await focused(page), "Create key");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "name");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await focused(page), "Create key");
});

async function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent ?? "");
}

longTest("long unbroken titles and names are wrapped or truncated, so that no page is wider than the window", async () => {
  const page = await pages.dashboard.signUp("Long Names");
  const post = (path: string, data?: object) =>
    page.request.post(path, { ...(data && { data }), headers: { origin: pages.dashboard.origin } });
  const name = "W".repeat(180);
  const taken = await post(`/v1/account/playground?url=${encodeURIComponent(`${pages.target}unbroken`)}`);
  const id = taken.headers()["x-screenshot-id"] ?? assert.fail(`${taken.status()}`);
  const watch = (await (await post("/v1/account/watches", { url: `${pages.target}unbroken`, name, every: "30d" })).json()).id;
  const key = (await (await post("/v1/account/keys", { name: name.slice(0, 64) })).json()).key.id;
  for (const width of [390, ...onlyLong([1440])])
    for (const path of [
      "/",
      "/screenshots",
      "/screenshots?view=list",
      `/screenshots/${id}`,
      "/watches",
      `/watches/${watch}`,
      "/keys",
      `/keys/${key}`,
    ]) {
      await page.setViewportSize({ width, height: 844 });
      await open(page, path);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${path}, ${width}`);
    }
  await page.keyboard.press("/");
  await page.getByRole("combobox").fill("unbroken");
  const results = page.getByRole("listbox");
  await results.getByText("/unbroken").first().waitFor();
  assert.equal(await results.evaluate((list) => list.scrollWidth > list.clientWidth), false, "search");
});

longTest("the API reference has the dashboard's colors, follows its theme, and fits on a phone", async () => {
  const page = await pages.dashboard.visit({ colorScheme: "light", viewport: { width: 390, height: 844 } });
  const background = (selector: string) => page.locator(selector).evaluate((element) => getComputedStyle(element).backgroundColor);
  for (const theme of ["", "dark"]) {
    await page.context().addCookies([{ name: "theme", value: theme, url: pages.dashboard.origin }]);
    await open(page, "/sign-in");
    const wanted = await background("html");
    await page.goto("/docs");
    await page.locator(".opblock-summary", { hasText: "/v1/screenshots/take" }).first().click();
    await page.getByText("Absolute http or https URL of the page.").first().waitFor();
    assert.equal(await background("body"), wanted, `theme ${theme}`);
    assert.equal(
      await page
        .locator("h3")
        .first()
        .textContent()
        .then((text) => text?.startsWith("Screenshots")),
      true,
    );
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, `theme ${theme}`);
  }
  pages.dashboard.errors.splice(0); // the reference's script sets styles of its own, which the policy refuses
});

longTest(
  "a first request tried out in the API reference has the URL and the key alone; HTML in examples is text; the image is shown",
  async () => {
    const page = await pages.dashboard.visit();
    await page.goto("/docs#/Screenshots/takeScreenshot");
    const operation = page.locator("#operations-Screenshots-takeScreenshot");
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByText("<h1>Hello</h1>", { exact: true }).waitFor();
    await operation.getByPlaceholder("api_key").fill("ss_unknown");
    const sent = page.waitForRequest(/\/v1\/screenshots\/take/);
    await operation.getByRole("button", { name: "Execute" }).click();
    assert.deepEqual(
      [...new URL((await sent).url()).searchParams],
      [
        ["url", "https://example.com/"],
        ["api_key", "ss_unknown"],
      ],
    );
    await operation.getByText("The API key is not valid").first().waitFor();
    const { key } = await pages.dashboard.service.createAccount();
    const given = { url: "", api_key: key, html: "<h1>Hello</h1>" };
    for (const [name, value] of Object.entries(given)) await operation.getByPlaceholder(name, { exact: true }).fill(value);
    await operation.getByRole("button", { name: "Execute" }).click();
    const width = () => operation.locator(".live-responses-table img").evaluate((image) => (image as HTMLImageElement).naturalWidth);
    await eventually("the image is shown", async () => (await width()) === 1280);
    pages.dashboard.errors.splice(0); // the reference's script sets styles of its own, which the policy refuses
  },
);

longTest("the API reference is shown in the dashboard's layout and theme, with a way back", async () => {
  const page = await pages.dashboard.signUp("Reads Documents", { colorScheme: "light" });
  await open(page, "/");
  await page.getByRole("link", { name: "API reference" }).click();
  await page.waitForURL(/\/reference$/);
  const reference = page.frameLocator("iframe");
  await reference.locator(".opblock-summary").first().waitFor();
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    const outer = await page.evaluate(() => {
      const { scrollHeight, clientHeight } = document.documentElement;
      return { below: scrollHeight - clientHeight, overflow: getComputedStyle(document.documentElement).overflowY };
    });
    assert.deepEqual(outer, { below: 0, overflow: "auto" }, `a second scroll bar, ${width}`);
  }
  const background = () => reference.locator("body").evaluate((element) => getComputedStyle(element).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("radio", { name: "Dark" }).check();
  assert.notEqual(await background(), light);
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("heading", { name: "API keys", exact: true }).waitFor();
  pages.dashboard.errors.splice(0); // the reference's script sets styles of its own, which the policy refuses
});

test("an empty list shows an inert example of its future content", async () => {
  for (const path of ["/", "/watches", ...onlyLong(["/screenshots", "/batches", "/sessions", "/keys", "/webhooks"])]) {
    const page = await open(pages.empty, path);
    const example = page.locator("[inert]").filter({ hasText: "Example" });
    assert.equal(await example.getAttribute("aria-hidden"), "true", path);
    assert.ok(((await example.textContent()) ?? "").length > "Example".length + 10, path);
  }
});

longTest("pages load without layout shifts", async () => {
  await pages.full.setViewportSize({ width: 1280, height: 844 });
  for (const path of ["/", "/screenshots", `/keys/${pages.ids.key}`, `/screenshots/${pages.ids.screenshot}`]) {
    await open(pages.full, path);
    const shift = await pages.full.evaluate(
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
