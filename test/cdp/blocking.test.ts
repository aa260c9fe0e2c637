/** Filter lists on the pages of a lent browser. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { connect } from "puppeteer-core";
import { adHosts, cookieHosts, trackerHosts } from "../capture/blocking-rules.ts";
import { consentPages } from "../capture/consent-pages.ts";
import { eventually } from "../support/eventually.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { askOnly, startNameServer, typeA } from "../support/name-server.ts";
import { fileScope } from "../support/scope.ts";
import { createSite, type Site } from "../support/site.ts";
import { namedOrigin, testBanners, useLentPage } from "./banners.ts";
import { openClient, refusalOf } from "./client.ts";
import { startEndpoint, type TestEndpoint } from "./endpoint.ts";

const longTest = longOnly(test);

const scope = fileScope();
let site: Site;
let endpoint: TestEndpoint;
let key: string;
let asked: string[];

before(async () => {
  const names = await startNameServer(scope, (_, type) => (type === typeA ? [[127, 0, 0, 1]] : []));
  asked = names.asked;
  askOnly(scope, names.servers);
  site = await createSite(scope, {});
  endpoint = await startEndpoint(scope, { EGRESS_ALLOWED_HOSTS: "127.0.0.0/8" });
  ({ key } = await endpoint.service.createAccount());
});

const lists = { block_ads: adHosts.slice(0, 20), block_trackers: trackerHosts.slice(0, 20), block_cookie_banners: cookieHosts };
const allHosts = Object.values(lists).flat();
const address = () => namedOrigin(site);

/** A page with a script from each host, some of them in a frame. */
function serveScripts(): void {
  const { port } = new URL(site.origin);
  const scripts = allHosts.map((host) => `<script async src="http://${host}:${port}/x.js"></script>`);
  // On another site, and therefore in another process.
  const framed = `<script async src="http://${adHosts[30]}:${port}/x.js"></script>`;
  site.serve({ "/": `<p>A page</p><iframe src="http://frame.example:${port}/frame"></iframe>${scripts.join("")}`, "/frame": framed });
  asked.length = 0;
}

const withPage = <T>(query: string, use: (page: Page) => Promise<T>) => useLentPage(endpoint.address(key, query), use);

for (const [option, hosts] of Object.entries({ none: [], ...lists })) {
  const register = option === "block_ads" || option === "block_trackers" ? test : longTest;
  register(`${option}: requests to listed hosts never leave the browser, others do`, async () => {
    serveScripts();
    await withPage(option === "none" ? "" : `${option}=true`, (page) => page.goto(address(), { waitUntil: "load" }));
    assert.deepEqual(
      hosts.filter((host) => asked.includes(host)),
      [],
    );
    const others = allHosts.filter((host) => asked.includes(host)).length;
    assert.ok(others >= 10, `${others} others`); // the lists share some hosts
    if (option === "block_ads") assert.ok(!asked.includes(adHosts[30] ?? ""), "a request in a frame");
    if (option === "none") assert.ok(asked.includes(adHosts[30] ?? ""));
  });
}

testBanners(() => ({ site, endpoint, key }), [...consentPages.slice(0, 1), ...onlyLong(consentPages.slice(1))]);

test("block_ads: the client's own request interception still works, on every page and in every context", async () => {
  serveScripts();
  const browser = await connect({ browserWSEndpoint: endpoint.address(key, "block_ads=true") });
  const requested: string[] = [];
  for (const context of [browser.defaultBrowserContext(), await browser.createBrowserContext()]) {
    const page = await context.newPage();
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      requested.push(new URL(request.url()).hostname);
      if (trackerHosts.some((host) => request.url().includes(`//${host}:`))) void request.abort();
      else void request.continue();
    });
    await page.goto(address(), { waitUntil: "load" });
  }
  await browser.close();
  assert.equal(requested.filter((host) => host === "page.example").length, 2);
  const reached = allHosts.filter((host) => asked.includes(host));
  assert.deepEqual(reached, cookieHosts);
});

test("clients can neither see nor use the service's own sessions", async () => {
  serveScripts();
  const client = await openClient(scope, endpoint.address(key, "block_ads=true&block_cookie_banners=true"));
  await client.send("Target.setDiscoverTargets", { discover: true });
  await client.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
  const { sessionId } = await client.openPage();
  await client.send("Page.navigate", { url: address() }, sessionId);
  await client.send("Page.captureScreenshot", {}, sessionId);
  await eventually("the load event is reported", () => client.events.some(({ method }) => method === "Page.loadEventFired"));
  const own = new Set(
    client.events.flatMap(({ method, params }) => (method === "Target.attachedToTarget" ? [String(params.sessionId)] : [])),
  );
  for (const event of client.events) {
    assert.ok(event.sessionId === undefined || own.has(event.sessionId), JSON.stringify(event));
    assert.ok(!event.method.startsWith("Fetch."), event.method);
  }
  const attached = client.events.filter(({ method }) => method === "Target.attachedToTarget");
  assert.ok(attached.every(({ params }) => (params.targetInfo as { type: string }).type !== "browser"));
  client.socket.close();
});

test("an image command that is nested too deeply ends only its own connection", async () => {
  const client = await openClient(scope, endpoint.address(key, "block_ads=true"));
  const depth = 50_000; // names that are numbers, because such objects are serialized recursively
  client.socket.send(`{"id":1,"method":"Page.captureScreenshot","params":${'{"0":'.repeat(depth)}1${"}".repeat(depth)}}`);
  assert.deepEqual(await client.closed, { code: 1007, reason: "The message is nested too deeply: it has more than 300 levels." });
});

longTest("the total text of image commands waiting for blocking is limited; other commands pass", async () => {
  site.serve({ "/": "<h1>Hello</h1>" });
  const client = await openClient(scope, endpoint.address(key, "block_ads=true"));
  const { sessionId } = await client.openPage();
  const long = { headerTemplate: "x".repeat(5 * 1024 * 1024) };
  // The first has to wait for the page until the second has arrived.
  const busy = client.send("Runtime.evaluate", { expression: "for (const end = Date.now() + 3000; Date.now() < end; );" }, sessionId);
  const pdfs = [client.send("Page.printToPDF", long, sessionId), client.send("Page.printToPDF", long, sessionId)];
  let isBusy = true;
  const ended = busy.finally(() => {
    isBusy = false;
  });
  await assert.rejects(pdfs[1] as Promise<unknown>, /too long in total/);
  await client.send("Browser.getVersion", {});
  assert.equal(isBusy, true);
  await Promise.all([ended, pdfs[0]]);
  client.socket.close();
});

test("invalid blocking parameters are rejected by name", async () => {
  for (const [query, message] of [
    ["block_ads=maybe", /^block_ads must be/],
    ["block_popups=true", /^block_popups is not a known/],
  ] as const) {
    const { status, body } = await refusalOf(endpoint.address(key, query));
    assert.deepEqual([status, message.test(body.message)], [400, true], JSON.stringify(body));
  }
});
