/** `sitemap_url`: the pages of a sitemap as a batch, within bounds, and through the egress filter. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00") });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_JOBS: "1" });

// biome-ignore lint/suspicious/noExplicitAny: answers are read loosely
type Json = any;

const serve = (path: string, body: string | Buffer, status = 200, headers: Record<string, string> = {}) =>
  site.serve({ [path]: (_request: unknown, response: ServerResponse) => void response.writeHead(status, headers).end(body) });
const urlset = (urls: string[]) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>\n${url} </loc><priority>1</priority></url>`).join("")}</urlset>`;
const index = (urls: string[]) => `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`;
const pages = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `${site.origin}/?page=${from + at}&amp;x`);

async function submit(body: object): Promise<{ status: number; json: Json }> {
  const { key } = await service.createAccount();
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const response = await fetch(`${service.origin}/v1/batches`, { method: "POST", headers, body: JSON.stringify(body) });
  const json = (await response.json()) as Json;
  if (json.id) await fetch(`${service.origin}/v1/batches/${json.id}`, { method: "DELETE", headers: { "x-api-key": key } });
  return { status: response.status, json };
}

test("the first pages of an index with compressed files are captured, each once and in their order", async () => {
  serve("/sitemap.xml", index([`${site.origin}/one.xml.gz`, `${site.origin}/two.xml`, `${site.origin}/sitemap.xml`]));
  serve("/one.xml.gz", gzipSync(urlset([...pages(0, 60), ...pages(0, 10), "mailto:a@example.test", "nonsense"])));
  serve("/two.xml", gzipSync(urlset(pages(60, 2_000))), 200, { "content-encoding": "gzip" });
  const { status, json } = await submit({ sitemap_url: `${site.origin}/sitemap.xml`, limit: 100, shared: { width: 200 } });
  assert.deepEqual([status, json.total], [202, 100], JSON.stringify(json));
  assert.equal((await submit({ sitemap_url: `${site.origin}/sitemap.xml` })).json.total, 1_000);
  assert.equal((await submit({ sitemap_url: `${site.origin}/one.xml.gz` })).json.total, 60);
});

test("a page of the sitemap is captured as it is written there", async () => {
  serve("/page.xml", urlset(pages(7, 8)));
  serve("/moved.xml", "", 301, { location: "/page.xml" });
  const { key } = await service.createAccount();
  const one = await fetch(`${service.origin}/v1/batches`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ sitemap_url: `${site.origin}/moved.xml` }),
  }).then((response) => response.json());
  const results = await fetch(`${service.origin}/v1/batches/${one.id}/results?follow=true`, { headers: { "x-api-key": key } });
  assert.equal(JSON.parse(await results.text()).target.url, `${site.origin}/?page=7&x`);
});

test("what is no sitemap, can't be reached or is not allowed is refused with a reason", async () => {
  serve("/private.xml", "", 302, { location: "http://169.254.169.254/latest" });
  serve("/loop.xml", "", 302, { location: "/loop.xml" });
  serve("/page.html", "<!doctype html><html><body>");
  serve("/feed.xml", "<rss><channel></channel></rss>");
  serve("/broken.xml", "<urlset><url><loc>http://example.com/</loc>");
  serve("/empty.xml", urlset([]));
  serve("/bomb.xml.gz", gzipSync(`<urlset>${" ".repeat(60 * 1024 * 1024)}</urlset>`));
  serve("/entity.xml", `<!DOCTYPE urlset [<!ENTITY a "http://example.com/">]><urlset><url><loc>&a;</loc></url></urlset>`);
  serve("/inner.xml", index(["http://10.0.0.1/sitemap.xml"]));
  for (const [path, reason] of Object.entries({
    "/private.xml": /sitemap_url leads to an address or port that is not allowed/,
    "/inner.xml": /sitemap_url leads to an address or port that is not allowed/,
    "/loop.xml": /sitemap_url redirects too many times/,
    "/missing.xml": /sitemap_url answers with status 404/,
    "/page.html": /sitemap_url is not well-formed XML/,
    "/feed.xml": /sitemap_url is not a sitemap/,
    "/broken.xml": /sitemap_url is not well-formed XML/,
    "/empty.xml": /sitemap_url has no addresses of pages/,
    "/bomb.xml.gz": /sitemap_url is larger than 50 MB/,
    "/entity.xml": /sitemap_url is not well-formed XML/,
  })) {
    const { status, json } = await submit({ sitemap_url: site.origin + path });
    assert.deepEqual([status, json.code], [400, "invalid_parameters"], path);
    assert.match(json.message, reason, path);
  }
  const message = async (body: object) => (await submit(body)).json.message;
  assert.match(await message({ sitemap_url: "nonsense" }), /sitemap_url must be an absolute http or https URL/);
  assert.match(await message({ sitemap_url: 1 }), /sitemap_url must be text/);
  assert.match(await message({ sitemap_url: site.origin, captures: [] }), /sitemap_url is instead of captures/);
  assert.match(await message({ sitemap_url: site.origin, limit: 1_001 }), /limit must be an integer from 1 to 1000/);
  assert.match(await message({ captures: [{ url: site.origin }], limit: 1 }), /limit is for sitemap_url/);
});
