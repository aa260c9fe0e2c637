/** A published Gotenberg client, unmodified, and the parts of its forms. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Chromiumly, HtmlConverter, HtmlScreenshot, MarkdownScreenshot, UrlConverter, UrlScreenshot } from "chromiumly";
import type { FastifyRequest } from "fastify";
import { PNG } from "pngjs";
import { readForm } from "../../../src/http/compat/form.ts";
import { withProductNames } from "../../../src/http/compat/translate.ts";
import { AppError } from "../../../src/shared/errors.ts";
import { version } from "../../../src/shared/version.ts";
import { eventually } from "../../support/eventually.ts";
import { describeImage, pixelAt } from "../../support/image.ts";
import { longOnly } from "../../support/long-only.ts";
import { longestTurnAtBest, slownessOfMachine } from "../../support/longest-turn.ts";
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
    "/": colouredPage("#00ff00", "<h1>Hello</h1>"),
    "/gone": (_, response) => response.writeHead(410, { "content-type": "text/html" }).end("gone"),
  });
  service = await startService(scope, {
    EGRESS_ALLOWED_HOSTS: site.host,
    MAX_REQUEST_BODY_MB: "1",
    SCREENSHOT_TIMEOUT: "10000",
    MAX_QUEUED_SCREENSHOTS: "100",
  });
  ({ key } = await service.createAccount());
  Chromiumly.configure({ endpoint: service.origin, apiKey: key });
});

function blueDot(): Buffer {
  const dot = new PNG({ width: 2, height: 2, fill: true });
  dot.data.fill(Buffer.from([0, 0, 255, 255]));
  return PNG.sync.write(dot);
}

test("gotenberg: its client gets screenshots and PDFs of URLs", async () => {
  const image = await new UrlScreenshot().capture({
    url: `${site.origin}/`,
    properties: { format: "png", width: 300, height: 200, clip: true },
  });
  assert.deepEqual(describeImage(image), { type: "png", width: 300, height: 200 });
  const pdf = await new UrlConverter().convert({ url: `${site.origin}/`, properties: { size: { width: 5, height: 5 }, landscape: true } });
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
});

test("gotenberg: its client's HTML is rendered with the style sheets, images and fonts in the form", async () => {
  const assets = [
    { file: Buffer.from("html { background: url(dot.png) }"), name: "style.css" },
    { file: blueDot(), name: "dot.png" },
    { file: blueDot(), name: "blue dot ü.png" },
  ];
  const encoded = encodeURIComponent("blue dot ü.png").toLowerCase();
  const html = Buffer.from(
    `<!doctype html><link rel=stylesheet href="style.css"><body style="margin:0"><img src=dot.png width=10 height=10><p>dot.png<img src="${encoded}" style="position:fixed;left:50px;top:50px;width:10px;height:10px;background:#f00">`,
  );
  const properties = { format: "png" as const, width: 100, height: 100, clip: true };
  const image = await new HtmlScreenshot().capture({ html, assets, properties });
  assert.deepEqual([pixelAt(image, 5, 5), pixelAt(image, 55, 55), pixelAt(image, 90, 90)], ["#0000ff", "#0000ff", "#0000ff"]);
  const header = Buffer.from("<p style='font-size:9px'>Header</p>");
  assert.equal((await new HtmlConverter().convert({ html, assets, header })).subarray(0, 5).toString(), "%PDF-");
});

longTest("gotenberg: its client's Markdown is rendered in its template, with the images in the form", async () => {
  const style =
    "<style>html { background: #f00 } h1 { background: #0f0; margin: 0 } p { margin: 0 } img { width: 50px; height: 50px }</style>";
  const html = Buffer.from(`<!doctype html>${style}<body style="margin:0">{{ toHTML "file.md" }}`);
  const assets = [{ file: blueDot(), name: "dot.png" }];
  const markdown = Buffer.from("# Hello\n\n![A dot](dot.png)");
  const properties = { format: "png" as const, width: 100, height: 150, clip: true };
  const image = await new MarkdownScreenshot().capture({ html, markdown, assets, properties });
  const { height } = describeImage(image);
  const colours = Array.from({ length: height }, (_, y) => pixelAt(image, 45, y));
  for (const colour of ["#00ff00", "#0000ff", "#ff0000"]) assert.ok(colours.includes(colour), colour);
});

async function post(path: string, form: FormData, headers: Record<string, string> = { "x-api-key": key }, signal?: AbortSignal) {
  const answer = await fetch(`${service.origin}/forms/chromium/${path}`, { method: "POST", body: form, headers, signal: signal ?? null });
  const { status } = answer;
  return { status, type: answer.headers.get("content-type"), headers: answer.headers, text: await answer.text() };
}

function formWith(fields: Record<string, string>, files: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, text] of Object.entries(files)) form.append("files", new File([text], name));
  return form;
}

longTest("gotenberg: errors are text, with Gotenberg's statuses for failed pages, waits and keys", async () => {
  const url = `${site.origin}/`;
  await assert.rejects(new UrlScreenshot().capture({ url: `${site.origin}/gone` }), /Status: 409/);
  const unwanted = await post("convert/url", formWith({ url, pdfa: "PDF/A-1b", downloadFrom: "[]", colour: "red" }));
  assert.deepEqual([unwanted.status, unwanted.type], [400, "text/plain; charset=UTF-8"]);
  assert.match(
    unwanted.text,
    /pdfa is not supported here: .*; downloadFrom is not supported here: .*; colour is not a supported Gotenberg parameter/,
  );
  assert.match((await post("screenshot/url", formWith({ url, width: "0" }))).text, /^width must be an integer/);
  const twice = [formWith({ url }), formWith({}, { "index.html": "first" })];
  twice[0]?.append("url", "https://example.com/");
  twice[1]?.append("other", new File(["second"], "folder/index.html"));
  assert.match((await post("screenshot/url", twice[0] as FormData)).text, /^The form has the field "url" more than once\.$/);
  assert.match((await post("screenshot/html", twice[1] as FormData)).text, /^The form has the file "index\.html" more than once\.$/);
  const many = formWith(Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`f${index}`, "1"])));
  assert.equal((await post("screenshot/url", many)).text, "The form has more than 500 parts.");
  const inherited = formWith({ url });
  inherited.append("__proto__", "a");
  assert.match((await post("screenshot/url", inherited)).text, /^__proto__ is not a supported Gotenberg parameter/);
  assert.match((await post("convert/url", formWith({ url, cookies: "a=1" }))).text, /cookies must be JSON/);
  const cookies = '[{"name":"a","value":"1"}]';
  assert.match(
    (await post("convert/url", formWith({ url, cookies }))).text,
    /^cookies must be a list in which every cookie has .*; cookie 0 has no domain\.$/,
  );
  const wrong = { marginTop: "foo", marginLeft: "foo", generateTaggedPdf: "foo", omitBackground: "true" };
  const all = await post("convert/html", formWith(wrong, { "page.md": "#", "image.png": "" }));
  for (const name of ["files has no index.html", ...Object.keys(wrong)]) assert.ok(all.text.includes(name), `${name}: ${all.text}`);
  assert.ok(!all.text.includes("foo,foo"), all.text);
  assert.match(
    (await post("convert/url", formWith({ url, waitDelay: "foo" }))).text,
    /^waitDelay must be a duration, such as 500ms or 2\.5s/,
  );
  const unknown = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`unknown${at}`, "x"]));
  assert.match(
    (await post("convert/url", formWith({ url, ...unknown }))).text,
    /unknown19 [^;]+; only the first 20 problems are listed\.$/,
  );
  const details = Array.from({ length: 25 }, (_, at) => ({ parameter: `f${at}`, message: `f${at} is wrong` }));
  const renamed = withProductNames(new AppError("invalid_parameters", { details }), {}, {});
  assert.match(renamed.message, /; f19 is wrong; only the first 20 problems are listed\.$/);
  const twenty = Object.fromEntries(Object.entries(unknown).slice(0, 20));
  assert.match((await post("convert/url", formWith({ url, ...twenty }))).text, /unknown19 is not a supported [^;]+[^d]\.$/);
  const blocked = await post("screenshot/url", formWith({ url: "http://127.0.0.1/" }));
  assert.deepEqual([blocked.status, blocked.headers.get("x-error-code")], [403, "target_blocked"]);
  for (const waitForExpression of ["undefined", "nothing.here", "(async () => window.ready)()"]) {
    const failed = await post("screenshot/url", formWith({ url, waitForExpression }));
    assert.deepEqual([failed.status, failed.text.startsWith("waitForExpression ended the wait: it ")], [400, true], failed.text);
  }
  const slow = await post("screenshot/url", formWith({ url, waitForExpression: "false" }));
  assert.deepEqual([slow.status, slow.headers.get("x-error-code")], [503, "target_timeout"]);
  const form = () => formWith({ url });
  assert.equal((await post("screenshot/url", form(), {})).status, 401);
  assert.equal((await post("screenshot/url", form(), { authorization: `Basic ${btoa("user:wrong")}` })).status, 401);
  assert.equal((await post("screenshot/url", form(), { authorization: `Basic ${btoa(`user:${key}`)}` })).status, 200);
});

test("gotenberg: files for the PDF are rejected by field name rather than used for the page, as are header scopes", async () => {
  for (const field of ["embeds", "facturxXml", "watermark", "stamp"]) {
    const form = formWith({}, { "index.html": "<p>Invoice" });
    form.append(field, new File(["<xml/>"], "index.html"));
    const { status, text } = await post("convert/html", form);
    assert.deepEqual([status, text], [400, `${field} is not supported here: PDFs are created only by Chromium.`]);
  }
  const scoped = formWith({ url: `${site.origin}/`, extraHttpHeaders: '{"X-Secret":"1;scope=^https://api.example.com/"}' });
  assert.match((await post("screenshot/url", scoped)).text, /^extraHttpHeaders is not supported here: X-Secret has a scope/);
});

test("gotenberg: /version returns our version to callers with a key", async () => {
  const asked = async (headers: Record<string, string>) => {
    const answer = await fetch(`${service.origin}/version`, { headers });
    return [answer.status, answer.headers.get("content-type"), await answer.text(), answer.headers.get("gotenberg-trace")];
  };
  const told = [200, "text/plain; charset=UTF-8", version, "trace-1"];
  assert.deepEqual(await asked({ "x-api-key": key, "gotenberg-trace": "trace-1" }), told);
  assert.equal((await asked({}))[0], 401);
});

test("gotenberg: invalid forms are rejected: wrong content type, no index.html, missing or oversized files", async () => {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const json = await fetch(`${service.origin}/forms/chromium/screenshot/url`, { method: "POST", headers, body: "{}" });
  assert.deepEqual([json.status, await json.text()], [415, "The body must be multipart/form-data."]);
  assert.equal(json.headers.get("connection"), "close"); // its body isn't read, so the next request would wait behind it
  const torn = await fetch(`${service.origin}/forms/chromium/screenshot/url`, {
    method: "POST",
    headers: { ...headers, "content-type": "multipart/form-data; boundary=x" },
    body: "--x\r\nnonsense",
  });
  assert.deepEqual([torn.status, await torn.text()], [400, "The body is not a multipart form."]);
  for (const files of [{ "page.html": "x" }, undefined])
    assert.equal((await post("screenshot/html", formWith({}, files))).text, "files has no index.html.");
  const elsewhere = await post("convert/markdown", formWith({ downloadFrom: "[]" }, { "page.md": "x" }));
  assert.match(elsewhere.text, /downloadFrom is not supported here: only the page is downloaded/);
  const two = '{{ toHTML "a.md" }}{{ toHTML "b.md" }}{{ toHTML "a.md" }}';
  const missing = ["a.md", "b.md"].map((name) => `files has no "${name}", which index.html uses`).join("; ");
  assert.equal((await post("screenshot/markdown", formWith({}, { "index.html": two }))).text, `${missing}.`);
  assert.equal((await post("screenshot/html", formWith({}, { "index.html": "x".repeat(2 ** 20) }))).status, 413);
});

test("gotenberg: a form with a boundary of more than 70 characters is rejected before its body is searched", async () => {
  const send = async (length: number) => {
    const headers = { "x-api-key": key, "content-type": `multipart/form-data; boundary=${"a".repeat(length)}` };
    const body = `--${"a".repeat(length - 1)}b`.repeat(8) + "a".repeat(100_000); // the beginning makes Node search from the end
    const answer = await fetch(`${service.origin}/forms/chromium/screenshot/url`, { method: "POST", headers, body });
    return [answer.status, await answer.text()];
  };
  const { result, ms } = await longestTurnAtBest(() => send(10_000));
  assert.deepEqual(result, [400, "The body is not a multipart form."]);
  assert.ok(ms < 100, `a boundary of 10,000 characters keeps the event loop busy for ${ms} ms`);
  assert.deepEqual(await send(70), result);
});

test("gotenberg: a form's parts are counted by the boundary that separates them, whatever else its content type says", async () => {
  const send = async (type: string, count: number) => {
    const parts = Array.from({ length: count }, (_, at) => `--real\r\nContent-Disposition: form-data; name="f${at}"\r\n\r\n\r\n`);
    const headers = { "x-api-key": key, "content-type": `multipart/form-data; ${type}` };
    const body = `${parts.join("")}--real--\r\n`;
    return await (await fetch(`${service.origin}/forms/chromium/convert/html`, { method: "POST", headers, body })).text();
  };
  assert.match(await send("charset=utf-8; boundary=real", 501), /more than 500 parts/);
  assert.match(await send("charset=utf-8; boundary=real", 2), /index\.html/);
  for (const hidden of [
    'x="; boundary=other"; boundary=real',
    'x="\\"; boundary=other"; boundary=real',
    "boundary*=other; boundary=real",
    'boundary="real\\""',
    "boundary= ; boundary=real",
  ])
    assert.match(await send(hidden, 501), /more than 500 parts|not a multipart form/, hidden);
});

test("gotenberg: closing delimiters count as parts, wherever they are, so a body of them is not searched to its end", async () => {
  const send = async (boundary: string, body: string) => {
    const headers = { "x-api-key": key, "content-type": `multipart/form-data; boundary="${boundary}"` };
    const answer = await fetch(`${service.origin}/forms/chromium/screenshot/html`, { method: "POST", headers, body });
    return [answer.status, await answer.text()];
  };
  const tooMany = [400, "The form has more than 500 parts."];
  assert.deepEqual(await send("-", "-".repeat(1_000_000)), tooMany);
  assert.deepEqual(await send("real", "--real--\r\n".repeat(502)), tooMany);
  const parts = (count: number, name = "f") =>
    Array.from({ length: count }, (_, at) => `--real\r\nContent-Disposition: form-data; name="${name}${at}"\r\n\r\n\r\n`).join("");
  const namesIn = async (body: string) => {
    const headers = { "content-type": "multipart/form-data; boundary=real" };
    return Object.keys(await readForm({ body: Buffer.from(body), headers } as unknown as FastifyRequest));
  };
  assert.equal((await namesIn(`${parts(500)}--real--\r\n`)).length, 500);
  // The parser reads on after a closing delimiter in a name.
  assert.deepEqual(await namesIn(`${parts(1, "--real--")}${parts(2)}--real--\r\n`), ["--real--0", "f0", "f1"]);
  await assert.rejects(namesIn(`${parts(1, "--real--")}${parts(499)}--real--\r\n`), /more than 500 parts/);
});

test("gotenberg: the header lines of all parts are limited, as each takes time", async () => {
  const send = async (parts: number, lines: number) => {
    const part = `--real\r\nContent-Disposition: form-data; name="f"\r\n${"a:b\r\n".repeat(lines - 1)}\r\n\r\n`;
    const headers = { "x-api-key": key, "content-type": "multipart/form-data; boundary=real" };
    const body = `${part.repeat(parts)}--real--\r\n`;
    return await (await fetch(`${service.origin}/forms/chromium/screenshot/url`, { method: "POST", headers, body })).text();
  };
  assert.match(await send(1, 20), /^url is missing/);
  assert.equal(await send(400, 400), "The form has a part with more than 8192 bytes or 20 lines of headers.");
});

const tooLarge = "With files inlined, the document exceeds 2 MB, or all texts of the form 6 MB.";

test("gotenberg: a document that references its files too often is rejected before it fills up memory", async () => {
  const files = { "index.html": '<img src="a.png">'.repeat(20_000), "a.png": "x".repeat(400_000) };
  const many = await post("screenshot/html", formWith({}, files));
  assert.deepEqual([many.status, many.text], [413, tooLarge]);
  const twice = await post("screenshot/html", formWith({}, { "index.html": '<img src="a.png">'.repeat(2), "a.png": "x".repeat(900_000) }));
  assert.deepEqual([twice.status, twice.text], [413, many.text]);
  const texts = { "index.html": '{{ toHTML "a.md" }}'.repeat(20_000), "a.md": "x".repeat(400_000) };
  assert.equal((await post("screenshot/markdown", formWith({}, texts))).status, 413);
});

longTest("gotenberg: style sheets are limited in total and built only if referenced; names and fields have a maximum length", async () => {
  const sheets = Array.from({ length: 400 }, (_, at) => `${at}.css`);
  const files = { ...Object.fromEntries(sheets.map((name) => [name, "a { background: url(a.png) }"])), "a.png": "x".repeat(900_000) };
  const links = sheets.map((name) => `<link rel=stylesheet href="${name}">`).join("");
  const before = process.resourceUsage().maxRSS;
  const named = await post("screenshot/html", formWith({}, { ...files, "index.html": links }));
  assert.deepEqual([named.status, named.text], [413, tooLarge]);
  const unnamed = formWith({ width: "100", height: "100", clip: "true" }, { ...files, "index.html": "<body>" });
  assert.equal((await post("screenshot/html", unnamed)).status, 200);
  const more = (process.resourceUsage().maxRSS - before) / 1024;
  assert.ok(more < 150, `${Math.round(more)} MB more for 400 sheets with a file of 1 MB`);
  const long = await post("screenshot/html", formWith({}, { "index.html": "<body>", [`${"a".repeat(256)}.css`]: "" }));
  assert.match(long.text, /^The form has the file "a{50}" with a name of more than 255 characters\.$/);
  const lists = await post("screenshot/url", formWith({ url: `${site.origin}/`, cookies: `[${"[],".repeat(100_000)}[]]` }));
  assert.deepEqual([lists.status, lists.text], [400, 'The form has the field "cookies" with more than 65536 characters.']);
});

test("gotenberg: Gotenberg-Output-Filename and Gotenberg-Trace apply to the response, and webhooks are rejected", async () => {
  const named = await post("screenshot/url", formWith({ url: `${site.origin}/`, format: "jpeg" }), {
    "x-api-key": key,
    "gotenberg-output-filename": "/tmp/front page",
    "gotenberg-trace": "orders/4711: page 1.2",
  });
  assert.deepEqual(
    ["content-disposition", "gotenberg-trace", "x-warnings"].map((name) => named.headers.get(name)),
    ['attachment; filename="front page.jpeg"', "orders/4711: page 1.2", null],
  );
  const hook = await post("screenshot/url", formWith({ url: `${site.origin}/` }), {
    "x-api-key": key,
    "gotenberg-webhook-url": "https://example.com/",
    "gotenberg-trace": "trace-2",
  });
  assert.equal(hook.headers.get("gotenberg-trace"), "trace-2");
  assert.deepEqual([hook.status, hook.text], [400, "Gotenberg-Webhook-Url is not supported here: use webhook_url with POST /v1/captures."]);
});

longTest("gotenberg: a document with 690,000 possible file references doesn't block the event loop", async () => {
  const html = "=a ".repeat(690_000);
  const body = Buffer.from(
    `--b\r\nContent-Disposition: form-data; name="files"; filename="index.html"\r\n\r\n${html}\r\n--b\r\nContent-Disposition: form-data; name="files"; filename="b"\r\n\r\nx\r\n--b--\r\n`,
  );
  const request = { headers: { "content-type": "multipart/form-data; boundary=b" }, body } as FastifyRequest;
  const { result, ms } = await longestTurnAtBest(() => readForm(request));
  assert.equal(result.files, html);
  assert.ok(ms < 100, `${ms} ms`);
});

test("gotenberg: forms that insert one file many times don't block the event loop together", async () => {
  const file = (name: string, text: string) => `--b\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n${text}\r\n`;
  const body = Buffer.from(`${file("index.html", '{{ toHTML "x.md" }}'.repeat(200))}${file("x.md", '=a"'.repeat(600))}--b--\r\n`);
  const request = { headers: { "content-type": "multipart/form-data; boundary=b" }, body } as FastifyRequest;
  const { ms } = await longestTurnAtBest(() => Promise.allSettled(Array.from({ length: 10 }, () => readForm(request))));
  assert.ok(ms < 100, `${ms} ms`);
});

/** A form of a few kilobytes whose text is refused once a megabyte has been made of it, which takes a tenth of a second. */
const costly = () => formWith({ width: "wrong" }, { "index.html": '{{ toHTML "x.md" }}'.repeat(300), "x.md": '=a"'.repeat(600) });

test("gotenberg: an account's forms are read one after another, and delay another's by at most three of them", async () => {
  const [{ key: many }, { key: one }] = [await service.createAccount(), await service.createAccount()];
  const began = performance.now();
  const ended: number[] = [];
  const all = Array.from({ length: 12 }, async () => {
    const { status } = await post("screenshot/html", costly(), { "x-api-key": many });
    ended.push(performance.now() - began);
    return status;
  });
  await Promise.race(all);
  const before = ended.length;
  const other = await post("screenshot/html", formWith({ width: "wrong" }, { "index.html": "x" }), { "x-api-key": one });
  const between = ended.length - before;
  assert.deepEqual([other.status, await Promise.all(all)], [400, Array(12).fill(400)]);
  const [first = 0, last = 0] = [Math.min(...ended), Math.max(...ended)];
  assert.ok(first < last / 2, `the first of 12 forms was read after ${first} ms, the last after ${last}`);
  assert.ok(between <= 3, `${between} forms`);
});

test("gotenberg: at most 100 of an account's forms wait to be read, and none of a client that has left is", async () => {
  const own = { "x-api-key": (await service.createAccount()).key };
  const left = new AbortController();
  const statuses: [number, string][] = [];
  const refused = Promise.withResolvers<void>();
  const all = Array.from({ length: 250 }, async () => {
    const { status, text } = await post("screenshot/html", costly(), own, left.signal);
    statuses.push([status, text]);
    if (status === 429) refused.resolve();
  });
  const allEnded = Promise.allSettled(all);
  await Promise.race([refused.promise, allEnded]);
  left.abort();
  await allEnded;
  const waitsFor = "Too many of this account's forms are waiting to be read; try again later.";
  assert.deepEqual(
    statuses.find(([status]) => status === 429),
    [429, waitsFor],
  );
  const slowness = slownessOfMachine();
  const before = process.threadCpuUsage();
  const short = () => post("screenshot/html", formWith({ width: "wrong" }, { "index.html": "x" }), own);
  await eventually("the next form is read", async () => (await short()).status === 400);
  const { user, system } = process.threadCpuUsage(before);
  const ms = (user + system) / 1000 / slowness;
  assert.ok(ms < 1_000, `the next form took ${ms} ms of CPU time`);
});

test("gotenberg: documents with a form's files count toward the account's share of memory while they wait for a browser", async () => {
  const own = { "x-api-key": (await service.createAccount()).key };
  const left = new AbortController();
  const refused = Promise.withResolvers<string>();
  const all = Array.from({ length: 40 }, async () => {
    const form = formWith({ waitDelay: "9s" }, { "index.html": '<img src="a.png">'.repeat(200), "a.png": "x".repeat(7_000) });
    const { status, text } = await post("screenshot/html", form, own, left.signal);
    if (status !== 200) refused.resolve(`${status} ${text}`);
  });
  const allEnded = Promise.allSettled(all);
  assert.equal(await Promise.race([refused.promise, allEnded.then(() => "all were read")]), "503 Too many large requests are in progress.");
  left.abort();
  await allEnded;
});
