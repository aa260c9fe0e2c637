/** `sitemap_url`: the pages of a sitemap as a batch, within limits, and through the egress filter. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { AppError } from "../../../src/shared/errors.ts";
import { openSitemap } from "../../../src/sitemaps/fetch-file.ts";
import { parseSitemap } from "../../../src/sitemaps/read-sitemap.ts";
import { eventually } from "../../support/eventually.ts";
import { longOnly, onlyLong } from "../../support/long-only.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { fileScope } from "../../support/scope.ts";
import { type Json, startService } from "../../support/service.ts";
import { colouredPage, createSite } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00") });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_JOBS: "1" });

const serve = (path: string, body: string | Buffer, status = 200, headers: Record<string, string> = {}) =>
  site.serve({ [path]: (_request: unknown, response: ServerResponse) => void response.writeHead(status, headers).end(body) });
const urlset = (urls: string[]) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>\n${url} </loc><priority>1</priority></url>`).join("")}</urlset>`;
const index = (urls: string[]) => `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`;
const pages = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `${site.origin}/?page=${from + at}&amp;x`);

async function submit(body: object, own?: string, more: Record<string, string> = {}): Promise<{ status: number; json: Json }> {
  const key = own ?? (await service.createAccount()).key;
  const { status, json } = await service.send("POST", "/v1/batches", key, body, more);
  if (json.id) await service.send("DELETE", `/v1/batches/${json.id}`, key);
  return { status, json };
}

test("sitemap_url: the first pages listed by an index of compressed files are captured, each once and in order", async () => {
  serve("/sitemap.xml", index([`${site.origin}/one.xml.gz`, `${site.origin}/two.xml`, `${site.origin}/sitemap.xml`]));
  serve("/one.xml.gz", gzipSync(urlset([...pages(0, 60), ...pages(0, 10), "mailto:a@example.test", "nonsense"])));
  serve("/two.xml", gzipSync(urlset(pages(60, 2_000))), 200, { "content-encoding": "gzip" });
  const { status, json } = await submit({ sitemap_url: `${site.origin}/sitemap.xml`, limit: 100, shared: { width: 200 } });
  assert.deepEqual([status, json.total], [202, 100], JSON.stringify(json));
  assert.equal((await submit({ sitemap_url: `${site.origin}/sitemap.xml` })).json.total, 1_000);
  assert.equal((await submit({ sitemap_url: `${site.origin}/one.xml.gz` })).json.total, 60);
});

longTest("sitemap_url: page URLs are captured exactly as listed", async () => {
  serve("/page.xml", urlset(pages(7, 8)));
  serve("/moved.xml", "", 301, { location: "/page.xml" });
  const { key } = await service.createAccount();
  const { json: one } = await service.send("POST", "/v1/batches", key, { sitemap_url: `${site.origin}/moved.xml` });
  const results = await fetch(`${service.origin}/v1/batches/${one.id}/results?follow=true`, { headers: { "x-api-key": key } });
  assert.equal(JSON.parse(await results.text()).target.url, `${site.origin}/?page=7&x`);
});

longTest("sitemap_url: byte order marks, CDATA and any declared compression are supported; other entries are skipped", async () => {
  const one = urlset([`${site.origin}/one`]);
  serve("/marked.xml", `\ufeff${one}`);
  serve("/cdata.xml", `<urlset><url><loc><![CDATA[${site.origin}/?a=1&b=2]]></loc></url></urlset>`);
  serve("/plain.xml.gz", one);
  serve("/commented.xml", one.replace("<url>", `<!-- ${"licence - ".repeat(5_000)}--><url><!-- one --><?a b?>`));
  serve("/compressed", gzipSync(one));
  serve("/encoded.xml", gzipSync(one), 200, { "content-encoding": "x-gzip" });
  serve(
    "/mixed.xml",
    urlset(["ftp://example.com/", "javascript:alert(1)", "/relative", "", `${site.origin}/${"x".repeat(2_100)}`, `${site.origin}/one`]),
  );
  for (const path of ["/marked.xml", "/cdata.xml", "/plain.xml.gz", "/commented.xml", "/compressed", "/encoded.xml", "/mixed.xml"]) {
    const { status, json } = await submit({ sitemap_url: site.origin + path });
    assert.deepEqual([status, json.total], [202, 1], `${path}: ${JSON.stringify(json)}`);
  }
});

longTest(
  "sitemap_url: sitemaps that would take too much memory or time are rejected: too many levels, attributes or large files",
  async () => {
    serve("/deep.xml", `<urlset>${"<a>".repeat(10_000)}`);
    serve("/attributes.xml", `<urlset ${Array.from({ length: 10_000 }, (_, at) => `a${at}=""`).join(" ")}>`);
    const large = gzipSync(`<urlset>${`<a>${" ".repeat(40 * 1024)}</a>`.repeat(1024)}</urlset>`);
    const paths = ["/large-1.xml", "/large-2.xml", "/large-3.xml"];
    for (const path of paths) serve(path, large);
    serve("/large.xml", index(paths.map((path) => site.origin + path)));
    const message = async (path: string) => (await submit({ sitemap_url: site.origin + path })).json.message;
    assert.match(await message("/deep.xml"), /sitemap_url has elements nested more than 20 levels deep/);
    assert.match(await message("/attributes.xml"), /sitemap_url has more than 100 attributes in an element/);
    assert.match(await message("/large.xml"), /sitemap_url has more than 100 MB of files in total/);
  },
);

test("sitemap_url: unterminated text, tags, names, comments, CDATA, instructions, declarations and entities are bounded", async () => {
  // The beginning of each, and the text that is then repeated: where possible, text that the parser keeps character by character.
  const unfinished: [start: string, rest: string][] = [
    ["<urlset>", "&amp;"],
    ["", " "],
    ["<", "a"],
    ["</", "a"],
    ["<urlset a='", "&amp;"],
    ["<urlset ", "a= '' b = '' "],
    ["<urlset></urlset", "a"],
    ["<!-- ", "-a"],
    ["<urlset><![CDATA[", "]a"],
    ["<?a ", "?a"],
    ["<?a", "a"],
    ["<?xml version='1.0' encoding='", "a"],
    ["<!DOCTYPE a ", "'a'"],
    ["<!DOCTYPE a [", "<a"],
    ["<urlset>&", "a"],
  ];
  let read = 0;
  const endless = async function* (start: string, rest: string) {
    yield start;
    for (read = 0; read < 1024 * 1024; read += 16 * 1024) yield rest.repeat(16 * 1024).slice(0, 16 * 1024);
  };
  for (const [start, rest] of unfinished) {
    await assert.rejects(parseSitemap(endless(start, rest)).next(), AppError, start);
    assert.ok(read <= 128 * 1024, `${start}: refused after ${read} characters`);
  }
});

test("sitemap_url: elements, comments and the like are limited over all files, and entries without an address count as entries", async () => {
  const parse = async (rest: string, count: number, budget?: { elements: number }) => {
    let entries = 0;
    const text = Readable.from(["<urlset><url>", rest.repeat(count), "</url>", "<url/>".repeat(10), "</urlset>"]);
    for await (const _ of parseSitemap(text, budget)) entries += 1;
    return entries;
  };
  assert.equal(await parse("<a/>", 50), 11);
  const budget = { elements: 100 };
  await assert.rejects(parse("<a/>", 99, budget), /elements/);
  await assert.rejects(parse("<a/>", 1, budget), /elements/, "the files of a sitemap share the limit");
  for (const rest of ["<!---->", "<![CDATA[]]>", "<?a?>"]) await assert.rejects(parse(rest, 99, { elements: 100 }), /comments/, rest);
});

test("sitemap_url: what has arrived isn't read any further once the signal aborts", async () => {
  serve("/long.xml.gz", gzipSync(`<urlset>${"<url/>".repeat(1_000_000)}`));
  const gone = new AbortController();
  const fetching = { connect: async (host: string, port: number) => connect(port, host), assertMayFetch: () => {}, bytes: 0 };
  const stream = await openSitemap(new URL(`${site.origin}/long.xml.gz`), fetching, gone.signal);
  let read = 0;
  const all = (async () => {
    for await (const text of stream) {
      read += text.length;
      gone.abort(new Error("gone"));
    }
  })();
  await assert.rejects(all, { name: "AbortError" });
  assert.ok(read < 1_000_000, `${read} bytes were read`);
});

longTest("sitemap_url: a sitemap is parsed over several turns of the event loop", async () => {
  const entry = `<url><loc>https://example.com/${"a".repeat(30)}</loc><lastmod>2026-01-01</lastmod></url>`;
  const chunk = entry.repeat(500);
  const { result, ms } = await longestTurnAtBest(async () => {
    const text = Readable.from(["<urlset>", ...Array.from({ length: 100 }, () => chunk), "</urlset>"]);
    let pages = 0;
    for await (const { kind } of parseSitemap(text)) if (kind === "page") pages += 1;
    return pages;
  });
  assert.equal(result, 50_000);
  assert.ok(ms < 100, `${ms} ms`);
});

test("sitemap_url: an account can have two sitemaps read concurrently; a third is refused", async () => {
  const opened = Promise.withResolvers<void>();
  let waiting = 0;
  site.serve({
    "/held.xml": async (_request: unknown, response: ServerResponse) => {
      waiting += 1;
      await opened.promise;
      response.end(urlset([`${site.origin}/one`]));
    },
  });
  const { key } = await service.createAccount();
  const held = [1, 2].map(() => submit({ sitemap_url: `${site.origin}/held.xml` }, key));
  await eventually("both are being read", () => waiting === 2);
  const third = await submit({ sitemap_url: `${site.origin}/held.xml` }, key);
  assert.deepEqual([third.status, third.json.code], [429, "rate_limited"]);
  opened.resolve();
  assert.deepEqual(
    (await Promise.all(held)).map(({ status }) => status),
    [202, 202],
  );
  assert.equal((await submit({ sitemap_url: `${site.origin}/held.xml` }, key)).status, 202);
});

test("sitemap_url: the sitemap is fetched once for repeated requests with an Idempotency-Key, and never for invalid requests", async () => {
  serve("/counted.xml", urlset([`${site.origin}/one`]));
  const fetched = () => site.requests.filter(({ path }) => path === "/counted.xml").length;
  const invalid = await submit({ sitemap_url: `${site.origin}/counted.xml`, shared: { width: "wide" } });
  assert.deepEqual([invalid.status, fetched()], [400, 0]);
  assert.match(invalid.json.message, /shared\.width/);
  const { key } = await service.createAccount();
  const once = { "idempotency-key": "the-same" };
  const first = await submit({ sitemap_url: `${site.origin}/counted.xml`, limit: 5 }, key, once);
  const second = await submit({ limit: 5, sitemap_url: `${site.origin}/counted.xml` }, key, once);
  assert.deepEqual([second.status, second.json.id, fetched()], [202, first.json.id, 1]);
  const other = await submit({ limit: 6, sitemap_url: `${site.origin}/counted.xml` }, key, once);
  assert.deepEqual([other.status, other.json.code], [409, "idempotency_key_reused"]);
});

test("sitemap_url: a target-restricted key can't have a sitemap fetched from another host", async () => {
  serve("/bound.xml", urlset(["https://example.com/"]));
  const fetched = () => site.requests.filter(({ path }) => path === "/bound.xml").length;
  const bound = await service.createAccount({ targets: ["example.com"] });
  const refused = await submit({ sitemap_url: `${site.origin}/bound.xml` }, bound.key);
  assert.deepEqual([refused.status, refused.json.code, fetched()], [403, "target_not_allowed", 0]);
  serve("/elsewhere.xml", "", 302, { location: "https://example.com/sitemap.xml" });
  const own = await service.createAccount({ targets: ["127.0.0.1"] });
  assert.equal((await submit({ sitemap_url: `${site.origin}/elsewhere.xml` }, own.key)).json.code, "target_not_allowed");
  assert.deepEqual([(await submit({ sitemap_url: `${site.origin}/bound.xml` }, own.key)).status, fetched()], [202, 1]);
});

test("sitemap_url: invalid, unreachable and blocked sitemaps are rejected with the reason", async () => {
  serve("/private.xml", "", 302, { location: "http://169.254.169.254/latest" });
  serve("/loop.xml", "", 302, { location: "/loop.xml" });
  serve("/page.html", "<!doctype html><html><body>");
  serve("/feed.xml", "<rss><channel></channel></rss>");
  serve("/broken.xml", "<urlset><url><loc>http://example.com/</loc>");
  serve("/empty.xml", urlset([]));
  serve("/bomb.xml.gz", gzipSync(`<urlset>${`<a>${" ".repeat(60 * 1024)}</a>`.repeat(1024)}</urlset>`));
  serve("/entity.xml", `<!DOCTYPE urlset [<!ENTITY a "http://example.com/">]><urlset><url><loc>&a;</loc></url></urlset>`);
  serve("/wide.xml", Buffer.from(`\ufeff${urlset(["http://example.com/"])}`, "utf16le"));
  serve("/inner.xml", index(["http://10.0.0.1/sitemap.xml"]));
  const reasons: [path: string, reason: RegExp][] = [
    ["/private.xml", /sitemap_url resolves to an address or port that is not allowed/],
    ["/inner.xml", /sitemap_url resolves to an address or port that is not allowed/],
    ["/missing.xml", /sitemap_url responds with status 404/],
    ["/feed.xml", /sitemap_url is not a sitemap/],
    ["/empty.xml", /sitemap_url doesn't list any pages/],
    ["/entity.xml", /sitemap_url is not well-formed XML/],
    ...onlyLong<[string, RegExp]>([
      ["/loop.xml", /sitemap_url redirects too many times/],
      ["/page.html", /sitemap_url is not well-formed XML/],
      ["/broken.xml", /sitemap_url is not well-formed XML/],
      ["/bomb.xml.gz", /sitemap_url is larger than 50 MB/],
      ["/wide.xml", /sitemap_url is not well-formed XML in UTF-8/],
    ]),
  ];
  for (const [path, reason] of reasons) {
    const { status, json } = await submit({ sitemap_url: site.origin + path });
    assert.deepEqual([status, json.code], [400, "invalid_parameters"], path);
    assert.match(json.message, reason, path);
  }
  const message = async (body: object) => (await submit(body)).json.message;
  assert.match(await message({ sitemap_url: "nonsense" }), /sitemap_url must be an absolute http or https URL of at most 2048 characters/);
  assert.match(await message({ sitemap_url: 1 }), /sitemap_url must be a string/);
  assert.match(await message({ sitemap_url: site.origin, captures: [] }), /sitemap_url can't be combined with captures/);
  assert.match(await message({ sitemap_url: site.origin, limit: 1_001 }), /limit must be an integer from 1 to 1000/);
  assert.match(await message({ captures: [{ url: site.origin }], limit: 1 }), /limit requires sitemap_url/);
});
