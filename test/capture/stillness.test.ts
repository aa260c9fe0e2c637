/** `wait_until=auto` waits until a page stops changing by itself, and until content replaces its placeholders. */

import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { WebSocketServer } from "ws";
import type { Tab } from "../../src/browser/tab.ts";
import { signOfMore } from "../../src/capture/changes.ts";
import { settle } from "../../src/capture/in-page/settle.ts";
import { untilStill } from "../../src/capture/in-page/still.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { readPixels } from "../support/image.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";

const longTest = longOnly(test);
const scope = fileScope();
let captures: Captures;

before(async () => {
  captures = await startCaptures(scope, { EGRESS_ALLOWED_HOSTS: "localhost" });
  const sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  scope.after(() => sockets.close());
  sockets.on("connection", (socket) => void setTimeout(() => socket.send("x"), 500));
  await once(sockets, "listening");
  const { port } = sockets.address() as AddressInfo;
  captures.site.serve({
    "/slow": (_, response) => void setTimeout(() => response.end("x"), 300),
    "/late.png": (_, response) => void setTimeout(() => response.writeHead(404).end(), 400),
    "/slower": (_, response) => void setTimeout(() => response.end("x"), 2_000),
    "/socket.js": (_, response) =>
      response.writeHead(200, { "content-type": "text/javascript" }).end(`const socket = new WebSocket("ws://localhost:${port}")`),
    "/events": (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      setTimeout(() => response.write("data: x\n\n"), 500);
    },
  });
});

const style = "<!doctype html><style>* { margin: 0 } .done { width: 200px; height: 100px; background: #0a0 }</style>";
const done = '<div class="done"></div>';
const layer = (content: string) => `<div id="layer" style="position: fixed; inset: 0; background: #fff">${content}</div>`;
const shimmer = `<style>@keyframes shimmer { from { background-position: 200% 0 } to { background-position: -200% 0 } }
  .skeleton { height: 80px; background: linear-gradient(90deg, #eee, #ddd, #eee) 0 0 / 200% 100%; animation: shimmer 1s linear infinite }</style>`;

/** Each of these pages shows `#00aa00` in the middle of the window once it has reached its final state. */
const pages: Record<string, string> = {
  "a chart that grows on a canvas": `<canvas width="200" height="100" id="chart"></canvas><script>
    const context = chart.getContext("2d"); const start = performance.now();
    const draw = () => { const share = Math.min(1, (performance.now() - start) / 900); context.clearRect(0, 0, 200, 100);
      context.fillStyle = "#00aa00"; context.fillRect(0, 0, 200 * share * share, 100); if (share < 1) requestAnimationFrame(draw) };
    requestAnimationFrame(draw)</script>`.replace("(0, 0, 200 * share * share, 100)", "(0, 100 - 100 * share * share, 200, 100)"),
  "text that is typed": `<h1><b id="text" style="font: 10px monospace"></b></h1><script>
    const type = () => { text.textContent += "x"; if (text.textContent.length < 12) setTimeout(type, 80); else document.body.innerHTML = '${done}' };
    setTimeout(type, 60)</script>`,
  "a number that counts up in an interval": `<b id="number">0</b><script>
    const timer = setInterval(() => { number.textContent = Number(number.textContent) + 1;
      if (number.textContent === "60") { clearInterval(timer); document.body.innerHTML = '${done}' } }, 10)</script>`,
  "an element that a script animation moves into place": `<div style="overflow: hidden; height: 100px"><div class="done" id="moved"></div></div><script>
    moved.animate([{ transform: "translateY(100px)" }, { transform: "none" }], 700).onfinish = () => {}</script>`,
  "a layer with a spinner that is removed after the load event": `${layer("<i></i>")}${done}<script>
    addEventListener("load", () => setTimeout(() => layer.remove(), 1200))</script>`,
  "a layer that doesn't change": `${layer("Logo")}${done}<script>addEventListener("load", () => setTimeout(() => layer.remove(), 800))</script>`,
  "a pseudo-element over the page": `<style>.loading::before { content: ""; position: fixed; inset: 0; background: #f00; z-index: 9 }</style>${done}<script>
    document.body.classList.add("loading"); setTimeout(() => document.body.classList.remove("loading"), 1000)</script>`,
  "a skeleton whose content is fetched later": `${shimmer}<main><div class="skeleton"></div></main><script>
    setTimeout(async () => { await fetch("/slow"); document.querySelector("main").innerHTML = '${done}' }, 700)</script>`,
  "a page that is invisible until its scripts have finished": `<main style="opacity: 0"><p>text</p></main><script>
    setTimeout(() => { document.querySelector("main").style.opacity = 1; document.querySelector("main").innerHTML = '${done}' }, 600)</script>`,
};

/** Those of the default suite, each with one value of `full_page`. */
const some = new Map([
  ["a chart that grows on a canvas", "false"],
  ["a layer with a spinner that is removed after the load event", "true"],
  ["a skeleton whose content is fetched later", "false"],
]);

for (const [name, page] of Object.entries(pages)) {
  for (const full_page of ["false", "true"]) {
    (some.get(name) === full_page ? test : longTest)(`auto: ${name} is captured in its final state, full_page=${full_page}`, async () => {
      const { bytes, waitEnded } = await captures.capture(`${style}${page}`, { full_page });
      assert.deepEqual([readPixels(bytes)(100, 50), waitEnded], ["#00aa00", "ready"]);
    });
  }
}

function onTab<T>(run: (tab: Tab) => Promise<T>): Promise<T> {
  const request = { account: "test", signal: AbortSignal.timeout(60_000), deadlineAt: performance.now() + 60_000 };
  return captures.service.services.slots.withTab(request, run);
}

test("auto: text that is already being typed when the page is first looked at is noticed", async () => {
  captures.site.serve({
    "/typing": '<!doctype html><h1 id="text">x</h1><script>setInterval(() => { text.textContent += "x" }, 100)</script>',
  });
  const { mayChange } = await onTab(async (tab) => {
    const loaded = tab.once("Page.loadEventFired");
    await tab.send("Page.navigate", { url: `${captures.site.origin}/typing` });
    await loaded;
    await tab.waitFor(
      () =>
        new Promise<void>((resolve) => {
          new MutationObserver(() => resolve()).observe(document, { subtree: true, childList: true });
        }),
    );
    return await tab.waitFor(settle);
  });
  assert.equal(mayChange, true);
});

longTest("auto: text that is typed by a page whose thread is often busy is noticed", async () => {
  const busy = "for (const end = performance.now() + 250; performance.now() < end; );";
  captures.site.serve({
    "/busy": `<!doctype html><h1 id="text">x</h1><script>const type = () => { setTimeout(type, 115); text.textContent += "x";
      setTimeout(() => { ${busy} }, 5) }; type()</script>`,
  });
  const seen = await onTab(async (tab) => {
    const loaded = tab.once("Page.loadEventFired");
    await tab.send("Page.navigate", { url: `${captures.site.origin}/busy` });
    await loaded;
    return [await tab.waitFor(untilStill, 1_000, false), await tab.waitFor(untilStill, 1_000, false)];
  });
  assert.deepEqual(seen, ["moving", "moving"]);
});

test("auto: a page that clears all timers in each frame, also those of this service, is noticed to be still", async () => {
  const clear = "let id = setTimeout(() => {}); while (id--) clearTimeout(id)";
  captures.site.serve({
    "/clears": `<!doctype html><h1>Text</h1><script>(function next() { ${clear}; requestAnimationFrame(next) })()</script>`,
  });
  const seen = await onTab(async (tab) => {
    const loaded = tab.once("Page.loadEventFired");
    await tab.send("Page.navigate", { url: `${captures.site.origin}/clears` });
    await loaded;
    return await tab.waitFor(untilStill, 3_000, false);
  });
  assert.equal(seen, "still");
});

longTest("auto: a page with an endlessly redrawn canvas is captured, and counts as ready", async () => {
  const page = `${style}<canvas width="200" height="100" id="noise"></canvas><script>const context = noise.getContext("2d"); let hue = 0;
    const draw = () => { context.fillStyle = "hsl(" + (hue += 5) + " 80% 50%)"; context.fillRect(0, 0, 200, 100); requestAnimationFrame(draw) }; draw()</script>`;
  const { status, waitEnded, warnings } = await captures.capture(page);
  assert.deepEqual([status, waitEnded, warnings], [200, "ready", null]);
});

const header = "<style>header { height: 20px } .done { height: 80px }</style><header>Title</header>";
const fill = (id: string) => `document.getElementById("${id}").innerHTML = '${done}'`;
const later = (id: string, ms: number) => `<script>addEventListener("load", () => setTimeout(() => { ${fill(id)} }, ${ms}))</script>`;

/** Each of these pages shows `#00aa00` in the middle of the window once it has filled its empty space. */
const unfilled: Record<string, string> = {
  "an element with delayed content": `<div id="part" hx-get="/part" hx-trigger="load delay:500ms"></div>${later("part", 500)}`,
  "an application that renders late": `<div id="app"></div>${later("app", 700)}`,
  "an application that renders late, once a slow image has loaded": `<div id="app"></div><img src="/late.png" style="display: none">${later("app", 700)}`,
  "several sections, each with its own timer": `<div id="part"></div><script>addEventListener("load", () => [300, 600].forEach((ms) =>
    setTimeout(() => { part.innerHTML += ms === 600 ? '${done}' : "<p style='font-size: 0'>x</p>" }, ms)))</script>`,
  "a grid that is laid out late": `<div id="grid" style="height: 80px; border: 1px solid"></div>${later("grid", 500)}`,
  "text that says what it is waiting for": `<main id="main"><p>Loading your data…</p></main>${later("main", 1_200)}`,
  "a part marked as busy": `<p>Some text</p><div id="list" aria-busy="true">Our list</div><script>addEventListener("load", () => setTimeout(() => {
    list.ariaBusy = "false"; document.body.innerHTML = '${done}' }, 1200))</script>`,
  "the first WebSocket message": `<ul id="list"></ul><script src="/socket.js"></script><script>socket.onmessage = () => { ${fill("list")} }</script>`,
  "the first message of an event stream": `<ul id="list"></ul><script>new EventSource("/events").onmessage = () => { ${fill("list")} }</script>`,
  "the result computed by a worker": `<main id="view"></main><script>const worker = new Worker(URL.createObjectURL(new Blob(["setTimeout(() => postMessage(1), 500)"])));
    worker.onmessage = () => { ${fill("view")} }</script>`,
  "a skeleton whose fetch starts late": `${shimmer}<main><div class="skeleton"></div></main><script>
    addEventListener("load", () => setTimeout(async () => { await (await fetch("/slower")).text(); document.querySelector("main").innerHTML = '${done}' }, 1000))</script>`,
};

const chosen = [
  "an element with delayed content",
  "an application that renders late",
  "text that says what it is waiting for",
  "the first WebSocket message",
  "the result computed by a worker",
];

for (const [name, page] of Object.entries(unfilled)) {
  (chosen.includes(name) ? test : longTest)(`auto: the capture waits for ${name}`, async () => {
    const { bytes, waitEnded } = await captures.capture(`${style}${header}${page}`);
    assert.deepEqual([readPixels(bytes)(100, 50), waitEnded], ["#00aa00", "ready"]);
  });
}

const text = "<p>A paragraph of a text that is long enough to be one, with some words more.</p>";
const signs: Record<string, [sign: unknown, page: string]> = {
  "a text": [undefined, text],
  "a link named Loading": [undefined, `<nav><a href="/loading">Loading</a></nav>${text}`],
  "text about loading": [undefined, "<p>Loading of trucks begins at six o'clock in the morning, and ends at noon.</p>"],
  "a hidden spinner": [undefined, `${text}<div role="progressbar" style="display: none">Loading…</div>`],
  "an empty element above the content": [undefined, `<div id="root-of-others"></div>${text}`],
  "an empty element below the window": [undefined, `<div style="height: 900px">${text}</div><div id="portal"></div>`],
  "an image in the main part": [undefined, '<main><img src="data:," width="9" height="9"></main>'],
  "a spinner": ["announced", `${text}<div role="progressbar" style="width: 20px; height: 20px"></div>`],
  "a redirect": ["announced", "<p>You will be redirected in a moment.</p>"],
  "an empty element at the end": ["room", `${text}<div id="more"></div>`],
  "an icon without its style sheet": ["room", `${text}<i class="icon icon-home"></i>`],
};

test("auto: pages that announce more content are distinguished from those that don't", async () => {
  const request = { account: "test", signal: AbortSignal.timeout(60_000), deadlineAt: performance.now() + 60_000 };
  const found = await captures.service.services.slots.withTab(request, async (tab) => {
    const results: Record<string, unknown> = {};
    const { frameTree } = await tab.send("Page.getFrameTree");
    for (const [name, [, html]] of Object.entries(signs)) {
      await tab.send("Page.setDocumentContent", { frameId: frameTree.frame.id, html: `<!doctype html>${html}` });
      results[name] = await signOfMore(tab);
    }
    return results;
  });
  assert.deepEqual(found, Object.fromEntries(Object.entries(signs).map(([name, [sign]]) => [name, sign])));
});
