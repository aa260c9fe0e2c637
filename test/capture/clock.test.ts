/** The `clock` option: virtual time for the page, its frames and workers, and the same image every time. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { keepCoresBusy } from "../support/busy.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { slotsAreIdle, testStubborn } from "./stubborn-pages.ts";

const longTest = longOnly(test);
const scope = fileScope();
let captures: Captures;
let capture: Captures["capture"];

const worker = "setTimeout(() => postMessage({ date: new Date().toISOString(), at: performance.now() }), 250)";
const instant = "2024-02-29T12:00:00.000Z";

before(async () => {
  captures = await startCaptures(scope, { MAX_CONCURRENT_SCREENSHOTS: "2" });
  ({ capture } = captures);
  captures.site.serve({
    "/slow": (_, response) => void setTimeout(() => response.end("slow"), 700),
    "/worker.js": (_, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(worker),
    "/inner": "<script>setTimeout(() => parent.postMessage([new Date().toISOString(), performance.now()], '*'), 250)</script>",
  });
});

/** Captures a page that writes its results into `facts`, and reads them from its title, which is set last. */
async function factsOf(script: string, parameters: Record<string, string> = {}, markup = ""): Promise<Record<string, unknown>> {
  const page = `<!doctype html>${markup}<script>const facts = {}; const note = (name, value) => { facts[name] = value; document.title = JSON.stringify(facts) };${script}</script>`;
  const { status, json } = await capture(page, { clock: instant, response_type: "json", ...parameters });
  assert.equal(status, 200, JSON.stringify(json));
  return JSON.parse(json.title ?? "null");
}

test("clock: dates, timers, frames and random numbers come from the page's own time", async () => {
  const facts = await factsOf(`
    note("date", new Date().toISOString()); note("now", Date.now()); note("performance", performance.now()); note("origin", performance.timeOrigin);
    note("text", Date().slice(0, 15)); note("year", new Intl.DateTimeFormat("en", { year: "numeric" }).format());
    note("temporal", globalThis.Temporal ? Temporal.Now.plainDateISO("UTC").toString() : "2024-02-29");
    note("types", [new Date() instanceof Date, typeof new (class extends Date {})().getTime(), new Date(5).getTime(), Date.UTC(1970, 0), new Date().constructor === Date]);
    note("random", [Math.random(), Math.random()]);
    setTimeout(() => note("timeout", [Date.now() - ${Date.parse(instant)}, performance.now()]), 1200);
    let turns = 0; const every = setInterval(() => { turns += 1; note("turns", turns); if (turns === 3) clearInterval(every) }, 100);
    requestAnimationFrame((first) => requestAnimationFrame((second) => note("frame", second - first)));
    let frames = 0; requestAnimationFrame(function count(at) { frames += 1; if (at < 1000) requestAnimationFrame(count); else note("frames", frames) });
    clearTimeout(setTimeout(() => note("cleared", true), 10)); setTimeout("note('code', true)", 5);
    requestIdleCallback((deadline) => note("idle", deadline.timeRemaining()));
    setTimeout((one, two) => note("arguments", [one, two]), 1, "a", "b");
    (async () => { const order = []; setTimeout(() => { order.push(1); Promise.resolve().then(() => order.push(2)) }, 50); setTimeout(() => { order.push(3); note("order", order) }, 50) })();
  `);
  assert.deepEqual(facts, {
    date: instant,
    now: Date.parse(instant),
    performance: 0,
    origin: Date.parse(instant),
    text: "Thu Feb 29 2024",
    year: "2024",
    temporal: "2024-02-29",
    types: [true, "number", 5, 0, true],
    random: [0.3588899802416563, 0.10590326134115458], // Mulberry32 with this seed
    timeout: [1200, 1200],
    turns: 3,
    frame: facts.frame,
    frames: 60,
    code: true,
    idle: 50,
    arguments: ["a", "b"],
    order: [1, 2, 3],
  });
  assert.ok(Math.abs(Number(facts.frame) - 1000 / 60) < 0.01, String(facts.frame));
});

longTest("clock: frames, including cross-origin ones, and workers have the page's time", async () => {
  const foreign = captures.site.origin.replace("127.0.0.1", "localhost");
  const facts = await factsOf(
    `onmessage = ({ data, origin }) => note(origin === location.origin ? "frame" : "foreign", data);
     new Worker("/worker.js").onmessage = ({ data: { date, at } }) => note("worker", [date, at]);
     new Worker(URL.createObjectURL(new Blob(["new Worker('${captures.site.origin}/worker.js').onmessage = ({ data }) => postMessage(data)"]))).onmessage = ({ data }) => note("inner worker", [data.date, data.at]);`,
    {},
    `<iframe src="/inner"></iframe><iframe src="${foreign}/inner"></iframe>`,
  );
  const expected = ["2024-02-29T12:00:00.250Z", 250];
  assert.deepEqual(facts, { frame: expected, foreign: expected, worker: expected, "inner worker": expected });
});

longTest("clock: a fetch takes real time, but no page time", async () => {
  const facts = await factsOf(`
    setTimeout(async () => { const from = performance.now(); const text = await (await fetch("/slow")).text(); note("fetched", [text, performance.now() - from]) }, 300);
    setTimeout(() => note("later", facts.fetched !== undefined), 900);
  `);
  assert.equal(facts.later, true);
  assert.ok((facts.fetched as [string, number])[1] <= 100, JSON.stringify(facts));
});

const moving = {
  "a canvas of endless particles": `<canvas id="c" width="180" height="80"></canvas><script>
    const context = c.getContext("2d"); const dots = Array.from({ length: 40 }, () => [Math.random() * 180, Math.random() * 80, Math.random() - 0.5]);
    (function draw(at = 0) { context.clearRect(0, 0, 180, 80); for (const dot of dots) { dot[0] += dot[2] * at / 500; context.fillRect(dot[0], dot[1] + Math.sin(at / 300) * 9, 4, 4) } requestAnimationFrame(draw) })()</script>`,
  "a carousel that advances at the end of each transition, next to a clock": `<style>#strip { width: 90px; height: 30px; background: #06c; transition: transform .4s } @keyframes turn { to { rotate: 1turn } } b { display: inline-block; animation: turn 3s infinite linear }</style>
    <div id="strip"></div><b>x</b> <i id="time"></i><script>let at = 0; strip.ontransitionend = () => setTimeout(move, 150); function move() { at = (at + 37) % 100; strip.style.transform = "translateX(" + at + "px)" } setTimeout(move, 50);
    setInterval(() => { time.textContent = new Date().toISOString() + Math.random() }, 333)</script>`,
  "fetches of varying duration, a worker, and an animation driven by dates": `<p id="log"></p><p id="fade">Fading</p><script>
    const write = (text) => { log.textContent += text + " " }; const from = Date.now();
    const fade = () => { const part = Math.min(1, (Date.now() - from) / 900); document.getElementById("fade").style.opacity = part; if (part < 1) setTimeout(fade, 13) }; fade();
    new Worker("/ticks.js").onmessage = ({ data }) => write(data + "@" + Math.round(performance.now()));
    let left = 4; (async function next() { write(await (await fetch("/varying?" + left)).text() + Math.round(performance.now())); if (--left) setTimeout(next, 120) })()</script>`,
};

longTest("clock: animated pages give the same bytes every time, however busy the machine is", async () => {
  captures.site.serve({
    "/varying": (_, response) => void setTimeout(() => response.end("f"), Math.random() * 150),
    "/ticks.js": (_, response) =>
      response.writeHead(200, { "content-type": "text/javascript" }).end("let n = 0; setInterval(() => n < 9 && postMessage(n++), 70)"),
  });
  const shots = async () => {
    const images: Record<string, string> = {};
    for (const [name, page] of Object.entries(moving)) {
      const { status, bytes, warnings } = await capture(`<!doctype html>${page}`, { clock: instant, wait_until_timeout: "25" });
      assert.deepEqual([status, warnings], [200, null], name);
      images[name] = Buffer.from(bytes).toString("base64");
    }
    return images;
  };
  const first = await shots();
  const ends = onlyLong([keepCoresBusy]).map((keep) => keep()); // in the default suite, other files keep them busy
  try {
    assert.deepEqual(await shots(), first); // test/fidelity/clock.long.test.ts repeats it
  } finally {
    await Promise.all(ends.map((end) => end()));
  }
});

const timeOfDay = `<script>const show = () => { document.title = new Date().toISOString() }; show(); setInterval(show, 1000); setTimeout(() => { document.body.append("later") }, 2500)</script><body>`;

test("clock: Date shows the instant in the screenshot; with fast, it advances", async () => {
  const titleWith = async (clock: string) => String((await capture(timeOfDay, { clock, response_type: "json" })).json.title);
  assert.equal(await titleWith(instant), instant);
  assert.equal(await titleWith("2024-02-29T14:00+02:00"), instant);
  const before = Date.now();
  const frozen = Date.parse(await titleWith("frozen"));
  assert.ok(frozen >= before && frozen <= Date.now(), "frozen");
  const later = Date.now();
  const fast = Date.parse(await titleWith("fast"));
  assert.ok(fast >= later + 4_000, "fast");
});

test("clock=fast: timers, frames and animations have finished", async () => {
  const page = `<!doctype html><style>body { margin: 0 } div { height: 20px; width: 200px; background: #f00 } @keyframes green { to { background: #0f0 } } #css { animation: green 4s both } #chain { transition: background 1s }</style>
    <div id="css"></div><div id="timer"></div><div id="drawn"></div><div id="script"></div><div id="chain"></div><script>
    setTimeout(() => { timer.style.background = "#0f0" }, 4000);
    requestAnimationFrame(function draw(at) { if (at > 3000) drawn.style.background = "#0f0"; else requestAnimationFrame(draw) });
    script.animate([{ background: "#f00" }, { background: "#00f" }], 2000).finished.then(() => { script.style.background = "#0f0" });
    chain.offsetTop; chain.style.background = "#00f"; chain.ontransitionend = () => { chain.style.background = "#0f0" }</script>`;
  for (const wait_until of ["auto", ...onlyLong(["load"])]) {
    const { bytes } = await capture(page, { clock: "fast", wait_until });
    for (const [y, what] of [
      [10, "style sheet"],
      [30, "timer"],
      [50, "frames"],
      [70, "script"],
      [90, "chain"],
    ] as const)
      assert.equal(pixelAt(bytes, 100, y), "#00ff00", `${what}, ${wait_until}`);
  }
});

test("clock: delay and wait_for_selector let more page time pass", async () => {
  const page = `<!doctype html><style>body { margin: 0 } div { height: 100px; background: #f00 }</style><div></div><script>
    const turn = (colour, then) => { document.querySelector("div").style.background = colour; then?.() };
    setTimeout(() => turn("#00f", () => setTimeout(() => turn("#0f0", () => { document.querySelector("div").id = "ready" }), 8000)), 7000)</script>`;
  assert.equal(pixelAt((await capture(page, { clock: "fast" })).bytes, 100, 50), "#ff0000");
  assert.equal(pixelAt((await capture(page, { clock: "fast", delay: "3" })).bytes, 100, 50), "#0000ff");
  assert.equal(pixelAt((await capture(page, { clock: "fast", wait_for_selector: "#ready" })).bytes, 100, 50), "#00ff00");
});

longTest("clock: endless animations that aren't stopped are at the same position every time", async () => {
  const page = `<!doctype html><style>@keyframes turn { to { background: #00f } } body { animation: turn 2s infinite linear; background: #f00 }</style><script>setTimeout(() => {}, 3500)</script>`;
  const shots = [];
  for (let shot = 0; shot < 3; shot += 1) shots.push((await capture(page, { clock: "fast", disable_animations: "false" })).bytes);
  assert.deepEqual(shots[1], shots[0]);
  assert.deepEqual(shots[2], shots[0]);
  assert.match(pixelAt(shots[0] ?? new Uint8Array(), 100, 50), /^#[4-8].00[b-f].$/);
});

longTest("clock: the effects of clicks, scripts and scrolling run to completion", async () => {
  const page = `<!doctype html><style>body { margin: 0 } div { height: 1500px } p { height: 1500px; margin: 0; background: #f00 }</style>
    <button id="open" onclick="setTimeout(() => { document.body.prepend(Object.assign(document.createElement('button'), { id: 'inner', textContent: 'x', onclick: () => setTimeout(() => { document.title = 'clicked' }, 700) })) }, 1500)">o</button><div></div><p id="p"></p>
    <script>let waits; addEventListener("scroll", () => { waits ??= setTimeout(() => { waits = undefined; if (scrollY > 700) p.style.background = "#0f0" }, 99) })</script>`;
  const { json } = await capture(page, { clock: "fast", click: ["#open", "#inner"], response_type: "json" });
  assert.equal(json.title, "clicked");
  const { bytes } = await capture(page, { clock: "fast", full_page: "true" });
  assert.equal(pixelAt(bytes, 100, 2500), "#00ff00");
});

test("clock: values other than an instant, frozen and fast are rejected; equal instants share a cached screenshot", async () => {
  for (const clock of ["now", "2024-02-30", "2024-02-29T12:00", "1709208000", "2024-13-01"]) {
    const { status, json } = await capture("<p>", { clock });
    assert.equal(status, 400, clock);
    assert.match(String(json.error), /clock.*frozen.*fast.*ISO 8601/s, clock);
  }
  captures.site.serve({ "/cached": timeOfDay });
  const cacheOf = async (clock: string) => (await capture("/cached", { clock, is_cached: "true" })).headers.get("x-cache");
  assert.equal(await cacheOf(instant), "MISS");
  assert.match((await cacheOf("2024-02-29T13:00:00+01:00")) ?? "", /^(HIT|COALESCED)$/);
  assert.equal(await cacheOf("2024-02-29"), "MISS");
  assert.equal(await cacheOf("fast"), "MISS");
});

testStubborn(() => captures, ["endlessly overlapping images"], ["auto"]);

longTest("clock: if the client disconnects during a clock step, the capture releases its browser", async () => {
  const overlaps = Promise.withResolvers<void>();
  captures.site.serve({
    "/first": (request, response) => void setTimeout(() => response.end(), Number(request.url?.split("=")[1])),
    "/again": (_, response) => void setTimeout(() => response.end(), 1000, overlaps.resolve()),
    "/waits": `<script>async function again() { for (;;) await fetch("/again") } setTimeout(() => { for (let i = 0; i < 10; i += 1) fetch("/first?ms=" + i * 100).then(again) }, 100)</script>`,
  });
  const { service, site, key } = captures;
  const parameters = { api_key: key, url: `${site.origin}/waits`, clock: "fast", wait_until_timeout: "30", timeout: "60" };
  const client = new AbortController();
  const left = fetch(`${service.origin}/v1/screenshots/take?${new URLSearchParams(parameters)}`, { signal: client.signal });
  await overlaps.promise;
  client.abort();
  await assert.rejects(left, { name: "AbortError" });
  await slotsAreIdle(captures);
});

longTest("clock: a frame callback can cancel another one of the same frame", async () => {
  const { hits } = await factsOf(`
    let hits = ""; requestAnimationFrame(() => { hits += "a"; cancelAnimationFrame(b) });
    const b = requestAnimationFrame(() => { hits += "b" }); requestAnimationFrame(() => { hits += "c"; note("hits", hits) });`);
  assert.equal(hits, "ac");
});

test("clock: delays are converted as in browsers", async () => {
  const { at } = await factsOf(`
    const at = []; for (const delay of [Infinity, NaN, 2 ** 31, 2 ** 32 + 5, -1, "20", undefined]) setTimeout(() => { at.push([String(delay), performance.now()]); note("at", at) }, delay);`);
  assert.deepEqual(at, [
    ["Infinity", 1],
    ["NaN", 1],
    ["2147483648", 1],
    ["-1", 1],
    ["undefined", 1],
    ["4294967301", 5],
    ["20", 20],
  ]);
});

test("clock: pages can't detect the service by a global name", async () => {
  const { names } = await factsOf(`
    const all = Object.getOwnPropertyNames(globalThis).concat(Object.keys(globalThis));
    note("names", all.filter((name) => /tintype|clock/i.test(name)));`);
  assert.deepEqual(names, []);
});

/** Makes every promise of an object or an array resolve with another object, unless it is a page's own. */
const replacesResults = `Object.defineProperty(Object.prototype, "then", { get() {
  if (!("isLate" in this || "ran" in this || Array.isArray(this))) return undefined;
  return (resolve) => resolve(Object.assign(Object.create(null), { next: null, ran: false, isLate: true, workers: 9 }));
} });`;

longTest("clock: a page that chooses what promises resolve with is captured like any other", async () => {
  captures.site.serve({
    "/replacing-worker.js": (_, response) =>
      response
        .writeHead(200, { "content-type": "text/javascript" })
        .end(`${replacesResults} setTimeout(() => postMessage(performance.now()), 2500)`),
  });
  const page = `<!doctype html><title>-</title><script>${replacesResults}
    const show = (text) => { document.title += text };
    setTimeout(() => show(" document " + performance.now()), 3000);
    new Worker("/replacing-worker.js").onmessage = ({ data }) => show(" worker " + data);</script><p>Shown`;
  const { json } = await capture(page, { clock: "fast", response_type: "json" });
  assert.deepEqual([json.title, json.warnings], ["- worker 2500 document 3000", []]);
});

longTest("clock: a page can't replace its clock's functions, and is captured if it replaces those that the clock uses", async () => {
  const page = `<!doctype html><title>-</title><script>
    const large = "x".repeat(1e6); const result = { next: null, ran: true, isLate: false, workers: 0, large };
    for (const name of Object.getOwnPropertyNames(globalThis))
      if (/^_[0-9a-f]{16}$/.test(name)) {
        document.title += " " + Object.isFrozen(globalThis[name]);
        for (const key in globalThis[name]) globalThis[name][key] = () => result;
      }
    Math.min = Math.max = () => ({ toString: () => large, valueOf: () => large });
    Promise.prototype.then = (resolve) => resolve(result); Promise.prototype.constructor = Object;</script><p>Shown`;
  const { status, json } = await capture(page, { clock: "fast", response_type: "json" });
  assert.deepEqual([status, json.title], [200, "- true"]);
});
