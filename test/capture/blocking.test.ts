/** Blocking on real pages in a real Chromium: blocked requests never leave the browser, hidden elements are not captured. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { inParallel } from "../support/in-parallel.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";
import { askOnly, startNameServer, typeA } from "../support/name-server.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, type Page } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let captures: Captures;
let site: Captures["site"];
let asked: string[];
let pages = 0;

/** All names resolve to the site on loopback; `asked` records the names that the egress filter looked up. */
before(async () => {
  const names = await startNameServer(scope, (_, type) => (type === typeA ? [[127, 0, 0, 1]] : []));
  asked = names.asked;
  askOnly(scope, names.servers);
  captures = await startCaptures(scope, { EGRESS_ALLOWED_HOSTS: "127.0.0.0/8" });
  ({ site } = captures);
});

/** Captures `page` on `host`; `requested` are the URLs that the site received during the capture. */
async function capture(page: Page, parameters: Record<string, string | string[]> = {}, host = "page.example") {
  pages += 1;
  const path = `/page-${pages}`;
  site.serve({ [path]: page });
  const seen = site.requests.length;
  const captured = await captures.capture(at(host, path), parameters);
  const requested = site.requests.slice(seen).map(({ headers, path: requestedPath }) => headers.host?.split(":")[0] + requestedPath);
  return { ...captured, requested };
}

function at(host: string, path: string): string {
  return `http://${host}:${new URL(site.origin).port}${path}`;
}

const red = (name: string) => `<div ${name} style="position:absolute;inset:0;background:#f00"></div>`;

test("block_requests: a pattern without a slash matches a host and its subdomains", async () => {
  const page = (hosts: string[]) => colouredPage("#fff", hosts.map((host) => `<img src="${at(host, "/x.png")}">`).join(""));
  const hosts = ["one.example", "sub.one.example", "notone.example", "other.example"];
  const { requested } = await capture(page(hosts), { block_requests: "one.example" });
  assert.deepEqual(requested.filter((address) => address.endsWith("/x.png")).sort(), ["notone.example/x.png", "other.example/x.png"]);
});

test("block_requests: a pattern without a slash also matches the last part of a path", async () => {
  const names = ["a.png", "b.PNG", "folder.png/c.jpg", "d.png?size=2", "e.jpg"];
  const images = names.map((name) => `<img src="/${name}">`).join("");
  const { requested } = await capture(colouredPage("#fff", images), { block_requests: "*.png\n*.PNG" });
  const left = requested.filter((address) => !address.includes("/page-"));
  assert.deepEqual(left.toSorted(), ["page.example/e.jpg", "page.example/folder.png/c.jpg"]);
});

test("block_requests: a pattern with a slash matches the whole URL; the page itself is never blocked", async () => {
  const images = ["/ads/a.png", "/ads/b.gif?x=1", "/img/c.png"].map((path) => `<img src="${path}">`).join("");
  const { status, requested } = await capture(colouredPage("#fff", images), { block_requests: "*/ads/*\npage.example" });
  assert.equal(status, 200);
  assert.deepEqual(requested.length, 1, String(requested));
  for (const [pattern, left] of [
    ["http://page.example:*/ads/*.png", 2],
    ["https://page.example*/ads/*", 3],
    ...onlyLong([
      ["/ads/*", 1],
      ["page.example:*/ads/b.gif?x=*", 2],
      ["PAGE.example:*/img/*", 2],
    ] as const),
  ] as const) {
    const { requested: addresses } = await capture(colouredPage("#fff", images), { block_requests: pattern });
    assert.equal(addresses.length, 1 + left, `${pattern}: ${addresses}`);
  }
});

test("block_requests: invalid patterns and too many patterns are rejected", async () => {
  for (const [value, words] of [
    ["*", /would block everything/],
    ["a b/c", /whitespace/],
    ["one.example,two.example", /is not a host; patterns/],
    [Array.from({ length: 101 }, (_, index) => `h${index}.example`).join("\n"), /block_requests/],
    [`*/${"x".repeat(4095)}`, /more than 4096 characters|at most 4096/],
  ] as const) {
    const { status, json } = await capture(colouredPage("#fff"), { block_requests: value });
    assert.equal(status, 400, value.slice(0, 20));
    assert.match(JSON.stringify(json.details), words);
  }
});

test("block_requests: blocked images and frames leave no broken image or empty frame behind", async () => {
  const page = colouredPage(
    "#0f0",
    `<img src="${at("ads.example", "/a.png")}" width=200 height=50 style="display:block"><iframe src="${at("ads.example", "/f")}" width=200 height=50 style="border:0;display:block;background:#f00"></iframe>`,
  );
  const { bytes } = await capture(page, { block_requests: "ads.example" });
  for (const y of [1, 25, 60, 90]) assert.equal(pixelAt(bytes, 1, y), "#00ff00", `at ${y}`);
});

test("block_resources: each type is blocked without affecting others", async () => {
  site.serve({ "/w.js": (_, response) => response.writeHead(200, { "content-type": "text/javascript" }).end("1") });
  const pageOf = (host: string) =>
    colouredPage(
      "#fff",
      `<link rel="stylesheet" href="/stylesheet"><style>@font-face{font-family:f;src:url(/font)}</style><p style="font-family:f">x</p>
     <img src="/image"><script src="/script"></script><video muted preload="auto" src="/media"><track default src="/texttrack"></video>
     <iframe src="/document"></iframe><link rel="prefetch" href="/prefetch"><script>
       fetch("/fetch"); const r = new XMLHttpRequest(); r.open("GET", "/xhr"); r.send(); new EventSource("/eventsource");
       navigator.sendBeacon("/ping"); new SharedWorker("/other");
       fetch("${at(`other.${host}`, "/preflight")}", { method: "PUT" }).catch(() => {});
     </script>`,
    );
  const types = [
    "stylesheet",
    "font",
    "image",
    "script",
    "media",
    "texttrack",
    "document",
    "prefetch",
    "fetch",
    "xhr",
    "eventsource",
    "ping",
  ];
  types.push("preflight", "other");
  // Each capture uses its own hosts, because others run concurrently.
  const loaded = async (host: string, parameters: Record<string, string>) => {
    const { status, requested } = await capture(pageOf(host), { delay: "0.3", ...parameters }, host);
    assert.equal(status, 200);
    const own = requested.filter((address) => (address.split("/", 1)[0] ?? "").endsWith(host));
    return new Set(own.map((address) => address.slice(address.indexOf("/") + 1)));
  };
  const all = await loaded("page-nothing.example", {});
  for (const type of types) assert.ok(all.has(type), `${type} is loaded when nothing is blocked: ${[...all]}`);
  const blocked = ["script", "fetch", ...onlyLong(types.filter((type) => !/^(script|fetch)/.test(type)))];
  await inParallel(blocked.length, 2, async (index) => {
    const type = blocked[index] ?? "";
    const left = await loaded(`page-${type}.example`, { block_resources: type });
    const gone = types.filter((name) => !left.has(name));
    const expected = type === "fetch" || type === "xhr" ? ["fetch", "xhr"] : [type];
    assert.deepEqual(gone, expected);
  });
});

test("block_resources: websocket prevents a page from opening one, and the page gets an error", async () => {
  const page = colouredPage(
    "#00f",
    `<script>const s = new WebSocket("ws://" + location.host + "/socket"); s.onclose = () => { document.documentElement.style.background = "#0f0" }</script>`,
  );
  const sockets = ({ requested }: { requested: string[] }) => requested.filter((address) => address.endsWith("/socket")).length;
  const blocked = await capture(page, { block_resources: "websocket", delay: "0.2" });
  assert.equal(pixelAt(blocked.bytes, 100, 50), "#00ff00");
  assert.equal(sockets(blocked), 0);
  assert.equal(sockets(await capture(page, { delay: "0.2" })), 1);
});

longTest("block_resources: document never blocks the page itself", async () => {
  const { status, bytes } = await capture(colouredPage("#0f0"), { block_resources: ["document", "image", "other"] });
  assert.equal(status, 200);
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
});

test("hide_selectors: overrides the page's styles, even in shadow roots and same-origin frames", async () => {
  const page = colouredPage(
    "#0f0",
    `<style>.ad{display:block!important}</style><div class="ad" style="height:30px;background:#f00"></div>
     <div id="host"></div><iframe srcdoc="<body style='margin:0;background:#0f0'><div class=ad style='height:30px;background:#f00'></div>" width=200 height=30 style="border:0;display:block"></iframe>
     <script>document.querySelector("#host").attachShadow({ mode: "open" }).innerHTML = "<div class='ad' style='height:30px;background:#f00'></div>"</script>`,
  );
  const shown = await capture(page);
  for (const y of [10, 40, 70]) assert.equal(pixelAt(shown.bytes, 100, y), "#ff0000", `at ${y}`);
  const { bytes } = await capture(page, { hide_selectors: "div.ad.ad, .nothing" });
  for (const y of [10, 40, 70]) assert.equal(pixelAt(bytes, 100, y), "#00ff00", `at ${y}`);
});

test("hide_selectors: is not subject to the page's Content-Security-Policy", async () => {
  const strict: Page = (_, response) =>
    response
      .writeHead(200, { "content-type": "text/html", "content-security-policy": "default-src 'none'; style-src-attr 'unsafe-inline'" })
      .end(`<body style="background:#0f0"><div class="x" style="position:absolute;inset:0;background:#f00">`);
  assert.equal(pixelAt((await capture(strict, { hide_selectors: ".x" })).bytes, 100, 50), "#00ff00");
});

test("hide_selectors: an invalid selector causes a 400 that names it, before the page is requested", async () => {
  const { status, json, requested } = await capture(colouredPage("#fff"), { hide_selectors: ".fine\ndiv[" });
  assert.equal(status, 400);
  assert.match(json.error ?? "", /hide_selectors contains "div\[", which is not a CSS selector/);
  assert.deepEqual(requested, []);
});

test("block_ads: an ad's script is not requested and its space collapses; without the option, both are present", async () => {
  const page = colouredPage(
    "#0f0",
    `<script src="${at("securepubads.g.doubleclick.net", "/tag/js/gpt.js")}"></script>${red('class="ad-leader"')}`,
  );
  asked.length = 0;
  const { bytes, requested } = await capture(page, { block_ads: "true" });
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
  assert.equal(requested.length, 1);
  assert.ok(!asked.some((name) => name.includes("doubleclick")), String(asked));
  const off = await capture(page, { block_trackers: "true" });
  assert.equal(pixelAt(off.bytes, 100, 50), "#ff0000");
  assert.ok(off.requested.includes("securepubads.g.doubleclick.net/tag/js/gpt.js"));
});

test("block_trackers and block_chats each use only their own list", async () => {
  const page = colouredPage(
    "#0f0",
    `<script src="${at("www.google-analytics.com", "/analytics.js")}"></script><script src="${at("widget.intercom.io", "/widget/abc")}"></script>${red('class="intercom-lightweight-app"')}`,
  );
  const trackers = await capture(page, { block_trackers: "true" });
  assert.ok(!trackers.requested.some((address) => address.startsWith("www.google-analytics.com")));
  assert.ok(trackers.requested.includes("widget.intercom.io/widget/abc"));
  const chats = await capture(page, { block_chats: "true" });
  assert.ok(!chats.requested.some((address) => address.startsWith("widget.intercom.io")));
  assert.ok(chats.requested.includes("www.google-analytics.com/analytics.js"));
  assert.equal(pixelAt(chats.bytes, 100, 50), "#00ff00");
});

test("a page whose own host is on a list is captured, with resources from that host", async () => {
  const { status, requested } = await capture(
    colouredPage("#0f0", '<img src="/logo.png">'),
    { block_ads: "true", block_trackers: "true" },
    "www.doubleclick.net",
  );
  assert.equal(status, 200);
  assert.ok(requested.includes("www.doubleclick.net/logo.png"), String(requested));
});

test("every rule applies to a request, and requested headers are still added", async () => {
  const page = colouredPage("#fff", `<img src="/own.png"><img src="${at("ads.example", "/x.png")}"><img src="/ads/y.png">`);
  const { status, requested } = await capture(page, {
    headers: "X-Secret: one",
    block_requests: "ads.example\n/ads/*",
    block_ads: "true",
    block_resources: "font",
  });
  assert.equal(status, 200);
  assert.deepEqual(
    requested.filter((address) => address.endsWith(".png")),
    ["page.example/own.png"],
  );
  assert.equal(site.requests.findLast(({ path }) => path === "/own.png")?.headers["x-secret"], "one");
});

longTest("5,000 pictures that have not loaded are looked up in the lists and patterns over several turns of the event loop", async () => {
  const pictures = Array.from({ length: 5_000 }, (_, index) => `<img loading="lazy" src="http://pictures.invalid/${index}.png">`);
  const page = `<div style="height:30000px">Text</div>${pictures.join("")}`;
  const lists = { block_ads: "true", block_trackers: "true", block_cookie_banners: "true", block_chats: "true" };
  const patterns = Array.from({ length: 100 }, (_, index) => `host-${index}.invalid`);
  const options = { ...lists, block_requests: patterns, wait_until: "load" };
  await capture(colouredPage("#f00"), options); // loads the lists
  const { result, ms } = await longestTurnAtBest(() => capture(page, options), 80);
  assert.equal(result.status, 200, JSON.stringify(result.json));
  assert.ok(ms < 80, `a turn of the event loop took ${ms} ms`);
});
