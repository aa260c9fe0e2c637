/** Blank screenshots: retried if the page has content, reported if it doesn't, without delaying plain pages. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, type Page } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let capture: Captures["capture"];
let site: Captures["site"];

before(async () => {
  ({ capture, site } = await startCaptures(scope));
});

const formats = ["png", ...onlyLong(["jpeg", "webp"])];

test("a screenshot that is blank although the page has content is retried once", async () => {
  const page = colouredPage(
    "#fff",
    '<div id="veil" style="position:fixed;inset:0;background:#fff"></div><p>text</p><div style="height:60px;background:#0f0"></div><script>setTimeout(() => veil.remove(), 400)</script>',
  );
  const { bytes, warnings } = await capture(page);
  assert.equal(pixelAt(bytes, 150, 80), "#00ff00");
  assert.equal(warnings, null);
});

test("an app that is initially empty is captured once it shows content", async () => {
  const page = colouredPage(
    "#fff",
    '<main></main><script>setTimeout(() => { document.querySelector("main").innerHTML = "<h1 style=\'background:#0f0;margin:0;height:100px\'>app</h1>" }, 400)</script>',
  );
  const { bytes, warnings } = await capture(page);
  assert.equal(pixelAt(bytes, 150, 80), "#00ff00");
  assert.equal(warnings, null);
});

test("a page is captured without style sheets that never arrive, for which Chromium draws nothing", async () => {
  site.serve({ "/never.css": () => {} });
  const sheets = '<link rel="stylesheet" href="/never.css"><style>@import url(/never.css); div { height: 100px; background: #0f0 }</style>';
  const script = "<script>document.querySelector('div').style.width = '300px'</script>";
  const { status, json, bytes, warnings } = await capture(`<!doctype html>${sheets}<body style="margin: 0"><div></div>${script}`, {
    timeout: "12",
    wait_until_timeout: "2",
  });
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(pixelAt(bytes, 150, 80), "#00ff00");
  assert.match(String(warnings), /still loading: .*never.css/);
});

test("a screenshot that stays blank gets a warning, in every format", async () => {
  const veiled = colouredPage("#fff", '<div style="position:fixed;inset:0;background:#eee"></div><p>text</p>');
  for (const format of formats) {
    const { status, warnings } = await capture(veiled, { format, width: "1280", height: "720" });
    assert.deepEqual([status, warnings], [200, "the screenshot is a single color although the page has content"], format);
  }
});

test("an empty white page gets a warning, a plain colored page doesn't", async () => {
  for (const format of formats) {
    const large = { format, width: "1280", height: "720" };
    assert.equal((await capture("<!doctype html>", large)).warnings, "the screenshot is blank: the page shows nothing", format);
    assert.equal((await capture(colouredPage("#0f0"), large)).warnings, null, format);
    assert.equal((await capture(colouredPage("#fff", "<p>some words"), large)).warnings, null, format);
  }
});

test("blank screenshots are detected in every format and at any size", async () => {
  const sizes = [
    [320, 100],
    [1280, 2_000],
    ...onlyLong([
      [320, 400],
      [320, 2_000],
      [800, 100],
      [800, 400],
      [800, 2_000],
      [1280, 100],
      [1280, 400],
    ]),
  ];
  for (const format of formats) {
    for (const [width, height] of sizes) {
      const size = { format, width: String(width), height: String(height) };
      const { warnings } = await capture("<!doctype html>", size);
      assert.equal(warnings, "the screenshot is blank: the page shows nothing", JSON.stringify(size));
    }
  }
});

/** Blank although it has content; its scripts run for a very long time once the first shot has changed the window. */
const hangsOnceShot = colouredPage(
  "#fff",
  `<p style="color:#fff">text</p><div style="height:900px"></div>
   <script>addEventListener("resize", () => setTimeout(() => { for (;;); }, 600), { once: true })</script>`,
);
const blankWords = "the screenshot is a single color although the page has content";

longTest("a blank screenshot that can't be retried in time is delivered, rather than a timeout", async () => {
  const { status, json, warnings } = await capture(hangsOnceShot, { full_page: "true", timeout: "8" });
  assert.deepEqual([status, json.error, warnings], [200, undefined, blankWords]);
});

longTest("the retry of a blank screenshot takes into account the time spent waiting for another request's capture", async () => {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let visits = 0;
  const page: Page = async (_, response) => {
    visits += 1;
    const isFirst = visits === 1;
    asked.resolve();
    if (isFirst) await release.promise; // keeps the second request waiting for half of its time
    response.setHeader("content-type", "text/html").end(isFirst ? colouredPage("#0f0") : hangsOnceShot);
  };
  site.serve({ "/shared": page });
  const options = { full_page: "true", is_cached: "true" };
  const first = capture("/shared", { ...options, timeout: "20" });
  await asked.promise;
  const { status, json, warnings } = await capture("/shared", { ...options, timeout: "10" });
  release.resolve();
  assert.deepEqual([status, json.error, warnings], [200, undefined, blankWords]);
  assert.equal((await first).status, 200);
  assert.equal(visits, 2);
});
