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

/** A button in nested shadow roots that is added after `ms` and turns green when clicked. */
const page = (ms: number) => `<!doctype html><style>* { margin: 0 }</style><div id="host"></div><script>
  setTimeout(() => {
    const inner = document.createElement("div");
    host.attachShadow({ mode: "open" }).append(inner);
    inner.attachShadow({ mode: "open" }).innerHTML = '<button style="all: unset; display: block; width: 50px; height: 40px; background: #00f">&nbsp;</button>';
    inner.shadowRoot.firstChild.onclick = ({ target }) => { target.style.background = "#0a0" };
  }, ${ms})</script>`;

test("click: an element in a shadow root is clicked", async () => {
  const { status, bytes } = await captures.capture(page(0), { click: "button" });
  assert.equal(status, 200);
  assert.equal(readPixels(bytes)(10, 10), "#00aa00");
});

test("wait_for_selector: the capture waits for an element in a shadow root", async () => {
  const { status, bytes } = await captures.capture(page(900), { wait_for_selector: "button", timeout: "8" });
  assert.equal(status, 200);
  assert.equal(readPixels(bytes)(10, 10), "#0000ff");
});

test("full_page: content in shadow roots that content-visibility skips is shown, and sticky bars are in their place", async () => {
  const parts = Array.from({ length: 20 }, () => "<x-part></x-part>");
  parts.splice(10, 0, '<p style="position:sticky;bottom:0;height:40px;background:#00f"></p>');
  const { status, bytes } = await captures.capture(
    `<!doctype html><style>*{margin:0}</style>${parts.join("")}<script>customElements.define("x-part", class extends HTMLElement { connectedCallback() {
      this.attachShadow({ mode: "open" }).innerHTML = '<style>div{content-visibility:auto;contain-intrinsic-size:auto 100px}p{height:100px;margin:0;background:#0a0}</style><div><p></p></div>' } })</script>`,
    { full_page: "true" },
  );
  assert.equal(status, 200);
  const pixelAt = readPixels(bytes);
  assert.equal(describeImage(bytes).height, 2_040);
  const colours = [50, 350, 650, 950, 1_020, 1_090, 1_390, 1_990].map((y) => pixelAt(10, y));
  assert.deepEqual(colours, ["#00aa00", "#00aa00", "#00aa00", "#00aa00", "#0000ff", "#00aa00", "#00aa00", "#00aa00"]);
});
