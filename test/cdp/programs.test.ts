/** Client libraries driving a browser through the endpoint do their ordinary work: playwright-core and puppeteer-core, unmodified. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { chromium } from "playwright-core";
import { connect } from "puppeteer-core";
import { describeImage, pixelAt } from "../support/image.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { refusalOf } from "./client.ts";
import { startEndpoint, type TestEndpoint } from "./endpoint.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Site;
let endpoint: TestEndpoint;
let key: string;

before(async () => {
  site = await createSite(scope, {
    "/": colouredPage("#00ff00", "<h1>Hello</h1><script>setTimeout(() => document.body.append('Later'), 100)</script>"),
    "/cookie": (request, response) => response.setHeader("set-cookie", "a=b").end(request.headers.cookie ?? "none"),
  });
  endpoint = await startEndpoint(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  ({ key } = await endpoint.service.createAccount());
});

test("playwright-core, through /json/version: navigates, waits, captures an image and a PDF in two contexts, and reconnects", async () => {
  for (let connection = 1; connection <= 2; connection += 1) {
    const browser = await chromium.connectOverCDP(`http://${endpoint.authority}/?token=${key}`);
    const [one, other] = [await browser.newContext({ viewport: { width: 400, height: 300 } }), await browser.newContext()];
    const page = await one.newPage();
    const response = await page.goto(site.origin, { waitUntil: "domcontentloaded" });
    assert.equal(response?.status(), 200);
    await page.waitForSelector("text=Later");
    await page.waitForLoadState("networkidle");
    const image = await page.screenshot();
    assert.deepEqual([describeImage(image), pixelAt(image, 390, 290)], [{ type: "png", width: 400, height: 300 }, "#00ff00"]);
    assert.equal((await page.pdf({ format: "A4" })).toString("latin1", 0, 5), "%PDF-");
    await page.goto(`${site.origin}/cookie`);
    const otherPage = await other.newPage();
    await otherPage.goto(`${site.origin}/cookie`);
    assert.equal(await otherPage.textContent("body"), "none");
    await page.reload();
    assert.equal(await page.textContent("body"), "a=b");
    await browser.close();
  }
});

test("the wheel and the keyboard scroll a page", async () => {
  await using browser = await chromium.connectOverCDP(endpoint.address(key));
  const page = await browser.newPage();
  await page.setContent("<!doctype html><div style='width: 5000px; height: 5000px'></div>");
  await page.mouse.move(50, 60);
  await page.mouse.wheel(0, 100);
  await page.waitForFunction("scrollY === 100");
  await page.mouse.wheel(200, 0);
  await page.waitForFunction("scrollX === 200");
  await page.keyboard.press("End");
  await page.waitForFunction("scrollY === document.documentElement.scrollHeight - innerHeight");
});

longTest(
  "puppeteer-core, through the WebSocket: navigates, waits, captures an image and a PDF in two contexts, and reconnects",
  async () => {
    for (let connection = 1; connection <= 2; connection += 1) {
      const browser = await connect({ browserWSEndpoint: endpoint.address(key), defaultViewport: { width: 400, height: 300 } });
      const [one, other] = [await browser.createBrowserContext(), await browser.createBrowserContext()];
      const page = await one.newPage();
      const response = await page.goto(site.origin, { waitUntil: "networkidle0" });
      assert.equal(response?.status(), 200);
      await page.waitForFunction(() => document.body.textContent?.includes("Later"));
      const image = Buffer.from(await page.screenshot());
      assert.deepEqual([describeImage(image), pixelAt(image, 390, 290)], [{ type: "png", width: 400, height: 300 }, "#00ff00"]);
      assert.equal(Buffer.from(await page.pdf()).toString("latin1", 0, 5), "%PDF-");
      await page.goto(`${site.origin}/cookie`);
      const otherPage = await other.newPage();
      await otherPage.goto(`${site.origin}/cookie`);
      assert.equal(await otherPage.$eval("body", (body) => body.textContent), "none");
      await (connection === 1 ? browser.disconnect() : browser.close());
    }
  },
);

longTest("a session saved by playwright-core, including IndexedDB, is the initial state of a later browser", async () => {
  site.serve({
    "/store": `<script>localStorage.token = "kept"; const opening = indexedDB.open("app");
      opening.onupgradeneeded = () => opening.result.createObjectStore("users", { keyPath: "id" }).put({ id: 1, since: new Date(0) });
      opening.onsuccess = () => { document.title = "stored" }</script>`,
    "/read": `<p id=shown></p><script>shown.append(localStorage.token); indexedDB.open("app").onsuccess = ({ target: { result } }) =>
      result.transaction("users").objectStore("users").get(1).onsuccess = ({ target: { result } }) => shown.append(result.since.getTime())</script>`,
  });
  const signedIn = await chromium.connectOverCDP(`http://${endpoint.authority}/?token=${key}`);
  const context = await signedIn.newContext();
  const page = await context.newPage();
  await page.goto(`${site.origin}/cookie`);
  await page.goto(`${site.origin}/store`);
  await page.waitForFunction(() => document.title === "stored");
  const state = await context.storageState({ indexedDB: true });
  assert.match(JSON.stringify(state), /"name":"app"/);
  await signedIn.close();
  const saved = await fetch(`${endpoint.service.origin}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "shop", state }),
  });
  assert.equal(saved.status, 201, await saved.text());
  const isRead = "shown.textContent.endsWith('0')";
  const read = { url: `${site.origin}/read`, session: "shop", format: "text", wait_for_function: isRead };
  const taken = await endpoint.service.take({ ...read, api_key: key });
  assert.equal((await taken.text()).trim(), "kept0");

  await using browser = await connect({ browserWSEndpoint: endpoint.address(key, "session=shop") });
  assert.deepEqual(
    browser
      .targets()
      .filter((one) => one.type() === "page" && one.url() !== "about:blank")
      .map((one) => one.url()),
    [],
  );
  const later = await browser.newPage();
  await later.goto(`${site.origin}/cookie`);
  assert.equal(await later.$eval("body", (body) => body.textContent), "a=b");
  await later.goto(`${site.origin}/read`);
  await later.waitForFunction(() => document.querySelector("p")?.textContent === "kept0");
  const { status, body } = await refusalOf(endpoint.address(key, "session=nothing"));
  assert.deepEqual([status, body.message], [400, "session refers to nothing, but there is no such session."]);
});
