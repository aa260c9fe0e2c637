/** Documents: PDF, HTML, MHTML and text, each read by a third-party library. */

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { chromium } from "playwright-core";
import { type Captured, type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Captures["site"];
let capture: Captures["capture"];

before(async () => {
  ({ site, capture } = await startCaptures(scope));
});

/** The pages of a PDF: size in points, text, link targets. */
async function readPdf({ status, bytes, json }: Captured) {
  assert.equal(status, 200, String(json.error));
  const pdf = await getDocument({ data: bytes.slice(), verbosity: 0 }).promise;
  const pages = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const [, , width = 0, height = 0] = page.view;
    const { items } = await page.getTextContent();
    const text = items.map((item) => ("str" in item ? item.str : "")).join(" ");
    const links = (await page.getAnnotations()).flatMap(({ url }) => url ?? []);
    pages.push({ size: [Math.round(width), Math.round(height)], text, links });
  }
  const titles = (outline: Awaited<ReturnType<typeof pdf.getOutline>>): string[] =>
    (outline ?? []).flatMap(({ title, items }) => [title, ...titles(items)]);
  const { info } = await pdf.getMetadata();
  return { pages, outline: titles(await pdf.getOutline()), title: (info as { Title?: string }).Title, marked: await pdf.getMarkInfo() };
}

const article = `<!doctype html><html lang="en"><title>Opening hours</title><style>
  h2{break-before:page} @media screen{.print{display:none}} @media print{.screen{display:none}}
  </style><h1>Opening hours</h1><p>Monday to Friday, <a href="https://example.com/map">on the map</a>.
  <p class="print">Printed</p><p class="screen">On a screen</p><h2>Holidays</h2><p>Closed.<h2>Contact</h2><p>Call us.`;

test("format=pdf: text, pages, links, outline, title and tags come from the document, laid out for paper", async () => {
  const captured = await capture(article, { format: "pdf" });
  const { pages, outline, title, marked } = await readPdf(captured);
  assert.deepEqual([captured.headers.get("content-type"), captured.warnings], ["application/pdf", null]);
  assert.match(captured.headers.get("content-disposition") ?? "", /\.pdf"$/);
  assert.deepEqual([pages.length, title, marked?.Marked], [3, "Opening hours", true]);
  assert.deepEqual(outline, ["Opening hours", "Holidays", "Contact"]);
  assert.deepEqual(pages[0]?.links, ["https://example.com/map"]);
  assert.match(pages[0]?.text ?? "", /Monday to Friday.*Printed/);
  assert.doesNotMatch(pages[0]?.text ?? "", /On a screen/);
  assert.match(pages[1]?.text ?? "", /Holidays/);
  const sized = { format: "pdf", pdf_outline: "false", pdf_width: "8.500000in", pdf_height: "11.00000001in" };
  const plain = await readPdf(await capture(article, sized));
  assert.deepEqual([plain.outline, plain.pages[0]?.size], [[], [612, 792]]);
});

test("format=pdf: media_type=screen prints the page as it looks on a screen", async () => {
  const { pages } = await readPdf(await capture(article, { format: "pdf", media_type: "screen", pdf_pages: "1" }));
  assert.match(pages[0]?.text ?? "", /On a screen/);
  assert.doesNotMatch(pages[0]?.text ?? "", /Printed/);
});

const papers: [parameters: Record<string, string>, points: [number, number]][] = [
  [{}, [595, 842]],
  [{ pdf_paper: "A3" }, [842, 1191]],
  [{ pdf_paper: "A5" }, [420, 595]],
  [{ pdf_paper: "A6" }, [297, 420]],
  [{ pdf_paper: "Letter" }, [612, 792]],
  [{ pdf_paper: "Legal" }, [612, 1008]],
  [{ pdf_paper: "Tabloid" }, [792, 1224]],
  [{ pdf_landscape: "true" }, [842, 595]],
  [{ pdf_width: "10cm", pdf_height: "144pt" }, [283, 144]],
  [{ pdf_width: "960px", pdf_height: "5in" }, [720, 360]],
];

for (const [index, [parameters, points]] of papers.entries())
  (index < 2 ? test : longTest)(`format=pdf: ${JSON.stringify(parameters)} gives paper of ${points.join(" × ")} points`, async () => {
    const { pages } = await readPdf(await capture("<p>Opening hours", { format: "pdf", ...parameters }));
    assert.ok(
      pages.every(({ size }) => Math.abs((size[0] ?? 0) - points[0]) <= 1 && Math.abs((size[1] ?? 0) - points[1]) <= 1),
      JSON.stringify(pages[0]),
    );
  });

longTest("format=pdf: the page's own paper size applies unless the request specifies one", async () => {
  const page = "<style>@page{size:A5}</style><p>Opening hours";
  const sizes = async (parameters: Record<string, string>) =>
    (await readPdf(await capture(page, { format: "pdf", ...parameters }))).pages[0]?.size;
  assert.deepEqual(await sizes({}), [420, 595]);
  assert.deepEqual(await sizes({ pdf_paper: "A4" }), [595, 842]);
});

test("format=pdf: pdf_pages prints only those pages; if they don't exist, the error names the parameter", async () => {
  const { pages } = await readPdf(await capture(article, { format: "pdf", pdf_pages: "1,3" }));
  assert.deepEqual(
    pages.map(({ text }) => /Opening hours|Holidays|Contact/.exec(text)?.[0]),
    ["Opening hours", "Contact"],
  );
  const { status, json } = await capture(article, { format: "pdf", pdf_pages: "7-9" });
  assert.deepEqual([status, json.code], [400, "invalid_parameters"]);
  assert.match(String(json.error), /pdf_pages is 7-9, but the document has fewer pages/);
});

test("format=pdf: header and footer are on every page, with page numbers", async () => {
  const text = (where: string) =>
    `<div style="font-size:9px">${where} <span class="pageNumber"></span>/<span class="totalPages"></span></div>`;
  const { pages } = await readPdf(
    await capture(article, { format: "pdf", pdf_margin: "20mm", pdf_header: text("Top"), pdf_footer: text("End") }),
  );
  for (const [index, page] of pages.entries()) {
    assert.match(page.text.replaceAll(" ", ""), new RegExp(`Top${index + 1}/3`));
    assert.match(page.text.replaceAll(" ", ""), new RegExp(`End${index + 1}/3`));
  }
  const { pages: footed } = await readPdf(await capture(article, { format: "pdf", pdf_footer: text("End") }));
  assert.doesNotMatch(footed[0]?.text ?? "", /127\.0\.0\.1|\d+\/\d+\/\d+/); // Chromium's own header
});

test("format=pdf: pdf_single_page prints one page as long as the document", async () => {
  const rows = Array.from({ length: 120 }, (_, row) => `<p style="margin:0;height:40px">Row ${row}</p>`).join("");
  const { pages } = await readPdf(
    await capture(`<!doctype html><body style="margin:0">${rows}`, { format: "pdf", pdf_single_page: "true", pdf_margin: "0px" }),
  );
  assert.equal(pages.length, 1);
  assert.match(pages[0]?.text ?? "", /Row 0 .*Row 119/);
  const height = pages[0]?.size[1] ?? 0;
  assert.ok(Math.abs(height - (120 * 40 * 72) / 96) < 4, `${height} points`);
  const short = await readPdf(
    await capture("<!doctype html><body style='margin:0'><p style='margin:0;height:96px'>One inch", {
      format: "pdf",
      pdf_single_page: "true",
      pdf_margin: "0px",
    }),
  );
  assert.ok(Math.abs((short.pages[0]?.size[1] ?? 0) - 72) < 4, `${short.pages[0]?.size[1]} points`);
});

longTest("format=pdf: a page's title and alt texts that look like a PDF's structure change neither its length nor its scale", async () => {
  const like = "/Type /Page /MediaBox [0 0 5 5] /Count 7 ".repeat(3);
  const image = `<img width="10" height="10" alt="${like}" src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">`;
  const single = { format: "pdf", pdf_single_page: "true", pdf_margin: "0px" };
  const content = `<body style="margin:0"><div style="height:192px">${image}Two inches</div>`;
  const short = await readPdf(await capture(`<!doctype html><title>${like}</title>${content}`, single));
  const height = short.pages[0]?.size[1] ?? 0;
  assert.equal(short.pages.length, 1);
  assert.ok(Math.abs(height - 144) < 4, `${height} points`);
  const cells = Array.from({ length: 40 }, (_, index) => `<td style="min-width:60px">Cell${index}</td>`).join("");
  const wide = await capture(`<!doctype html><title>${like}</title>${image}<table><tr>${cells}</table>`, { format: "pdf" });
  assert.match((await readPdf(wide)).pages[0]?.text ?? "", /Cell0 .*Cell39/);
  assert.match(String(wide.warnings), /the content is wider than the paper: it was scaled to \d\d% of its size/);
});

test("format=pdf: pdf_single_page and pdf_landscape override the page's @page rules; an overridden margin causes a warning", async () => {
  const page =
    "<!doctype html><style>@page{size:A5;margin:0} h2{break-before:page}</style><h1>One</h1><div style='height:100vh'>Window</div><h2>Two</h2><p style='height:900px'>Three";
  const { pages } = await readPdf(await capture(page, { format: "pdf", pdf_single_page: "true" }));
  assert.deepEqual([pages.length, pages[0]?.size[0]], [1, 595]);
  const height = pages[0]?.size[1] ?? 0;
  assert.ok(height > 800 && height < 950, `${height} points`);
  const turned = await capture(page, { format: "pdf", pdf_landscape: "true", pdf_margin: "3cm" });
  assert.deepEqual((await readPdf(turned)).pages[0]?.size, [842, 595]);
  assert.equal(turned.warnings, "pdf_margin was ignored: the page sets its own margins with @page");
});

test("format=pdf: content of an application's own scrollers is printed completely, and a wide table is fitted to the paper", async () => {
  const paragraphs = Array.from(
    { length: 70 },
    (_, index) => `<p>Paragraph ${index} of a long text that takes more lines where it is narrow.</p>`,
  ).join("");
  const app = `<!doctype html><style>html,body{margin:0;height:100%;overflow:hidden}#app{display:flex;height:100vh}aside{width:200px}main{flex:1;overflow:auto}</style>
    <div id="app"><aside>Menu</aside><main>${paragraphs}</main></div>`;
  const { pages } = await readPdf(await capture(app, { format: "pdf", width: "1000", height: "600" }));
  const text = pages.map((page) => page.text).join(" ");
  for (const index of [0, 35, 69]) assert.match(text, new RegExp(`Paragraph ${index} `));
  const cells = Array.from({ length: 40 }, (_, index) => `<td style="min-width:60px">Cell${index}</td>`).join("");
  const wide = await capture(`<!doctype html><div style="overflow-x:auto"><table><tr>${cells}</table></div>`, {
    format: "pdf",
    width: "1000",
    height: "600",
  });
  assert.match((await readPdf(wide)).pages[0]?.text ?? "", /Cell0 .*Cell39/);
  assert.match(String(wide.warnings), /the content is wider than the paper: it was scaled to \d\d% of its size/);
});

longTest("format=pdf: lazy content far below the window is printed", async () => {
  const page = `<!doctype html><div style="height:5000px"></div><p id="late"></p><script>
    new IntersectionObserver(([e], o) => { if (e.isIntersecting) { late.textContent = "Arrived"; o.disconnect(); } }).observe(late)</script>`;
  const { pages } = await readPdf(await capture(page, { format: "pdf" }));
  assert.match(pages.map(({ text }) => text).join(" "), /Arrived/);
});

const wrong: [parameters: Record<string, string>, message: RegExp][] = [
  [{ pdf_width: "10cm" }, /pdf_height is missing: pdf_width and pdf_height must be given together/],
  [{ pdf_width: "10", pdf_height: "10cm" }, /pdf_width must be a length with a unit, such as 210mm, not "10"\.$/],
  [{ pdf_width: "1cm", pdf_height: "10cm" }, /pdf_width must be from 1 to 200 inches/],
  [{ pdf_width: "10cm", pdf_height: "10cm", pdf_paper: "A4" }, /pdf_paper can't be combined/],
  [{ pdf_margin: "1cm,2cm" }, /pdf_margin/],
  [{ pdf_margin: "15cm" }, /pdf_margin leaves no room for content on the paper/],
  [{ pdf_pages: "1,3-2" }, /pdf_pages contains the range 3-2, which ends before it begins/],
  [{ pdf_header: '<link rel="stylesheet" href="x.css">' }, /pdf_header must not contain <link> elements/],
  [{ pdf_footer: "<style>@import url(x.css);</style>" }, /pdf_footer must not contain @import/],
  [{ pdf_pages: "0" }, /pdf_pages must be pages and ranges separated by commas, such as 1-3,5, not "0"/],
  [{ pdf_paper: "A7" }, /pdf_paper must be one of A0, A1, A2, A3, A4, A5, A6, Letter, Legal, Tabloid, Ledger, not "A7"/],
];

for (const [parameters, message] of wrong)
  test(`format=pdf: ${JSON.stringify(parameters)} is rejected with a message`, async () => {
    const { status, json } = await capture("<p>x", { format: "pdf", ...parameters });
    assert.deepEqual([status, json.code], [400, "invalid_parameters"]);
    assert.match(String(json.error), message);
  });

test("format=html: the document after its scripts have run, including open shadow roots, renders the same again", async () => {
  const page = `<!doctype html><html lang="de"><title>T</title><body style="margin:0;background:#fff"><div id="host"></div><script>
    host.attachShadow({ mode: "open" }).innerHTML = "<style>p{margin:0;height:100px;background:#0f0}</style><p>Schatten ü &lt;b&gt;</p>";
    document.body.append("Später");</script>`;
  const { status, headers, bytes } = await capture(page, { format: "html" });
  const html = Buffer.from(bytes).toString();
  assert.deepEqual(
    [status, headers.get("content-type"), headers.get("content-security-policy")],
    [200, "text/html; charset=utf-8", "sandbox"],
  );
  assert.match(html, /^<!DOCTYPE html>\n<html lang="de">/);
  assert.match(html, /<template shadowrootmode="open"><style>.*Schatten ü &lt;b&gt;/);
  assert.match(html, /Später<\/body><\/html>$/);
  site.serve({
    "/again": (_, response) =>
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html.replace(/<script>.*<\/script>/s, "")),
  });
  assert.equal(pixelAt((await capture("/again")).bytes, 150, 50), "#00ff00");
});

longTest("format=html: adopted style sheets are included, and the charset declaration is changed to UTF-8", async () => {
  const page = `<!doctype html><meta charset="windows-1251"><title>T</title><body><x-a></x-a><p>Last</p><script>
    const adopt = (root, css) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(css); root.adoptedStyleSheets = [sheet]; };
    adopt(document, "p { color: teal }");
    for (const host of document.querySelectorAll("x-a")) { host.attachShadow({ mode: "open" }).innerHTML = "<p>In</p>"; adopt(host.shadowRoot, 'p::after { content: "</style>" }'); }</script>`;
  const html = Buffer.from((await capture(page, { format: "html" })).bytes).toString();
  assert.match(html, /^<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>/);
  assert.match(html, /<template shadowrootmode="open"><p>In<\/p><style>p::after \{ content: "\\3c \/style>"; \}<\/style><\/template>/);
  assert.match(html, /<style>p \{ color: teal; \}<\/style><\/body><\/html>$/);
});

test("format=html and text: non-HTML documents are complete", async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9"><title>T</title><text x="1" y="9">Drawn</text></svg>';
  const asSvg = (_: unknown, response: ServerResponse) => void response.writeHead(200, { "content-type": "image/svg+xml" }).end(svg);
  assert.equal(Buffer.from((await capture(asSvg, { format: "html" })).bytes).toString(), svg);
  assert.equal(Buffer.from((await capture(asSvg, { format: "text" })).bytes).toString(), "Drawn");
});

longTest("format=html: selector returns only that element, even in a shadow root", async () => {
  const page = `<main id="a"><p class="b">One</p></main><div id="host"></div><script>
    host.attachShadow({ mode: "open" }).innerHTML = '<section class="c"><b>Two</b></section>'</script>`;
  const html = async (selector: string) => Buffer.from((await capture(page, { format: "html", selector })).bytes).toString();
  assert.equal(await html("main"), '<main id="a"><p class="b">One</p></main>');
  assert.equal(await html(".c"), '<section class="c"><b>Two</b></section>');
  assert.match(await html("#host"), /^<div id="host"><template shadowrootmode="open"><section/);
  const { status, json } = await capture(page, { format: "html", selector: ".nothing" });
  assert.deepEqual([status, json.code], [400, "selector_not_found"]);
});

test("format=text: the visible text in reading order, without scripts and hidden parts", async () => {
  const page = `<title>T</title><style>.x{display:none}</style><h1>Title</h1><p>One <b>two</b></p><p class="x">Hidden</p><ul><li>a<li>b</ul>
    <table><tr><td>1<td>2</table><script>var hidden</script><p>日本語 – עברית</p>`;
  const { status, headers, bytes } = await capture(page, { format: "text" });
  assert.deepEqual([status, headers.get("content-type")], [200, "text/plain; charset=utf-8"]);
  const lines = Buffer.from(bytes)
    .toString()
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  assert.deepEqual(lines, ["Title", "One two", "a", "b", "1\t2", "日本語 – עברית"]);
});

longTest("format=text: the text of same-origin frames is at the frame's position", async () => {
  site.serve({ "/inner": "<h1>Inner</h1><p>text" });
  const { bytes } = await capture('<p>Before</p><iframe src="/inner"></iframe><p>After</p>', { format: "text" });
  assert.deepEqual(Buffer.from(bytes).toString().split(/\n+/), ["Before", "Inner", "text", "After"]);
  const frames = '<frameset cols="30%,70%"><frame src="/inner"><frame src="/inner"></frameset>';
  const framed = await capture(frames, { format: "text" });
  assert.deepEqual(Buffer.from(framed.bytes).toString().split(/\n+/), ["Inner", "text", "Inner", "text"]);
});

longTest("format=text: the text in open shadow roots is at its position", async () => {
  const page = `<p>Before</p><x-card><b>Slotted</b></x-card><p>After</p><script>
    for (const card of document.querySelectorAll("x-card")) card.attachShadow({ mode: "open" }).innerHTML = "<p>Inside <slot></slot></p><style>p{color:red}</style>"</script>`;
  const lines = Buffer.from((await capture(page, { format: "text" })).bytes)
    .toString()
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  assert.deepEqual(lines, ["Before", "Inside Slotted", "After"]);
});

test("format=mhtml: a single file that Chromium renders like the page, without the site", async (t) => {
  site.serve({
    "/green.svg": (_, response) =>
      response
        .writeHead(200, { "content-type": "image/svg+xml" })
        .end('<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="200" height="100" fill="#0f0"/></svg>'),
  });
  const { status, headers, bytes } = await capture(colouredPage("#ff0000", '<img src="/green.svg" style="position:fixed;inset:0">'), {
    format: "mhtml",
  });
  assert.deepEqual([status, headers.get("content-type"), headers.get("content-security-policy")], [200, "multipart/related", "sandbox"]);
  const text = Buffer.from(bytes).toString();
  assert.match(text, /^From: <Saved by Blink>/);
  assert.match(text, /Content-Location: .*\/green\.svg/);
  const folder = await mkdtemp(join(tmpdir(), "mhtml-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "page.mhtml"), bytes);
  site.serve({ "/green.svg": colouredPage("#ff0000") });
  const browser = await chromium.launch({
    executablePath: process.env.TEST_CHROMIUM ?? "",
    chromiumSandbox: process.env.CHROMIUM_SANDBOX !== "false",
  });
  t.after(() => browser.close());
  const shown = await browser.newPage({ viewport: { width: 200, height: 100 } });
  await shown.context().setOffline(true);
  await shown.goto(pathToFileURL(join(folder, "page.mhtml")).href);
  assert.equal(pixelAt(await shown.screenshot(), 150, 50), "#00ff00");
});

longTest("a page with hundreds of frames, one within another, is captured; as mhtml, it is refused", async () => {
  const page = `<!doctype html><p>Outermost</p><script>let inner = document; for (let depth = 0; depth < 190; depth += 1) {
    const frame = inner.body.appendChild(inner.createElement("iframe")); inner = frame.contentDocument } inner.body.append("Innermost")</script>`;
  const { status, json, bytes } = await capture(page, { format: "text", wait_until_timeout: "5" });
  assert.equal(status, 200, JSON.stringify(json));
  assert.match(Buffer.from(bytes).toString(), /Outermost/);
  const refused = await capture(page, { format: "mhtml", wait_until_timeout: "5" });
  assert.deepEqual([refused.status, refused.json.code], [400, "document_too_large"], JSON.stringify(refused.json));
});

longTest("format=mhtml: a page whose file would be too large is rejected with its size", async () => {
  for (const script of ["document.body.append(new Comment('x'.repeat(21e6)))", "document.body.append(new Comment('é'.repeat(4e6)))"]) {
    const { status, json } = await capture(`<!doctype html><body>x<script>${script}</script>`, { format: "mhtml" });
    assert.deepEqual([status, json.code], [400, "document_too_large"]);
    assert.match(String(json.error), /about \d+ MB; at most 20 MB are allowed/);
  }
  site.serve({
    "/large.bmp": (_, response) =>
      response.writeHead(200, { "content-type": "image/bmp" }).end(Buffer.concat([bmpHeader(2200), Buffer.alloc(2200 * 2200 * 4)])),
  });
  const { status, json } = await capture('<img src="/large.bmp">', { format: "mhtml" });
  assert.deepEqual([status, json.code], [400, "document_too_large"], JSON.stringify(json).slice(0, 200));
});

/** Pixel data of a square bitmap with 32 bits per pixel. */
function bmpHeader(side: number): Buffer {
  const header = Buffer.alloc(54);
  header.write("BM");
  header.writeUInt32LE(54 + side * side * 4, 2);
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(side, 18);
  header.writeInt32LE(side, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(32, 28);
  return header;
}

longTest("documents that take several messages are complete, whatever characters they contain", async () => {
  const page = `<!doctype html><body><script>document.body.replaceChildren(new Comment("😀ü".repeat(300000)), "END")</script>`;
  const { bytes } = await capture(page, { format: "html", selector: "body" });
  const text = Buffer.from(bytes).toString();
  assert.ok(text === `<body><!--${"😀ü".repeat(300_000)}-->END</body>`);
});

test("a document that exceeds the limit is rejected with its size", async () => {
  const { status, json } = await capture(`<!doctype html><body><script>document.body.append(new Comment("x".repeat(51e6)))</script>`, {
    format: "html",
  });
  assert.deepEqual([status, json.code], [400, "document_too_large"]);
  assert.match(String(json.error), /at most 50 million/);
});

test("documents have a JSON description without pixels, and a warning names image options", async () => {
  const { json } = await capture("<title>T</title><p>x", { format: "html", response_type: "json", image_width: "100" });
  assert.deepEqual([json.width, json.height, json.format, json.title], [null, null, "html", "T"]);
  assert.match(String(json.warnings), /image_width.* were ignored: html is not an image/);
  const file = await fetch(String(json.url));
  assert.deepEqual(
    [file.status, file.headers.get("content-type"), file.headers.get("content-security-policy")],
    [200, "text/html; charset=utf-8", "sandbox"],
  );
  assert.match(await file.text(), /<title>T<\/title>/);
});
