/** The calls that karakeep, Linkwarden and changedetection.io make for a capture, in their order and with their options. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { chromium, devices } from "playwright-core";
import { connect } from "puppeteer-core";
import { describeImage, pixelAt } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { startEndpoint, type TestEndpoint } from "./endpoint.ts";

const scope = fileScope();
let site: Site;
let endpoint: TestEndpoint;
let key: string;

before(async () => {
  const content =
    "<h1>Hello</h1><script>alert('in the way')</script><img src=/moved><video src=/film.mp4></video><div style=height:3000px></div>";
  site = await createSite(scope, {
    "/": `${colouredPage("#00ff00", content)}<meta name=description content="A page">`,
    "/moved": (_, response) => response.writeHead(302, { location: "/picture.png" }).end(),
    "/agent": (request, response) => response.end(request.headers["user-agent"]),
  });
  endpoint = await startEndpoint(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  ({ key } = await endpoint.service.createAccount());
});

test("karakeep: connects over http, guards redirects in a separate session, routes all requests, and saves the page in three ways concurrently", async () => {
  const browser = await chromium.connectOverCDP(`http://${endpoint.authority}/?token=${key}`, { timeout: 60_000 });
  const userAgent = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36";
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, userAgent, serviceWorkers: "block" });
  await context.addCookies([{ name: "a", value: "b", url: site.origin }]);
  const page = await context.newPage();
  const guard = await context.newCDPSession(page);
  const redirects: string[] = [];
  guard.on("Fetch.requestPaused", ({ requestId, responseStatusCode, request }) => {
    if (responseStatusCode === 302) redirects.push(request.url);
    void guard.send("Fetch.continueRequest", { requestId }).catch(() => {}); // the request may be gone
  });
  const patterns = [
    { urlPattern: "*", requestStage: "Request" as const },
    { urlPattern: "*", requestStage: "Response" as const },
  ];
  await guard.send("Fetch.enable", { handleAuthRequests: true, patterns });
  page.on("dialog", (dialog) => void dialog.dismiss());
  await page.route("**/*", (route) => (route.request().resourceType() === "media" ? route.abort("aborted") : route.fallback()));
  const messages: unknown[] = [];
  await page.exposeBinding("sendMessage", (_source, message) => void messages.push(message));
  await page.addInitScript("globalThis.sendMessage?.({ type: 'init' })");
  const response = await page.goto(site.origin, { timeout: 60_000, waitUntil: "domcontentloaded" });
  await page.waitForLoadState("networkidle", { timeout: 30_000 });
  const [html, image, pdf] = await Promise.all([
    page.content(),
    page.screenshot({ type: "jpeg", fullPage: true, quality: 80 }),
    page.pdf({ format: "A4", printBackground: true }),
  ]);
  assert.deepEqual(
    [response?.status(), page.url(), redirects, messages],
    [200, `${site.origin}/`, [`${site.origin}/moved`], [{ type: "init" }]],
  );
  assert.match(html, /<h1>Hello/);
  const { type, width, height } = describeImage(image);
  assert.deepEqual([type, width, height > 3000], ["jpg", 1440, true]);
  assert.equal(pdf.toString("latin1", 0, 5), "%PDF-");
  assert.ok(!site.requests.some(({ path }) => path === "/film.mp4"), "the route let a video through");
  await page.close();
  await context.close();
  await browser.close();
});

test("Linkwarden: a desktop context that ignores certificate errors, guarded requests, scrolling, an image and a PDF concurrently", async () => {
  const browser = await chromium.connectOverCDP(endpoint.address(key));
  const context = await browser.newContext({ ...devices["Desktop Chrome"], ignoreHTTPSErrors: true });
  await context.route("**/*", (route) => route.continue());
  const page = await context.newPage();
  await page.goto(site.origin, { waitUntil: "domcontentloaded" });
  const read = (selector: string) =>
    page.evaluate((wanted) => document.querySelector(wanted)?.getAttribute("content") ?? undefined, selector);
  assert.deepEqual([await read('meta[name="description"]'), await read('meta[property="og:image"]')], ["A page", undefined]);
  assert.equal(describeImage(await page.screenshot({ type: "jpeg", quality: 20 })).type, "jpg");
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const scrolling = setInterval(() => {
          scrollBy(0, 500);
          if (scrollY + innerHeight < document.body.scrollHeight) return;
          clearInterval(scrolling);
          scroll(0, 0);
          resolve();
        }, 20);
      }),
  );
  const [image, pdf] = await Promise.allSettled([
    page.screenshot({ fullPage: true, type: "jpeg" }),
    page.pdf({ width: "1366px", height: "1931px", printBackground: true, margin: { top: "15px", bottom: "15px" } }),
  ]);
  assert.deepEqual([image.status, pdf.status], ["fulfilled", "fulfilled"]);
  await page.setContent("<body>Saved before", { waitUntil: "domcontentloaded" });
  assert.equal(await page.textContent("body"), "Saved before");
  await context.close();
  await browser.close();
});

test("changedetection.io with Playwright: a lenient context without downloads, scripts, garbage collections, a long page in parts", async () => {
  const browser = await chromium.connectOverCDP(endpoint.address(key, "timeout=300000"), { timeout: 60_000 });
  const context = await browser.newContext({
    acceptDownloads: false,
    bypassCSP: true,
    ignoreHTTPSErrors: true,
    serviceWorkers: "allow",
    userAgent: "changes",
  });
  const page = await context.newPage();
  page.on("console", () => {});
  page.on("dialog", (dialog) => void dialog.dismiss());
  const response = await page.goto(`${site.origin}/agent`, { waitUntil: "commit" });
  assert.ok((await response?.allHeaders())?.date);
  assert.equal(await page.textContent("body"), "changes");
  await page.goto(site.origin);
  await page.evaluate("var include_filters=''");
  await page.requestGC();
  assert.equal((await page.evaluate(({ most }) => Math.min(document.body.scrollHeight, most), { most: 16_000 })) > 3000, true);
  const { width } = page.viewportSize() ?? {};
  await page.setViewportSize({ width: width ?? 1280, height: 2000 });
  const image = await page.screenshot({ type: "jpeg", clip: { x: 0, y: 0, width: 1280, height: 2000 }, quality: 72, fullPage: false });
  assert.deepEqual(describeImage(image), { type: "jpg", width: 1280, height: 2000 });
  await page.close();
  await context.close();
  await browser.close();
});

test("changedetection.io with Puppeteer: a page in the first context, headers, CSP off, loading stopped", async () => {
  const browser = await connect({ browserWSEndpoint: endpoint.address(key), acceptInsecureCerts: true });
  const page = await browser.newPage();
  page.on("dialog", (dialog) => void dialog.dismiss());
  await page.setUserAgent({ userAgent: await page.evaluate("navigator.userAgent").then((agent) => String(agent).replace("Headless", "")) });
  await page.setBypassCSP(true);
  await page.setExtraHTTPHeaders({ "x-own": "1" });
  page.setDefaultNavigationTimeout(0);
  await page.setCacheEnabled(true);
  const session = await page.createCDPSession();
  await session.send("Network.enable");
  const response = await page.goto(site.origin, { timeout: 0 });
  await session.send("Page.stopLoading");
  assert.equal(response?.status(), 200);
  assert.match(await page.content(), /<h1>Hello/);
  const image = Buffer.from(await page.screenshot({ type: "png" }));
  assert.equal(pixelAt(image, 700, 500), "#00ff00");
  assert.equal(site.requests.findLast(({ path }) => path === "/")?.headers["x-own"], "1");
  await page.close();
  await browser.close();
});

test("a client's own proxy is refused with a reason", async () => {
  const browser = await chromium.connectOverCDP(endpoint.address(key));
  await assert.rejects(browser.newContext({ proxy: { server: "http://127.0.0.1:9" } }), /proxyServer is not accepted/);
  await browser.close();
});
