/** ScreenshotOne's own client, unmodified, and its errors. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client, TakeOptions } from "screenshotone-api-sdk";
import { screenshotOne } from "../../../src/http/compat/screenshotone.ts";
import { createApiKey } from "../../accounts/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { describeImage } from "../../support/image.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";

const scope = fileScope();
let site: Site;
let service: TestService;
let key: string;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#00ff00", "<h1>Hello</h1>") });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  ({ key } = await service.createAccount());
});

async function secretOf(text: string): Promise<string> {
  const { id } = await service.services.keys.authenticate(text);
  return service.services.signatures.secretOf(id);
}

test("screenshotone: its client takes screenshots with signed requests, which the key may require", async () => {
  const { rows } = await service.pool.query("select email from users");
  const strict = await createApiKey(service.database, rows[0].email, { requireSignature: true });
  for (const text of [key, strict]) {
    const client = new Client(text, await secretOf(text), service.origin);
    const options = TakeOptions.url(`${site.origin}/`)
      .delay(1)
      .blockAds(true)
      .viewportWidth(300)
      .viewportHeight(200)
      .format("png")
      .darkMode(true);
    const blob = await client.take(options);
    assert.deepEqual(describeImage(new Uint8Array(await blob.arrayBuffer())), { type: "png", width: 300, height: 200 });
  }
  const unsigned = new Client(strict, "x", service.origin);
  const answer = await fetch(await unsigned.generateTakeURL(TakeOptions.url(`${site.origin}/`)));
  assert.deepEqual([answer.status, (await answer.json()).error_code], [403, "signature_is_not_valid"]);
});

test("screenshotone: response_type=json has the image's URL where clients expect it", async () => {
  const query = new URLSearchParams({
    access_key: key,
    url: `${site.origin}/`,
    response_type: "json",
    cache: "true",
    metadata_fonts: "false",
  });
  const answer = await fetch(`${service.origin}/take?${query}`);
  const { screenshot_url, cache_url, width } = await answer.json();
  assert.deepEqual([width, cache_url, answer.headers.get("x-warnings")], [1280, screenshot_url, null]);
  const image = await fetch(screenshot_url);
  assert.deepEqual(describeImage(new Uint8Array(await image.arrayBuffer())), { type: "jpg", width: 1280, height: 1024 });
});

test("screenshotone: metadata_ parameters return what the service knows, or are rejected", async () => {
  const take = async (query: object) => {
    const named = { access_key: key, url: `${site.origin}/`, viewport_width: "60", viewport_height: "40", ...query };
    const answer = await fetch(`${service.origin}/take?${new URLSearchParams(named)}`);
    return { headers: answer.headers, json: await answer.json() };
  };
  const names = { metadata_image_size: "true", metadata_page_title: "true" };
  const { headers, json } = await take({ ...names, metadata_http_response_status_code: "true", response_type: "json" });
  assert.equal(headers.get("x-screenshotone-http-response-status-code"), "200");
  assert.deepEqual(json.metadata.image_size, { width: 60, height: 40 });
  assert.equal(json.metadata.page_title, json.title);
  assert.equal(headers.get("x-warnings"), null);
  assert.match(
    (await take(names)).json.error_message,
    /^metadata_image_size is not supported here: .* with response_type=json; metadata_page_title/,
  );
});

test("screenshotone: every option of its client has an entry, as supported or rejected", () => {
  const methods = Object.getOwnPropertyNames(TakeOptions.prototype).filter((name) => !["constructor", "put", "toQuery"].includes(name));
  const names = methods.flatMap((name) => {
    const options = TakeOptions.url("https://example.com/") as unknown as Record<string, (value: unknown) => unknown>;
    options[name]?.(1);
    return [...(options as unknown as { toQuery(): URLSearchParams }).toQuery().keys()];
  });
  assert.ok(new Set(names).size > 100);
  assert.deepEqual(
    [...new Set(names)].filter((name) => !Object.hasOwn(screenshotOne.table, name)),
    [],
  );
});

test("screenshotone: a link created by its client works in an <img>, and is served from the cache the second time", async () => {
  const client = new Client(key, await secretOf(key), service.origin);
  const link = await client.generateSignedTakeURL(TakeOptions.url(`${site.origin}/`).cache(true).cacheTtl(14400).fullPage(true));
  const first = await fetch(link);
  await first.arrayBuffer();
  assert.deepEqual(
    [first.status, first.headers.get("content-type"), first.headers.get("cache-control")],
    [200, "image/jpeg", "public, max-age=14400"],
  );
  await eventually("it is stored", async () => (await fetch(link)).headers.get("x-cache") === "HIT");
  assert.equal((await fetch(link, { method: "HEAD" })).status, 200);
});

test("screenshotone: errors use its format and parameter names, with our error code", async () => {
  const take = async (query: Record<string, string>) => {
    const answer = await fetch(`${service.origin}/take?${new URLSearchParams(query)}`);
    return { status: answer.status, header: answer.headers.get("x-error-code"), ...(await answer.json()) };
  };
  const wrong = await take({
    access_key: key,
    url: `${site.origin}/`,
    viewport_width: "0",
    storage_path: "a",
    nonsense: "1",
    viewport_hight: "2",
  });
  assert.deepEqual([wrong.status, wrong.is_successful, wrong.error_code], [400, false, "request_not_valid"]);
  assert.deepEqual(
    wrong.details.map(({ parameter }: { parameter: string }) => parameter),
    ["storage_path", "nonsense", "viewport_hight", "viewport_width"],
  );
  assert.match(wrong.error_message, /viewport_hight is not a supported ScreenshotOne parameter \(did you mean viewport_height\?\)/);
  const small = await take({ access_key: key, url: `${site.origin}/`, viewport_width: "0" });
  assert.match(small.error_message, /^viewport_width must be an integer from 1 to 3840/);
  assert.match((await take({ url: `${site.origin}/` })).error_message, /api_key is missing.*access_key, as ScreenshotOne expects/);
  const unknown = await take({ access_key: `${key.slice(0, -4)}aaaa`, url: `${site.origin}/` });
  assert.deepEqual([unknown.status, unknown.header, unknown.error_code], [403, "invalid_api_key", "access_key_invalid"]);
  const blocked = await take({ access_key: key, url: "http://169.254.169.254/" });
  assert.deepEqual([blocked.status, blocked.code], [400, "target_blocked"]);
  const missing = await take({ access_key: key, url: `${site.origin}/none` });
  assert.deepEqual([missing.status, missing.error_code], [400, "host_returned_error"]);
});

test("screenshotone: the key's domains, targets, rate limit and quota apply as on the take route", async () => {
  const bound = await service.createAccount({ domains: ["example.com"], targets: ["example.org"] });
  const at = (text: string, headers: Record<string, string> = {}) =>
    fetch(`${service.origin}/take?${new URLSearchParams({ access_key: text, url: `${site.origin}/` })}`, { headers });
  const codes = async (answer: Response) => [answer.status, answer.headers.get("x-error-code")];
  assert.deepEqual(await codes(await at(bound.key)), [403, "domain_not_allowed"]);
  assert.deepEqual(await codes(await at(bound.key, { referer: "https://example.com/a" })), [403, "target_not_allowed"]);
  const limited = await service.createAccount({ plan: "pro", quota: 1, rateLimit: 3 });
  const first = await at(limited.key);
  assert.deepEqual([first.status, first.headers.get("x-ratelimit-remaining")], [200, "2"]);
  assert.deepEqual(await codes(await at(limited.key)), [403, "quota_exceeded"]);
  await at(limited.key);
  const over = await at(limited.key);
  assert.deepEqual([...(await codes(over)), over.headers.has("retry-after")], [429, "rate_limited", true]);
});
