/**
 * Capture options on real pages in a real Chromium; each test fails if its option has no effect. Some option groups have their own test
 * file.
 */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage, pixelAt } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, type Page } from "../support/site.ts";

const scope = fileScope();
let site: Captures["site"];
let capture: Captures["capture"];

before(async () => {
  ({ site, capture } = await startCaptures(scope, { MAX_FULL_PAGE_HEIGHT: "3000" }));
});

test("format: the image is encoded in the requested format", async () => {
  for (const [format, type] of [
    ["jpeg", "jpg"],
    ["jpg", "jpg"],
    ["png", "png"],
    ["webp", "webp"],
    ["avif", "avif"],
  ] as const) {
    const { bytes, headers } = await capture(colouredPage("#0f0"), { format });
    assert.deepEqual(describeImage(bytes), { type, width: 200, height: 100 });
    assert.equal(headers.get("content-type"), `image/${type === "jpg" ? "jpeg" : type}`);
  }
});

test("quality: a lower value gives a smaller jpeg and webp; png ignores it", async () => {
  const page = colouredPage("linear-gradient(45deg, red, blue, lime, black, white)", "<h1>Quality is seen in detail</h1>");
  for (const format of ["jpeg", "webp"]) {
    const sizes = [];
    for (const quality of ["10", "95"]) sizes.push((await capture(page, { format, quality })).bytes.length);
    assert.ok((sizes[0] ?? 0) * 1.5 < (sizes[1] ?? 0), `${format}: ${sizes}`);
  }
  assert.deepEqual((await capture(page, { quality: "10" })).bytes, (await capture(page, { quality: "95" })).bytes);
});

test("omit_background: transparent where the page has no background; jpeg gets a warning", async () => {
  const page = '<body style="margin:0"><div style="width:50px;height:50px;background:#f00">';
  const opaque = await capture(page);
  assert.equal(pixelAt(opaque.bytes, 150, 50), "#ffffff");
  const { bytes } = await capture(page, { omit_background: "true" });
  assert.equal(pixelAt(bytes, 25, 25), "#ff0000");
  assert.equal(pixelAt(bytes, 150, 50), "#00000000");
  const jpeg = await capture(page, { omit_background: "true", format: "jpeg" });
  assert.equal(jpeg.warnings, "omit_background was ignored: jpeg doesn't support transparency");
});

test("full_page: the whole document, with fixed elements once and 100vh at the viewport's height", async () => {
  const page = `<style>*{margin:0}</style><header style="position:fixed;top:0;width:100%;height:20px;background:#00f"></header>
    <section style="height:100vh;background:#f00"></section><div style="height:500px;background:#0f0"></div><footer style="height:50px;background:#ff0"></footer>`;
  const { bytes, warnings } = await capture(page, { full_page: "true" });
  assert.deepEqual(describeImage(bytes), { type: "png", width: 200, height: 650 });
  for (const [y, colour] of [
    [10, "#0000ff"],
    [50, "#ff0000"],
    [99, "#ff0000"],
    [101, "#00ff00"],
    [599, "#00ff00"],
    [610, "#ffff00"],
    [649, "#ffff00"],
  ] as const) {
    assert.equal(pixelAt(bytes, 100, y), colour, `at ${y}`);
  }
  assert.equal(warnings, null);
});

test("full_page: a page taller than the limit is cut off, with a warning", async () => {
  const { bytes, warnings } = await capture(colouredPage("#fff", '<div style="height:5000px;background:#0f0">'), { full_page: "true" });
  assert.equal(describeImage(bytes).height, 3000);
  assert.equal(warnings, "the page is 5000 CSS pixels high and was cut off at 3000");
});

test("selector: captures exactly the first visible match; takes precedence over full_page", async () => {
  const page = `<style>*{margin:0}</style><i class="box" style="display:none">no</i><div style="height:700px"></div>
    <div class="box" style="margin-left:30px;width:60px;height:40px;background:#f0f"></div><div class="box" style="height:10px;background:#0ff"></div>`;
  const { bytes } = await capture(page, { selector: ".box", full_page: "true" });
  assert.deepEqual(describeImage(bytes), { type: "png", width: 60, height: 40 });
  assert.equal(pixelAt(bytes, 1, 1), "#ff00ff");
  assert.equal(pixelAt(bytes, 58, 38), "#ff00ff");
});

test("selector: no visible match is an error, as is an invalid selector", async () => {
  const none = await capture(colouredPage("#fff"), { selector: ".nowhere" });
  assert.deepEqual([none.status, none.json.code], [400, "selector_not_found"]);
  const wrong = await capture(colouredPage("#fff"), { selector: "div[" });
  assert.deepEqual(
    [wrong.status, wrong.json.code, wrong.json.error],
    [400, "invalid_parameters", 'selector is "div[", which is not a CSS selector.'],
  );
});

/** A flat blue SVG that the server delays by `ms`. */
function lateImage(ms: number): Page {
  return (_, response) =>
    void setTimeout(
      () =>
        response
          .writeHead(200, { "content-type": "image/svg+xml" })
          .end('<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="200" height="100" fill="#00f"/></svg>'),
      ms,
    );
}

test("wait_until: auto and load wait for images, domcontentloaded doesn't", async () => {
  site.serve({ "/late.svg": lateImage(400), "/never.svg": () => {} });
  for (const [moment, image, colour] of [
    ["auto", "/late.svg", "#0000ff"],
    ["load", "/late.svg", "#0000ff"],
    ["domcontentloaded", "/never.svg", "#ffffff"],
  ] as const) {
    const page = colouredPage("#fff", `<img src="${image}" style="display:block">`);
    assert.equal(pixelAt((await capture(page, { wait_until: moment })).bytes, 100, 50), colour, moment);
  }
});

test("wait_until: networkidle0 waits for everything that scripts load after the load event", async () => {
  site.serve({ "/late.svg": lateImage(300), "/never.svg": () => {} });
  const pageWith = (image: string) =>
    colouredPage("#fff", `<img id="i" style="display:block"><script>onload = () => setTimeout(() => { i.src = "${image}" }, 100)</script>`);
  assert.equal(pixelAt((await capture(pageWith("/never.svg"), { wait_until: "load" })).bytes, 100, 50), "#ffffff");
  const idle = await capture(pageWith("/late.svg"), { wait_until: ["load", "networkidle0"] });
  assert.equal(pixelAt(idle.bytes, 100, 50), "#0000ff");
});

test("wait_until: a page with continuous traffic is captured after wait_until_timeout, with a warning", async () => {
  site.serve({ "/never.svg": () => {} });
  const { status, bytes, warnings } = await capture(colouredPage("#f00", '<img src="/never.svg">'), { wait_until_timeout: "0.5" });
  assert.equal(status, 200);
  assert.equal(pixelAt(bytes, 150, 90), "#ff0000");
  assert.match(
    warnings ?? "",
    /^the page was not ready after 0\.5 s and was captured in its current state; its load event was pending; still loading: /,
  );
});

test("wait_for_selector: waits until the element is visible, not just present", async () => {
  const visibleAfter = (ms: number) =>
    colouredPage(
      "#fff",
      `<div id="d" style="visibility:hidden;height:100px;background:#0f0"></div><script>setTimeout(() => { d.style.visibility = "visible" }, ${ms})</script>`,
    );
  assert.equal(pixelAt((await capture(visibleAfter(60_000), { wait_until: "load" })).bytes, 100, 50), "#ffffff");
  const waited = await capture(visibleAfter(400), { wait_until: "load", wait_for_selector: "#d" });
  assert.equal(pixelAt(waited.bytes, 100, 50), "#00ff00");
  const wrong = await capture(visibleAfter(400), { wait_for_selector: ":::" });
  assert.equal(wrong.json.error, 'wait_for_selector is ":::", which is not a CSS selector.');
});

test("delay: waits once the page is ready", async () => {
  const greenAfter = (ms: number) =>
    colouredPage("#fff", `<script>setTimeout(() => { document.documentElement.style.background = "#0f0" }, ${ms})</script>`);
  assert.equal(pixelAt((await capture(greenAfter(60_000))).bytes, 100, 50), "#ffffff");
  assert.equal(pixelAt((await capture(greenAfter(1_500), { delay: "2" })).bytes, 100, 50), "#00ff00");
});

test("timeout: ends the capture, and is capped at the operator's limit", async () => {
  const { status, json } = await capture(colouredPage("#fff"), { delay: "20", timeout: "1" });
  assert.deepEqual([status, json.code], [400, "target_timeout"]);
  assert.equal((await capture(colouredPage("#fff"), { timeout: "90" })).status, 200);
});

test("headers: connection headers are rejected by name", async () => {
  const refused = await capture(colouredPage("#fff"), { headers: ["Host: elsewhere", "no colon"] });
  assert.equal(refused.status, 400);
  assert.equal(
    refused.json.error,
    "headers may not set Host, which the browser sets itself; headers contains a line that is not `Name: Value`.",
  );
  assert.equal(
    (await capture(colouredPage("#fff"), { headers: `X-Long: ${"a".repeat(8192)}` })).json.error,
    "headers has more than 8192 characters in total.",
  );
});

test("cookies: are sent to the target, visible to scripts unless HttpOnly, and gone after the capture", async () => {
  const page = colouredPage(
    "#fff",
    '<script>document.documentElement.style.background = document.cookie === "a=1" ? "#0f0" : "#f00"</script>',
  );
  const sent = () => site.requests.findLast(({ path }) => path.startsWith("/page-"))?.headers.cookie;
  const { bytes } = await capture(page, { cookies: "a=1\nb=2; HttpOnly; Path=/" });
  assert.equal(sent(), "a=1; b=2");
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
  await capture(page);
  assert.equal(sent(), undefined);
  assert.equal((await capture(page, { cookies: "nonsense" })).json.error, "cookies contains a line that is not `name=value; attributes`.");
  assert.match(
    (await capture(page, { cookies: "__Host-a=1; Domain=example.com" })).json.error ?? "",
    /^cookies contains a cookie that the browser rejects/,
  );
});

test("bypass_csp: runs inline scripts that the page's policy forbids", async () => {
  const page: Page = (_, response) =>
    response
      .writeHead(200, { "content-type": "text/html", "content-security-policy": "script-src 'none'" })
      .end(colouredPage("#f00", '<script>document.documentElement.style.background = "#0f0"</script>'));
  assert.equal(pixelAt((await capture(page)).bytes, 100, 50), "#ff0000");
  assert.equal(pixelAt((await capture(page, { bypass_csp: "true" })).bytes, 100, 50), "#00ff00");
});
