/** Ways for a page's script to send a request to the secret. */

import { redirected, script, type Way } from "./way.ts";

export const scripts: Way[] = [
  script("fetch", ({ secret }) => `fetch("${secret}")`),
  script("fetch, no-cors", ({ secret }) => `fetch("${secret}", { mode: "no-cors" })`),
  script("fetch with a preflight", ({ secret }) => `fetch("${secret}", { method: "PUT", headers: { "X-A": "b" } })`),
  script("fetch over https", ({ authority }) => `fetch("https://${authority}/", { mode: "no-cors" })`),
  redirected("fetch, redirected", () => `<script>fetch("hop")</script>`),
  redirected("fetch, redirected POST", () => `<script>fetch("hop", { method: "POST", body: "a" })</script>`, 307),
  script(
    "fetch with keepalive while the page unloads",
    ({ secret }) =>
      `onpagehide = () => fetch("${secret}", { keepalive: true, mode: "no-cors" }); onload = () => { location = "about:blank" }`,
  ),
  script("fetchLater", ({ secret }) => `fetchLater("${secret}", { activateAfter: 0 })`),
  script("fetchLater while the page unloads", ({ secret }) => `fetchLater("${secret}"); onload = () => { location = "about:blank" }`),
  script("XMLHttpRequest", ({ secret }) => `const x = new XMLHttpRequest(); x.open("GET", "${secret}"); x.send()`),
  script("XMLHttpRequest, synchronous", ({ secret }) => `const x = new XMLHttpRequest(); x.open("GET", "${secret}", false); x.send()`),
  script("beacon", ({ secret }) => `navigator.sendBeacon("${secret}", "a")`),
  script(
    "beacon while the page unloads",
    ({ secret }) => `onpagehide = () => navigator.sendBeacon("${secret}"); onload = () => { location = "about:blank" }`,
  ),
  redirected("beacon, redirected", () => `<script>navigator.sendBeacon("hop", "a")</script>`, 307),
  script("EventSource", ({ secret }) => `new EventSource("${secret}")`),
  redirected("EventSource, redirected", () => `<script>new EventSource("hop")</script>`),
  script("document.write", ({ secret }) => `document.write('<img src="${secret}">')`),
  script("import()", ({ secret }) => `import("${secret}a.js")`),
  script("WebAssembly", ({ secret }) => `WebAssembly.compileStreaming(fetch("${secret}a.wasm"))`),
  script("audio worklet", ({ secret }) => `new OfflineAudioContext(1, 128, 44100).audioWorklet.addModule("${secret}a.js")`),
  script(
    "federated sign-in",
    ({ secret }) => `navigator.credentials.get({ identity: { providers: [{ configURL: "${secret}a.json", clientId: "a" }] } })`,
  ),
];
