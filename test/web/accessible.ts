/** Checks accessibility and layout of a page's current state. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Folder for a screenshot of every page, for manual inspection. */
const folder = process.env.TEST_SCREENSHOTS;

/** Asserts, in these color schemes and at the page's current size: no violations, no horizontal overflow. */
export async function assertAccessible(page: Page, name: string, schemes: ("light" | "dark")[] = ["light", "dark"]): Promise<void> {
  const { width } = page.viewportSize() ?? { width: 0 };
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    if (folder) {
      mkdirSync(folder, { recursive: true });
      const fullPage = (await page.locator("dialog").count()) === 0;
      await page.screenshot({ path: `${folder}/${name.replace(/\W+/g, "-")}-${colorScheme}-${width}.png`, fullPage });
    }
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

/** At the widths of a desktop and a phone, for content that is shown only once and can't be opened again. */
export async function assertAccessibleAtAnySize(page: Page, name: string): Promise<void> {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await assertAccessible(page, name);
  }
  await page.setViewportSize({ width: 1280, height: 844 });
}
