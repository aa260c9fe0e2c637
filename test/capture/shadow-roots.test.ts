/** Selectors also find elements in open shadow roots. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage, readPixels } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";

const scope = fileScope();
let captures: Captures;

before(async () => {
  captures = await startCaptures(scope);
});

/** A button in nested shadow roots, added after `ms`, which turns green when clicked. */
const page = (ms: number) => `<!doctype html><style>* { margin: 0 }</style><div id="host"></div><script>
  setTimeout(() => {
    const inner = document.createElement("div");
    host.attachShadow({ mode: "open" }).append(inner);
    inner.attachShadow({ mode: "open" }).innerHTML = '<button style="all: unset; display: block; width: 50px; height: 40px; background: #00f">&nbsp;</button>';
    inner.shadowRoot.firstChild.onclick = ({ target }) => { target.style.background = "#0a0" };
  }, ${ms})</script>`;

test("selector: the image is an element in a shadow root", async () => {
  const { status, bytes } = await captures.capture(page(0), { selector: "button" });
  assert.equal(status, 200);
  const { width, height } = describeImage(bytes);
  assert.deepEqual([width, height, readPixels(bytes)(10, 10)], [50, 40, "#0000ff"]);
});

test("click: an element in a shadow root is clicked", async () => {
  const { status, bytes } = await captures.capture(page(0), { click: "button" });
  assert.equal(status, 200);
  assert.equal(readPixels(bytes)(10, 10), "#00aa00");
});

test("wait_for_selector: an element in a shadow root is waited for", async () => {
  const { status, bytes } = await captures.capture(page(900), { wait_for_selector: "button", timeout: "8" });
  assert.equal(status, 200);
  assert.equal(readPixels(bytes)(10, 10), "#0000ff");
});
