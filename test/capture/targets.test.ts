/** Unusual targets: each gives the expected screenshot, or a 400 with the reason; none hangs. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { before, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { PNG } from "pngjs";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage, pixelAt } from "../support/image.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, type Page } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let capture: Captures["capture"];
let site: Captures["site"];

before(async () => {
  ({ capture, site } = await startCaptures(scope));
  site.serve({ "/lime": lime });
});

const lime = '<body bgcolor="#00ff00">';

function answer(headers: Record<string, string>, body: string | Buffer, status = 200): Page {
  return (_, response) => void response.writeHead(status, headers).end(body);
}

function typed(type: string, body: string | Buffer): Page {
  return answer({ "content-type": type }, body);
}

function redirect(location: string, status = 302): Page {
  return (_, response) => void response.writeHead(status, { location }).end();
}

/** A single-color PNG. */
function flatPng(red: number, green: number, blue: number): Buffer {
  const png = new PNG({ width: 60, height: 40 });
  for (let pixel = 0; pixel < png.data.length; pixel += 4) png.data.set([red, green, blue, 255], pixel);
  return PNG.sync.write(png);
}

/** A response without an end, or one that ends in the middle. */
function streaming(send: (response: ServerResponse) => void): Page {
  return (_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    send(response);
  };
}

/** Targets that are captured, with the color at the image's center. */
const captured: [what: string, page: Page, middle: string][] = [
  ["an image", typed("image/png", flatPng(255, 0, 0)), "#ff0000"],
  [
    "an SVG",
    typed("image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"><rect width="999" height="999" fill="#00f"/></svg>'),
    "#0000ff",
  ],
  ["frames of both kinds", `<body style="margin:0"><iframe src="/lime" style="border:0;width:100%;height:100vh">`, "#00ff00"],
  ["a frameset", '<frameset rows="100%"><frame src="/lime" frameborder="0"></frameset>', "#00ff00"],
  [
    "shadow DOM",
    '<div id="h"></div><script>h.attachShadow({ mode: "closed" }).innerHTML = "<p style=\'position:fixed;inset:0;margin:0;background:#00f\'>"</script>',
    "#0000ff",
  ],
  [
    "declarative shadow DOM",
    '<div><template shadowrootmode="open"><p style="position:fixed;inset:0;margin:0;background:#00f"></template></div>',
    "#0000ff",
  ],
  [
    "a canvas",
    '<body style="margin:0"><canvas id="c" width="200" height="100"></canvas><script>const g = c.getContext("2d"); g.fillStyle = "#f0f"; g.fillRect(0, 0, 200, 100)</script>',
    "#ff00ff",
  ],
  ["quirks mode", '<body style="margin:0"><table height="100%" width="100%" bgcolor="#00ff00"><tr><td>', "#00ff00"],
  ["a body without height", "<!doctype html><style>html{background:#ff0}html,body{height:0;margin:0}</style>", "#ffff00"],
  ["an empty response", typed("text/html", ""), "#ffffff"],
  ["gzip", answer({ "content-type": "text/html", "content-encoding": "gzip" }, gzipSync(lime)), "#00ff00"],
  ["Brotli", answer({ "content-type": "text/html", "content-encoding": "br" }, brotliCompressSync(lime)), "#00ff00"],
  ["headers of 200 kB", answer({ "content-type": "text/html", "x-huge": "a".repeat(200_000) }, lime), "#00ff00"],
  ["no content-type", answer({}, lime), "#00ff00"],
  [
    "an XHTML page",
    typed("application/xhtml+xml", '<html xmlns="http://www.w3.org/1999/xhtml"><body bgcolor="#00ff00"/></html>'),
    "#00ff00",
  ],
  ["a redirect chain", redirect("/chain-2", 301), "#00ff00"],
  ["a redirect without a Location", answer({ "content-type": "text/html" }, lime, 302), "#00ff00"],
  ["an immediate meta refresh", '<meta http-equiv="refresh" content="0;url=/lime"><body bgcolor="#ff0000">', "#00ff00"],
  ["a meta refresh after a minute", `<meta http-equiv="refresh" content="60;url=/nowhere">${lime}`, "#00ff00"],
  ["a page that asks for a password", answer({ "content-type": "text/html", "www-authenticate": 'Basic realm="x"' }, lime, 401), "#00ff00"],
  ["an error page without a body", answer({ "content-type": "text/html" }, "", 404), "#ffffff"],
  [
    "a page with a popup, printing, a dialog and a beforeunload prompt",
    `<script>open("/"); print(); alert(1); onbeforeunload = () => "no"</script>${lime}`,
    "#00ff00",
  ],
  ["slow headers", (_, response) => void setTimeout(() => response.end(lime), 1_000), "#00ff00"],
];

/** Of the others, similar ones prove the same. */
const distinct = new Set([
  "an SVG",
  "an empty response",
  "headers of 200 kB",
  "no content-type",
  "an immediate meta refresh",
  "a page that asks for a password",
  "a page with a popup, printing, a dialog and a beforeunload prompt",
  "plain text",
  "an HTML page declared as text",
  "windows-1252 by tag",
  "a PDF",
  "a page served as a download",
  "no content, 204",
  "an image that isn't one",
  "a redirect to a file",
  "headers of 400 kB",
]);
const chosen = <Row extends [what: string, ...unknown[]]>(table: Row[]): Row[] =>
  table.filter((row) => distinct.has(row[0]) || onlyLong([row]).length > 0);

for (const [what, page, middle] of chosen(captured)) {
  test(`target: ${what} gives the expected screenshot`, async () => {
    site.serve({ "/chain-2": redirect("/chain-3", 307), "/chain-3": redirect("/chain-4", 308), "/chain-4": redirect("/lime", 303) });
    const { status, json, bytes, headers } = await capture(page);
    assert.equal(status, 200, String(json.error));
    assert.deepEqual(describeImage(bytes), { type: "png", width: 200, height: 100 });
    assert.equal(pixelAt(bytes, 100, 50), middle);
    assert.ok(Number(headers.get("x-target-status")) >= 200);
  });
}

/** Text documents are shown as text: some of the image is dark, most of it is not. */
const texts: [what: string, page: Page][] = [
  ["plain text", typed("text/plain", "<h1>plain</h1>\n".repeat(9))],
  ["JSON", typed("application/json", JSON.stringify({ a: Array(99).fill("text") }))],
  ["JSON with a media type of its own", typed("application/ld+json", JSON.stringify({ a: Array(99).fill("text") }))],
  ["XML", typed("application/xml", `<a>${"<b>text</b>".repeat(9)}</a>`)],
  ["XML that is not well-formed", typed("application/xml", "<a><b>text</a>")],
  ["a feed", typed("application/rss+xml", `<rss><channel>${"<title>text</title>".repeat(9)}</channel></rss>`)],
  ["a script", typed("text/javascript", "alert('text');\n".repeat(9))],
  ["a style sheet", typed("text/css", "body { color: red }\n".repeat(9))],
  ["an HTML page declared as text", typed("text/plain; charset=utf-8", `${lime}<h1>text</h1>`.repeat(9))],
];

for (const [what, page] of chosen(texts)) {
  test(`target: ${what} is shown as text`, async () => {
    const { status, json, bytes } = await capture(page);
    assert.equal(status, 200, String(json.error));
    const { data } = PNG.sync.read(Buffer.from(bytes));
    const dark = Array.from({ length: data.length / 4 }, (_, pixel) => data[pixel * 4 + 1] ?? 0).filter((green) => green < 128).length;
    assert.ok(dark > 20 && dark < data.length / 16, `${dark} pixels are dark`);
  });
}

/** Titles rather than glyphs, because glyphs depend on the machine's fonts. */
const charsets: [what: string, type: string, body: Buffer][] = [
  ["ISO 8859-1 by header", "text/html; charset=iso-8859-1", Buffer.from("<title>äöüß</title>", "latin1")],
  ["windows-1252 by tag", "text/html", Buffer.from("<meta charset=windows-1252><title>äöüß</title>", "latin1")],
  ["UTF-8 with a byte order mark, contradicting the header", "text/html; charset=iso-8859-1", Buffer.from("\ufeff<title>äöüß</title>")],
  ["UTF-16 with a byte order mark", "text/html", Buffer.from("\ufeff<title>äöüß</title>", "utf16le")],
  [
    "GBK",
    "text/html; charset=gbk",
    Buffer.concat([Buffer.from("<title>"), Buffer.from([0xc4, 0xe3, 0xba, 0xc3]), Buffer.from("</title>")]),
  ],
  [
    "Shift_JIS",
    "text/html; charset=shift_jis",
    Buffer.concat([Buffer.from("<title>"), Buffer.from([0x93, 0xfa, 0x96, 0x7b]), Buffer.from("</title>")]),
  ],
];

for (const [what, type, body] of chosen(charsets)) {
  test(`target: ${what} is decoded correctly`, async () => {
    const { json } = await capture(typed(type, body), { response_type: "json" });
    const expected = { GBK: "你好", Shift_JIS: "日本" }[what] ?? "äöüß";
    assert.equal(json.title, expected);
  });
}

longTest("target: right-to-left text starts at the right; ideographs and emoji have their usual width", async () => {
  // Transparent, because emoji have their own colors and only their width matters here.
  const marked = (text: string) =>
    `<meta charset="utf-8"><style>body{margin:0;font:20px sans-serif}b{color:transparent;background:#f00}</style><div dir="auto">${text}</div>`;
  assert.equal(pixelAt((await capture(marked("<b>אבג</b> דהו"))).bytes, 195, 12), "#ff0000");
  assert.equal(pixelAt((await capture(marked("<b>abc</b> def"))).bytes, 5, 12), "#ff0000");
  for (const text of ["日本語日本語日本語日", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧"]) {
    const { bytes } = await capture(marked(`<b>${text}</b>`));
    assert.equal(pixelAt(bytes, 60, 12), "#ff0000", text);
  }
});

longTest("target: a page of 50,000 pixels is captured from its top and cut off with a warning", async () => {
  const tall = `<body style="margin:0"><div style="height:1000px;background:#00f"></div><div style="height:49000px;background:#f00">`;
  const { status, bytes, warnings } = await capture(tall, { full_page: "true" });
  assert.equal(status, 200);
  const { width, height } = describeImage(bytes);
  assert.ok(width === 200 && height > 10_000 && height < 50_000, `${width} × ${height}`);
  assert.match(warnings ?? "", /50000 CSS pixels high and was cut off at/);
  assert.deepEqual([pixelAt(bytes, 100, 500), pixelAt(bytes, 100, 1500)], ["#0000ff", "#ff0000"]);
});

test("target: an endless or truncated response is captured as far as received, with a warning", async () => {
  const endless = streaming((response) => {
    response.write(lime);
    const timer = setInterval(() => response.write("<p>more"), 20);
    response.on("close", () => clearInterval(timer));
  });
  const never = await capture(endless, { wait_until_timeout: "1" });
  assert.equal(never.status, 200);
  assert.match(never.warnings ?? "", /was captured in its current state/);
  const cut = await capture(
    streaming((response) => response.write(lime, () => setTimeout(() => response.destroy(), 300))),
    { wait_until_timeout: "1" },
  );
  assert.equal(cut.status, 200, String(cut.json.error));
  assert.match(cut.warnings ?? "", /the target closed the connection before the page was complete/);
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 90000\r\n\r\n";
  const short = await capture((_, response) => void response.socket?.end(head + lime));
  assert.equal(short.status, 200, String(short.json.error));
  assert.match(short.warnings ?? "", /the target closed the connection before the page was complete/);
  for (const { bytes } of [never, cut, short]) assert.equal(pixelAt(bytes, 150, 90), "#00ff00");
});

longTest("target: a document that was stopped before it had any content is reloaded", async () => {
  let requests = 0;
  const { status, json, bytes } = await capture(
    streaming((response) => {
      requests += 1;
      if (requests === 1) response.write("\n");
      else response.end(lime);
    }),
    { wait_until_timeout: "1" },
  );
  assert.equal(status, 200, String(json.error));
  assert.equal(pixelAt(bytes, 150, 90), "#00ff00");
});

/** Targets that are rejected, with the error's code and message. */
const rejected: [what: string, page: Page, code: string, message: RegExp][] = [
  ["a PDF", typed("application/pdf", "%PDF-1.1"), "not_a_page", /is a PDF.*not a web page/],
  ["a download", typed("application/zip", "PK"), "not_a_page", /is a download \(.*\), not a web page/],
  ["a CSV table", typed("text/csv", "a,b"), "not_a_page", /is a download \(.*\.csv\), not a web page/],
  [
    "a page served as a download",
    answer({ "content-type": "text/html", "content-disposition": 'attachment; filename="report.html"' }, lime),
    "not_a_page",
    /is a download \(report\.html\)/,
  ],
  ["no content, 204", answer({}, "", 204), "not_a_page", /is empty or a download/],
  ["an image that isn't one", typed("image/png", lime), "not_a_page", /was served as image\/png, but it can't be decoded/],
  [
    "a redirect loop",
    (request, response) => void response.writeHead(302, { location: request.url }).end(),
    "too_many_redirects",
    /redirects too many/,
  ],
  ["a redirect to a file", redirect("file:///etc/passwd"), "target_blocked", /address is blocked/],
  ["a redirect to a mailto: URL", redirect("mailto:a@example.com"), "not_a_page", /not a web page/],
  [
    "headers of 400 kB",
    answer({ "content-type": "text/html", "x-huge": "a".repeat(400_000) }, lime),
    "connection_failed",
    /could not be reached/,
  ],
  ["a response that isn't HTTP", (_, response) => void response.socket?.end("hello\r\n\r\n"), "connection_failed", /could not be reached/],
  ["headers that never arrive", () => {}, "target_timeout", /not ready in time/],
  [
    "a body that doesn't match its content encoding",
    answer({ "content-type": "text/html", "content-encoding": "gzip" }, lime),
    "not_a_page",
    /empty document/,
  ],
  ["a page that removes itself", "<script>onload = () => document.documentElement.remove()</script>", "not_a_page", /empty document/],
];

test("a web page can't show local files, even without request interception", async () => {
  const withFrame = (address: string) => colouredPage("#fff", `<iframe src="${address}" width="180" height="80"></iframe>`);
  const options = { wait_until: "load" };
  const { bytes } = await capture(withFrame("about:blank"), options);
  for (const address of ["file:///etc/passwd", ...onlyLong(["view-source:file:///etc/passwd", "filesystem:file:///etc/passwd"])]) {
    assert.deepEqual((await capture(withFrame(address), options)).bytes, bytes, address);
    const going = colouredPage("#0f0", `<script>location = "${address}"; onload = () => open("${address}", "_self")</script>`);
    assert.equal(pixelAt((await capture(going, options)).bytes, 100, 50), "#00ff00", address);
  }
});

for (const [what, page, code, message] of chosen(rejected)) {
  test(`target: ${what} is rejected with ${code} and a message`, async () => {
    const { status, json } = await capture(page, { timeout: "4", wait_until_timeout: "1" });
    assert.deepEqual([status, json.code], [400, code]);
    assert.match(json.error ?? "", message);
  });
}

test("after all of these targets, the next page is captured normally", async () => {
  assert.equal(pixelAt((await capture(lime)).bytes, 100, 50), "#00ff00");
});
