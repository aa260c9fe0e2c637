/** Content that scripts animate while it is in the window is completely shown in the image; what can't be shown rightly is warned of. */

import assert from "node:assert/strict";
import { before } from "node:test";
import { testsAtOnce } from "../support/at-once.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage, readPixels } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";

const test = testsAtOnce(2);
const scope = fileScope();
let captures: Captures;

before(async () => {
  captures = await startCaptures(scope, { SCREENSHOT_TIMEOUT: "90000" }); // a busy machine takes longer for each frame
});

const count = 12;
const style = "<!doctype html><style>* { margin: 0 } .gap { height: 90px } .block { height: 60px; background: #0a0 }</style>";
const blocks = Array.from({ length: count }, () => '<div class="gap"></div><div class="block" style="opacity: 0"></div>').join("");

/** Number of blocks that have their color in the image. */
async function shown(page: string, parameters: Record<string, string> = {}): Promise<number> {
  const { bytes, warnings } = await captures.capture(page, { full_page: "true", wait_until_timeout: "20", timeout: "90", ...parameters });
  assert.equal(warnings, null);
  const pixel = readPixels(bytes);
  return Array.from({ length: count }, (_, index) => pixel(100, index * 150 + 120)).filter((color) => color === "#00aa00").length;
}

/** Calls `update(block, isIn, ms)` in each frame, as animation libraries do, and each time the scroll position changes. */
const animated = (update: string) => `<script>
  const blocks = [...document.querySelectorAll(".block")].map((element) => ({ element, top: element.offsetTop, at: 0 }));
  const update = ${update}; let last = performance.now(), y = 0;
  addEventListener("scroll", () => { y = scrollY });
  const frame = (now) => { for (const block of blocks) update(block, block.top < y + innerHeight && block.top + 60 > y, Math.min(250, now - last));
    last = now; requestAnimationFrame(frame) };
  requestAnimationFrame(frame)</script>`;
const draw = "if (block.at !== block.drawn) block.element.style.opacity = block.drawn = block.at";

const pages: Record<string, string> = {
  "that are paused when it leaves the window": `(block, isIn, ms) => { if (isIn) block.at = Math.min(1, block.at + ms / 800); ${draw} }`,
  "that are reversed when it leaves the window": `(block, isIn, ms) => { block.at = Math.min(1, Math.max(0, block.at + (isIn ? ms : -ms) / 800)); ${draw} }`,
  "that follow the scroll position, and show it only near the middle": `(block) => {
    block.at = Math.min(1, Math.max(0, 2 - Math.abs(block.top + 30 - y - innerHeight / 2) / (innerHeight / 10))); ${draw} }`,
};
for (const [how, update] of Object.entries(pages))
  test(`full_page: content with script animations ${how} is completely shown`, async () => {
    assert.equal(await shown(`${style}${blocks}<div class="gap"></div>${animated(update)}`), count);
  });

test("full_page: content that style sheets move into place, and away again when it leaves the window, is in its place", async () => {
  const moved = "<style>.block { transform: translateY(150%); transition: transform 0.3s } .in { transform: none }</style>";
  const script = `<script>const blocks = [...document.querySelectorAll(".block")], tops = blocks.map((block) => block.offsetTop);
    const update = () => blocks.forEach((block, index) => block.classList.toggle("in", tops[index] < scrollY + innerHeight)); update();
    addEventListener("scroll", () => setTimeout(update, 99))</script>`;
  assert.equal(await shown(`${style}${moved}${blocks.replaceAll("opacity: 0", "")}<div class="gap"></div>${script}`), count);
});

test("full_page: slides that transforms have moved out of a locked document don't make the image taller", async () => {
  const slide = (y: number) =>
    `<div style="position: absolute; width: 100px; height: 40px; background: #0a0; transform: translate(20px, ${y}px)"></div>`;
  const locked = "<style>html, body { height: 100%; margin: 0; overflow: hidden }</style>";
  const heightOf = async (page: string) => describeImage((await captures.capture(page, { full_page: "true", timeout: "90" })).bytes).height;
  assert.equal(
    await heightOf(`${style}${locked}<main style="position: absolute; top: 50%">${[0, 500, 1_500].map(slide).join("")}</main>`),
    100,
  );
  assert.equal(await heightOf(`${style}${locked}<main>${blocks}</main>`), 1_800);
});

const canvas = (width: number, endsAfterMs: number) => `${style}<canvas width="${width}" height="${width / 2}" id="canvas"></canvas><script>
  const context = canvas.getContext("2d"); let hue = 0;
  const draw = () => { context.fillStyle = "hsl(" + (hue += 5) + " 80% 50%)"; context.fillRect(0, 0, ${width}, ${width});
    if (performance.now() < ${endsAfterMs}) requestAnimationFrame(draw) }; draw()</script>`;

const warningsOf = async (page: string) => (await captures.capture(page, { full_page: "true", timeout: "90" })).warnings;

test("full_page: a page that keeps moving is captured with a warning", async () => {
  assert.match(String(await warningsOf(canvas(200, Number.MAX_SAFE_INTEGER))), /scripts keep moving a large part of the page/);
});

test("full_page: a page that stops moving, or moves only in a small part, is captured without a warning", async () => {
  assert.equal(await warningsOf(canvas(200, 1_500)), null);
  assert.equal(await warningsOf(canvas(20, Number.MAX_SAFE_INTEGER)), null);
});

/** Narrow blocks in sections of 150 pixels, which a script moves on wheel events; `each` is called with each block in view. */
const wheeled = (each: string) => `${style}<style>html, body { overflow: hidden; height: 100% } section { height: 150px }
  .block { opacity: 0 } .in { opacity: 1 }
  .block { width: 80px; margin-left: 60px }</style>
  <main>${'<section><p class="gap"></p><div class="block"></div></section>'.repeat(count)}</main><script>
  let y = 0; const all = [...document.querySelectorAll("section")], each = ${each};
  const move = () => all.forEach((section, index) => { const isIn = index * 150 < y + innerHeight && index * 150 + 150 > y;
    section.style.transform = isIn ? "translateY(" + -y + "px)" : "none"; section.style.opacity = isIn ? 1 : 0;
    each(section.querySelector(".block"), index * 150 - y, isIn) });
  addEventListener("wheel", ({ deltaY }) => { y = Math.min(1_700, Math.max(0, y + deltaY)); move() }); move()</script>`;

for (const [what, each] of [
  ["appears as it moves", '(block, top, isIn) => { if (isIn) block.classList.add("in") }'],
  [
    "is moved at another speed",
    '(block, top) => { block.classList.add("in"); block.style.transform = "translateY(" + Math.max(0, top - innerHeight) / 2 + "px)" }',
  ],
])
  test(`full_page: content that ${what}, on wheel events in a locked document, is in its place`, async () => {
    assert.equal(await shown(wheeled(String(each)), { height: "400" }), count);
  });

test("full_page: a warning says that content of such a document is still hidden", async () => {
  const { warnings } = await captures.capture(wheeled("() => {}"), { full_page: "true", height: "400", timeout: "90" });
  assert.match(String(warnings), /scripts move the page's content instead of scrolling it/);
});
