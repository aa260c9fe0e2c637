/** Captures of pages that ask for consent. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Captures } from "../support/captures.ts";
import { describeImage, pixelAt } from "../support/image.ts";
import { type ConsentPage, consentPage } from "./consent-pages.ts";

/** Also returns the answers that the page has sent. */
export async function captureConsent(captures: Captures, page: string, parameters: Record<string, string> = {}) {
  const before = captures.site.requests.length;
  const { status, bytes, json } = await captures.capture(page, { full_page: "true", ...parameters });
  assert.equal(status, 200, String(json.error));
  const answers = captures.site.requests.slice(before).flatMap(({ path }) => (path === "/yes" || path === "/no" ? [path] : []));
  return { bytes, answers, height: describeImage(bytes).height };
}

export function testPlatforms(captures: () => Captures, pages: ConsentPage[]): void {
  const capture = (page: string, parameters: Record<string, string> = {}) => captureConsent(captures(), page, parameters);

  for (const page of pages) {
    test(`block_cookie_banners: ${page.platform}: the banner is removed, the page scrolls, cookies are not accepted`, async () => {
      const { bytes, answers, height } = await capture(consentPage(page), { block_cookie_banners: "true" });
      assert.equal(height, 1000, "locked");
      assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
      assert.equal(pixelAt(bytes, 100, 900), "#00ff00");
      assert.deepEqual(answers, page.answered ? ["/no"] : []);
    });
  }

  test("without block_cookie_banners, a banner stays and is not clicked", async () => {
    for (const page of pages) {
      const { bytes, answers } = await capture(consentPage(page));
      assert.equal(pixelAt(bytes, 100, 50), "#0000ff", page.platform);
      assert.deepEqual(answers, [], page.platform);
    }
  });
}
