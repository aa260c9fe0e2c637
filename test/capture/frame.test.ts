/** Which part of a page the screenshot shows: full pages of every kind, elements and clips, in a real Chromium. */

import assert from "node:assert/strict";
import { before } from "node:test";
import { PNG } from "pngjs";
import { testsAtOnce } from "../support/at-once.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage, pixelAt, readPixels } from "../support/image.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Page } from "../support/site.ts";

const test = testsAtOnce(2);
const longTest = longOnly(test);
const scope = fileScope();
const other = await createSite(scope, { "/": colouredPage("#00f") });
let captures: Captures;
let site: Captures["site"];

before(async () => {
  captures = await startCaptures(scope);
  ({ site } = captures);
});

/** Captures `page`; by default, as a small full-page PNG. */
async function capture(page: Page, parameters: Record<string, string> = {}) {
  const captured = await captures.capture(page, { full_page: "true", ...parameters });
  const { width, height } = captured.status === 200 ? describeImage(captured.bytes) : { width: 0, height: 0 };
  return { ...captured, width, height };
}

function assertPixels(bytes: Uint8Array, points: [x: number, y: number, colour: string][]): void {
  const pixel = readPixels(bytes);
  for (const [x, y, colour] of points) assert.equal(pixel(x, y), colour, `at ${x}, ${y}`);
}

/** Flat images of `colour`, each served after `ms`. */
function images(colour: string, ms = 0): Page {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="200" height="100" fill="${colour}"/></svg>`;
  return (_, response) => void setTimeout(() => response.writeHead(200, { "content-type": "image/svg+xml" }).end(svg), ms);
}

const asked = (path: string) => site.requests.filter((request) => request.path === path).length;

const standard = "<!doctype html><style>*{margin:0}</style>";

test("full_page: lazy images are loaded, whether by native lazy loading, an observer or a scroll listener", async () => {
  site.serve({ "/native.svg": images("#f00", 150), "/observed.svg": images("#0f0", 150), "/scrolled.svg": images("#00f", 150) });
  const { bytes, height, warnings } = await capture(`${standard}<style>img,i{display:block;width:200px;height:100px}</style>
    <div style="height:6000px"></div><img loading="lazy" src="/native.svg"><div style="height:6000px"></div><img id="o"><i id="b"></i>
    <div style="height:6000px"></div><img id="s"><img id="m">
    <script>
      new IntersectionObserver(([entry]) => { if (entry.isIntersecting) o.src = "/observed.svg" }).observe(o);
      new IntersectionObserver(([entry]) => { if (entry.isIntersecting) b.style.background = "url(/observed.svg?background)" }).observe(b);
      addEventListener("scroll", () => { if (!s.src && s.getBoundingClientRect().top < innerHeight) s.src = "/scrolled.svg" });
      document.addEventListener("scroll", () => { if (!m.src && scrollY + innerHeight >= m.offsetTop) m.src = "/scrolled.svg?offset" });
    </script>`);
  assert.equal(height, 18_500);
  assertPixels(bytes, [
    [100, 6050, "#ff0000"],
    [100, 12_150, "#00ff00"],
    [100, 12_250, "#00ff00"],
    [100, 18_350, "#0000ff"],
    [100, 18_450, "#0000ff"],
  ]);
  assert.equal(warnings, null);
});

longTest("full_page_scroll=false: lazy content is not loaded", async () => {
  site.serve({ "/left.svg": images("#f00") });
  const { bytes } = await capture(
    `${standard}<div style="height:9000px"></div><img loading="lazy" src="/left.svg" width="200" height="100" style="display:block">`,
    {
      full_page_scroll: "false",
    },
  );
  assert.equal(pixelAt(bytes, 100, 9050), "#ffffff");
  assert.equal(asked("/left.svg"), 0);
});

longTest("full_page: a page without lazy content is scrolled once and restored, including its styles", async () => {
  const { bytes, warnings } = await capture(`${standard}<html style="background:#0f0;transform:none">
    <style>html{scroll-behavior:smooth;scroll-snap-type:y mandatory}*{transition:all 1s}div{scroll-snap-align:start;height:100px}</style>
    ${"<div></div>".repeat(30)}<p id="p" style="position:absolute;top:0;width:200px;height:20px;background:#00f"></p>
    <script>
      addEventListener("scroll", () => { p.style.transition = "none"; p.style.background = scrollY === 0 ? "#ff0" : "#f00" });
    </script>`);
  assertPixels(bytes, [
    [100, 10, "#ffff00"],
    [100, 50, "#00ff00"],
    [100, 2990, "#00ff00"],
  ]);
  assert.equal(warnings, null);
});

longTest("full_page: navigation that highlights the section in view highlights the first one", async () => {
  const parts = [0, 1, 2, 3, 4].map((index) => `<section id="s${index}" style="height:150px"><i id="m${index}"></i></section>`);
  const { bytes } = await capture(`${standard}<style>i{position:absolute;top:0;width:20px;height:20px}.on{background:#00f}</style>
    <style>${parts.map((_part, index) => `#m${index}{left:${index * 20}px}`).join("")}</style>${parts.join("")}
    <script>
      let [last, lower] = [0, 0];
      const observer = new IntersectionObserver((entries) => {
        const isDown = scrollY >= last;
        last = scrollY;
        for (const { target, isIntersecting } of entries) {
          if (!isIntersecting) target.firstChild.classList.remove("on");
          else if (isDown === target.offsetTop >= lower) {
            lower = target.offsetTop;
            for (const mark of document.querySelectorAll("i")) mark.classList.toggle("on", mark.parentNode === target);
          }
        }
      }, { threshold: [0.1, 0.5, 1] });
      for (const section of document.querySelectorAll("section")) observer.observe(section);
    </script>`);
  assertPixels(bytes, [
    [10, 10, "#0000ff"],
    [30, 10, "#ffffff"],
    [90, 10, "#ffffff"],
  ]);
});

longTest("full_page: content that makes the page taller is included", async () => {
  site.serve({ "/tall.svg": images("#00f", 100) });
  const { bytes, height } = await capture(
    `${standard}<div style="height:5000px"></div><img id="i" style="display:block"><div style="height:50px;background:#0f0"></div>
    <script>new IntersectionObserver(([entry]) => { if (entry.isIntersecting) i.src = "/tall.svg" }).observe(i)</script>`,
  );
  assert.equal(height, 5150);
  assertPixels(bytes, [
    [100, 5050, "#0000ff"],
    [100, 5140, "#00ff00"],
  ]);
});

longTest("full_page: nested lazy content is loaded", async () => {
  site.serve({ "/inner.svg": images("#00f") });
  const { bytes } = await capture(
    `${standard}<div style="height:5000px"></div><main></main>
    <script>
      const main = document.querySelector("main");
      new IntersectionObserver(async ([entry], observer) => {
        if (!entry.isIntersecting) return;
        observer.disconnect();
        await fetch("/part");
        main.innerHTML = '<div style="height:5000px"></div><img loading="lazy" src="/inner.svg" style="display:block">';
      }).observe(main);
    </script>`,
  );
  assert.equal(pixelAt(bytes, 100, 10_050), "#0000ff");
});

/** Appends a screenful whenever its end comes into view. */
const endless = `${standard}<main><div style="height:500px"></div></main><p id="end" style="height:1px"></p>
  <script>
    const more = async () => { await fetch("/more"); document.querySelector("main").insertAdjacentHTML("beforeend", '<div style="height:1000px;background:#0f0"></div>') };
    new IntersectionObserver(([entry]) => { if (entry.isIntersecting) more() }).observe(end);
  </script>`;

for (const [what, page, parameters] of [
  ["a selector", "<script>setTimeout(() => { document.body.innerHTML = content }, 600)</script>", { wait_for_selector: "main" }],
  ["a delay", "<script>setTimeout(() => { document.body.innerHTML = content }, 600)</script>", { delay: "1" }],
  ["a click", '<a href="/clicked-to">next</a>', { click: "a" }],
  ["a script", "", { scripts: "document.body.innerHTML = content" }],
] as const) {
  longTest(`full_page: lazy content is loaded within content added by ${what}`, async () => {
    const content = '<main>text</main><div style="height:6000px"></div><img loading="lazy" src="/lazy.svg" style="display:block">';
    site.serve({ "/lazy.svg": images("#00f"), "/clicked-to": standard + content });
    const { bytes, height } = await capture(`${standard}<body>at first<script>const content = ${JSON.stringify(content)}</script>${page}`, {
      ...parameters,
    });
    assert.equal(pixelAt(bytes, 100, height - 50), "#0000ff");
  });
}

test("full_page: an infinite page is captured with the content loaded in time, with a warning", async () => {
  site.serve({ "/more": images("#000", 20) });
  const { bytes, height, warnings } = await capture(endless);
  assert.ok(height >= 2000 && height < 30_000, `${height}`);
  assert.equal(pixelAt(bytes, 100, height - 10), "#00ff00");
  assert.match(warnings ?? "", /^the page kept growing while it was scrolled and was captured down to \d+ CSS pixels$/);
});

longTest("full_page: the images in an infinite page's last batch are loaded", async () => {
  site.serve({ "/batch.svg": images("#00f", 50), "/more": images("#000", 20) });
  const { bytes, height, warnings } = await capture(`${standard}<main></main><p id="end" style="height:1px"></p><script>
    let count = 0;
    const more = () => document.querySelector("main").insertAdjacentHTML("beforeend",
      '<img loading="lazy" src="/batch.svg?' + (count += 1) + '" style="display:block;width:200px;height:1000px;object-fit:fill;background:#f00">'.repeat(2));
    more();
    new IntersectionObserver(([entry]) => { if (entry.isIntersecting) fetch("/more").then(more) }).observe(end);
  </script>`);
  assert.match(warnings ?? "", /kept growing/);
  assertPixels(bytes, [[100, height - 500, "#0000ff"]]);
});

longTest("full_page_scroll_duration: a longer duration captures more of an infinite page", async () => {
  site.serve({ "/more": images("#000", 60) });
  const short = await capture(endless, { full_page_scroll_duration: "0" });
  const long = await capture(endless, { full_page_scroll_duration: "1500" });
  assert.ok(long.height > short.height, `${long.height} > ${short.height}`);
});

test("full_page_max_height: the page is cut off with a warning, and not scrolled further", async () => {
  site.serve({ "/more": images("#000", 20) });
  const { height, warnings } = await capture(endless, { full_page_max_height: "2500", full_page_scroll_duration: "30000" });
  assert.equal(height, 2500);
  assert.match(warnings ?? "", /^the page is \d+ CSS pixels high and was cut off at 2500$/);
  const refused = await capture(colouredPage("#fff"), { full_page_max_height: "30001" });
  assert.equal(refused.json.error, "full_page_max_height must be an integer from 1 to 30000, not 30001.");
});

longTest("full_page: a page too tall for webp gets a single warning, with the page's height", async () => {
  const { warnings } = await capture(`${standard}<h1>top</h1><div style="height:40000px"></div>`, { full_page: "true", format: "webp" });
  assert.match(warnings ?? "", /^the page is 40\d\d\d CSS pixels high and was cut off at 16383$/);
});

longTest("full_page: an image that never loads ends the wait with a warning", async () => {
  site.serve({ "/never.svg": () => {} });
  const { status, warnings } = await capture(
    `${standard}<div style="height:9000px"></div><img loading="lazy" src="/never.svg" width="9" height="9">`,
  );
  assert.equal(status, 200);
  assert.match(warnings ?? "", /^lazy content was still loading when the page was captured(;|$)/); // it is also blank
});

longTest("full_page: a page with slow scroll handlers is captured correctly", async () => {
  const { bytes, height, warnings } = await capture(`${standard}<div style="height:2000px;background:#0f0"></div>
    <script>addEventListener("scroll", () => { for (const until = performance.now() + 1400; performance.now() < until; ); })</script>`);
  assert.equal(height, 2000);
  assertPixels(bytes, [
    [199, 50, "#00ff00"],
    [199, 1990, "#00ff00"],
  ]);
  assert.equal(warnings, "the page could not be scrolled to its end");
});

test("full_page: content revealed on scroll is fully visible", async () => {
  const { bytes } =
    await capture(`${standard}<style>p{height:100px;background:#0f0;opacity:0;transition:opacity 30s}.seen{opacity:1}</style>
    <div style="height:2000px"></div><p></p>
    <script>
      const observer = new IntersectionObserver(([{ isIntersecting, target }]) => { if (isIntersecting) target.className = "seen" });
      observer.observe(document.querySelector("p"));
    </script>`);
  assert.equal(pixelAt(bytes, 100, 2050), "#00ff00");
});

longTest("full_page: sections of 100vh keep the viewport's height, even for the page's scripts", async () => {
  const { bytes, height } =
    await capture(`${standard}<section style="height:100vh;background:#f00"></section><div style="height:900px;background:#0f0"></div>
    <script>
      new ResizeObserver(([entry]) => {
        if (entry.contentRect.height !== 100) document.documentElement.innerHTML = "resized";
      }).observe(document.querySelector("section"));
    </script>`);
  assert.equal(height, 1000);
  assertPixels(bytes, [
    [100, 99, "#ff0000"],
    [100, 100, "#00ff00"],
    [100, 999, "#00ff00"],
  ]);
});

test("full_page: the page sees no resize of its window", async () => {
  const { height } = await capture(`${standard}<div style="height:3000px"></div><script>onresize = () => fetch("/resized")</script>`);
  assert.deepEqual([height, asked("/resized")], [3_000, 0]);
});

test("full_page: fixed and sticky elements appear once, at their position before scrolling", async () => {
  const { bytes } = await capture(`${standard}<header style="position:fixed;top:0;left:0;width:100px;height:20px;background:#00f"></header>
    <nav style="position:sticky;top:0;margin-left:100px;width:100px;height:20px;background:#f0f"></nav>
    <div style="height:40000px;background:#0f0"></div>`);
  const pixel = readPixels(bytes);
  const others = Array.from({ length: 2999 }, (_, index) => index * 10 + 10).filter(
    (y) => pixel(50, y) !== "#00ff00" || pixel(150, y) !== "#00ff00",
  );
  assert.deepEqual(others, [10]);
  assertPixels(bytes, [
    [50, 10, "#0000ff"],
    [150, 10, "#ff00ff"],
  ]);
});

longTest("full_page: sticky elements are where they stick at the top of the page, over and under what they were", async () => {
  const { bytes } =
    await capture(`${standard}<style>nav { position: sticky; top: 30px; height: 20px; background: #f0f } main { display: flow-root; height: 1000px; background: #0f0 }
    p { position: sticky; top: 0; margin: 400px 0 0; height: 20px; background: #00f } b { position: absolute; z-index: 9; inset: 0 50% 0 0; background: #f00 }
    i { position: sticky; left: 40px; display: block; width: 20px; height: 20px; background: #0ff }</style>
    <nav><b></b></nav><main><p></p><i></i></main><aside style="position:absolute;inset:0 0 auto;height:40px;background:#888"></aside>`);
  assertPixels(bytes, [
    [50, 35, "#888888"],
    [50, 45, "#ff0000"],
    [150, 45, "#ff00ff"],
    [150, 55, "#00ff00"],
    [150, 430, "#0000ff"],
    [30, 450, "#00ff00"],
    [50, 450, "#00ffff"],
  ]);
});

longTest("full_page: a feed that requests more rows some time after its end came into view is complete", async () => {
  const row = '<div style="height:25px;background:#0a0"></div>';
  site.serve({ "/rows": row.repeat(8) });
  const { height, bytes, warnings } =
    await capture(`${standard}<style>@keyframes turn { to { rotate: 1turn } } i { display: block; width: 20px; height: 20px; animation: turn 1s linear infinite }</style>
    <main>${row.repeat(8)}</main><i></i><script>const feed = document.querySelector("main"), end = document.querySelector("i"); let isLoading = false;
    const observer = new IntersectionObserver(([entry]) => { if (!entry.isIntersecting || isLoading) return; isLoading = true;
      setTimeout(async () => { feed.insertAdjacentHTML("beforeend", await (await fetch("/rows")).text()); isLoading = false;
        if (feed.childElementCount === 24) { observer.disconnect(); end.remove() } }, 400) }); observer.observe(end)</script>`);
  assert.deepEqual([height, warnings], [600, null]);
  assert.equal(readPixels(bytes)(100, 590), "#00aa00");
});

test("full_page: elements fixed to the bottom of the window are at the bottom of the page, and a dialog's overlay covers the whole page", async () => {
  const page = (extra: string) => `${standard}<div style="height:1000px;background:#fff"></div>
    <footer style="position:fixed;bottom:0;left:0;width:100px;height:20px;background:#00f"></footer>${extra}`;
  const veil =
    '<div style="position:fixed;inset:0;background:rgb(0 0 0 / 0.6);display:grid;place-items:center"><p style="width:40px;height:40px;background:#0a0"></p></div>';
  const modal = `<style>dialog{border:0;background:#0a0;width:40px;height:40px;margin:auto;padding:0;outline:0}::backdrop{background:rgb(0 0 0 / 0.6)}</style><dialog></dialog>
    <script>document.querySelector("dialog").showModal()</script>`;
  const bare = await capture(page(""));
  assert.equal(bare.height, 1_000);
  assertPixels(bare.bytes, [
    [50, 90, "#ffffff"],
    [50, 985, "#0000ff"],
    [150, 985, "#ffffff"],
  ]);
  for (const layer of [veil, modal]) {
    const { bytes, height } = await capture(page(layer));
    assert.equal(height, 1_000);
    const points = [10, 110, 500, 990].map((y): [number, number, string] => [190, y, "#666666"]);
    assertPixels(bytes, [...points, [100, 50, "#00aa00"]]);
  }
});

for (const [kind, shell] of Object.entries({
  "flex column": `<body style="height:100vh;display:flex;flex-direction:column"><header style="height:20px;background:#00f"></header>
    <main style="flex:1;min-height:0;overflow:auto">CONTENT</main></body>`,
  grid: `<body style="height:100vh;display:grid;grid-template-rows:20px 1fr"><header style="background:#00f"></header><main style="overflow-y:scroll">CONTENT</main></body>`,
  "between top and bottom": `<body style="overflow:hidden"><header style="height:20px;background:#00f"></header>
    <main style="position:absolute;top:20px;bottom:0;width:100%;overflow:auto">CONTENT</main></body>`,
  "fixed to the window": `<body><div style="position:fixed;inset:0;display:flex;flex-direction:column;overflow:hidden">
    <header style="height:20px;background:#00f"></header><main style="height:80px;overflow:auto">CONTENT</main></div></body>`,
  body: `<style>html,body{height:100%;overflow:hidden}</style><body><header style="height:20px;background:#00f"></header>CONTENT</body>`,
  "shadow root": `<style>html,body{height:100%}</style><body><x-app></x-app><template><header style="height:20px;background:#00f"></header>
    <main style="height:80px;overflow:auto"><slot></slot></main></template>
    <script>const host = document.querySelector("x-app"); host.attachShadow({ mode: "open" }).append(document.querySelector("template").content); host.innerHTML = 'CONTENT'</script></body>`,
})) {
  (kind === "flex column" ? test : longTest)(
    `full_page: an application with an inner scroller is captured at full height: ${kind}`,
    async () => {
      site.serve({ "/inside.svg": images("#f00", 50) });
      const content = `<div style="height:6000px;background:#0f0"></div><img loading="lazy" src="/inside.svg" width="200" height="100" style="display:block">`;
      const { bytes, height, warnings } = await capture(standard + shell.replace("CONTENT", content));
      assert.equal(height, 6120);
      assertPixels(bytes, [
        [100, 10, "#0000ff"],
        [100, 30, "#00ff00"],
        [100, 6010, "#00ff00"],
        [100, 6070, "#ff0000"],
      ]);
      assert.equal(warnings, null);
    },
  );
}

longTest("full_page: a fixed background covers the whole page", async () => {
  const { bytes } = await capture(`${standard}<body style="height:3000px;background:linear-gradient(#0f0,#0f0) fixed">`);
  assertPixels(bytes, [
    [100, 50, "#00ff00"],
    [100, 2990, "#00ff00"],
  ]);
});

test("full_page: content skipped by content-visibility is rendered at its own height", async () => {
  const part =
    '<section style="content-visibility:auto;contain-intrinsic-size:auto 50px"><div style="height:1000px;background:#0f0"></div></section>';
  const { bytes, height } = await capture(`${standard}${part.repeat(20)}`);
  assert.equal(height, 20_000);
  assertPixels(
    bytes,
    Array.from({ length: 20 }, (_, index) => [100, index * 1000 + 500, "#00ff00"]),
  );
});

longTest("full_page: content is laid out the same whether or not content-visibility skips it", async () => {
  const part = '<section style="content-visibility:auto;background:#0f0"><p style="margin:20px 0;height:60px"></p></section>';
  const { bytes, height } = await capture(`${standard}${part.repeat(20)}`);
  assert.equal(height, 2_000);
  assertPixels(
    bytes,
    Array.from({ length: 20 }, (_, index) => [100, index * 100 + 10, "#00ff00"]),
  );
});

test("full_page: a frame that is the whole page is captured with all of its content", async () => {
  const inner = `<!doctype html><style>body { margin: 0 } header { min-height: 100vh; background: #00f } main { height: 500px; background: #0a0 }</style><header></header><main></main>`;
  site.serve({ "/inner": inner });
  const frame = (style: string) =>
    `${standard}<style>html, body { height: 100%; margin: 0 } iframe { display: block; border: 0; ${style} }</style><iframe src="/inner"></iframe>`;
  for (const style of ["width: 100%; height: 100%", ...onlyLong(["position: fixed; inset: 0; width: 100vw; height: 100vh"])]) {
    const { bytes, height } = await capture(frame(style));
    assert.equal(height, 600, style);
    assertPixels(bytes, [
      [100, 50, "#0000ff"],
      [100, 110, "#00aa00"],
      [100, 590, "#00aa00"],
    ]);
  }
});

test("full_page: content that scripts move inside a fixed element, as the page scrolls, is captured down to its end", async () => {
  const parts = ["#00f", "#0a0", "#f00", "#ff0"].map((color) => `<p style="height: 150px; background: ${color}"></p>`).join("");
  const { bytes, height } = await capture(`${standard}<style>#view { position: fixed; inset: 0; overflow: hidden }</style>
    <div id="view"><div id="content">${parts}</div></div><script>
      document.body.style.height = content.offsetHeight + "px";
      let at = 0;
      const move = () => {
        at += (scrollY - at) * 0.12;
        content.style.transform = "translate3d(0, " + (-at).toFixed(2) + "px, 0)";
        requestAnimationFrame(move);
      };
      move();
    </script>`);
  assert.equal(height, 600);
  assertPixels(bytes, [
    [100, 75, "#0000ff"],
    [100, 225, "#00aa00"],
    [100, 375, "#ff0000"],
    [100, 525, "#ffff00"],
  ]);
});

longTest("full_page: a warning names a frame that fills the page and can't be expanded", async () => {
  site.serve({ "/tall": `${standard}<p style="height: 500px">Tall</p>`, "/low": `${standard}<p>Low</p>` });
  const foreign = (height: string) =>
    `${standard}<iframe src="${other.origin}/" style="display: block; border: 0; width: 100vw; height: ${height}"></iframe>`;
  const frameset = (path: string) => `<frameset cols="20%,80%"><frame src="/low"><frame src="${path}"></frameset>`;
  for (const [page, named] of [
    [foreign("100vh"), `capture ${other.origin}/ instead`],
    [foreign("50vh"), undefined],
    [foreign("300vh"), undefined],
    [frameset("/tall"), `capture ${site.origin}/tall instead`],
    [frameset("/low"), undefined],
  ] as const) {
    const { status, warnings } = await capture(page);
    assert.equal(status, 200);
    assert.equal(warnings?.includes("a frame fills the page") ?? false, named !== undefined, page);
    assert.ok(warnings?.includes(named ?? "") ?? true, String(warnings));
  }
});

test("full_page: an inner scroller that loads more when it is scrolled is followed to its end", async () => {
  const page = (append: string, most: number) => `${standard}<style>p { height: 50px; background: #0a0 } html, body { height: 100% }</style>
    <main style="height: 100vh; overflow: auto"></main><script>
    const main = document.querySelector("main");
    let isBusy = false;
    const add = () => { isBusy = false; for (let left = 10; left > 0; left -= 1) main.append(document.createElement("p")) };
    main.onscroll = () => {
      if (!isBusy && main.children.length < ${most} && main.scrollTop + main.clientHeight > main.scrollHeight - 100) { isBusy = true; ${append} }
    };
    add();
  </script>`;
  site.serve({ "/more": (_, response) => void setTimeout(() => response.end("more"), 100) });
  for (const append of ["setTimeout(add, 100)", ...onlyLong(["add()", 'fetch("/more").then((response) => response.text()).then(add)'])]) {
    const { height, warnings } = await capture(page(append, 60), { full_page_scroll_duration: "10000" });
    assert.deepEqual([height, warnings], [3_000, null], append);
  }
  // The first part of an endless list arrives while the page is measured (after 40 ms) or while it is held at the bottom.
  for (const ms of [40, ...onlyLong([100])]) {
    const parameters = { full_page_scroll_duration: "1000", full_page_max_height: "6000" };
    const { height, warnings } = await capture(page(`setTimeout(add, ${ms})`, 100_000), parameters);
    assert.ok(height > 1_500, `${height} after ${ms} ms`);
    // "Still loading" on a slow machine: the maximum is reached before the next part arrives.
    assert.match(String(warnings), /kept growing|cut off|still loading/, `${height} after ${ms} ms`);
  }
});

test("full_page: an inner scroller's rows that are shares of its height keep it", async () => {
  const { bytes, height } =
    await capture(`${standard}<main style="height: 100vh; overflow: auto; display: grid; grid-template-rows: 40% 60% auto">
    <div style="background: #00f"></div><div style="background: #0a0"></div><div style="height: 300px; background: #f00"></div></main>`);
  assert.equal(height, 400);
  assertPixels(bytes, [
    [100, 30, "#0000ff"],
    [100, 90, "#00aa00"],
    [100, 390, "#ff0000"],
  ]);
});

test("full_page: a warning says that an inner scroller is cut off", async () => {
  const tall = `${standard}<main style="height: 100vh; overflow: auto"><p style="height: 3000px">Tall</p></main>`;
  const { height, warnings } = await capture(tall, { full_page_max_height: "1000" });
  assert.equal(height, 1_000);
  assert.match(String(warnings), /the page is 3000 CSS pixels high and was cut off/);
});

test("full_page: layers of an inner scroller that scroll at other speeds, by perspective, are where they belong", async () => {
  const part = (style: string, colour: string) =>
    `<section><p style="${style}; background: ${colour}"></p><p style="transform: translateZ(0)"></p></section>`;
  const near = "transform: translateZ(0)";
  const far = "transform: translateZ(-1px) scale(2)";
  const { bytes, warnings } = await capture(`${standard}<style>
    html, body { height: 100% } main { height: 100vh; overflow: hidden auto; perspective: 1px }
    section { position: relative; height: 100vh; transform-style: preserve-3d } p { position: absolute; inset: 0 }
    </style><main>${part(far, "#f00")}${part(near, "#0f0")}${part(far, "#00f")}${part("transform: translateZ(-2px) scale(3)", "#ff0")}${part(near, "#0ff")}</main>`);
  assert.equal(warnings, null);
  const colours = ["#ff0000", "#00ff00", "#0000ff", "#ffff00", "#00ffff"];
  assertPixels(
    bytes,
    colours.flatMap((colour, index) => [20, 80].map((y): [number, number, string] => [100, index * 100 + y, colour])),
  );
});

longTest("full_page: a warning names a part that scrolls by itself and is too narrow to be the page's main scroller", async () => {
  const columns = (
    style: string,
    rows: number,
  ) => `${standard}<style>html, body { height: 100% } body { display: flex } p { height: 50px }</style>
    <nav style="flex: 1"></nav><main id="feed" style="flex: 0 0 ${style}; overflow: auto">${"<p>Row</p>".repeat(rows)}</main><nav style="flex: 1"></nav>`;
  const { height, warnings } = await capture(columns("40%", 20));
  assert.equal(height, 100);
  assert.match(String(warnings), /main#feed scrolls by itself, and 900 CSS pixels of its content are not in the screenshot/);
  for (const page of [columns("40%", 2), columns("20%", 20)]) assert.equal((await capture(page)).warnings, null);
});

test("full_page: an element whose content scripts scroll or move on wheel events is expanded, one that only cuts its content off isn't", async () => {
  const style =
    "<style>html, body { height: 100%; overflow: hidden } main { position: fixed; inset: 0; overflow: hidden } p { height: 300px; background: #00f } p:last-child { background: #0a0 }</style>";
  const page = `${standard}${style}<main><div><p>One</p><p>Two</p><p>Three</p></div></main>`;
  for (const move of ["main.scrollTop += deltaY", ...onlyLong(["main.firstChild.style.transform = 'translateY(' + -deltaY + 'px)'"])]) {
    const script = `<script>const main = document.querySelector("main"); main.addEventListener("wheel", ({ deltaY }) => { ${move} })</script>`;
    const { bytes, height, warnings } = await capture(page + script);
    assert.deepEqual([height, warnings], [900, null], move);
    assertPixels(bytes, [
      [100, 590, "#0000ff"],
      [100, 890, "#00aa00"],
    ]);
  }
  assert.equal((await capture(page)).height, 100);
});

const green = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="#0f0"/></svg>',
);
const picture = (style: string) => `<img src="data:image/svg+xml,${green}" style="${style}">`;

longTest("full_page: a picture behind the content is extended down a page of up to three windows", async () => {
  const page = (layer: string, height: number) =>
    `${standard}<body style="height: ${height}px">${layer}<p style="position: relative; height: 50px; width: 50px"></p>`;
  const fixed = "position: fixed; left: 0; top: 0; width: 100%; height: 100%; z-index: -1";
  for (const layer of [
    `<div style="${fixed}; overflow: hidden">${picture("position: absolute; left: -5px; top: -5px; width: 110%; height: 110%")}</div>`,
    `<div style="${fixed}; overflow: hidden">${picture("position: absolute; top: 50%; left: 50%; min-width: 100%; min-height: 100%; transform: translate(-50%, -50%)")}</div>`,
    picture(fixed),
  ]) {
    const { bytes } = await capture(page(layer, 290));
    assertPixels(bytes, [
      [10, 60, "#00ff00"],
      [190, 95, "#00ff00"],
      [190, 285, "#00ff00"],
    ]);
    assertPixels((await capture(page(layer, 900))).bytes, [
      [190, 95, "#00ff00"],
      [190, 500, "#ffffff"],
    ]);
  }
});

longTest("full_page: a fixed backdrop behind the content is extended down the page, but a layer in front of it isn't", async () => {
  const fixed = "position: fixed; inset: 0";
  const page = (layer: string) =>
    `${standard}<body style="height: 1000px">${layer}<p style="position: relative; height: 900px; width: 50px"></p>`;
  for (const [what, layer, below] of [
    ["with a negative z-index", `<div style="${fixed}; z-index: -1; background: #0f0"></div>`, "#00ff00"],
    ["in document order", `<div style="${fixed}; background: #0f0"></div>`, "#00ff00"],
    [
      "with parts as high as the window",
      `<div style="position: fixed; width: 100%"><i style="display: block; height: 100vh; background: #0f0"></i></div>`,
      "#00ff00",
    ],
    ["with narrow margins", `<div style="position: fixed; inset: 5px; z-index: -1; background: #0f0"></div>`, "#00ff00"],
    ["with a small picture", `<div style="${fixed}; z-index: -1; background: #0f0">${picture("width: 20px")}</div>`, "#ffffff"],
    ["above the content", `<div style="${fixed}; z-index: 1; background: #0f0"></div>`, "#ffffff"],
    ["with text", `<div style="${fixed}; z-index: -1; background: #0f0">A title</div>`, "#ffffff"],
  ] as const) {
    const { bytes, height } = await capture(page(layer));
    assert.equal(height, 1_000, what);
    assertPixels(bytes, [
      [150, 90, "#00ff00"],
      [150, 500, below],
      [150, 990, below],
    ]);
  }
});

longTest("full_page: a fixed background that scripts move with the scroll position covers its whole element", async () => {
  const page = `${standard}<style>div { height: 400px } #moved { background: #f00 url("data:image/svg+xml,${green}") 50% 0 no-repeat fixed; background-size: cover }</style>
    <div></div><div id="moved"></div><div></div><script>const moved = document.querySelector("#moved");
    const move = () => { const { top } = moved.getBoundingClientRect(); if (top < innerHeight) moved.style.backgroundPosition = "50% " + Math.round(top * 0.4) + "px" };
    addEventListener("scroll", move); move()</script>`;
  assertPixels(
    (await capture(page)).bytes,
    [405, 500, 600, 700, 795].map((y) => [100, y, "#00ff00"] as const),
  );
});

longTest("full_page: a large image far down the page is decoded", async () => {
  const large = new PNG({ width: 2000, height: 1500 });
  for (let at = 0; at < large.data.length; at += 4) large.data.writeUInt32BE(0xff0000ff, at);
  const file = PNG.sync.write(large);
  site.serve({ "/large.png": (_, response) => void response.writeHead(200, { "content-type": "image/png" }).end(file) });
  const { bytes } = await capture(
    `${standard}<div style="height:3000px"></div>${[1, 2, 3, 4, 5].map((one) => `<img decoding="async" src="/large.png?${one}" style="display:block;width:1000px;height:750px">`).join("")}`,
    { width: "1000" },
  );
  assertPixels(
    bytes,
    [3000, 3750, 4500, 5250, 6000].map((top) => [500, top + 400, "#ff0000"]),
  );
});

for (const [kind, page, width] of [
  [
    "a scroll-locked page",
    '<html style="overflow:hidden"><style>*{margin:0}</style><div style="height:1000px;background:#0f0"></div>',
    200,
  ],
  ["a fixed body", `${standard}<body style="position:fixed;width:100%"><div style="height:1000px;background:#0f0"></div>`, 200],
  ["quirks mode", '<style>*{margin:0}</style><div style="height:1000px;background:#0f0"></div>', 200],
  ["a body without height", `${standard}<div style="position:absolute;top:0;width:100%;height:1000px;background:#0f0"></div>`, 200],
  ["a wide page", `${standard}<div style="width:500px;height:1000px;background:#0f0"></div>`, 500],
  [
    "a page that hides horizontal overflow",
    `${standard}<body style="overflow-x:hidden"><div style="width:500px;height:1000px;background:#0f0"></div>`,
    200,
  ],
  ["a right-to-left page", `<html dir="rtl">${standard}<div style="width:500px;height:1000px;background:#0f0"></div>`, 500],
  [
    "a page scrolled to a position by its script",
    `${standard}<div style="height:1000px;background:#0f0"></div><script>scrollTo(0, 700)</script>`,
    200,
  ],
] as const) {
  (kind === "a right-to-left page" ? test : longTest)(`full_page: ${kind} is captured completely`, async () => {
    const captured = await capture(page.startsWith("<html") ? `<!doctype html>${page}` : page);
    assert.deepEqual([captured.width, captured.height, captured.warnings], [width, 1000, null]);
    assertPixels(captured.bytes, [
      [0, 0, "#00ff00"],
      [width - 1, 999, "#00ff00"],
    ]);
  });
}

test("full_page: a scroller with parts as high as itself is captured down to its end", async () => {
  const { bytes, height, warnings } =
    await capture(`${standard}<style>html,body{height:100%;overflow:hidden}main{position:absolute;inset:10px 0;overflow:auto}</style>
    <main><div style="height:100%;background:#0f0"></div><div style="height:300px;background:#00f"></div><div style="min-height:50%;background:#f00"></div></main>`);
  assert.equal(height, 440);
  assertPixels(bytes, [
    [100, 80, "#00ff00"],
    [100, 100, "#0000ff"],
    [100, 380, "#0000ff"],
    [100, 420, "#ff0000"],
  ]);
  assert.equal(warnings, null);
});

longTest("full_page: parts of a page that lays itself out again once it is expanded keep the window's height", async () => {
  const { bytes, height } =
    await capture(`${standard}<style>html,body,main{height:100%;margin:0;overflow:hidden}main{overflow:visible}section{height:100%}</style>
    <main><section style="height:100px;background:#0f0"></section><section style="height:100px;background:#00f"></section></main>
    <script>
      let calls = 0;
      new ResizeObserver(() => {
        calls += 1;
        if (calls > 1) for (const section of document.querySelectorAll("section")) section.style.height = "";
      }).observe(document.body);
    </script>`);
  assert.equal(height, 200);
  assertPixels(bytes, [
    [100, 90, "#00ff00"],
    [100, 110, "#0000ff"],
  ]);
});

longTest("full_page: a scrolling list that measures its rows as they appear is complete", async () => {
  const { bytes, height } =
    await capture(`${standard}<div id="scroller" style="height:100vh;overflow:auto"><div id="list" style="position:relative"></div></div>
    <script>
      // Rows are 60 px high, and believed to be 40 until they have been shown.
      let shown = 0;
      const render = () => {
        shown = Math.max(shown, Math.min(30, Math.ceil((scroller.scrollTop + scroller.clientHeight) / 50)));
        list.style.height = shown * 60 + (30 - shown) * 40 + "px";
        list.innerHTML = Array.from({ length: shown }, (_, index) => '<div style="position:absolute;left:0;right:0;height:60px;background:#00f;top:' + index * 60 + 'px"></div>').join("");
      };
      new ResizeObserver(render).observe(scroller); scroller.onscroll = render; render();
    </script>`);
  assert.equal(height, 1800);
  assertPixels(bytes, [[100, 1790, "#0000ff"]]);
});

test("image_width, image_height: the image is scaled down to fit, never enlarged or distorted, and the layout is unaffected", async () => {
  const page = `${standard}<div style="width:50vw;height:50vh;background:#f00"></div>`;
  const size = async (parameters: Record<string, string>) => {
    const { width, height } = await capture(page, { width: "400", height: "200", full_page: "false", ...parameters });
    return [width, height];
  };
  assert.deepEqual(await size({ image_width: "100" }), [100, 50]);
  assert.deepEqual(await size({ image_height: "20" }), [40, 20]);
  assert.deepEqual(await size({ image_width: "4000" }), [400, 200]);
  for (const [parameters, expected] of onlyLong<[Record<string, string>, number[]]>([
    [{ image_width: "100", image_height: "20" }, [40, 20]],
    [{ image_width: "333" }, [333, 167]],
    [{ image_width: "100", device_scale_factor: "2" }, [100, 50]],
    [{ image_width: "100", format: "webp" }, [100, 50]],
  ]))
    assert.deepEqual(await size(parameters), expected);
  const { bytes } = await capture(page, { width: "400", height: "200", full_page: "false", image_width: "100" });
  assertPixels(bytes, [
    [47, 22, "#ff0000"],
    [52, 22, "#ffffff"],
    [47, 27, "#ffffff"],
  ]);
});

longTest("image_width: shows the scrolled viewport, or the whole of a full page", async () => {
  const page = `${standard}<div style="height:700px;background:#f00"></div><div style="height:700px;background:#00f"></div><script>scrollTo(0, 900)</script>`;
  assert.equal(pixelAt((await capture(page, { image_width: "50", full_page: "false" })).bytes, 25, 12), "#0000ff");
  const { width, height, bytes } = await capture(page, { image_width: "50" });
  assert.deepEqual([width, height], [50, 350]);
  assertPixels(bytes, [
    [25, 170, "#ff0000"],
    [25, 180, "#0000ff"],
  ]);
});

test("clip: the rectangle is relative to the page's corner, may lie below the viewport, and includes lazy content", async () => {
  site.serve({ "/clipped.svg": images("#0f0", 50) });
  const page = `${standard}<div style="height:9000px"></div><img loading="lazy" src="/clipped.svg" style="display:block">`;
  const { bytes, width, height, warnings } = await capture(page, { clip_x: "50", clip_y: "8990", clip_width: "100", clip_height: "60" });
  assert.deepEqual([width, height, warnings], [100, 60, null]);
  assertPixels(bytes, [
    [0, 9, "#ffffff"],
    [0, 10, "#00ff00"],
    [99, 59, "#00ff00"],
  ]);
});

test("clip: a part beyond the page is cut off with a warning; a rectangle outside the page is an error", async () => {
  const page = `${standard}<div style="height:500px;background:#0f0"></div>`;
  const cut = await capture(page, { clip_x: "150", clip_y: "450", clip_width: "100", clip_height: "100" });
  assert.deepEqual([cut.width, cut.height], [50, 50]);
  assert.equal(cut.warnings, "the clip extends beyond the page and was cut to 50 by 50 CSS pixels");
  const outside = await capture(page, { clip_x: "0", clip_y: "500", clip_width: "100", clip_height: "100" });
  assert.deepEqual([outside.status, outside.json.error], [400, "clip_y lies outside the page, which is 500 CSS pixels high."]);
});

longTest("clip: all four parameters are required together; the error names the missing ones and other problems", async () => {
  const { status, json } = await capture(colouredPage("#fff"), { clip_x: "1", clip_width: "10", quality: "0" });
  assert.equal(status, 400);
  const wrong = (json.details as { parameter: string }[]).map(({ parameter }) => parameter);
  assert.deepEqual(wrong.sort(), ["clip_height", "clip_y", "quality"]);
  assert.match(json.error ?? "", /clip_y is missing: clip_x, clip_y, clip_width, clip_height must be given together/);
});

test("error_on_selector_not_found=false: captures the viewport, with a warning", async () => {
  const { status, width, height, warnings } = await capture(colouredPage("#0f0", '<div style="height:900px">'), {
    selector: ".nowhere",
    error_on_selector_not_found: "false",
  });
  assert.deepEqual([status, width, height], [200, 200, 100]);
  assert.equal(warnings, "no visible element matches the selector: the screenshot shows the viewport");
});

longTest("selector: lazy content inside the element is loaded", async () => {
  site.serve({ "/inside-element.svg": images("#0f0", 50) });
  const { bytes, height } = await capture(
    `${standard}<div style="height:9000px"></div><article style="background:#00f"><div style="height:400px"></div><img loading="lazy" src="/inside-element.svg" style="display:block"></article>`,
    { selector: "article" },
  );
  assert.equal(height, 500);
  assertPixels(bytes, [
    [100, 399, "#0000ff"],
    [100, 450, "#00ff00"],
  ]);
});

longTest("selector: captures an element inside a scroller, and one on a right-to-left page", async () => {
  const inside = await capture(
    `${standard}<div style="height:90px;overflow:auto"><div style="height:800px"></div><p style="height:40px;background:#0f0"></p><div style="height:800px"></div></div>`,
    { selector: "p" },
  );
  assert.equal(inside.height, 40);
  assertPixels(inside.bytes, [
    [100, 1, "#00ff00"],
    [100, 38, "#00ff00"],
  ]);
  const rtl = await capture(
    `<!doctype html><html dir="rtl">${standard}<div style="width:600px"><p style="width:50px;height:40px;margin-right:500px;background:#0f0"></p></div>`,
    { selector: "p" },
  );
  assert.deepEqual([rtl.width, rtl.height], [50, 40]);
  assertPixels(rtl.bytes, [
    [1, 1, "#00ff00"],
    [48, 38, "#00ff00"],
  ]);
});

test("selector: captures an element in nested shadow roots", async () => {
  const page = `${standard}<div id="host"></div><script>
    const inner = document.createElement("div");
    host.attachShadow({ mode: "open" }).append(inner);
    inner.attachShadow({ mode: "open" }).innerHTML = '<p style="margin: 0; width: 50px; height: 40px; background: #00f"></p>'</script>`;
  const { bytes, width, height } = await capture(page, { selector: "p" });
  assert.deepEqual([width, height, pixelAt(bytes, 10, 10)], [50, 40, "#0000ff"]);
});

longTest("selector: an element to the left of the page is not found", async () => {
  const { json } = await capture(`${standard}<p style="position:absolute;left:-9000px;width:50px;height:50px"></p>`, { selector: "p" });
  assert.equal(json.code, "selector_not_found");
});

longTest(
  "full_page: a layer that has left the window below it isn't in the image, and a header that hides on the way down is",
  async () => {
    const page = `${standard}<header style="position: fixed; top: 0; width: 100%; height: 20px; background: #0f0"></header>
    <div style="position: fixed; inset: 0; background: #f00; transform: translateY(100%)"><style></style><i hidden></i></div>
    <b style="position: fixed; left: 0; bottom: 0; width: 40px; height: 0"><u style="position: absolute; bottom: 0; width: 40px; height: 20px; background: #00f"></u></b>
    <div style="height: 900px; transform: translate(0)"><p style="position: fixed; top: 700px; left: 60px; width: 20px; height: 20px; background: #f0f"></p></div><script>let last = 0; addEventListener("scroll", () => { if (scrollY < 40) return;
      document.querySelector("header").style.translate = last < scrollY ? "0 -100%" : ""; last = scrollY })</script>`;
    assertPixels((await capture(page)).bytes, [
      [100, 10, "#00ff00"],
      [100, 150, "#ffffff"],
      [100, 850, "#ffffff"],
    ]);
  },
);

for (const [how, within] of [
  ["in time", "const now = Date.now(); if (now - at < 200) return; at = now;"],
  ["until a timer ends", "if (at) return; at = 1; setTimeout(() => { at = 0 }, 100);"],
] as const)
  longTest(`full_page: a header looks as it does at the top if its handler ignores scroll events that follow another ${how}`, async () => {
    const page = `${standard}<style>.dark { background: #f00 !important }</style>
      <header style="position: fixed; top: 0; width: 100%; height: 20px; background: #0f0"></header><div style="height: 2000px"></div>
      <script>let at = 0; const header = document.querySelector("header");
      addEventListener("scroll", () => { ${within} header.classList.toggle("dark", scrollY > 40) })</script>`;
    assertPixels((await capture(page)).bytes, [[100, 10, "#00ff00"]]);
  });
