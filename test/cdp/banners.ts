/** Consent banners on the pages of a lent browser. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { chromium, type Page } from "playwright-core";
import { type ConsentPage, consentPage } from "../capture/consent-pages.ts";
import { pixelAt } from "../support/image.ts";
import type { Site } from "../support/site.ts";
import type { TestEndpoint } from "./endpoint.ts";

/** The site's origin with a host name, which must resolve to loopback. */
export function namedOrigin(site: Site): string {
  return site.origin.replace("127.0.0.1", "page.example");
}

/** Calls `use` with a client's page; the browser is closed afterwards. */
export async function useLentPage<T>(address: string, use: (page: Page) => Promise<T>): Promise<T> {
  const browser = await chromium.connectOverCDP(address);
  try {
    return await use(await (await browser.newContext({ viewport: { width: 600, height: 400 } })).newPage());
  } finally {
    await browser.close();
  }
}

export function testBanners(environment: () => { site: Site; endpoint: TestEndpoint; key: string }, pages: ConsentPage[]): void {
  test("block_cookie_banners: an image taken after the load event shows no banner; cookies are rejected, never accepted", async () => {
    const { site, endpoint, key } = environment();
    for (const platform of pages) {
      site.serve({ "/": consentPage(platform) });
      const since = site.requests.length;
      const image = await useLentPage(endpoint.address(key, "block_cookie_banners=true"), async (page) => {
        await page.goto(namedOrigin(site), { waitUntil: "commit" });
        await page.waitForLoadState("load");
        return await page.screenshot();
      });
      assert.equal(pixelAt(image, 100, 50), "#00ff00", platform.platform);
      const answers = site.requests.slice(since).flatMap(({ path }) => (path === "/yes" || path === "/no" ? [path] : []));
      // Banners that are normally hidden before they are answered may be answered if the page is slow to be hidden.
      assert.ok(answers.includes("/no") || !platform.answered, platform.platform);
      assert.ok(!answers.includes("/yes"), platform.platform);
    }
  });
}
