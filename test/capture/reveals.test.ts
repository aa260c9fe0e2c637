/** Content that a page reveals on scrolling is in the image, however the page detects scrolling. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { before } from "node:test";
import { testsAtOnce } from "../support/at-once.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage, readPixels } from "../support/image.ts";
import { longOnly } from "../support/long-only.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";
import { fileScope } from "../support/scope.ts";

const test = testsAtOnce(2);
const longTest = longOnly(test);
const scope = fileScope();
let captures: Captures;

before(async () => {
  captures = await startCaptures(scope);
});

test("full_page: a page whose transitions stand still, or whose effect never ends, is captured", async () => {
  const page = `<!doctype html><style>p { height: 900px; opacity: 0; transition: opacity 3s } p.on { opacity: 1 }</style><p>One<p>Two<p>Three
    <script>const all = [...document.querySelectorAll("p")];
    const turn = () => { for (const p of all) { p.classList.toggle("on"); p.getBoundingClientRect() }
      document.getAnimations().forEach((animation, at) => {
        if (at % 2) animation.playbackRate = 0; else animation.effect.updateTiming({ iterations: Infinity }) }) };
    turn(); addEventListener("scroll", turn)</script>`;
  const { status, json } = await captures.capture(page, { width: "300", height: "300", full_page: "true" });
  assert.equal(status, 200, JSON.stringify(json));
});

const style = `<!doctype html><style>* { margin: 0 } .block { height: 60px; background: #0a0; opacity: 0 } .in { opacity: 1 } .gap { height: 90px }</style>`;
const blocks = Array.from({ length: 12 }, () => '<div class="gap"></div><div class="block"></div>').join("");
const each = (script: string) => `<script>const blocks = [...document.querySelectorAll(".block")]; ${script}</script>`;

/** How many of the page's twelve blocks have their color in the image. */
async function revealed(page: string, parameters: Record<string, string> = {}): Promise<number> {
  const { bytes, json, warnings } = await captures.capture(page, { full_page: "true", wait_until_timeout: "20", ...parameters });
  assert.equal(warnings, null, JSON.stringify(json));
  const pixel = readPixels(bytes);
  return Array.from({ length: 12 }, (_, index) => pixel(100, index * 150 + 120)).filter((colour) => colour === "#00aa00").length;
}

longTest("a page with 60,000 listeners: whether one reacts to scrolling is found out without reading a list of them", async () => {
  const page = `${style}${blocks}<script>
    for (let type = 0; type < 120; type += 1) for (let at = 0; at < 500; at += 1) addEventListener("t" + type, () => {});
  </script>${each(`addEventListener("scroll", () => blocks.forEach((block) => block.classList.add("in")))`)}`;
  const { result, ms } = await longestTurnAtBest(() => revealed(page), 60);
  assert.equal(result, 12);
  assert.ok(ms < 60, `a turn of the event loop took ${ms} ms`);
});

const isInWindow = "(block) => { const { top, bottom } = block.getBoundingClientRect(); return top < innerHeight && bottom > 0 }";

const pages: Record<string, string> = {
  "a throttled scroll handler that compares offsets, and also hides blocks": each(`
    const offsets = blocks.map((block) => block.offsetTop); let at = 0;
    const handle = () => blocks.forEach((block, index) => block.classList.toggle("in", scrollY + innerHeight > offsets[index] + 30));
    addEventListener("scroll", () => { if (Date.now() - at < 99) return; at = Date.now(); setTimeout(handle, 99) }); handle();`),
  "a timer that checks every 50 ms after a scroll event": each(`
    let scrolled = true; addEventListener("scroll", () => { scrolled = true });
    
    setInterval(() => { if (!scrolled) return; scrolled = false;
      blocks.forEach((block) => { if (block.offsetTop <= scrollY + innerHeight && block.offsetTop + 60 >= scrollY) block.classList.add("in") }) }, 50);`),
  "a scroll handler that hides blocks that have left the window": each(`
    const isIn = ${isInWindow}; document.addEventListener("scroll", () => blocks.forEach((block) => block.classList.toggle("in", isIn(block))));`),
  "an observer that fades each block in and out by script": each(`
    const play = (block, to) => { const step = () => { const now = Number(getComputedStyle(block).opacity);
      if (block.to !== to || now === to) return; block.style.opacity = Math.min(1, Math.max(0, now + (to ? 0.05 : -0.05))); requestAnimationFrame(step) }; block.to = to; requestAnimationFrame(step) };
    const observer = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => play(target, isIntersecting ? 1 : 0)));
    blocks.forEach((block) => observer.observe(block));`),
  "a scroll position that is compared in every frame, with fading in both directions": each(`
    addEventListener("scroll", () => {}); const loop = () => { blocks.forEach((block) => { const goal = scrollY + innerHeight * 0.8 > block.offsetTop ? 1 : 0;
      const now = Number(block.style.opacity || 0); block.style.opacity = now + Math.sign(goal - now) * Math.min(0.04, Math.abs(goal - now)) }); requestAnimationFrame(loop) }; loop();`),
  "a handler throttled to 300 ms that shrinks blocks out of view": `<style>.block { opacity: 1; scale: 0.3; transition: scale 0.4s } .in { scale: 1 }</style>
    ${each(`const isIn = ${isInWindow}; let timer; const handle = () => { timer = undefined;
    blocks.forEach((block) => block.classList.toggle("in", isIn(block))) }; const later = () => { timer ??= setTimeout(handle, 300) };
    addEventListener("load", later); addEventListener("scroll", later);`)}`,
  "an animation with a view() timeline": `<style>@keyframes appear { from { opacity: 0 } to { opacity: 1 } }
    .block { opacity: 1; animation: appear linear both; animation-timeline: view(); animation-range: entry 0% cover 35% }</style>`,
};

for (const [index, [name, script]] of Object.entries(pages).entries()) {
  (index === 0 ? test : longTest)(`full_page: ${name}: everything is visible once revealed`, async () => {
    assert.equal(await revealed(`${style}${blocks}${script}`), 12);
  });
}

/** Blocks that are shown while they are in view, and then hidden again by something other than their own opacity and visibility. */
const inView = (
  show: string,
) => `<script>const seen = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
  const block = target.firstElementChild; ${show} })); document.querySelectorAll("p").forEach((each) => seen.observe(each))</script>`;
const toggled = inView('block.classList.toggle("on", isIntersecting)');
const onScroll = `<script>const isIn = ${isInWindow}; const at = () => document.querySelectorAll("b").forEach((block) => block.classList.toggle("on", isIn(block.parentElement)));
  addEventListener("scroll", at); at()</script>`;
const page = (css: string, script = toggled, block = "<b></b>") =>
  `<!doctype html><style>* { margin: 0 } p { height: 60px; padding-top: 90px } b { display: block; height: 60px; background: #0a0; transition: all 300ms }
   body { overflow-x: hidden } ${css}</style>${Array.from({ length: 12 }, () => `<p>${block}</p>`).join("")}${script}`;
const shadow = (css: string) => `<script>customElements.define("x-block", class extends HTMLElement { connectedCallback() {
  const root = this.attachShadow({ mode: "open" });
  root.innerHTML = "<style>b { display: block; height: 60px; background: #0a0; transition: all 300ms } ${css}</style><b></b>";
  new IntersectionObserver(([entry]) => root.querySelector("b").classList.toggle("on", entry.isIntersecting)).observe(this.parentElement) } })</script>`;
const takenBack: Record<string, string> = {
  "scaled to zero": page("b:not(.on) { transform: scale(0) }"),
  "moved out of the window": page("b:not(.on) { transform: translateX(-110vw) }"),
  "turned away": page("b:not(.on) { transform: perspective(500px) rotateY(-100deg); backface-visibility: hidden }"),
  "nearly transparent": page("b { opacity: 0.05 } .on { opacity: 1 }"),
  "cut off": page("b:not(.on) { clip-path: inset(0 100% 0 0) }"),
  "in a transparent part of the page": page("p { opacity: 0.2 } p:has(.on) { opacity: 1 }"),
  "by another element's attribute, differently on the way in and out": page(
    "b { opacity: 0.1; translate: 0 50px } [data-scroll=in] b { opacity: 1; translate: none } [data-scroll=out] b { translate: -50px 0 }",
    inView('target.dataset.scroll = isIntersecting ? "in" : "out"'),
  ),
  "by an animation that ends": page(
    "b { animation: leave 200ms both } .on { animation: enter 200ms both } @keyframes enter { from { scale: 0 } } @keyframes leave { to { scale: 0 } }",
  ),
  "in shadow roots": page("", shadow("b:not(.on) { opacity: 0; transform: translateY(50px) }"), "<x-block></x-block>"),
  "scaled to zero in shadow roots": page("", shadow("b:not(.on) { scale: 0 }"), "<x-block></x-block>"),
  "after 20,000 other elements": page(
    "b:not(.on) { opacity: 0 } i { display: none }",
    `${toggled}<script>document.body.insertAdjacentHTML("afterbegin", "<i></i>".repeat(20_500))</script>`,
  ),
  "scaled down, from a size that is itself smaller than its own": page(
    "b { width: 110px; transform: scale(0.3) } .on { transform: scale(0.9) }",
  ),
  "made narrow and transparent": page("b:not(.on) { opacity: 0; width: 1px }", onScroll),
  "made narrow": page("b:not(.on) { width: 1px }", onScroll),
  "moved a little, from a place that is itself displaced": page(
    "b { width: 60px; transform: translate(10px, 5%) } .on { transform: translate(70px, -10%) }",
    onScroll,
  ),
  "by a script, frame by frame": page(
    "b { transition: none }",
    inView(`block.goal = isIntersecting ? 1 : 0.2; const step = () => { const now = Number(block.style.opacity || 0.2);
      if (now === block.goal) return; const next = now + Math.sign(block.goal - now) * Math.min(0.1, Math.abs(block.goal - now));
      block.style.opacity = next; block.style.transform = "translateX(" + (1 - next) * 300 + "px)"; requestAnimationFrame(step) }; step()`),
  ),
};
for (const [index, [how, markup]] of Object.entries(takenBack).entries())
  (index % 4 === 0 ? test : longTest)(
    `full_page: content shown in view and hidden again afterwards is captured as it was in view: ${how}`,
    async () => {
      assert.equal(await revealed(markup), 12);
    },
  );

longTest("full_page: slides, tabs, menus and accordions that scripts change during scrolling look as they do at the top", async () => {
  const css = `* { margin: 0 } div { position: relative; height: 60px; margin-bottom: 60px; overflow: hidden } div > * { position: absolute; inset: 0; transition: all 200ms }
    .fade > * { opacity: 0 } .slide > * { transform: translateX(100%) } .shrink > * { scale: 0 } div > .on { opacity: 1; transform: none; scale: 1 }
    nav { height: 20px } nav a { float: left; width: 40px; height: 20px; background: #00f; opacity: 0.4; transition: all 200ms } nav .on { opacity: 1 }
    aside { position: relative; height: 20px; margin-bottom: 100px } menu { position: absolute; top: 20px; height: 40px; width: 60px; background: #f00; transition: all 200ms }
    menu:not(.open) { opacity: 0; translate: 0 -10px } details, summary { display: block } article { height: 0; overflow: hidden; background: #f00; opacity: 0; transition: all 200ms }
    article.open { height: 40px; opacity: 1 }`;
  const slides = ["#0a0", "#f00", "#f0f"]
    .map((colour, index) => `<b class="${index ? "" : "on"}" style="background: ${colour}"></b>`)
    .join("");
  const script = `const at = () => { const step = Math.floor(scrollY / 150) % 3; document.querySelectorAll("div, nav").forEach((group) => [...group.children].forEach((one, index) => one.classList.toggle("on", index === step)));
    document.querySelectorAll("menu, article").forEach((one) => one.classList.toggle("open", scrollY > 100)) }; addEventListener("scroll", at); at()`;
  const markup = `<!doctype html><style>${css}</style><p style="height: 150px"></p><div class="fade">${slides}</div><div class="slide">${slides}</div><div class="shrink">${slides}</div>
    <nav><a class="on"></a><a></a><a></a></nav><aside><menu></menu></aside><article></article><footer style="height: 300px"></footer><script>${script}</script>`;
  const { bytes } = await captures.capture(markup, { full_page: "true" });
  const pixel = readPixels(bytes);
  assert.deepEqual(
    [180, 300, 420].map((y) => pixel(100, y)),
    ["#00aa00", "#00aa00", "#00aa00"],
  );
  assert.deepEqual(
    [20, 60, 100].map((x) => pixel(x, 520)),
    ["#0000ff", "#9999ff", "#9999ff"],
  );
  assert.deepEqual(
    [570, 650].map((y) => pixel(30, y)),
    ["#ffffff", "#ffffff"],
  );
});

longTest(
  "full_page: a wide part of a gallery and a slide in front, which scrolling changes in turn, look as they do at the top",
  async () => {
    const css = `* { margin: 0 } p { height: 300px } div { display: flex; height: 60px; margin-bottom: 60px } b { width: 30px; transition: all 200ms } .wide .on { width: 140px }
    .cards { position: relative } .cards b { position: absolute; width: 60px; height: 60px; transform: translateX(10px) scale(0.9) } .cards .on { transform: translateX(70px) scale(0.9) }
    .cards .after { transform: translateX(130px) scale(0.5) }`;
    const colors = ["#0a0", "#f00", "#00f"].map((color) => `<b style="background: ${color}"></b>`).join("");
    const script = `const at = () => { const step = Math.floor(scrollY / 90) % 3; document.querySelectorAll("div").forEach((group) => [...group.children].forEach((one, index) => {
    one.classList.toggle("on", index === step); one.classList.toggle("after", index === (step + 1) % 3) })) }; addEventListener("scroll", at); at()`;
    const markup = `<!doctype html><style>${css}</style><p></p><div class="wide">${colors}</div><div class="cards">${colors}</div><p></p><p></p><script>${script}</script>`;
    const { bytes } = await captures.capture(markup, { full_page: "true" });
    const pixel = readPixels(bytes);
    assert.deepEqual(
      [20, 120, 150, 180].map((x) => pixel(x, 330)),
      ["#00aa00", "#00aa00", "#ff0000", "#0000ff"],
    );
    assert.deepEqual(
      [40, 100, 160, 140].map((x) => pixel(x, 450)),
      ["#0000ff", "#00aa00", "#ff0000", "#ffffff"],
    );
  },
);

longTest("full_page: content that is moved once, some time after it has come into view, stays there", async () => {
  const script = `const isIn = ${isInWindow}; const show = (each) => setTimeout(() => each.firstElementChild.classList.add("on"), 400);
    addEventListener("scroll", () => { for (const each of document.querySelectorAll("p")) if (isIn(each)) show(each) }); show(document.querySelector("p"))`;
  const css = "b { width: 60px; transform: translate(10px, 5%) } .on { transform: translate(70px, -10%) }";
  assert.equal(await revealed(page(css, `<script>${script}</script>`)), 12);
});

test("selector: an element that scrolling reveals is captured", async () => {
  const page = `${style}${blocks}<p id="last" class="block"></p>${each(
    `let at = 0; const handle = () => blocks.forEach((block) => block.classList.toggle("in", scrollY + innerHeight > block.offsetTop + 30));
     addEventListener("scroll", () => { clearTimeout(at); at = setTimeout(handle, 99) })`,
  )}`;
  const { status, bytes } = await captures.capture(page, { selector: "#last" });
  assert.equal(status, 200);
  assert.deepEqual([describeImage(bytes).height, readPixels(bytes)(10, 30)], [60, "#00aa00"]);
});

longTest("full_page: a button that appears on the first scroll and stays is not in the image", async () => {
  const page = `${style}${blocks}<i id="up" style="position: fixed; left: 90px; top: 20px; width: 20px; height: 20px; background: #00f; display: none"></i>${each(
    `addEventListener("scroll", () => { up.style.display = "block" })`,
  )}`;
  const { bytes } = await captures.capture(page, { full_page: "true" });
  assert.equal(readPixels(bytes)(100, 30), "#ffffff");
});

longTest("full_page: fixed elements that appear only after scrolling are not in the image", async () => {
  const page = `${style}${blocks}<i id="up" style="position: fixed; left: 90px; top: 20px; width: 20px; height: 20px; background: #00f; opacity: 0"></i>${each(
    `let timer; addEventListener("scroll", () => { clearTimeout(timer); timer = setTimeout(() => { blocks.forEach((block) => block.classList.add("in")); up.style.opacity = scrollY > 100 ? 1 : 0 }, 80) })`,
  )}`;
  const { bytes } = await captures.capture(page, { full_page: "true" });
  assert.deepEqual([readPixels(bytes)(100, 30), readPixels(bytes)(100, 120)], ["#ffffff", "#00aa00"]);
});

test("full_page: a fixed button that sticks out of a fixed menu outside of the window is in the image", async () => {
  const menu = `<nav style="position: fixed; left: -60px; top: 0; width: 60px; height: 40px"><b style="position: absolute; left: 150px; top: 10px; width: 20px;
    height: 20px; background: #00f"></b></nav>`;
  const page = `${style}${blocks}${menu}${each(`addEventListener("scroll", () => blocks.forEach((block) => block.classList.add("in")))`)}`;
  const { bytes } = await captures.capture(page, { full_page: "true" });
  assert.equal(readPixels(bytes)(100, 20), "#0000ff");
});

test("full_page: of a fixed sheet below the window, only the tab that sticks out is in the image", async () => {
  const sheet = `<aside style="position: fixed; left: 80px; top: 100%; width: 60px; height: 300px; background: #f00"><b style="position: absolute; left: 0;
    top: -20px; width: 60px; height: 20px; background: #00f"></b></aside>`;
  const page = `${style}<div style="height: 900px"></div>${sheet}<script>addEventListener("scroll", () => {})</script>`;
  const { bytes } = await captures.capture(page, { full_page: "true", height: "200" });
  const column = Array.from({ length: 90 }, (_, index) => readPixels(bytes)(100, index * 10 + 5));
  assert.deepEqual([column.filter((colour) => colour === "#0000ff").length, column.includes("#ff0000")], [2, false]);
});

test("full_page: a fixed page that scripts move, or that is longer than the window, is in the image as a whole", async () => {
  const bars = Array.from(
    { length: 18 },
    (_, index) => `<i style="display: block; height: 50px; background: ${index % 2 ? "#00f" : "#f00"}"></i>`,
  );
  const held = `<div style="position: fixed; left: 0; top: 0; width: 100%"><div id="inner">${bars.join("")}</div></div><div style="height: 900px"></div>`;
  const page = `${style}${held}<script>addEventListener("scroll", () => { inner.style.transform = \`translateY(\${-scrollY}px)\` })</script>`;
  const { bytes } = await captures.capture(page, { full_page: "true", height: "200" });
  const rows = bars.map((_, index) => readPixels(bytes)(100, index * 50 + 25));
  assert.deepEqual(
    rows,
    bars.map((_, index) => (index % 2 ? "#0000ff" : "#ff0000")),
  );
});

longTest("full_page: 100,000 attributes of an image don't end in a timeout", async () => {
  const attributes = Array.from({ length: 100_000 }, (_, index) => `data-a${index}=x`).join(" ");
  const { bytes } = await captures.capture(`${style}<img data-src="a.png" ${attributes}><div style="height: 900px"></div>`, {
    full_page: "true",
    timeout: "15",
  });
  assert.equal(describeImage(bytes).height >= 900, true);
});

longTest("full_page: a slide that fades out for the next one isn't kept visible", async () => {
  const slides = `<div style="position: relative; height: 100px"><b style="position: absolute; inset: 0; background: #f00"></b><b style="position: absolute; inset: 0; background: #00f; opacity: 0"></b></div>`;
  const { bytes } = await captures.capture(
    `${style}${slides}<div style="height: 900px"></div><script>const [one, two] = document.querySelectorAll("b");
     addEventListener("scroll", () => { two.style.opacity = scrollY > 0 ? 1 : 0; one.style.opacity = scrollY > 0 ? 0 : 1 })</script>`,
    { full_page: "true" },
  );
  assert.equal(readPixels(bytes)(100, 50), "#ff0000");
});

/** Twelve lazy images of one color; the captured number of loaded ones is counted. */
const lazyStyle = "<!doctype html><style>* { margin: 0 } img { display: block; width: 200px; height: 60px; margin-top: 90px }</style>";
const lazyImages = Array.from({ length: 12 }, (_, index) => `<img data-src="/green.svg?${index}">`).join("");
const answerGreen = (response: ServerResponse) =>
  void response
    .writeHead(200, { "content-type": "image/svg+xml" })
    .end('<svg xmlns="http://www.w3.org/2000/svg" width="200" height="60"><rect width="200" height="60" fill="#0a0"/></svg>');
const lazyPages: Record<string, string> = {
  "throttled to once every 250 ms": `let timer; addEventListener("scroll", () => { timer ??= setTimeout(() => { timer = undefined; load() }, 250) })`,
  "debounced by 250 ms": `let timer; addEventListener("scroll", () => { clearTimeout(timer); timer = setTimeout(load, 250) })`,
  "in an inner scroller, throttled": `let at = 0; document.querySelector("main").addEventListener("scroll", () => { if (Date.now() - at < 99) return; at = Date.now(); setTimeout(load, 99) })`,
};
for (const [name, script] of Object.entries(lazyPages)) {
  longTest(`full_page: images that are loaded by a scroll handler are loaded, ${name}`, async () => {
    captures.site.serve({
      "/green.svg": (_, response) => answerGreen(response),
    });
    const inner = name.includes("inner") ? "<style>main { height: 100vh; overflow: auto }</style>" : "";
    const load = `const load = () => document.querySelectorAll("img:not([src])").forEach((image) => { if ((${isInWindow})(image)) image.src = image.dataset.src });`;
    assert.equal(await revealed(`${lazyStyle}${inner}<main>${lazyImages}</main><script>${load}${script}</script>`), 12);
  });
}

longTest("full_page: images whose loading the page cancels out of view are loaded", async () => {
  captures.site.serve({ "/green.svg": (_, response) => void setTimeout(() => answerGreen(response), 150) });
  const script = `const observer = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
      if (isIntersecting) target.src = target.dataset.src; else target.removeAttribute("src") }));
    document.querySelectorAll("img").forEach((image) => { observer.observe(image); image.onload = () => observer.unobserve(image) })`;
  assert.equal(await revealed(`${lazyStyle}${lazyImages}<script>${script}</script>`), 12);
});

longTest("full_page: a feed whose throttled scroll handler sees only the last of several events is complete", async () => {
  const block = '<div style="height: 90px"></div><div style="height: 60px; background: #0a0"></div>';
  captures.site.serve({ "/more": block.repeat(3) });
  const page = `<!doctype html><style>* { margin: 0 }</style><main>${block.repeat(3)}</main><script>
    const feed = document.querySelector("main"); let pages = 1, isLoading = false, last, timer;
    const load = async () => { if (pages === 4 || isLoading || scrollY + innerHeight < feed.clientHeight - 50) return;
      isLoading = true; feed.insertAdjacentHTML("beforeend", await (await fetch("/more")).text()); pages += 1; isLoading = false };
    addEventListener("scroll", () => { const now = Date.now(); const run = () => { last = now; load() };
      if (last && now < last + 200) { clearTimeout(timer); timer = setTimeout(run, 200) } else run() })</script>`;
  assert.equal(await revealed(page), 12);
});

longTest("full_page: a feed that a timer of a second continues, above a line that says so, is complete", async () => {
  const block = '<div style="height: 90px"></div><div style="height: 60px; background: #0a0"></div>';
  const page = `<!doctype html><style>* { margin: 0 }</style><main>${block.repeat(6)}</main><p id=loader style="width: 90px">LOADING...</p><script>
    const line = document.querySelector("p"); let left = 2, timer;
    const look = () => { if (timer || line.getBoundingClientRect().top > innerHeight) return;
      timer = setTimeout(() => { timer = undefined; document.querySelector("main").insertAdjacentHTML("beforeend", ${JSON.stringify(block)}.repeat(3));
        left -= 1; if (left === 0) line.remove(); else look() }, 1000) };
    addEventListener("scroll", () => requestAnimationFrame(() => { if (left > 0) look() }))</script>`;
  assert.equal(await revealed(page), 12);
});

longTest("full_page: content revealed by a debounced scroll handler is visible", async () => {
  const script = `let timer; addEventListener("scroll", () => { clearTimeout(timer);
    timer = setTimeout(() => blocks.forEach((block) => { if ((${isInWindow})(block)) block.classList.add("in") }), 250) })`;
  assert.equal(await revealed(`${style}${blocks}${each(script)}`), 12);
});

longTest("full_page: content that repeatedly hides and reappears out of view is visible", async () => {
  const script = `const isIn = ${isInWindow}; let turn = 0;
    const show = () => blocks.forEach((block, index) => block.classList.toggle("in", isIn(block) || (scrollY === 0 && index < 8 && (turn + index) % 2)));
    addEventListener("scroll", show); setInterval(() => { turn += 1; show() }, 40)`;
  assert.equal(await revealed(`${style}${blocks}${each(script)}`), 12);
});

longTest("full_page: content in the first viewport that is half transparent until scrolled to is opaque and in its place", async () => {
  const script = `const move = () => blocks.forEach((block) => { const { top } = block.getBoundingClientRect();
      const done = Math.min(1, Math.max(0, (innerHeight - top) / (innerHeight * 0.4))); block.style.opacity = done; block.style.transform = "translateX(" + (1 - done) * 150 + "px)" });
    addEventListener("scroll", move); move()`;
  assert.equal(await revealed(`${style}${blocks}<div style="height: 400px"></div>${each(script)}`, { height: "440" }), 12);
});

longTest("full_page: content added after the page was scrolled through is revealed", async () => {
  const script = `const isIn = ${isInWindow}; let count = 2, returns = 0, last = 0;
    const add = () => { document.body.insertAdjacentHTML("beforeend", '<div class="gap"></div><div class="block"></div>');
      counter.textContent = count += 1; if (count < 12) setTimeout(add, 20) };
    addEventListener("scroll", () => { document.querySelectorAll(".block").forEach((block) => { if (isIn(block)) block.classList.add("in") });
      if (scrollY === 0 && last > 0 && (returns += 1) === 2) add(); last = scrollY })`;
  const first =
    '<div class="gap"><b id="counter">2</b></div><div class="block in"></div><div class="gap"></div><div class="block in"></div>';
  assert.equal(await revealed(`${style}${first}<script>${script}</script>`), 12);
});

longTest("full_page: content revealed step by step, and hidden again out of view, is visible", async () => {
  const script = `const isIn = ${isInWindow}; let timer;
    const next = () => { timer = undefined; const one = blocks.find((block) => isIn(block) && !block.classList.contains("in"));
      if (one) { one.classList.add("in"); timer = setTimeout(next, 90) } };
    addEventListener("scroll", () => { blocks.forEach((block) => { if (!isIn(block)) block.classList.remove("in") }); timer ??= setTimeout(next, 90) })`;
  assert.equal(await revealed(`${style}${blocks}${each(script)}`, { height: "600" }), 12);
});

longTest("full_page: content revealed by polling, without any listener, is visible", async () => {
  const script = `setInterval(() => blocks.forEach((block) => { if ((${isInWindow})(block)) setTimeout(() => { if ((${isInWindow})(block)) block.classList.add("in") }, 60) }), 150)`;
  assert.equal(await revealed(`${style}${blocks}${each(script)}`), 12);
});

longTest("full_page: a dialog inserted on scroll doesn't cover the image", async () => {
  const script = `addEventListener("scroll", () => { if (scrollY < 300 || document.querySelector("#dialog")) return;
    document.body.insertAdjacentHTML("beforeend", '<div id="dialog" style="position:fixed;inset:0;background:#f00"></div>') })`;
  const { bytes } = await captures.capture(`${style}${blocks}${each(script)}`, { full_page: "true" });
  assert.equal(readPixels(bytes)(100, 50), "#ffffff");
});

longTest("full_page: thousands of elements that hide again out of view are all visible", async () => {
  const words = Array.from(
    { length: 12 },
    () => `<div class="gap"></div><div class="block line">${"<span>w</span> ".repeat(250)}</div>`,
  ).join("");
  const script = `const isIn = ${isInWindow}; addEventListener("scroll", () => document.querySelectorAll("span").forEach((span) => span.classList.toggle("in", isIn(span))));`;
  const more =
    "<style>.line { opacity: 1; overflow: hidden; background: none } span { opacity: 0; display: inline-block; width: 20px; height: 20px; background: #0a0; color: transparent; transition: opacity 100ms }</style>";
  const page = `${style}${more}${words}${each(script)}`;
  const { bytes } = await captures.capture(page, { full_page: "true" });
  const pixel = readPixels(bytes);
  const shown = Array.from({ length: 12 }, (_, index) => pixel(5, index * 150 + 95)).filter((colour) => colour === "#00aa00").length;
  assert.equal(shown, 12);
});

longTest("selector: an element left of the first viewport is captured on a page with vertical writing", async () => {
  const page = `<!doctype html><html style="writing-mode: vertical-rl"><style>* { margin: 0 } p { width: 900px; height: 100px } b { display: block; width: 60px; height: 40px; background: #0a0 }</style><p></p><b></b>`;
  const { bytes, status } = await captures.capture(page, { selector: "b" });
  assert.equal(status, 200);
  assert.deepEqual([describeImage(bytes).width, readPixels(bytes)(2, 2), readPixels(bytes)(57, 37)], [60, "#00aa00", "#00aa00"]);
});

longTest("full_page: a fixed image seen through a clipped part of the page is drawn there", async () => {
  const window = (top: number) =>
    `<div style="position: absolute; top: ${top}px; width: 200px; height: 80px; clip-path: inset(0)"><b style="position: fixed; top: 0; left: 0; width: 200px; height: 100px; background: #0a0; transform: translateY(${top / 4}px)"></b></div>`;
  const { bytes } = await captures.capture(`${style}<body style="height: 1000px">${window(10)}${window(400)}${window(800)}`, {
    full_page: "true",
  });
  const pixel = readPixels(bytes);
  assert.deepEqual([pixel(100, 50), pixel(100, 405), pixel(100, 475), pixel(100, 840)], Array(4).fill("#00aa00"));
  assert.deepEqual([pixel(100, 395), pixel(100, 490), pixel(100, 885)], Array(3).fill("#ffffff"));
});

longTest(
  "full_page: a fixed background covers each clipped part of the page, also one taller than the window, if a script moves it",
  async () => {
    const parts = [0, 300]
      .map(
        (
          top,
          at,
        ) => `<div style="position: absolute; top: ${top}px; width: 100%; height: ${[300, 900][at]}px; overflow: hidden; clip: rect(0, auto, auto, 0)">
      <b style="position: fixed; width: 100%; background: linear-gradient(#0a0, #0a0) center / cover no-repeat"></b></div>`,
      )
      .join("");
    const script = `const move = () => { for (const b of document.querySelectorAll("b")) {
      const { top, height } = b.parentElement.getBoundingClientRect(); b.style.top = top / 1.5 + "px"; b.style.height = height + (innerHeight - height) / 3 + "px" } };
    move(); addEventListener("scroll", move)`;
    const page = `${style}<body style="height: 1200px; background: #fff">${parts}<script>${script}</script>`;
    const { bytes } = await captures.capture(page, { width: "200", height: "300", full_page: "true" });
    const pixel = readPixels(bytes);
    const rows = Array.from({ length: 24 }, (_, at) => at * 50 + 20);
    assert.deepEqual(
      rows.flatMap((y) => (pixel(100, y) === "#00aa00" ? [] : [`${y}: ${pixel(100, y)}`])),
      [],
    );
  },
);

for (const [what, listener, lateMs, count] of [
  ["moved by a script on wheel events", "wheel", 0, 12],
  ["moved by a script that starts seconds after loading, and then hides more,", "wheel", 2_600, 12],
  ["locked in place, without a wheel listener", "keydown", 0, 1],
] as const)
  (listener === "wheel" && !lateMs ? test : longTest)(
    `full_page: sections ${what} that are hidden outside the window are ${count > 1 ? "visible" : "left hidden"}`,
    async () => {
      const sections = Array.from({ length: 12 }, () => '<section><p class="gap"></p><p class="block in"></p></section>').join("");
      const script = `let y = 0, all = [...document.querySelectorAll("section")].slice(0, ${lateMs ? 9 : 12});
      const move = () => all.forEach((section, index) => { const isIn = index * 150 < y + innerHeight && index * 150 + 150 > y;
        section.style.transform = isIn ? "translateY(" + -y + "px)" : "none"; section.style.opacity = isIn ? 1 : 0; section.style.visibility = isIn ? "visible" : "hidden" });
      const start = () => { all = [...document.querySelectorAll("section")]; move();
        document.querySelector("main").addEventListener("${listener}", ({ deltaY }) => { y += deltaY; move() }) };
      move(); ${lateMs ? `setTimeout(start, ${lateMs})` : "start()"};`;
      const page = `${style}<style>html, body { overflow: hidden; height: 100% } .block { margin: 0 }</style><main>${sections}</main><script>${script}</script>`;
      assert.equal(await revealed(page), count);
    },
  );

longTest("full_page: a line that a script draws as the page scrolls, and takes back, is complete", async () => {
  const page = `<!doctype html><style>body { margin: 0; height: 2000px }</style><svg width="200" height="1500" style="display: block">
    <path d="M100 0V1500" stroke="#0a0" stroke-width="40" stroke-dasharray="1500" stroke-dashoffset="1500"/></svg><script>
    const path = document.querySelector("path");
    addEventListener("scroll", () => { path.style.strokeDashoffset = 1500 * (1 - scrollY / (document.documentElement.scrollHeight - innerHeight)) })</script>`;
  const { bytes } = await captures.capture(page, { width: "200", height: "400", full_page: "true" });
  const pixel = readPixels(bytes);
  assert.deepEqual(
    [100, 800, 1_450].map((y) => pixel(100, y)),
    ["#00aa00", "#00aa00", "#00aa00"],
  );
});

longTest("full_page: text to which scripts give a size only while it is in view is visible", async () => {
  const words = `<style>.words { opacity: 1; background: none; color: #0a0; font: bold 0/60px sans-serif; overflow: hidden } .words.in { font-size: 60px }</style>
    ${'<div class="gap"></div><div class="block words">HHHHHH</div>'.repeat(12)}`;
  const script = `const isIn = ${isInWindow}; addEventListener("scroll", () => blocks.forEach((block) => block.classList.toggle("in", isIn(block))))`;
  const { bytes, warnings } = await captures.capture(`${style}${words}${each(script)}`, { full_page: "true" });
  assert.equal(warnings, null);
  const pixel = readPixels(bytes);
  const isShown = (index: number) => Array.from({ length: 200 }, (_, x) => pixel(x, index * 150 + 120)).includes("#00aa00");
  assert.deepEqual(
    Array.from({ length: 12 }, (_, index) => isShown(index)),
    Array(12).fill(true),
  );
});

longTest("full_page: content far from its place, where a script puts it only once that is in view, is in its place", async () => {
  // Nothing changes in the middle of the page.
  const script = `const tops = blocks.map((block) => block.offsetTop);
    blocks.forEach((block, index) => { if (index > 0 && index !== 5) block.style.transform = "translateX(300px)" });
    addEventListener("scroll", () => blocks.forEach((block, index) => {
      if (block.style.transform && tops[index] < scrollY + innerHeight && tops[index] + 60 > scrollY) block.style.transform = "" }))`;
  assert.equal(await revealed(`${style}${blocks.replaceAll("block", "block in")}${each(script)}`), 12);
});

const warningsOf = async (body: string) =>
  String((await captures.capture(`${style}${body}<script></script>`, { full_page: "true" })).warnings);

test("full_page: a warning says that content further down stayed hidden", async () => {
  assert.match(await warningsOf(blocks), /content further down stayed hidden/);
});

longTest("full_page: slides hidden behind another cause no such warning", async () => {
  const slides =
    '<div style="height: 60px"><div class="block in"></div><div class="block" style="position: relative; top: -60px"></div></div>';
  assert.doesNotMatch(await warningsOf(`<div class="gap"></div>${slides}`.repeat(12)), /stayed hidden/);
});

/** Only rows in and near the window exist; the page is as high as if all of them did. */
const virtualList = `<!doctype html><style>body { margin: 0 } .row { position: absolute; height: 40px; left: 0; right: 0 }</style>
  <h1 style="margin: 0; height: 40px">Rows</h1><div id="list" style="position: relative; height: 8000px"></div><footer>The end</footer><script>
  const render = () => { const first = Math.max(0, Math.floor(scrollY / 40) - 2);
    list.replaceChildren(...Array.from({ length: 12 }, (_, index) => { const row = document.createElement("div"); row.className = "row";
      row.style.top = (first + index) * 40 + "px"; row.textContent = "Row " + (first + index); return row })) };
  addEventListener("scroll", render); render()</script>`;

test("full_page: a warning counts images that scripts have not loaded", async () => {
  captures.site.serve({ "/green.svg": (_, response) => answerGreen(response) });
  const image = (attributes: string) => `<img width="200" height="60" ${attributes}>`;
  const spacer = `src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"`;
  const late = image(`data-original="/green.svg?1"`) + image(`${spacer} data-src="/green.svg?2"`);
  const others = `${image(`src="/green.svg?3" data-zoom="/green.svg?4"`)}${image(spacer)}${image(`${spacer} data-hover="/green.svg?7"`)}${image(`hidden data-src="/green.svg?5"`)}
    <div style="width: 100px; overflow: hidden; white-space: nowrap"><b style="padding: 90px"></b>${image(`data-lazy="/green.svg?6"`)}</div>`;
  const page = `${style}${late}${others}<div style="height: 900px"></div>`;
  const { status, warnings } = await captures.capture(page, { full_page: "true" });
  assert.deepEqual([status, warnings?.slice(0, 33)], [200, "2 images have not been loaded: if"]);
});

test("full_page: rows that exist only in view are missing, with a warning", async () => {
  const { status, warnings } = await captures.capture(virtualList, { full_page: "true" });
  assert.equal(status, 200);
  const [, from, to] =
    /the page is empty from (\d+) to (\d+) CSS pixels: rows that exist only while they are in view/.exec(warnings ?? "") ?? [];
  assert.ok(Number(from) >= 400 && Number(from) <= 700 && Number(to) >= 7_900 && Number(to) <= 8_040, String(warnings));
});

for (const [what, edits] of Object.entries({
  "a list": [["8000px", "90000px"]],
  "a list beside an empty element of its height": [
    ["relative; height: 8000px", "relative"],
    ["<footer>", '<i style="position: absolute; top: 0; width: 1px; height: 90000px"></i><footer>'],
  ],
} as Record<string, [string, string][]>))
  longTest(`full_page: ${what} longer than an image can be, whose script polls the scroll position, gets that warning too`, async () => {
    const polls = "const poll = () => { render(); requestAnimationFrame(poll) }; poll()";
    const page = [...edits, ['addEventListener("scroll", render); render()', polls]].reduce(
      (html, [from = "", to = ""]) => html.replace(from, to),
      virtualList,
    );
    const { warnings } = await captures.capture(page, { full_page: "true", timeout: "30" });
    assert.match(String(warnings), /the page is empty from \d+ to \d+ CSS pixels: rows that exist only while they are in view/);
  });

test("full_page: a part that stays empty while it is in view causes no such warning", async () => {
  const page = `<!doctype html><style>body { margin: 0 } div { padding-bottom: 2000px }</style><div><h1>A page</h1><p>with a little text</p><p>and more</p></div>
    <script>addEventListener("scroll", () => { document.title = scrollY })</script>`;
  assert.equal((await captures.capture(page, { full_page: "true" })).warnings, null);
});

/** Blocks that scripts hide again out of view; each is shown late. */
const late: Record<string, string> = {
  "1.2 s after it has come into view": each(`for (const block of blocks) { let isIn = false;
    new IntersectionObserver(([entry]) => { isIn = entry.isIntersecting; if (isIn) setTimeout(() => block.classList.toggle("in", isIn), 1200); else block.classList.remove("in") }).observe(block) }`),
  "far above the window's lower edge, by a transition that begins late and that the first one uses to hide": `<style>.block { transition: opacity 0.5s 0.3s }
    .block:not(.init) { opacity: 1 }</style>${each(`let y = 0; const tops = blocks.map((block) => block.offsetTop); blocks.forEach((block) => block.classList.add("init"));
    const update = () => blocks.forEach((block, index) => block.classList.toggle("in", tops[index] - innerHeight + 90 < scrollY)); requestAnimationFrame(update); addEventListener("scroll", update)`)}<div style="height: 900px"></div>`,
};

for (const [how, script] of Object.entries(late))
  longTest(`full_page: content that is shown ${how}, and taken back, is visible`, async () => {
    assert.equal(await revealed(`${style}${blocks}${script}`, { width: "300", height: "900" }), 12);
  });

longTest("full_page: a page with scroll listeners and content everywhere gets no such warning", async () => {
  const section = (index: number) => `<section style="height: 90px; background: hsl(${index * 7} 60% 60%)"></section>`;
  const page = `<!doctype html><body style="margin: 0">${Array.from({ length: 40 }, (_, index) => section(index)).join("")}
    <script>addEventListener("scroll", () => { document.body.dataset.y = scrollY })</script>`;
  assert.equal((await captures.capture(page, { full_page: "true" })).warnings, null);
});
