/** Pages on which `wait_until=auto` is compared with a long wait: half a second without connections, plus two seconds. */

import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { differingShare } from "../support/image.ts";
import { fileScope, type Scope } from "../support/scope.ts";
import type { Page } from "../support/site.ts";

/** Most of a test is spent waiting. */
const atOnce = 4;
/** A page without endless connections needs no limit; this one is for busy machines. */
const limitSeconds = "10";
const limitOfTalkingSeconds = "3";

/** Responds after `ms`. */
const late =
  (ms: number, type: string, body: string): Page =>
  (_, response) =>
    void setTimeout(() => response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(body), ms);
const svg = (colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"><rect width="120" height="60" fill="${colour}"/></svg>`;
const html = (body: string, script = "") =>
  `<!doctype html><title>x</title><style>body{margin:0;font:16px sans-serif}h1{background:#ddf}</style><h1>Heading</h1>${body}${
    script ? `<script>${script}</script>` : ""
  }`;
const box = (colour: string) => `<div style='height:80px;width:150px;background:${colour}'>box</div>`;
const add = (markup: string) => `document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(markup)});`;

/**
 * Pages that load their content at different times.
 * `talks`: its connections never end, so `networkidle0` waits until it times out.
 * `ended`: how the default wait ends; `ready` by default.
 */
const pages: Record<string, { page: string; talks?: true; ended?: "timeout" }> = {
  static: { page: html(box("#0a0")) },
  "a worker's slow fetch": {
    page: html("", `new Worker("/fetching-worker.js").onmessage = () => { ${add(box("#a0a"))} }`),
  },
  "a worker whose script, and then an imported one, arrive late": {
    page: html("", `new Worker("/late-worker.js").onmessage = () => { ${add(box("#a0a"))} }`),
  },
  "a module worker with a late import": {
    page: html("", `new Worker("/module-worker.js", { type: "module" }).onmessage = () => { ${add(box("#a0a"))} }`),
  },
  "a worker that fetches when it gets a message": {
    page: html("", `const w = new Worker("/asked-worker.js"); w.onmessage = () => { ${add(box("#a0a"))} }; w.postMessage(1)`),
  },
  "a worker in a blob that imports its script": {
    page: html(
      "",
      `const shim = new Blob(["importScripts('" + location.origin + "/late-worker.js')"]);
       new Worker(URL.createObjectURL(shim)).onmessage = () => { ${add(box("#a0a"))} }`,
    ),
  },
  "a worker that is terminated while it fetches": {
    talks: true,
    page: html(
      box("#0a0"),
      `const w = new Worker(URL.createObjectURL(new Blob(["fetch('" + location.origin + "/never')"]))); setTimeout(() => w.terminate(), 200)`,
    ),
  },
  "workers that never load or never return": {
    page: html(box("#0a0"), 'new Worker("/never"); new Worker(URL.createObjectURL(new Blob(["for (;;);"])))'),
  },
  "a worker's quick fetch": { page: html(box("#0a0"), 'new Worker("/quick-worker.js")') },
  "slow image": { page: html('<img src="/slow.svg">') },
  "web font through @import": {
    page: html("<style>@import url(/late.css);p{font:30px late,sans-serif}</style><p>A paragraph in a late font</p>"),
  },
  "rendered from a late fetch": {
    page: html("<main></main>", `fetch("/slow.txt").then((r) => r.text()).then(() => {${add(box("#a00"))}})`),
  },
  "rendered from a fetch begun at load": { page: html("", `onload = () => fetch("/slow.txt").then(() => {${add(box("#a00"))}})`) },
  "rendered from a chain of fetches": {
    page: html(
      "",
      `fetch("/slow.txt").then((r) => r.text()).then(() => fetch("/slow.txt?2")).then((r) => r.text()).then(() => {${add(box("#00a"))}})`,
    ),
  },
  "rendered from an XMLHttpRequest": {
    page: html("", `const x = new XMLHttpRequest(); x.open("GET", "/slow.txt"); x.onload = () => {${add(box("#0aa"))}}; x.send()`),
  },
  "rendered from requests to one URL, concurrent and sequential": {
    page: html(
      "",
      `const ask = (ms) => fetch("/query", { method: "POST", body: ms }).then((r) => r.text());
       Promise.all([50, 400, 100].map(ask)).then(async () => { for (const ms of [10, 30, 20, 40, 200]) await ask(ms); ${add(box("#0a5"))} })`,
    ),
  },
  "fetches that fail": {
    page: html("", `fetch("/broken").catch(() => fetch("/slow.txt")).then((r) => r.text()).then(() => {${add(box("#5a0"))}})`),
  },
  "cross-origin fetch with a preflight": {
    page: html(
      "",
      `fetch("http://localhost:" + location.port + "/guarded", { method: "PUT" }).then((r) => r.text()).then(() => {${add(box("#a05"))}})`,
    ),
  },
  "fetch that is redirected": { page: html("", `fetch("/moved").then((r) => r.text()).then(() => {${add(box("#05a"))}})`) },
  "background image and font of a page without scripts": {
    page: html(
      '<style>@font-face{font-family:late;src:url(/late.woff2),local("DejaVu Serif"),local("Liberation Serif")}p{font:30px late}div{width:120px;height:60px;background:url(/slow.svg)}</style><p>text</p><div></div>',
    ),
  },
  "lazy image of a page without scripts, near the view": {
    page: html('<div style="height:690px"></div><img loading="lazy" src="/slow.svg">'),
  },
  "native lazy image in view": {
    page: html('<img loading="lazy" src="/slow.svg"><div style="height:3000px"></div><img loading="lazy" src="/slow.svg?below">'),
  },
  "image by IntersectionObserver": {
    page: html(
      '<img data-src="/slow.svg" width="120" height="60">',
      "new IntersectionObserver((es, o) => es.forEach((e) => { if (e.isIntersecting) { e.target.src = e.target.dataset.src; o.unobserve(e.target) } })).observe(document.querySelector('img'))",
    ),
  },
  "image inserted at load": { page: html("", 'onload = () => { const i = new Image(); i.src = "/slow.svg"; document.body.append(i) }') },
  "background image set by script": {
    page: html(
      '<div id="b" style="width:120px;height:60px"></div>',
      'onload = () => setTimeout(() => { b.style.background = "url(/slow.svg)" })',
    ),
  },
  "background image in a late style sheet": {
    page: html(
      '<div class="bg" style="width:120px;height:60px"></div>',
      "onload = () => { const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = '/bg.css'; document.head.append(l) }",
    ),
  },
  "route chunk by import()": { page: html("", "").replace("</h1>", `</h1><script type="module">import("/route.js")</script>`) },
  "script inserted by script": {
    page: html("", "onload = () => { const s = document.createElement('script'); s.src = '/render.js'; document.head.append(s) }"),
  },
  polling: {
    talks: true,
    page: html("", `${add(box("#aa0"))} setInterval(() => fetch("/fast.txt?" + Math.random()), 60)`),
  },
  "EventSource and WebSocket": {
    talks: true,
    page: html(box("#0a0"), "new EventSource('/events'); try { new WebSocket('ws://' + location.host + '/ws') } catch {}"),
  },
  "endless analytics": {
    talks: true,
    page: html(box("#a0a"), "fetch('http://localhost:' + location.port + '/never'); navigator.sendBeacon('/never')"),
  },
  "long poll of its own": { talks: true, page: html(box("#a0a"), "fetch('/never')"), ended: "timeout" },
  "CSS animations": {
    page: html(
      `<style>@keyframes f{from{opacity:0}}@keyframes s{to{transform:rotate(1turn)}}.f{animation:f 1s .3s both}.s{animation:s 1s linear infinite;width:60px}</style><div class="f">${box("#0a0")}</div><div class="s">${box("#00a")}</div>`,
    ),
  },
  carousel: {
    page: html(
      `<div id="c">${box("#0a0")}</div>`,
      `let n = 0; setInterval(() => { c.innerHTML = n++ % 2 ? ${JSON.stringify(box("#0a0"))} : ${JSON.stringify(box("#00a"))} }, 20000)`,
    ),
  },
  "frame that loads late": { page: html('<iframe src="/frame" width="200" height="90"></iframe>') },
  "canvas drawn from a late image": {
    page: html(
      '<canvas id="k" width="150" height="60"></canvas>',
      'const i = new Image(); i.onload = () => k.getContext("2d").drawImage(i, 0, 0); i.src = "/slow.svg"',
    ),
  },
  "custom elements with shadow roots": {
    page: html(
      "<x-box></x-box>",
      `customElements.define("x-box", class extends HTMLElement { async connectedCallback() { const t = await (await fetch("/slow.txt")).text(); this.attachShadow({ mode: "open" }).innerHTML = ${JSON.stringify(box("#a50"))} + t } })`,
    ),
  },
  "document.write and quirks": {
    page: `<body bgcolor=#eee><script>document.write("<img src=/slow.svg><table border=1><tr><td>cell</table>")</script>`,
  },
  "app that renders after frames": {
    page: html("", `onload = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {${add(box("#555"))}}, 0)))`),
  },
};

/** Registers a test for each page. */
export function testReadiness(): void {
  const scope = fileScope();
  let capture: Captures["capture"];
  before(async () => {
    capture = await start(scope);
  });

  suite("wait_until=auto: the screenshot equals one after a long wait", { concurrency: atOnce }, () => {
    for (const [name, { page, talks, ended = "ready" }] of Object.entries(pages)) {
      test(name, async () => {
        const frame = { width: "640", height: "480" };
        const auto = await capture(page, { ...frame, wait_until_timeout: ended === "timeout" ? limitOfTalkingSeconds : limitSeconds });
        const patient = await capture(page, {
          ...frame,
          wait_until: ["load", "networkidle0"],
          wait_until_timeout: talks ? limitOfTalkingSeconds : limitSeconds,
          delay: "2",
        });
        assert.deepEqual([auto.status, patient.status], [200, 200]);
        const share = differingShare(auto.bytes, patient.bytes);
        assert.ok(share < 0.001, `${(100 * share).toFixed(2)} % of the pixels differ`);
        assert.equal(auto.waitEnded, ended);
      });
    }
  });
}

async function start(scope: Scope): Promise<Captures["capture"]> {
  const settings = { EGRESS_ALLOWED_HOSTS: "localhost", MAX_CONCURRENT_SCREENSHOTS: String(atOnce) };
  const captures = await startCaptures(scope, settings);
  captures.site.serve({
    "/fetching-worker.js": late(1, "text/javascript", 'fetch("/slow-data").then((r) => r.text()).then(() => postMessage(1))'),
    "/late-worker.js": late(
      500,
      "text/javascript",
      'importScripts(origin + "/late-import.js"); fetch(origin + "/slow.txt").then((r) => r.text()).then(() => postMessage(1))',
    ),
    "/module-worker.js": late(
      1,
      "text/javascript",
      'import "/late-import.js"; fetch("/slow.txt").then((r) => r.text()).then(() => postMessage(1))',
    ),
    "/asked-worker.js": late(
      300,
      "text/javascript",
      'onmessage = () => fetch("/slow.txt").then((r) => r.text()).then(() => postMessage(1))',
    ),
    "/late-import.js": late(400, "text/javascript", ""),
    "/slow-data": late(900, "text/plain", "data"),
    "/quick-worker.js": late(1, "text/javascript", 'fetch("/fast.txt")'),
    "/slow.svg": late(300, "image/svg+xml", svg("#06c")),
    "/slow.txt": late(300, "text/plain", "late text"),
    "/query": (request, response) => void request.once("data", (ms) => setTimeout(() => response.end("x"), Number(ms))),
    "/guarded": (request, response) => {
      const headers = { "access-control-allow-origin": "*", "access-control-allow-methods": "PUT" };
      // The capture waits only briefly for other sites, so these are quick.
      setTimeout(() => response.writeHead(200, headers).end("x"), request.method === "PUT" ? 150 : 50);
    },
    "/moved": (_, response) => void setTimeout(() => response.writeHead(302, { location: "/slow.txt" }).end(), 150),
    "/fast.txt": late(5, "text/plain", "x"),
    "/late.css": late(
      150,
      "text/css",
      "@font-face{font-family:late;src:url(/late.woff2),local('DejaVu Serif'),local('Liberation Serif')}p{color:#a00}",
    ),
    "/late.woff2": (_, response) => void setTimeout(() => response.writeHead(404).end(), 150),
    "/bg.css": late(150, "text/css", ".bg{background:url(/slow.svg)}"),
    "/route.js": late(300, "text/javascript", add(box("#084"))),
    "/render.js": late(300, "text/javascript", `fetch("/slow.txt").then((r) => r.text()).then(() => {${add(box("#840"))}})`),
    "/frame": late(200, "text/html", `<body style="background:#fed">frame<img src="/slow.svg">`),
    "/events": (_, response) => void response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n"),
    "/never": () => {},
    "/broken": (_, response) => void response.destroy(),
  });
  await captures.capture("<p>the first capture starts what is started once");
  return captures.capture;
}
