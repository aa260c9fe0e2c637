/** Cookie banners on realistic pages: removed from the screenshot without ever giving consent. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { superLinear } from "../../scripts/patterns/linear.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { consentPage, consentPages } from "./consent-pages.ts";
import { captureConsent, testPlatforms } from "./consent-tests.ts";

const longTest = longOnly(test);
const scope = fileScope();
let captures: Captures;

before(async () => {
  captures = await startCaptures(scope);
});

const capture = (page: string, parameters: Record<string, string> = {}) => captureConsent(captures, page, parameters);

/** Platforms whose banners are answered in different ways; the long suite captures all. */
const platforms = ["OneTrust without its usual container", "Cookiebot, through its API", "an unknown one, with a class name on the lists"];
const some = consentPages.filter(({ platform }) => platforms.includes(platform));
assert.equal(some.length, platforms.length);
testPlatforms(() => captures, some);

for (const [language, topic, reject] of [
  ["English", "We use cookies to improve your experience.", "Reject all"],
  ...onlyLong([
    ["German", "Wir verwenden Cookies.", "Nur notwendige Cookies akzeptieren"],
    ["French", "Ce site utilise des cookies.", "Tout refuser"],
  ]),
]) {
  test(`block_cookie_banners: a custom dialog in ${language} is rejected by its button's text`, async () => {
    const page = `<!doctype html><body style="margin:0;background:#0f0"><div style="height:1000px"></div>
      <div class="modal" role="dialog" style="position:fixed;inset:0;background:#00f"><p>${topic}</p>
      <button onclick="answer('/yes')">Accept all</button><button onclick="answer('/no')">${reject}</button></div>
      <script>const answer = (path) => { fetch(path); document.querySelector(".modal").remove() }</script>`;
    const { bytes, answers } = await capture(page, { block_cookie_banners: "true" });
    assert.deepEqual([pixelAt(bytes, 100, 50), answers], ["#00ff00", ["/no"]]);
  });
}

test("block_cookie_banners: a dialog that is not about cookies is left alone", async () => {
  const page = `<!doctype html><body style="margin:0"><div role="dialog" style="position:fixed;inset:0;background:#00f"><p>Delete the file?</p>
    <button onclick="this.parentElement.remove()">Reject all</button></div>`;
  const { bytes } = await capture(page, { block_cookie_banners: "true" });
  assert.equal(pixelAt(bytes, 100, 90), "#0000ff");
});

test("cookies are rejected on at least fifteen consent platforms", () => {
  assert.ok(consentPages.filter(({ answered }) => answered).length >= 15);
});

longTest("block_cookie_banners: a consent platform without a visible banner leaves the page unchanged", async () => {
  const page = `<!doctype html><body style="margin:0;background:#0f0;height:300px"><div id="didomi-host" hidden></div>`;
  const { bytes, answers } = await capture(page, { block_cookie_banners: "true" });
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
  assert.deepEqual(answers, []);
});

longTest("block_cookie_banners: the banner on a page reached by a click is removed", async () => {
  const banner = consentPages.find(({ platform }) => platform === "CookieFirst");
  assert.ok(banner);
  captures.site.serve({ "/clicked-to": consentPage(banner) });
  const { bytes, answers, height } = await capture('<a href="/clicked-to">next</a>', { block_cookie_banners: "true", click: "a" });
  assert.deepEqual([height, pixelAt(bytes, 100, 50), answers], [1000, "#00ff00", ["/no"]]);
});

longTest("block_cookie_banners: a page with hidden overflow but no banner is unchanged", async () => {
  const page = `<!doctype html><html style="height:100%;overflow:hidden"><body style="margin:0;height:100%;overflow:hidden;background:#0f0"><div style="height:900px">`;
  const { height } = await capture(page, { block_cookie_banners: "true" });
  assert.equal(height, (await capture(page)).height);
});

test("block_cookie_banners: a page that reloads after the rejection is captured after the reload", async () => {
  const page = `<!doctype html><body style="margin:0;height:300px;background:#f00">
    <script>
      if (sessionStorage.no) document.body.style.background = "#0f0";
      else document.write("<div id='cookiefirst-root' style='position:fixed;inset:0;background:#00f'><button data-cookiefirst-action='reject'>No</button></div>");
      document.querySelector("button")?.addEventListener("click", () => { sessionStorage.no = 1; location.reload() });
    </script>`;
  const { bytes } = await capture(page, { block_cookie_banners: "true" });
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
});

test("block_cookie_banners: a page can't abuse the consent engine's messages", async () => {
  const page = `<!doctype html><body style="margin:0;background:#0f0">
    <script>
      window.autoconsentSendMessage = window.nextMessages = () => { document.body.style.background = "#f00" };
      Object.defineProperty(window, "Cookiebot", { get() { throw new Error("no") } });
      Array.prototype.join = () => "true,".repeat(1000);
      setInterval(() => { if (window.autoconsentReceiveMessage) document.body.style.background = "#f00" }, 1);
    </script>`;
  const { bytes } = await capture(page, { block_cookie_banners: "true" });
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
});

longTest("block_cookie_banners: a page that never responds to the consent engine is captured", async () => {
  const page = `<!doctype html><body style="margin:0;background:#0f0;height:300px"><div id="CybotCookiebotDialog"></div>
    <script>Object.defineProperty(window, "Cookiebot", { get() { for (;;); } })</script>`;
  const { bytes } = await capture(page, { block_cookie_banners: "true" });
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
});

test("the URL patterns of consent rules are matched in linear time", async () => {
  const { r: rules } = JSON.parse(await readFile(new URL("../../blocklists/consent-rules.json", import.meta.url), "utf8"));
  const patterns = rules.map(([, , , pattern]: string[]) => pattern);
  assert.ok(patterns.length > 500);
  for (const pattern of patterns) assert.equal(superLinear(pattern, ""), undefined, pattern);
});
