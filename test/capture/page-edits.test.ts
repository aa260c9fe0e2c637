/** Page edits by callers: styles, scripts and clicks, on uncooperative pages. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, type Page } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let service: Captures["service"];
let capture: Captures["capture"];

before(async () => {
  const captures = await startCaptures(scope);
  ({ service, capture } = captures);
  captures.site.serve({
    "/late.txt": (_, response) => void setTimeout(() => response.end("x"), 300),
    "/next": (_, response) =>
      void setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(colouredPage("#00f")), 300),
  });
});

/** A page whose policy forbids all styles and scripts except its own. */
const guarded =
  (body: string): Page =>
  (_, response) =>
    response.writeHead(200, { "content-type": "text/html", "content-security-policy": "default-src 'none'" }).end(body);

test("styles: override the page's own rules of the same specificity, whatever its policy", async () => {
  const { bytes, warnings } = await capture(guarded('<html bgcolor><body style="margin:0"><p id="p">text'), {
    styles: "html { background: #0f0 } #p { visibility: hidden }",
  });
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
  assert.equal(warnings, null);
  assert.equal(pixelAt((await capture(colouredPage("#f00"), { styles: "html { background: #0f0 }" })).bytes, 100, 50), "#00ff00");
});

test("styles: invalid CSS gets a warning", async () => {
  assert.equal((await capture(colouredPage("#f00"), { styles: "no style at all" })).warnings, "styles contains no valid CSS rule");
});

test("scripts: run in the page's context, whatever its policy, with top-level await", async () => {
  const page = guarded('<body style="margin:0">');
  const { bytes } = await capture(page, {
    scripts: 'await new Promise((resolve) => setTimeout(resolve, 50)); document.documentElement.style.setProperty("background", "#0f0")',
  });
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
  const own = colouredPage("#f00", "<script>var colour = '#00f'</script>");
  assert.equal(pixelAt((await capture(own, { scripts: "document.documentElement.style.background = colour" })).bytes, 100, 50), "#0000ff");
});

test("scripts: their fetches are awaited before the capture", async () => {
  const scripts = 'fetch("/late.txt").then((r) => r.text()).then(() => { document.documentElement.style.background = "#0f0" })';
  assert.equal(pixelAt((await capture(colouredPage("#f00"), { scripts })).bytes, 100, 50), "#00ff00");
});

test("scripts: an exception becomes a warning, and the page is captured", async () => {
  const { status, bytes, warnings } = await capture(colouredPage("#0f0"), { scripts: 'throw new Error("no such thing")' });
  assert.equal(status, 200);
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
  assert.equal(warnings, "scripts threw: Error: no such thing");
  assert.match((await capture(colouredPage("#0f0"), { scripts: "not a script" })).warnings ?? "", /^scripts threw: SyntaxError/);
});

longTest("scripts: an endless script ends at the deadline, and the next capture works", async () => {
  const { status, json } = await capture(colouredPage("#0f0"), { scripts: "for (;;);", timeout: "2" });
  assert.deepEqual([status, json.code], [400, "target_timeout"]);
  assert.equal((await capture(colouredPage("#0f0"))).status, 200);
});

longTest("scripts: a script that navigates while it is awaiting is not an error, and the new page is captured", async () => {
  const { status, bytes, json } = await capture(colouredPage("#f00"), { scripts: 'location.href = "/next"; await new Promise(() => {})' });
  assert.equal(status, 200, String(json.error));
  assert.equal(pixelAt(bytes, 100, 50), "#0000ff");
});

longTest("styles: a page that replaces itself endlessly is the target's error, not the service's", async () => {
  const { status } = await capture(colouredPage("#f00", "<script>onload = () => location.reload()</script>"), {
    styles: "p { color: red }",
    wait_until_timeout: "0.5",
    timeout: "5",
  });
  assert.ok(status === 200 || status === 400, String(status));
});

test("styles and scripts: 64 KB are accepted, more is rejected", async () => {
  const { takeSchema } = service.services;
  for (const name of ["styles", "scripts"]) {
    const taken = (length: number) => takeSchema.safeParse({ url: "http://a.test/", [name]: "é".repeat(length / 2) }).success;
    assert.deepEqual([taken(64 * 1024), taken(64 * 1024 + 2)], [true, false], name);
  }
});

test("click: sends trusted mouse events in order, at each element's center, even far down the page", async () => {
  const page = colouredPage(
    "#f00",
    `<button id="a" style="position:absolute;top:3000px;left:40px;width:60px;height:30px">a</button>
     <script>
       a.onclick = (e) => { if (!e.isTrusted || Math.abs(e.offsetX - 30) > 3) return;
         setTimeout(() => document.body.insertAdjacentHTML("beforeend", '<i id="b" style="display:block;width:50px;height:50px;background:#00f"></i>'), 200);
         document.addEventListener("click", ({ target }) => { if (target.id === "b") document.documentElement.style.background = "#0f0" }) };
     </script>`,
  );
  const { status, bytes, json } = await capture(page, { click: ["#a", "#b"] });
  assert.equal(status, 200, String(json.error));
  assert.equal(pixelAt(bytes, 150, 90), "#00ff00");
  assert.equal(pixelAt(bytes, 20, 20), "#0000ff", "and the page is back at its scroll position");
});

test("click: its effects are awaited before the capture", async () => {
  const page = colouredPage(
    "#f00",
    `<button id="a">a</button><script>a.onclick = () => fetch("/late.txt").then((r) => r.text()).then(() => { document.documentElement.style.background = "#0f0" })</script>`,
  );
  assert.equal(pixelAt((await capture(page, { click: "#a" })).bytes, 150, 90), "#00ff00");
});

longTest("click: a link is followed, however slow its server is", async () => {
  const { status, bytes } = await capture(colouredPage("#f00", '<a id="a" href="/next">next</a>'), { click: "#a" });
  assert.equal(status, 200);
  assert.equal(pixelAt(bytes, 100, 50), "#0000ff");
});

longTest("click: a missing element is rejected by name", async () => {
  const missing = await capture(colouredPage("#fff", '<b id="a" style="display:none">a</b>'), { click: "#a" });
  assert.deepEqual([missing.status, missing.json.code], [400, "selector_not_found"]);
  assert.match(missing.json.error ?? "", /#a/);
});

test("click: an invalid selector is rejected by name", async () => {
  const wrong = await capture(colouredPage("#fff"), { click: "b[" });
  assert.deepEqual([wrong.status, wrong.json.error], [400, 'click contains "b[", which is not a CSS selector.']);
});
