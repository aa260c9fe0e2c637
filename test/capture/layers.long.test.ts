/** Layers and content that scripts move with the scroll position: what is put back in its place, and what is warned of. */

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
  captures = await startCaptures(scope);
});

const page = (body: string) =>
  `<!doctype html><style>* { margin: 0 } section { height: 400px }</style>${body}${"<section>Text</section>".repeat(4)}`;
const full = { full_page: "true" };
const update = 'for (const layer of document.querySelectorAll(".layer")) layer.style.top = layer.dataset.at - scrollY + "px";';
const layers = '<div class="layer" data-at="0" style="position: fixed; width: 100%; height: 300px">One</div>'.repeat(2);

for (const [how, script] of [
  ["a listener", `addEventListener("scroll", () => { ${update} });`],
  [
    "comparing the position in each frame",
    `let at; (function frame() { if (scrollY !== at) { at = scrollY; ${update} } requestAnimationFrame(frame) })();`,
  ],
])
  test(`full_page: a warning says that scripts move large fixed layers as the page is scrolled, by ${how}`, async () => {
    const { warnings } = await captures.capture(page(`${layers}<script>${script}</script>`), full);
    assert.match(warnings ?? "", /scripts move fixed layers as the page scrolls/);
  });

test("full_page: layers that stay where they are, small ones and content in the page's flow cause no such warning", async () => {
  const still = '<div style="position: fixed; inset: 0; z-index: -1; background: #def"></div>';
  const header = '<header class="moved" style="position: fixed; top: 0; width: 100%; height: 20px; background: #fff">Title</header>';
  const inFlow = '<div class="moved" style="height: 300px; background: #fed">Content</div>';
  const script =
    '<script>addEventListener("scroll", () => { for (const one of document.querySelectorAll(".moved")) one.style.translate = scrollY / 100 + "px" })</script>';
  const { warnings } = await captures.capture(page(`${still}${header}${inFlow}${script}`), full);
  assert.doesNotMatch(warnings ?? "", /fixed layers/);
});

const shells =
  "<!doctype html><style>html, body { margin: 0; overflow: hidden; height: 100% } section { position: absolute; inset: 0 }</style>";
const onWheel = (script: string) => `<script>document.addEventListener("wheel", (event) => { ${script} })</script>`;
const warningsOf = async (body: string) => String((await captures.capture(`${shells}${body}`, full)).warnings);
const covering = (count: number) =>
  Array.from({ length: count }, (_, index) => `<section style="z-index: ${9 - index}; background: #fff">Part ${index}</section>`).join("");

test("full_page: a warning says that the page shows one of several parts at a time, if the wheel doesn't page through them", async () => {
  assert.match(await warningsOf(covering(3) + onWheel("")), /one of several parts at a time/);
  assert.doesNotMatch(await warningsOf(covering(3) + onWheel("").replace("wheel", "click")), /one of several parts/);
  assert.doesNotMatch(await warningsOf(covering(2) + onWheel("")), /one of several parts/);
});

test("full_page: layers that are seen together are no such parts: their wheel isn't turned", async () => {
  const layers = '<section><p id="zoom">1</p></section><section>Markers</section><section>Labels</section>';
  const { bytes, warnings } = await captures.capture(`${shells}${layers}${onWheel('document.body.style.background = "#f00"')}`, full);
  assert.equal(readPixels(bytes)(100, 50), "#ffffff");
  assert.doesNotMatch(String(warnings), /parts/);
});

test("full_page: a wheel that shows no other part is turned back, and doesn't lead to another page", async () => {
  const turned = onWheel(
    'document.styleSheets[0].insertRule("section { background: " + (event.deltaY > 0 ? "#f00" : "#0f0") + " !important }", document.styleSheets[0].cssRules.length); location.href = "/other"',
  );
  const { bytes, warnings } = await captures.capture(`${shells}${covering(3)}${turned}`, full);
  assert.equal(readPixels(bytes)(100, 50), "#00ff00");
  assert.match(String(warnings), /one of several parts/);
});

/** Parts that lie on each other; the wheel moves the first away, at most once a second, and text appears only in the part that is in view. */
const pile = (count: number, type: string) => `<!doctype html><style>html, body { margin: 0; overflow: hidden; height: 100% }
  section { position: absolute; inset: 0; transition: transform .3s; background: #fff }
  section div { height: 20px; background: #0a0; opacity: 0; transition: opacity .2s } section.active div { opacity: 1 }</style>
  ${Array.from({ length: count }, (_, index) => `<section style="z-index: ${9 - index}"><p style="height: 40px; margin: 0">Part ${index}</p><div></div></section>`).join("")}
  <script>const parts = [...document.querySelectorAll("section")]; let at = 0, moved = -1e4; parts[0].classList.add("active");
  document.addEventListener("${type}", ({ deltaY }) => {
    if (performance.now() - moved < 1000 || deltaY < 0 || at === parts.length - 1) return;
    moved = performance.now(); parts[at].classList.remove("active"); parts[at].style.transform = "translateY(-100%)";
    at += 1; parts[at].classList.add("active");
  })</script>`;

for (const type of ["wheel", "mousewheel"])
  test(`full_page: parts of which ${type} events show one at a time are placed one below another, each as it was in view`, async () => {
    const { bytes, warnings } = await captures.capture(pile(4, type), { ...full, timeout: "30" });
    const at = readPixels(bytes);
    assert.deepEqual(
      [0, 1, 2, 3].map((index) => at(100, index * 100 + 50)),
      Array(4).fill("#00aa00"),
    );
    assert.equal((await describeImage(bytes)).height, 400);
    assert.doesNotMatch(String(warnings), /one of several parts/);
  });

test("full_page: a hidden menu beside the parts is not shown as one of them", async () => {
  const menu = '<section style="visibility: hidden; z-index: 99; background: #f00">Menu</section>';
  const { bytes, warnings } = await captures.capture(
    pile(3, "wheel")
      .replace("<script>", `<script>const sections = "section:not([style*=visibility])";`)
      .replace('querySelectorAll("section")', "querySelectorAll(sections)")
      .replace("<section", `${menu}<section`),
    { ...full, timeout: "30" },
  );
  assert.equal(describeImage(bytes).height, 300);
  assert.doesNotMatch(String(warnings), /parts/);
});

/** A page whose script runs `update` for each `block` on every scroll event; `top` is its section's distance from the top of the window. */
const moved = (update: string, rules = "") => `<!doctype html><style>* { margin: 0 } section { height: 200px } ${rules}
  div { height: 40px; width: 60px; background: #0a0 }</style>${"<section><div></div></section>".repeat(6)}<script>
  const all = [...document.querySelectorAll("div")];
  const update = () => all.forEach((block, index) => { const top = index * 200 - scrollY; ${update} }); update(); addEventListener("scroll", update)</script>`;
const far = /scripts move content as the page scrolls/;

/** Colors of the blocks' places in the image of the whole page, and its warnings. */
async function placesOf(page: string): Promise<[colors: string[], warnings: string]> {
  const { bytes, warnings } = await captures.capture(page, full);
  const at = readPixels(bytes);
  return [Array.from({ length: 6 }, (_, index) => at(30, index * 200 + 35)), String(warnings)];
}

test("full_page: content that scripts move far from where it is seen is put back, without a warning", async () => {
  const [colors, warnings] = await placesOf(moved('block.style.transform = "translateY(" + top / 2 + "px)"'));
  assert.deepEqual(colors, Array(6).fill("#00aa00"));
  assert.doesNotMatch(warnings, far);
});

test("full_page: content that the page's edge always cuts off is put back if it is moved far", async () => {
  const update = 'block.style.width = "auto"; block.style.transform = "translateX(" + (30 + top / 2) + "px)"';
  const [colors, warnings] = await placesOf(moved(update));
  assert.deepEqual(colors.slice(1), Array(5).fill("#00aa00"));
  assert.doesNotMatch(warnings, far);
});

test("full_page: a warning says that scripts move content far in sticky elements, where it isn't put back", async () => {
  const page = moved(
    'block.style.transform = "translateY(" + top / 2 + "px)"',
    "section:nth-child(even) { position: sticky; top: -200px }",
  );
  assert.match((await placesOf(page))[1], far);
});

test("full_page: content that scripts move a little, or lay out anew, causes no such warning", async () => {
  for (const transform of ['"translateY(" + top / 40 + "px)"', '"translateX(" + (scrollY > 0 ? 100 : 90) + "px)"'])
    assert.doesNotMatch((await placesOf(moved(`block.style.transform = ${transform}`)))[1], far);
});
