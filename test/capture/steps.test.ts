/** Steps: what a visitor does before the capture. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage } from "../support/site.ts";

const scope = fileScope();
let captures: Captures;
let capture: Captures["capture"];

before(async () => {
  captures = await startCaptures(scope);
  ({ capture } = captures);
  captures.site.serve({
    "/found": (request, response) => {
      const isWanted = new URL(request.url ?? "", "http://localhost").searchParams.get("q") === "chairs & tables";
      response.setHeader("content-type", "text/html").end(colouredPage(isWanted ? "#0f0" : "#f00"));
    },
  });
});

const stepping = (page: string, steps: object[], more: Record<string, string> = {}) =>
  capture(page, { steps: JSON.stringify(steps), ...more });
/** A page that is green once `condition`, a JavaScript expression, has been true during an event of `type`. */
const greenAt = (type: string, condition: string, body: string) =>
  colouredPage(
    "#f00",
    `${body}<script>addEventListener("${type}", (event) => { if (${condition}) document.documentElement.style.background = "#0f0" }, true)</script>`,
  );

test("hover: the mouse is over the element in the image", async () => {
  const page = colouredPage("#f00", "<style>html:has(#menu:hover) { background: #0f0 }</style><p id=menu>Menu</p>");
  assert.equal(pixelAt((await capture(page)).bytes, 190, 90), "#ff0000");
  const { status, bytes } = await stepping(page, [{ hover: "#menu" }]);
  assert.deepEqual([status, pixelAt(bytes, 190, 90)], [200, "#00ff00"]);
});

test("type and press: a form is filled in and submitted, and the resulting page is captured", async () => {
  const form = colouredPage("#00f", '<form action="/found"><input name=q id=q></form>');
  const { status, bytes, json } = await stepping(form, [{ type: "#q", text: "chairs & tables" }, { press: "Enter" }]);
  assert.deepEqual([status, pixelAt(bytes, 190, 90)], [200, "#00ff00"], JSON.stringify(json));
});

test("press: keys that scroll scroll the page, unless it prevents that or the key acts on a field", async () => {
  const tall = (before: string) =>
    `<!doctype html><title>0</title><style>body{margin:0}a,textarea{position:absolute;top:0}</style>${before}<div style="height:3000px"></div><script>onscroll = () => { document.title = scrollY }</script>`;
  const scrolled = async (before: string, ...keys: string[]) => {
    const steps = keys.map((press) => ({ press }));
    return (await stepping(tall(before), steps, { response_type: "json" })).json.title;
  };
  assert.deepEqual(
    [
      await scrolled("", "PageDown", "ArrowDown"),
      await scrolled("<a href=# autofocus>a</a>", "End", "PageUp", "Space"),
      await scrolled("<script>onkeydown = (event) => event.preventDefault()</script>", "End"),
      Number(await scrolled("<textarea autofocus>a</textarea>", "PageDown")) < 80, // the caret comes into view
    ],
    ["128", "2900", "0", true],
  );
});

test("click, press, scroll and wait perform their actions", async () => {
  const tall = '<div style="height:3000px"></div><p id=end>End</p>';
  const later = "<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<b id=late>Late</b>'), 700)</script>";
  const cases: [string, object[]][] = [
    [greenAt("click", "event.target.id === 'b'", "<button id=b>B</button>"), [{ click: "#b" }]],
    [greenAt("keydown", "event.key === 'ArrowDown'", "<button autofocus>B</button>"), [{ press: "ArrowDown" }]],
    [greenAt("scroll", "scrollY > 2000", tall), [{ scroll: "#end" }]],
    [greenAt("click", "document.querySelector('#late')", `<button id=b>B</button>${later}`), [{ wait: "#late" }, { click: "#b" }]],
    ...onlyLong<[string, object[]]>([
      [greenAt("keyup", "event.code === 'Escape'", "<button autofocus>B</button>"), [{ press: "Escape" }]],
      [greenAt("scroll", "scrollY > 400", tall), [{ scroll: 500 }]],
      [greenAt("click", "document.querySelector('#late')", `<button id=b>B</button>${later}`), [{ wait: 1 }, { click: "#b" }]],
    ]),
  ];
  for (const [page, steps] of cases) {
    const { status, bytes, json } = await stepping(page, steps, { wait_until: "load" });
    assert.deepEqual(
      [status, status === 200 && pixelAt(bytes, 190, 90)],
      [200, "#00ff00"],
      `${JSON.stringify(steps)} ${JSON.stringify(json)}`,
    );
  }
});

test("the error for an invalid step states its number, the one for a missing element its selector", async () => {
  const messages: [object[] | string, RegExp][] = [
    [[{ click: "#a" }, { tap: "#a" }], /^steps is invalid: step 2 must have exactly one of click, hover, type, press, scroll, wait/],
    [[{ press: "F13" }], /^steps is invalid: step 1 must press one of these keys: Enter/],
    [[{ type: "#a" }], /must have a text string in addition to type/],
    [[{ wait: 31 }], /must wait for 0 to 30 seconds/],
    [[{ click: 5 }], /must have a CSS selector as a string/],
    ["#menu", /^steps/],
    [[{ click: "p[" }], /^steps contains "p\[", which is not a CSS selector/],
    ...onlyLong<[object[], RegExp]>([[[{ hover: "#none" }], /^No visible element matches the selector #none in steps\.$/]]),
  ];
  for (const [steps, message] of messages) {
    const { status, json } = await capture(colouredPage("#0f0"), { steps: typeof steps === "string" ? steps : JSON.stringify(steps) });
    assert.equal(status, 400);
    assert.match(String(json.error), message);
  }
});

test("typed text is neither in the history nor in the log", async () => {
  const { headers } = await stepping(colouredPage("#0f0", "<input id=q>"), [{ type: "#q", text: "open sesame" }]);
  const { rows } = await captures.service.pool.query("select options from screenshots where id = $1", [headers.get("x-screenshot-id")]);
  assert.equal(rows[0].options.steps, "given");
  assert.ok(!captures.service.logged().includes("sesame"));
  assert.match(headers.get("cache-control") ?? "", /^private/);
});

test("click: a beforeunload dialog doesn't prevent a navigation", async () => {
  const asking = '<a id=next href="/found?q=chairs+%26+tables">Next</a><script>onbeforeunload = (event) => event.preventDefault()</script>';
  const { status, bytes } = await stepping(colouredPage("#00f", asking), [{ click: "#next" }]);
  assert.deepEqual([status, pixelAt(bytes, 190, 90)], [200, "#00ff00"]);
});
