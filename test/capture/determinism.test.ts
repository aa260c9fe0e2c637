/** Reproducible screenshots: animations stop, always at the same position. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { alwaysStill } from "../../src/capture/in-page/still-rules.ts";
import { freezeSource } from "../../src/capture/options/emulation.ts";
import { open } from "../browser/mechanisms.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { inParallel } from "../support/in-parallel.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage } from "../support/site.ts";
import { animatedPage, assertIdentical, serveAnimated } from "./animated-page.ts";

const longTest = longOnly(test);
const scope = fileScope();
const isLong = onlyLong([true]).length > 0;
const atOnceMax = isLong ? 8 : 4;
let service: Captures["service"];
let site: Captures["site"];
let capture: Captures["capture"];

before(async () => {
  const captures = await startCaptures(scope, { MAX_CONCURRENT_SCREENSHOTS: String(atOnceMax) });
  serveAnimated(captures.site);
  ({ capture, service, site } = captures);
});

longTest("captures of an animated page, two at a time, are identical", () =>
  assertIdentical(capture, animatedPage(""), { count: isLong ? 8 : 2, atOnce: 2 }),
);

longTest("curves look the same whether or not parts of them have been drawn again", async () => {
  const curves = Array.from({ length: 30 }, (_, index) => {
    const [start, end] = [`${-20.3 + index * 3.7} ${index * 11.3}`, `${430.6 - index * 2.9} ${310.4 - index * 10.9}`];
    return `<path d="M ${start} C ${90.1 + index * 5.3} ${300.7 - index * 9.1} ${250.9 - index * 4.3} ${-40.2 + index * 13.7} ${end}"/>`;
  });
  const page = (moves: number) => `<!doctype html><style>body { margin: 0 } path { fill: none; stroke: #258; stroke-width: 2.7 }
      #box { position: absolute; left: 300px; top: 200px; width: 23px; height: 19px; background: #000 }</style>
    <svg width="400" height="300">${curves.join("")}</svg><div id="box"></div><script>
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const place = (left, top) => { box.style.left = left + "px"; box.style.top = top + "px" };
    (async () => {
      await drawn();
      for (let move = 0; move < ${moves}; move += 1) {
        place((move * 53) % 370, (move * 37) % 270);
        await drawn();
      }
      place(300, 200);
      await drawn();
      document.title = "done";
    })();
  </script>`;
  const shown = async (moves: number) => {
    const { status, bytes } = await capture(page(moves), { width: "400", height: "300", wait_for_function: "document.title" });
    assert.equal(status, 200);
    return Buffer.from(bytes);
  };
  const [often, once] = [await shown(57), await shown(0)];
  assert.ok(often.equals(once), "the images differ");
});

longTest("finite animations are captured at their end, infinite ones at their start", async () => {
  const page = colouredPage(
    "#fff",
    `<style>@keyframes green { from { background: #f00 } to { background: #0f0 } } div { height: 50px }
     .once { animation: green 60s both } .always { animation: green 60s infinite }</style><div class="once"></div><div class="always"></div>`,
  );
  const { bytes } = await capture(page);
  assert.deepEqual([pixelAt(bytes, 100, 25), pixelAt(bytes, 100, 75)], ["#00ff00", "#ff0000"]);
  const moving = await capture(page, { disable_animations: "false" });
  assert.notEqual(pixelAt(moving.bytes, 100, 25), "#00ff00");
});

test("infinite animations that hide their content at their start are captured where they show most of it", async () => {
  const page = colouredPage(
    "#fff",
    `<style>@keyframes slide { 0% { opacity: 0 } 8%, 33% { opacity: 1 } 41%, 100% { opacity: 0 } } @keyframes fade { from { opacity: 0 } }
     @keyframes move { from { transform: translateX(200px) } to { transform: translateX(-100px) } } @keyframes grow { from { transform: scale(0) } }
     body > div { position: relative; width: 200px; height: 25px; overflow: hidden } i { position: absolute; inset: 0; opacity: 0; animation: slide 15s infinite }
     b { display: block; width: 80px; height: 25px; background: #00f; animation: move 9s linear infinite }
     .fade { background: #f0f; animation: fade 3s infinite alternate } .grow { background: #0ff; animation: grow 2s infinite alternate }</style>
     <div><i style="background:#0f0"></i><i style="background:#0f0;animation-delay:5s"></i><i style="background:#0f0;animation-delay:10s"></i></div>
     <div><b></b></div><div class="fade"></div><div class="grow"></div>`,
  );
  const { bytes } = await capture(page);
  const row = (y: number) => new Set(Array.from({ length: 5 }, (_, index) => pixelAt(bytes, 20 + 40 * index, y)));
  assert.deepEqual([...row(12)], ["#00ff00"], "one slide, in full");
  assert.ok(row(37).has("#0000ff"), "the ticker's text");
  assert.deepEqual([...row(62), ...row(87)], ["#ff00ff", "#00ffff"], "elements that fade and grow");
  assert.deepEqual((await capture(page)).bytes, bytes);
});

const exits = `<style>@keyframes out { to { opacity: 0; transform: translateY(60px) } } @keyframes in { from { opacity: 0 } } @keyframes go { to { height: 0 } }
  * { margin: 0 } p { width: 200px; height: 16px; background: #0f0 } .out { animation: out 1s 5s both } .in { animation: in 1s 5s both }
  .both { animation: in .5s both, out 1s 6s forwards }</style>`;

for (const full of [false, true])
  test(`animations that begin late and hide content of the page are left out${full ? ", with full_page" : ""}`, async () => {
    const page = colouredPage(
      "#fff",
      `${exits}<p class="out"></p><p class="in"></p><p class="later"></p><p class="both"></p><div style="height:1500px"></div>
       <script>addEventListener("scroll", () => {}); requestAnimationFrame(() => { document.querySelector(".later").className = "out" })</script>`,
    );
    const { bytes } = await capture(page, full ? { full_page: "true" } : {});
    assert.deepEqual(
      [8, 24, 40, 56, 72].map((y) => pixelAt(bytes, 100, y)),
      ["#00ff00", "#00ff00", "#00ff00", "#00ff00", "#ffffff"],
    );
  });

test("animations that begin late are finished if what they hide gives way to other content", async () => {
  const covers = {
    "a preloader": "<aside class=out style='position: fixed; inset: 0; background: #f00'></aside><p></p>",
    "a preloader drawn by a pseudo-element": `<style>body::before { content: ""; position: fixed; inset: 0; background: #f00; animation: out 1s 5s both }</style><p></p>`,
    "a curtain": "<b class=out style='position: absolute; left: 0; top: 0; width: 50%; height: 100%; background: #f00'></b><p></p>",
    "a layer that sticks":
      "<b class=out style='position: sticky; display: block; top: 0; height: 90px; margin-bottom: -90px; background: #f00'></b><p></p>",
    "a slide in a layer": `<div style="position: absolute"><p></p></div><div style="position: absolute"><p class=out style="background: #f00"></p></div>`,
    "a splash that shrinks": "<div style='height: 90px; background: #f00; animation: go 1s 5s both'></div><p></p>",
  };
  for (const [what, content] of Object.entries(covers))
    assert.equal(pixelAt((await capture(colouredPage("#fff", exits + content))).bytes, 100, 8), "#00ff00", what);
});

test("a page of thousands of animations is captured in time: their states are read at once", async () => {
  const page = colouredPage("#fff", `${exits}<style>i { animation: in 2s 1s both }</style>${"<i>a</i>".repeat(6_000)}`);
  const { status, json } = await capture(page, { timeout: "20" });
  assert.equal(status, 200, JSON.stringify(json));
});

test("SMIL animations: finite ones are captured at their end, infinite ones at their start or where they show most", async () => {
  const bar = (y: number, color: string, animations: string) =>
    `<rect y="${y}" width="200" height="20" fill="${color}">${animations}</rect>`;
  const drawing = (height: number, bars: string) => `<svg width="200" height="${height}" style="display:block">${bars}</svg>`;
  const turnsGreen = 'attributeName="fill" to="#0f0"';
  const endless = 'dur="9s" repeatCount="indefinite"';
  const drawings = `${drawing(
    60,
    `${bar(0, "#f00", `<animate ${turnsGreen} dur="40s" fill="freeze"/>`)}
     ${bar(20, "#f00", `<animate id="first" attributeName="height" to="15" dur="30s"/><set ${turnsGreen} begin="first.end"/>`)}
     ${bar(40, "#f00", `<animate attributeName="fill" values="#0f0;#00f" ${endless}/>`)}`,
  )}${drawing(
    40,
    `${bar(0, "#0f0", `<animate attributeName="opacity" values="0;1;0" ${endless}/>`)}
     ${bar(20, "#0f0", `<animateTransform attributeName="transform" type="translate" from="200" to="0" ${endless}/>`)}`,
  )}`;
  const all: [script: string, parameters: Record<string, string>][] = [
    ["<script>let none</script>", { full_page: "true" }],
    ...onlyLong<[string, Record<string, string>]>([
      ["", {}],
      ["", { wait_until: "load" }],
    ]),
  ];
  for (const [script, parameters] of all) {
    const page = colouredPage("#fff", drawings + script);
    const { bytes } = await capture(page, parameters);
    const column = [10, 30, 50, 70].map((y) => pixelAt(bytes, 150, y));
    assert.deepEqual(column, ["#00ff00", "#00ff00", "#00ff00", "#00ff00"], JSON.stringify(parameters));
    assert.equal(pixelAt(bytes, 195, 90), "#00ff00", "content that moves in");
    assert.deepEqual((await capture(page, { ...parameters, delay: "0.3" })).bytes, bytes);
  }
});

longTest("an animation that starts during the capture is captured at its start", async () => {
  const page = colouredPage(
    "#fff",
    `<style>@keyframes turn { to { transform: rotate(1turn) } } div { width: 60px; height: 50px; background: #00f }
     .always { animation: turn 1s infinite linear } .once { animation: turn 1s }</style><div class="always"></div><div class="once"></div>`,
  );
  const still = await capture(page.replace(/animation:[^}]*/g, ""));
  await inParallel(isLong ? 12 : 4, 4, async () => assert.deepEqual((await capture(page, { wait_until: "load" })).bytes, still.bytes));
});

longTest("animations in shadow roots and frames, transitions and script animations are finished", async () => {
  const page = colouredPage(
    "#f00",
    `<style>iframe{display:block;border:0;width:200px;height:25px} div{height:25px;background:#f00;transition:background 60s} .on{background:#0f0}</style>
     <x-shadow></x-shadow><iframe srcdoc="<style>@keyframes g{to{background:#0f0}}body{animation:g 60s both}</style>"></iframe><div id="t"></div><div id="w"></div>
     <script>
       customElements.define("x-shadow", class extends HTMLElement { connectedCallback() {
         this.attachShadow({ mode: "open" }).innerHTML = '<style>@keyframes g{to{background:#0f0}}i{display:block;height:25px;animation:g 60s both}</style><i></i>' } });
       onload = () => { t.offsetTop; t.className = "on"; w.animate([{ background: "#f00" }, { background: "#0f0" }], { duration: 60000, fill: "forwards" }) };
     </script>`,
  );
  const { bytes } = await capture(page);
  for (const [y, what] of [
    [12, "in a shadow root"],
    [37, "in a frame"],
    [62, "a transition"],
    [87, "by a script"],
  ] as const) {
    assert.equal(pixelAt(bytes, 100, y), "#00ff00", what);
  }
});

test("videos and animated images show their first frame", async () => {
  const video = colouredPage(
    "#fff",
    '<video src="/video.webm" autoplay muted style="display:block;width:200px;height:100px;object-fit:fill"></video>',
  );
  const { bytes } = await capture(video, { delay: "1" });
  assert.match(pixelAt(bytes, 100, 50), /^#f.0[0-9a-f]0[0-9a-f]$/);
  for (const when of onlyLong<Record<string, string>>([{ wait_until: "load" }, { delay: "2" }]))
    assert.match(pixelAt((await capture(video, when)).bytes, 100, 50), /^#f.0[0-9a-f]0[0-9a-f]$/);
  const later = await capture(video, { delay: "1", disable_animations: "false" });
  assert.match(pixelAt(later.bytes, 100, 50), /^#0.0[0-9a-f]f.$/);
  const gif = colouredPage("#fff", '<img src="/blinking.gif" style="display:block;width:200px;height:100px;image-rendering:pixelated">');
  const times = ["auto", ...onlyLong(["load"])].flatMap((wait_until) =>
    ["0.13", ...onlyLong(["0", "0.35"])].map((delay) => ({ wait_until, delay })),
  );
  await inParallel(times.length, 2, async (index) => {
    const { bytes: shown } = await capture(gif, times[index]);
    assert.equal(pixelAt(shown, 100, 50), "#ff0000", JSON.stringify(times[index]));
  });
});

test("a video whose sources are all missing doesn't delay the capture", async () => {
  const page = '<!doctype html><video autoplay muted><source src="/missing.mp4"><source src="/missing.webm"></video>';
  const durations: number[] = [];
  for (let attempt = 0; attempt < 3 && Math.min(...durations) > 3_500; attempt += 1) {
    const since = performance.now();
    assert.equal((await capture(page)).status, 200);
    durations.push(performance.now() - since);
  }
  assert.ok(Math.min(...durations) < 3_500, `each capture took over 3.5 s: ${durations.map(Math.round)}`);
});

test("a field focused by the page shows neither a text cursor nor a focus ring", async () => {
  const field = (attribute: string) =>
    colouredPage("#fff", `<input ${attribute} style="margin:20px;width:100px;border:2px solid #888;outline-offset:2px">`);
  const { bytes } = await capture(field(""));
  for (const wait_until of ["auto", "load", ...onlyLong(["auto", "load", "auto", "load"])])
    assert.deepEqual((await capture(field("autofocus"), { wait_until })).bytes, bytes, wait_until);
  const byScript = `${field("id=f")}<script>onload = () => f.focus({ focusVisible: false })</script>`;
  assert.deepEqual((await capture(byScript, { wait_until: "load" })).bytes, bytes, "by a script");
});

test("every page has focus from the start, even while others are captured", async () => {
  const page = (i: number) =>
    colouredPage(
      "#fff",
      `<p>${i}<script>const had = document.hasFocus(); onload = () => { if (had && document.hasFocus()) document.documentElement.style.background = "#0f0" }</script>`,
    );
  const captures = Array.from({ length: isLong ? 12 : 4 }, (_, i) => capture(page(i), { wait_until: i % 2 ? "load" : "auto" }));
  for (const { bytes } of await Promise.all(captures)) assert.equal(pixelAt(bytes, 190, 90), "#00ff00");
});

test("the mouse is outside of the page: nothing in a corner looks hovered", async () => {
  const page = colouredPage(
    "#fff",
    `<style>a { position: fixed; width: 40px; height: 20px; background: #0f0 } a:hover { background: #f00 } a:nth-of-type(2n) { right: 0 }
     a:nth-of-type(n + 3) { bottom: 0 }</style><a></a><a></a><a></a><a></a>
     <script>for (const type of ["mouseover", "mousemove"]) addEventListener(type, () => { document.body.style.background = "#f00" })</script>`,
  );
  const { bytes } = await capture(page, { width: "200", height: "100" });
  const corners = [
    [5, 5],
    [195, 5],
    [5, 95],
    [195, 95],
  ] as const;
  assert.deepEqual(
    [...corners.map(([x, y]) => pixelAt(bytes, x, y)), pixelAt(bytes, 100, 50)],
    [...corners.map(() => "#00ff00"), "#ffffff"],
  );
});

test("resizing for a screenshot of another size doesn't start a transition", async () => {
  const page = colouredPage(
    "#0f0",
    `<style>nav { position: absolute; inset: 0 0 auto; height: 60px; background: #fff }
     @media (min-width: 992px) { nav { background: transparent; transition: background-color .4s } } main { height: 2000px }</style><nav></nav><main></main>`,
  );
  const window = { width: "1280", height: "720" };
  for (const part of [
    { full_page: "true" },
    ...onlyLong([{ image_width: "640" }, { clip_x: "0", clip_y: "0", clip_width: "1280", clip_height: "900" }]),
  ]) {
    const { bytes } = await capture(page, { ...window, ...(part as object) });
    assert.equal(pixelAt(bytes, 600, 20), "#00ff00", JSON.stringify(part));
  }
});

test("animations stop even on a page whose scripts were paused to stabilize it", async () => {
  site.serve({
    "/moving": colouredPage("#fff", "<style>@keyframes x { to { opacity: 0 } } i { animation: x 1s infinite }</style><i>text</i>"),
  });
  await service.services.slots.withTab({ account: "test", signal: AbortSignal.timeout(20_000) }, async (tab) => {
    await open(tab, `${site.origin}/moving`);
    await tab.send("Emulation.setScriptExecutionDisabled", { value: true });
    assert.equal(await tab.within(5_000, tab.evaluateSource(freezeSource, alwaysStill)), true);
    assert.equal(await tab.evaluate(() => document.getAnimations()[0]?.playState), "paused");
  });
});
