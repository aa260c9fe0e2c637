/** Parts of the window's size that lie on each other: where full_page places those that the wheel shows, and what it leaves alone. */

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
  captures = await startCaptures(scope, { SCREENSHOT_TIMEOUT: "90000" }); // a busy machine takes longer for each turn
});

const colors = ["#aa0000", "#00aa00", "#0000aa"];

interface Pile {
  /** Styles of the parts, and of the one in view. */
  part?: string;
  on?: string;
  /** Rules, and elements before and around the parts. */
  rules?: string;
  above?: string;
  holder?: string;
  inside?: (index: number) => string;
}

/** Three parts, 200 by 100 pixels, of which the wheel shows one at a time; at the bottom of each is a yellow bar of 10 pixels. */
const pile = ({ part = "visibility: hidden", on = "visibility: visible", rules = "", above = "", holder, inside }: Pile) => {
  const bar = '<i style="position: absolute; bottom: 0; left: 0; right: 0; height: 10px; background: #ff0"></i>';
  const parts = colors.map(
    (color, index) => `<div class="p" style="background: ${color}">Part ${index}${inside?.(index) ?? ""}${bar}</div>`,
  );
  return `<!doctype html><style>html, body { margin: 0; height: 100%; overflow: hidden } .p { position: absolute; inset: 0; ${part} }
    .p.on { ${on} } ${rules}</style>${above}${holder ? `<div style="${holder}">${parts.join("")}</div>` : parts.join("")}<script>
    let at = 0, moved = -1e4; const parts = [...document.querySelectorAll(".p")];
    const show = () => parts.forEach((part, index) => part.classList.toggle("on", index === at)); show();
    addEventListener("wheel", ({ deltaY }) => { if (performance.now() - moved < 600) return; moved = performance.now();
      at = Math.max(0, Math.min(parts.length - 1, at + Math.sign(deltaY))); show() })</script>`;
};

async function imageOf(page: string) {
  const { bytes, warnings } = await captures.capture(page, { full_page: "true", timeout: "60" });
  if (process.env.SHOW) (await import("node:fs")).writeFileSync(`/tmp/STK-img/${Date.now()}.png`, bytes);
  const { width, height } = describeImage(bytes);
  return { at: readPixels(bytes), size: [width, height], warnings: String(warnings) };
}

for (const [what, part, edge] of [
  ["padding", "padding: 20px;", 0],
  ["a border", "border: 8px solid #fff;", 8],
] as const)
  test(`full_page: parts with ${what} keep their size when they are placed one below another`, async () => {
    const { at, size, warnings } = await imageOf(pile({ part: `visibility: hidden; ${part}` }));
    assert.deepEqual(size, [200, 300]);
    for (const [index, color] of colors.entries()) {
      assert.equal(at(150, index * 100 + 50), color);
      assert.equal(at(150, index * 100 + 95 - edge), "#ffff00");
      if (edge > 0) assert.deepEqual([at(195, index * 100 + 50), at(100, index * 100 + 97)], ["#ffffff", "#ffffff"]);
    }
    assert.doesNotMatch(warnings, /parts/);
  });

test("full_page: parts with a margin keep it when they are placed one below another", async () => {
  const { at, size } = await imageOf(pile({ part: "visibility: hidden; margin: 4px;" }));
  assert.deepEqual(size, [200, 300]);
  for (const [index, color] of colors.entries())
    assert.deepEqual(
      [2, 50, 94, 98].map((y) => at(150, index * 100 + y)),
      ["#ffffff", color, "#ffff00", "#ffffff"],
    );
});

for (const [where, above, holder] of [
  ["top bar", '<header style="height: 10px; background: #0ff"></header>', "position: absolute; top: 10px; bottom: 0; left: 0; right: 0"],
  [
    "bar in a column",
    '<style>body { display: flex; flex-direction: column }</style><header style="height: 10px; background: #0ff"></header>',
    "position: relative; flex: 1",
  ],
] as const)
  test(`full_page: parts below a ${where} are placed one below another, and the bar stays above them`, async () => {
    const { at, size, warnings } = await imageOf(pile({ above, holder }));
    assert.deepEqual(size, [200, 280]);
    assert.equal(at(150, 5), "#00ffff");
    for (const [index, color] of colors.entries())
      assert.deepEqual(
        [50, 95].map((y) => at(150, index * 90 + y)),
        [color, "#ffff00"],
      );
    assert.doesNotMatch(warnings, /parts/);
  });

/** Checks that the three parts are placed, and that no warning says that some are missing. */
async function assertPlaced(page: string) {
  const { at, size, warnings } = await imageOf(page);
  assert.deepEqual(size, [200, 300], warnings);
  for (const [index, color] of colors.entries())
    assert.deepEqual(
      [50, 95].map((y) => at(150, index * 100 + y)),
      [color, "#ffff00"],
    );
  assert.doesNotMatch(warnings, /parts/);
  return at;
}

for (const [where, beside] of [
  ["below the window", { part: "transform: translateY(100%); transition: transform 0.3s;", on: "transform: none" }],
  ["beside the window", { part: "transform: translateX(-100%);", on: "transform: none" }],
  [
    "in a row that moves",
    {
      part: "position: relative; inset: auto; flex: 0 0 200px;",
      holder: "display: flex; width: 600px; height: 100%; transition: transform 0.3s",
      rules: `div:has(> .on:nth-child(2)) { transform: translateX(-200px) } div:has(> .on:nth-child(3)) { transform: translateX(-400px) }`,
    },
  ],
] as const)
  test(`full_page: parts ${where} are placed one below another as well`, async () => {
    await assertPlaced(pile(beside));
  });

test("full_page: a warning says that parts beside the window are missing if the wheel doesn't show them", async () => {
  const page = pile({ part: "transform: translateX(100%);", on: "transform: none" });
  const { at, size, warnings } = await imageOf(page.replace("at + Math.sign(deltaY)", "0"));
  assert.deepEqual([at(150, 50), size], ["#aa0000", [200, 100]]);
  assert.match(warnings, /one of several parts/);
});

test("full_page: a menu and a basket beside the window are no parts", async () => {
  const panels = [100, -100].map((share) => `<nav style="position: fixed; inset: 0; translate: ${share}%">Menu</nav>`).join("");
  const { size, warnings } = await imageOf(
    `<!doctype html><style>body { margin: 0 }</style><main style="height: 100px; background: #0a0">Main</main>${panels}
      <script>addEventListener("wheel", () => {})</script>`,
  );
  assert.deepEqual(size, [200, 100]);
  assert.doesNotMatch(warnings, /parts/);
});

test("full_page: parts that fade into each other are placed, with the text that fades in", async () => {
  const rules =
    ".p s { position: absolute; inset: 20px 100px 20px 20px; background: #0ff; opacity: 0; transition: opacity .3s .2s } .on s { opacity: 1 }";
  const at = await assertPlaced(pile({ part: "opacity: 0; transition: opacity .3s", on: "opacity: 1", rules, inside: () => "<s></s>" }));
  for (const index of colors.keys()) assert.equal(at(50, index * 100 + 50), "#00ffff");
});

test("full_page: a background layer beside the parts is none of them", async () => {
  const above = '<div style="position: absolute; inset: 0; background: #222">Background</div>';
  await assertPlaced(pile({ above }));
  await assertPlaced(pile({ above, part: "opacity: 0", on: "opacity: 1" }));
});

test("full_page: a warning still says that parts are missing that the wheel didn't show, and they cover none", async () => {
  const page = pile({ part: "visibility: visible", on: "z-index: 9" }).replace("parts.length - 1", "1");
  const { at, warnings } = await imageOf(page);
  assert.match(warnings, /parts that the wheel didn't show are missing/);
  assert.deepEqual([at(150, 50), at(150, 150)], colors.slice(0, 2));
});

/** Content that scrolls in the part at position `at`, in the middle of the window; too small to be expanded, with a cyan bar at its beginning. */
const scrolling = (at: number) => (index: number) => {
  const content = '<div style="height: 20px; background: #0ff"></div><div style="height: 900px"></div>';
  return index === at ? `<div style="position: absolute; inset: 30px 80px 25px 20px; overflow: auto">${content}</div>` : "";
};

for (const at of [0, 1])
  test(`full_page: content that scrolls in the ${at === 0 ? "first" : "second"} part is shown from its beginning`, async () => {
    const image = await assertPlaced(pile({ inside: scrolling(at) }));
    assert.equal(image(50, at * 100 + 40), "#00ffff");
  });

test("full_page: a part in which a script pages on only from the end of its content is placed from its beginning", async () => {
  const page = pile({ inside: scrolling(0) }).replace("moved < 600", "moved < 600 || (at === 0 && !isAtEnd())");
  const script =
    "<script>const isAtEnd = () => { const { scrollTop, scrollHeight, clientHeight } = document.querySelector('.p div'); return scrollTop + clientHeight > scrollHeight - 2 }</script>";
  const image = await assertPlaced(`${page}${script}`);
  assert.equal(image(50, 40), "#00ffff");
});

test("full_page: a wheel that only scrolls the content of a part doesn't page: nothing is placed, moved or warned of", async () => {
  const { at, size, warnings } = await imageOf(pile({ inside: scrolling(0) }).replace("moved < 600", "true"));
  assert.deepEqual(size, [200, 100]);
  assert.deepEqual([at(50, 40), at(150, 50)], ["#00ffff", colors[0]]);
  assert.doesNotMatch(warnings, /parts/);
});

test("full_page: what scripts change as a wheel turns that pages through nothing is put back", async () => {
  const script = `<script>let turns = 0; addEventListener("wheel", () => { turns += 1; const [first] = document.querySelectorAll(".p");
    first.style.background = "#000"; first.title = turns; first.innerHTML = "Turned " + turns; document.body.append("x");
    requestAnimationFrame(() => first.className = "") })</script>`;
  const page = pile({
    inside: () => '<b style="position: absolute; top: 40px; left: 0; width: 50px; height: 20px; background: #0ff"></b>',
  });
  const { at, size, warnings } = await imageOf(page.replace("moved < 600", "true") + script);
  assert.deepEqual(size, [200, 100]);
  assert.deepEqual([at(20, 50), at(150, 50), at(150, 95)], ["#00ffff", colors[0], "#ffff00"]);
  assert.match(warnings, /one of several parts at a time, and the screenshot only the one that was in view/);
});

test("full_page: a warning says that a turn of the wheel made too many changes to put them back", async () => {
  const script = '<script>addEventListener("wheel", () => { for (let i = 0; i < 11000; i += 1) document.body.title = i })</script>';
  const { warnings } = await imageOf(pile({}).replace("moved < 600", "true") + script);
  assert.match(warnings, /scripts changed the page as a turn of the wheel was tried/);
});
