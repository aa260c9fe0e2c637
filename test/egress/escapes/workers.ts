/** Ways in workers, whose requests are mostly invisible to interception in the page's session. */

import { redirect, script, type Way } from "./way.ts";

const ready = (then: string) =>
  `navigator.serviceWorker.register("sw.js").then(() => navigator.serviceWorker.ready).then((registration) => { ${then} })`;
const controlled = (code: string) =>
  `navigator.serviceWorker.oncontrollerchange = () => { ${code} }; navigator.serviceWorker.register("sw.js")`;
const claim = 'addEventListener("activate", (event) => event.waitUntil(clients.claim()));';

export const workers: Way[] = [
  script(
    "worker, fetch",
    () => 'new Worker("worker.js")',
    ({ secret }) => ({ "worker.js": `fetch("${secret}", { mode: "no-cors" })` }),
  ),
  script(
    "worker, importScripts",
    () => 'new Worker("worker.js")',
    ({ secret }) => ({ "worker.js": `importScripts("${secret}a.js")` }),
  ),
  script(
    "worker, redirected importScripts",
    () => 'new Worker("worker.js")',
    (spot) => ({ "worker.js": 'importScripts("hop")', hop: redirect(spot) }),
  ),
  script(
    "worker, module import",
    () => 'new Worker("worker.js", { type: "module" })',
    ({ secret }) => ({ "worker.js": `import "${secret}a.js"` }),
  ),
  script(
    "worker, WebSocket",
    () => 'new Worker("worker.js")',
    ({ authority }) => ({ "worker.js": `new WebSocket("ws://${authority}/")` }),
  ),
  script(
    "worker in a worker",
    () => 'new Worker("worker.js")',
    ({ secret }) => ({ "worker.js": 'new Worker("inner.js")', "inner.js": `fetch("${secret}", { mode: "no-cors" })` }),
  ),
  script("worker of blob:", ({ secret }) => `new Worker(URL.createObjectURL(new Blob(['fetch("${secret}", { mode: "no-cors" })'])))`),
  script(
    "worker of data:",
    ({ secret }) => `new Worker("data:text/javascript," + encodeURIComponent('fetch("${secret}", { mode: "no-cors" })'))`,
  ),
  script(
    "shared worker, fetch",
    () => 'new SharedWorker("worker.js")',
    ({ secret }) => ({ "worker.js": `fetch("${secret}", { mode: "no-cors" })` }),
  ),
  script(
    "shared worker, WebSocket",
    () => 'new SharedWorker("worker.js")',
    ({ authority }) => ({ "worker.js": `new WebSocket("ws://${authority}/")` }),
  ),
  script(
    "service worker, fetch",
    () => ready(""),
    ({ secret }) => ({ "sw.js": `addEventListener("install", (event) => event.waitUntil(fetch("${secret}", { mode: "no-cors" })))` }),
  ),
  script(
    "service worker, importScripts",
    () => ready(""),
    ({ secret }) => ({ "sw.js": `importScripts("${secret}a.js")` }),
  ),
  script(
    "service worker, module import",
    () => 'navigator.serviceWorker.register("sw.js", { type: "module" })',
    ({ secret }) => ({ "sw.js": `import "${secret}a.js"` }),
  ),
  script(
    "service worker, message",
    () => ready('registration.active.postMessage("go")'),
    ({ secret }) => ({ "sw.js": `addEventListener("message", (event) => event.waitUntil(fetch("${secret}", { mode: "no-cors" })))` }),
  ),
  script(
    "service worker, WebSocket",
    () => ready('registration.active.postMessage("go")'),
    ({ authority }) => ({ "sw.js": `addEventListener("message", () => { new WebSocket("ws://${authority}/") })` }),
  ),
  script(
    "service worker, cache",
    () => ready(""),
    ({ secret }) => ({
      "sw.js": `addEventListener("install", (event) => event.waitUntil(caches.open("a").then((cache) => cache.add("${secret}"))))`,
    }),
  ),
  script(
    "service worker, response to an image request",
    () => controlled('new Image().src = "a.png"'),
    ({ secret }) => ({
      "sw.js": `${claim} addEventListener("fetch", (event) => event.respondWith(fetch("${secret}", { mode: "no-cors" })))`,
    }),
  ),
  script(
    "service worker, response to a navigation",
    () => controlled('location = "page"'),
    ({ secret }) => ({ "sw.js": `${claim} addEventListener("fetch", (event) => event.respondWith(Response.redirect("${secret}")))` }),
  ),
];
