/** Accessibility and layout of one page of each kind, every other one on a phone; pages.long.test.ts checks all at both sizes. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { fileScope } from "../support/scope.ts";
import { checkView, open, type Pages, startPages } from "./page-views.ts";

const scope = fileScope();
let pages: Pages;

before(async () => {
  pages = await startPages(scope);
});

/** A form, a list, an empty list, a table, a dialog, a menu, an image, an error, a chart. */
const kinds = [
  "sign-in, incomplete",
  "sign-up, invited",
  "overview",
  "overview, empty",
  "playground",
  "screenshots",
  "screenshots, none",
  "screenshots, list",
  "screenshot, one of several outputs",
  "screenshot, failed",
  "account menu",
  "new key",
  "key",
  "webhook, failed",
  "plan",
  "set up an authenticator app",
  "edit a plan",
  "reset a password",
];

for (const [index, name] of kinds.entries()) {
  const isPhone = index % 2 === 1;
  test(`${name}, ${isPhone ? "phone" : "desktop"}: no accessibility violations, no console errors, no horizontal overflow`, async () => {
    await checkView(pages, name, isPhone ? 390 : 1440, [isPhone ? "dark" : "light"]);
  });
}

test("keyboard: the focus moves to the heading of a new page and into a dialog, and returns when the dialog closes", async () => {
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

test("pages load without layout shifts", async () => {
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
