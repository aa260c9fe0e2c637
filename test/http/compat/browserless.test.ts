/** What browserless clients rely on: errors as text with its status codes, headers about the page, Base64. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { before, type TestContext, test } from "node:test";
import type { FastifyReply } from "fastify";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { inBase64 } from "../../../src/http/compat/adapter.ts";
import { heldBytesMax, heldImages } from "../../../src/http/server/held-images.ts";
import { eventually } from "../../support/eventually.ts";
import { describeImage, pixelAt } from "../../support/image.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Site;
let service: TestService;
let key: string;

before(async () => {
  site = await createSite(scope, {
    "/": colouredPage("#00ff00", "<h1>Hello</h1><img src=/picture.png>"),
    "/gone": (_, response) => response.writeHead(410, { "content-type": "text/html" }).end("gone"),
    "/style.css": (_, response) => response.setHeader("content-type", "text/css").end("html { background: #f00 !important }"),
    "/styled":
      '<!doctype html><link rel=stylesheet href=/style.css><style>html{background:#00f}</style><script>document.write("scripted")</script>',
  });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  ({ key } = await service.createAccount());
});

async function post(path: string, body: object, token = key) {
  const answer = await fetch(`${service.origin}${path}?token=${token}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes, text: bytes.toString(), type: answer.headers.get("content-type") };
}

test("browserless: /screenshot is 800 × 600 by default, with the page's status and URL in headers", async () => {
  const { status, headers, bytes } = await post("/screenshot", { url: `${site.origin}/gone` });
  assert.deepEqual([status, headers.get("x-response-code"), headers.get("x-response-status")], [200, "410", "Gone"]);
  assert.equal(headers.get("x-response-url"), `${site.origin}/gone`);
  assert.deepEqual(describeImage(bytes), { type: "png", width: 800, height: 600 });
});

test("browserless: encoding=base64 returns the image as text", async () => {
  const { bytes, type, headers } = await post("/chromium/screenshot", {
    url: `${site.origin}/`,
    options: { encoding: "base64", type: "jpeg" },
  });
  assert.deepEqual([type, Number(headers.get("content-length"))], ["text/plain; charset=UTF-8", bytes.length]);
  assert.equal(describeImage(Buffer.from(bytes.toString(), "base64")).type, "jpg");
});

/** Uses up the account's share of memory for responses that haven't been read. */
function fillShare(t: TestContext, userId: string): void {
  const unread = { raw: new EventEmitter() } as unknown as FastifyReply;
  heldImages.hold(userId, unread, [Buffer.alloc(heldBytesMax.perClientMax)]);
  t.after(() => unread.raw.emit("close"));
}

test("browserless: an image that is read from storage is sent as Base64 while it is read", async (t) => {
  const own = await service.createAccount();
  fillShare(t, own.userId);
  const { store } = service.services;
  const { get } = store;
  const gate = Promise.withResolvers<void>();
  t.after(() => {
    store.get = get;
    gate.resolve();
  });
  async function* inTwo(stream: AsyncIterable<Buffer>) {
    const image = await buffer(stream);
    yield image.subarray(0, 100);
    await gate.promise;
    yield image.subarray(100);
  }
  store.get = async (...asked) => {
    const found = await get(...asked);
    return found && { ...found, stream: Readable.from(inTwo(found.stream as Readable)) };
  };
  const answer = await fetch(`${service.origin}/screenshot?token=${own.key}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: `${site.origin}/`, options: { encoding: "base64" } }),
  });
  assert.equal(answer.status, 200);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const first = Buffer.from((await reader.read()).value ?? []);
  assert.equal(first.length, 132, "99 of the first 100 bytes; the rest has not been read yet");
  gate.resolve();
  const parts = [first];
  for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(Buffer.from(next.value));
  const text = Buffer.concat(parts).toString();
  const image = await fetch(`${service.origin}/v1/screenshots/${answer.headers.get("x-screenshot-id")}/image`, {
    headers: { authorization: `Bearer ${own.key}` },
  });
  assert.equal(text, Buffer.from(await image.arrayBuffer()).toString("base64"));
  assert.deepEqual(
    [answer.headers.get("content-type"), answer.headers.get("content-length")],
    ["text/plain; charset=UTF-8", String(text.length)],
  );
});

test("browserless: Base64 of images of any length is encoded in small pieces", async () => {
  for (const length of [0, 1, 2, 3, 200_000, 200_001, 200_002]) {
    const image = randomBytes(length);
    const pieces: Buffer[] = await inBase64(image).toArray();
    assert.equal(Buffer.concat(pieces).toString(), image.toString("base64"));
    assert.ok(pieces.every((piece) => piece.length <= 65_536));
    const chunks = Array.from({ length: Math.ceil(length / 1_000) }, (_, at) => image.subarray(at * 1_000, (at + 1) * 1_000));
    assert.equal((await buffer(inBase64(Readable.from(chunks)))).toString(), image.toString("base64"));
    const bytes = Readable.from(Array.from(image.subarray(0, 10), (byte) => Buffer.of(byte)));
    assert.equal((await buffer(inBase64(bytes))).toString(), image.toString("base64", 0, 10));
  }
  const failing = Readable.from(
    (async function* () {
      yield Buffer.alloc(10);
      throw new Error("the storage is away");
    })(),
  );
  await assert.rejects(buffer(inBase64(failing)), /the storage is away/);
});

longTest("browserless: /scrape with long results is refused while the account's share of unread responses is used up", async (t) => {
  const own = await service.createAccount();
  const scraped = (count: number) =>
    post("/scrape", { html: `<i>${"x".repeat(100)}</i>`.repeat(count), elements: [{ selector: "i" }] }, own.key);
  assert.equal(JSON.parse((await scraped(500)).text).data[0].results.length, 500);
  fillShare(t, own.userId);
  assert.equal((await scraped(1)).status, 200);
  const { status, headers, text, type } = await scraped(500);
  assert.deepEqual([status, headers.get("x-error-code"), headers.get("retry-after")], [429, "rate_limited", null]);
  assert.match(text, new RegExp(`^Too many images .* lists it as ${headers.get("x-screenshot-id")}\\.$`), type ?? "");
  await eventually("all three are charged", async () => (await service.used(own.userId)) === 3);
});

test("browserless: /content returns the page's HTML after its scripts have run, /pdf a PDF", async () => {
  const { text, type } = await post("/content", { url: `${site.origin}/styled` });
  assert.match(text, /scripted/);
  assert.equal(type, "text/html; charset=UTF-8");
  assert.equal((await post("/chrome/pdf", { html: "<h1>Hello</h1>" })).text.slice(0, 5), "%PDF-");
});

longTest("browserless: content blocked by rejectRequestPattern and setJavaScriptEnabled is not in the image", async () => {
  const plain = await post("/screenshot", { url: `${site.origin}/styled` });
  const rejected = await post("/screenshot", { url: `${site.origin}/styled`, rejectRequestPattern: ["/^.*\\.(css)"] });
  assert.deepEqual([pixelAt(plain.bytes, 700, 500), pixelAt(rejected.bytes, 700, 500)], ["#ff0000", "#0000ff"]);
  assert.doesNotMatch((await post("/content", { url: `${site.origin}/styled`, setJavaScriptEnabled: false })).text, /<body>scripted/);
});

test("browserless: waitForFunction runs an asynchronous function once to completion, whatever it returns", async () => {
  const fn = "async () => { await new Promise((end) => setTimeout(end, 300)); document.querySelector('h1').innerText = 'Waited'; }";
  assert.match((await post("/content", { url: `${site.origin}/`, waitForFunction: { fn, timeout: 5000 } })).text, /Waited/);
});

test("browserless: waitForEvent also sees an event that comes just after the load", async () => {
  const html = `<script>addEventListener("load", () => setTimeout(() => document.dispatchEvent(new Event("drawn"))));</script>`;
  for (const sent of [
    { html, event: "drawn" },
    { html: "<p>No scripts", event: "load" },
  ]) {
    const { status, text } = await post("/content", { html: sent.html, waitForEvent: { event: sent.event, timeout: 3000 } });
    assert.equal(status, 200, text);
  }
});

longTest("browserless: waitForEvent waits for an event of the page, even in combination with waitForFunction", async () => {
  const html = `<h1>-</h1><script>
    addEventListener("load", () => setTimeout(() => document.dispatchEvent(new Event("drawn")), 700));
    document.addEventListener("drawn", () => { document.querySelector("h1").innerText = "drawn"; });
  </script>`;
  const drawn = await post("/content", { html, waitForEvent: { event: "drawn" }, waitForFunction: { fn: "() => document.title === ''" } });
  assert.match(drawn.text, /<h1>drawn/);
  const never = await post("/content", { html, waitForEvent: { event: "never", timeout: 300 }, gotoOptions: { timeout: 2000 } });
  assert.deepEqual([never.status, never.text], [408, timedOut('the event "never"')]);
  const ms = performance.now();
  const unmet = await post("/content", { html, waitForFunction: { fn: "() => nothing.here", timeout: 300 } });
  assert.deepEqual([unmet.status, unmet.text], [408, timedOut("function")]);
  assert.ok(performance.now() - ms < 15_000, "long before the navigation's own 30 s timeout");
});

const timedOut = (what: string) => JSON.stringify({ error: `The target was not ready in time. Timed out waiting for ${what}.` });

longTest("browserless: waitForSelector waits for an element, visible if requested, within its own timeout", async () => {
  const html = "<input type=hidden id=token><h1>Hello</h1>";
  assert.equal((await post("/content", { html, waitForSelector: { selector: "#token" } })).status, 200);
  assert.equal((await post("/content", { html, waitForSelector: { selector: "h1", visible: true, timeout: 20_000 } })).status, 200);
  for (const wait of [{ selector: "#token", visible: true }, { selector: "#none" }]) {
    const { status, text } = await post("/content", { html, waitForSelector: { ...wait, timeout: 300 } });
    assert.deepEqual([status, text], [408, timedOut(`selector "${wait.selector}"`)]);
  }
  const wrong = await post("/content", { html, waitForSelector: { selector: "p[" } });
  assert.deepEqual(
    [wrong.status, /^\{"error":"waitForSelector\.selector ended the wait: .*valid selector/.test(wrong.text)],
    [400, true],
    wrong.text,
  );
});

test("browserless: /scrape waits for the elements of each selector and returns them", async () => {
  const html = `<a href="/a" class="x">One <b>A</b></a><form id=f><input name=attributes><input name=innerHTML></form>
    <script>addEventListener("load", () => setTimeout(() => { document.body.insertAdjacentHTML("beforeend", "<p>late") }, 600))</script>`;
  const { status, type, text } = await post("/scrape", { html, elements: [{ selector: "a" }, { selector: "p" }, { selector: "form" }] });
  assert.deepEqual([status, type], [200, "application/json; charset=UTF-8"], text);
  const { data } = JSON.parse(text);
  const [links, late, forms] = data;
  assert.deepEqual(links.results[0].attributes, [
    { name: "href", value: "/a" },
    { name: "class", value: "x" },
  ]);
  assert.deepEqual([links.selector, links.results[0].text, links.results[0].html], ["a", "One A", "One <b>A</b>"]);
  assert.deepEqual([late.results[0].text, forms.results[0].attributes[0].value], ["late", "f"]);
  assert.match(forms.results[0].html, /<input name="attributes">/);
  const missing = await post("/chrome/scrape", { html, elements: [{ selector: "a" }, { selector: "blink", timeout: 300 }] });
  assert.deepEqual([missing.status, missing.text], [408, timedOut('selector "blink"')]);
  assert.match((await post("/scrape", { html, elements: [] })).text, /^\{"error":"elements must be a list/);
  assert.match(
    (await post("/scrape", { html, elements: [{ selector: "a[" }], bestAttempt: true, timeout: 1000 })).text,
    /is not a CSS selector|time/,
  );
});

longTest("browserless: /scrape omits results beyond the size limit", async () => {
  const attributes = Array.from({ length: 100 }, (_, index) => `a${index}`).join(" ");
  const { status, text } = await post("/scrape", { html: `<i ${attributes}>x</i>`.repeat(3_000), elements: [{ selector: "i" }] });
  assert.equal(status, 200, text.slice(0, 500));
  const { results } = JSON.parse(text).data[0];
  assert.ok(results.length > 1_000 && results.length < 3_000 && text.length < 6_000_000, `${results.length} in ${text.length}`);
});

test("/pdf: displayHeaderFooter prints Chromium's header and footer, or the caller's in their place", async () => {
  const html = "<title>Harbor</title><p>Boats</p>";
  const textOf = async (options: object) => {
    const { bytes } = await post("/pdf", { html, options: { margin: { top: "2cm", bottom: "2cm" }, ...options } });
    const page = await (await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise).getPage(1);
    return (await page.getTextContent()).items.map((item) => ("str" in item ? item.str : "")).join(" ");
  };
  assert.equal((await textOf({ headerTemplate: "<b>Header</b>" })).trim(), "Boats");
  assert.match(await textOf({ displayHeaderFooter: true }), /\d\d.*Harbor.*1 ?\/ ?1/);
  const own = await textOf({ displayHeaderFooter: true, headerTemplate: '<b style="font-size: 9px">Header</b>' });
  assert.match(own, /Header.*1 ?\/ ?1/);
  assert.doesNotMatch(own, /Harbor/);
});

test("browserless: /pressure and /json/version report the process's load and version", async () => {
  const asked = async (path: string) => {
    const answer = await fetch(`${service.origin}${path}?token=${key}`);
    return { status: answer.status, json: await answer.json() };
  };
  const { status, json } = await asked("/pressure");
  assert.deepEqual([status, json.pressure.isAvailable, json.pressure.queued, typeof json.pressure.running], [200, true, 0, "number"]);
  assert.match((await asked("/json/version")).json.Browser, /^Chrome\/\d/);
  assert.equal((await fetch(`${service.origin}/pressure`)).status, 401);
});

longTest("browserless: bestAttempt skips waits that time out, and still captures the whole page", async () => {
  const waits = {
    waitForSelector: { selector: "table", timeout: 200 },
    waitForFunction: { fn: "() => window.never.ready", timeout: 200 },
  };
  const { status, headers, bytes } = await post("/screenshot", { url: `${site.origin}/`, bestAttempt: true, ...waits });
  assert.deepEqual([status, pixelAt(bytes, 700, 500)], [200, "#00ff00"]);
  assert.notEqual(headers.get("x-verdict"), "partial");
  const met = { waitForSelector: { selector: "h1", timeout: 20_000 }, waitForFunction: { fn: "document.readyState !== 'loading'" } };
  assert.equal((await post("/screenshot", { url: `${site.origin}/`, bestAttempt: true, ...met })).status, 200);
});

test("browserless: errors are JSON or text with the statuses that clients expect, and our code in a header", async () => {
  const url = `${site.origin}/`;
  const cases: [Awaited<ReturnType<typeof post>>, number, string, RegExp][] = [
    [await post("/screenshot", { url }, `${key.slice(0, -4)}aaaa`), 401, "invalid_api_key", /not valid/],
    [await post("/screenshot", { url }, ""), 401, "invalid_parameters", /token, as browserless expects/],
    [await post("/screenshot", {}), 400, "invalid_parameters", /^url is missing: send url, html/],
    [
      await post("/screenshot", { url, options: { path: "/tmp/a.png" } }),
      400,
      "invalid_parameters",
      /^options\.path is not supported here: nothing is written/,
    ],
    [
      await post("/screenshot", { url, launch: { args: ["--proxy-server=a"] } }),
      400,
      "invalid_parameters",
      /^launch is not supported here: --proxy-server=a would change the browser/,
    ],
    [
      await post(`/screenshot`, { url, launch: Buffer.from('{"acceptInsecureCerts":true}').toString("base64"), viewport: { width: 0 } }),
      400,
      "invalid_parameters",
      /^launch is not supported here: acceptInsecureCerts would change .*; viewport\.width must be an integer/,
    ],
    [
      await post("/screenshot", { url, rejectRequestPattern: ["[a-z]+"] }),
      400,
      "invalid_parameters",
      /rejectRequestPattern is not supported here: "\[a-z\]\+"/,
    ],
    [
      await post("/screenshot", { url, gotoOptions: { timeout: "soon" } }),
      400,
      "invalid_parameters",
      /^gotoOptions\.timeout must be a number, in milliseconds/,
    ],
    [
      await post("/pdf", { html: "<p>", options: { fullPage: true, height: 100, format: "A4" } }),
      400,
      "invalid_parameters",
      /"fullPage" option cannot be used with "height" or "format" options\.$/,
    ],
    [await post("/screenshot", { url, viewport: { width: "wide" } }), 400, "invalid_parameters", /^viewport\.width must be an integer/],
    [
      await post("/screenshot", { url, waitForSelector: { selector: "#none", timeout: 100 }, gotoOptions: { timeout: 4000 } }),
      408,
      "target_timeout",
      /not ready in time\. Timed out waiting for selector "#none"/,
    ],
  ];
  for (const [answer, status, code, message] of cases) {
    assert.deepEqual(
      [answer.status, answer.headers.get("x-error-code"), answer.type],
      [status, code, status === 401 ? "text/plain; charset=UTF-8" : "application/json; charset=UTF-8"],
      answer.text,
    );
    assert.match(status === 401 ? answer.text : JSON.parse(answer.text).error, message);
  }
});

test("browserless: a wrong token is refused before the body is read", async () => {
  const answer = await fetch(`${service.origin}/screenshot?token=ss_wrong`, {
    method: "POST",
    body: "x".repeat(1000),
    headers: { "content-type": "text/csv" },
  });
  assert.equal(answer.status, 401);
});
