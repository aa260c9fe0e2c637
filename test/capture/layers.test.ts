/** Layers that are fixed to the window and that scripts move with the scroll position. */

import assert from "node:assert/strict";
import { before } from "node:test";
import { testsAtOnce } from "../support/at-once.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { readPixels } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";

const test = testsAtOnce(2);
const scope = fileScope();
let captures: Captures;

before(async () => {
  captures = await startCaptures(scope, { SCREENSHOT_TIMEOUT: "90000" });
});

const style =
  "<!doctype html><style>* { margin: 0 } section { height: 100px } .gap { height: 100px } .layer { position: fixed; inset: 0 0 auto; height: 100px; top: -100px }</style>";
const full = { full_page: "true", timeout: "90" };

/** Calls `update(y)` with each new scroll position. */
const onScroll = (update: string) => `<script>
  const layers = [...document.querySelectorAll(".layer")], gaps = [...document.querySelectorAll(".gap")], update = ${update};
  addEventListener("scroll", () => requestAnimationFrame(() => update(scrollY))); update(scrollY);</script>`;

const onEachFrame = (update: string) => `<script>
  const layers = [...document.querySelectorAll(".layer")], gaps = [...document.querySelectorAll(".gap")], update = ${update};
  let last; const frame = () => { if (scrollY !== last) update(last = scrollY); requestAnimationFrame(frame) }; frame();</script>`;

const sections = (count: number) =>
  Array.from({ length: count }, () => '<section style="background: #fff">Text</section><div class="gap"></div>').join("");

test("full_page: layers that scripts move along with the document are where a visitor sees them, and look as in the middle of the window", async () => {
  const layers = Array.from(
    { length: 3 },
    () => '<div class="layer"><div style="display: none; height: 100px; background: #0a0"></div></div>',
  ).join("");
  const page = `${style}${layers}${sections(3)}<section></section>${onScroll(`(y) => layers.forEach((layer, index) => {
    const top = gaps[index].offsetTop - y, isIn = top < innerHeight && top > -100;
    layer.style.transform = "translateY(" + Math.max(-100, Math.min(innerHeight, top)) + "px) translateY(100px)";
    layer.firstChild.style.display = isIn ? "block" : "none";
    layer.firstChild.style.opacity = Math.max(0, 1 - Math.abs(top) / 80) })`)}`;
  const { bytes, warnings } = await captures.capture(page, full);
  assert.equal(warnings, null);
  const pixel = readPixels(bytes);
  assert.deepEqual(
    [150, 350, 550, 650].map((y) => pixel(150, y)),
    ["#00aa00", "#00aa00", "#00aa00", "#ffffff"],
  );
});

test("full_page: the same if scripts compare the scroll position in every frame, without a listener", async () => {
  const page = `${style}<div class="layer" style="background: #0a0"></div>${sections(3)}<section></section>${onEachFrame(
    '(y) => { layers[0].style.transform = "translateY(" + (Math.max(-100, Math.min(innerHeight, gaps[2].offsetTop - y)) + 100) + "px)" }',
  )}`;
  const { bytes, warnings } = await captures.capture(page, full);
  assert.equal(warnings, null);
  assert.deepEqual(
    [350, 505, 595, 650].map((y) => readPixels(bytes)(150, y)),
    ["#ffffff", "#00aa00", "#00aa00", "#ffffff"],
  );
});

const stage = (one: string) => `<div class="layer" style="top: 0; height: 100%; background: #eee">${one}</div>`;
const stages = `${style}${["One", "Two", "Three", "Four"].map(stage).join("")}<div style="height: 900px"></div>`;

test("full_page: layers that replace each other as the page is scrolled can't be in one image: a warning says so", async () => {
  const page = `${stages}${onScroll('(y) => layers.forEach((layer, index) => { layer.style.opacity = index === Math.floor(y / 225) ? "1" : "0" })')}`;
  assert.match(String((await captures.capture(page, full)).warnings), /layers fixed to the window replace each other/);
});

test("full_page: a header, a veil and a button that change on scroll are captured without a warning", async () => {
  const page = `${style}<div class="layer" style="top: 0; height: 20px; background: #ccc">Header</div>
    <div class="layer" style="top: 0; height: 100%; opacity: 0.1; background: #eee; pointer-events: none"></div>
    <div class="layer" style="top: auto; bottom: 0; left: auto; width: 20px; height: 20px; display: none">Up</div>
    ${sections(4)}${onScroll('(y) => layers.forEach((layer, index) => { layer.style.display = index < 2 || y > 100 ? "" : "none"; layer.style.zIndex = y })')}`;
  assert.equal((await captures.capture(page, full)).warnings, null);
});
