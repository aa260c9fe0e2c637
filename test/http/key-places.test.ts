/** The key in the query, in a header or in the body: it is always accepted, never cached for others and never logged. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";

const scope = fileScope();
let site: Site;
let service: TestService;
let key: string;
let other: string;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#ff0000") });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  ({ key } = await service.createAccount());
  ({ key: other } = await service.createAccount());
});

interface Sent {
  headers?: Record<string, string>;
  query?: string;
  body?: object;
}

/** GET, or POST with a body. */
async function send({ headers = {}, query = "", body }: Sent) {
  const page = { url: `${site.origin}/`, width: "20", height: "10", is_cached: "true" };
  const options = body ? undefined : `&${new URLSearchParams(page)}`;
  const response = await fetch(`${service.origin}/v1/screenshots/take?${query}${options ?? ""}`, {
    method: body ? "POST" : "GET",
    headers: body ? { ...headers, "content-type": "application/json" } : headers,
    ...(body ? { body: JSON.stringify({ ...page, ...body }) } : {}),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, error: response.status < 400 ? undefined : JSON.parse(text) };
}

/** Every place where a key can be sent. */
const places: Record<string, (key: string) => Sent> = {
  Authorization: (text) => ({ headers: { authorization: `Bearer ${text}` } }),
  "authorization in lower case": (text) => ({ headers: { authorization: `bearer  ${text} ` } }),
  "X-API-Key": (text) => ({ headers: { "x-api-key": text } }),
  query: (text) => ({ query: `api_key=${text}` }),
  body: (text) => ({ body: { api_key: text } }),
};
const merged = (...all: Sent[]): Sent => ({
  headers: Object.assign({}, ...all.map(({ headers }) => headers)),
  query: all.map(({ query }) => query ?? "").join("&"),
  ...(all.some(({ body }) => body) ? { body: Object.assign({}, ...all.map(({ body }) => body)) } : {}),
});
const posted = (sent: Sent): Sent => ({ body: {}, ...sent });

for (const [place, at] of Object.entries(places))
  test(`the key is accepted in ${place}, with GET and POST; unknown and empty keys are refused`, async () => {
    for (const way of [(sent: Sent) => sent, posted]) {
      assert.equal((await send(way(at(key)))).status, 200);
      assert.equal((await send(way(at("ss_unknown")))).error.code, "invalid_api_key");
      const missing = await send(way(at("")));
      assert.deepEqual([missing.status, missing.error.code], [400, "invalid_parameters"]);
      assert.match(missing.error.message, /api_key is missing: send the key in the query parameter api_key, or in a header/);
    }
  });

test("the same key in two places is accepted; two different keys cause a 400", async () => {
  for (const one of Object.values(places))
    for (const two of Object.values(places)) {
      if (one === two) continue;
      assert.equal((await send(merged(one(key), two(key)))).status, 200);
      const both = merged(one(key), two(other));
      if (one(key).headers?.authorization && two(key).headers?.authorization) continue; // a header has only one value
      const { status, error } = await send(both);
      assert.deepEqual(
        [status, error.code, error.message],
        [400, "invalid_parameters", "api_key is sent more than once, with different values."],
      );
    }
  const twice = await send({ query: `api_key=${key}&api_key=${other}` });
  assert.equal(twice.status, 400);
  assert.equal((await send({ query: `api_key=${key}&api_key=${key}` })).status, 200);
});

test("an Authorization header other than Bearer is not treated as a key, because it may be meant for a proxy", async () => {
  const basic = { authorization: "Basic dXNlcjpwYXNz" };
  const answer = await send({ headers: basic, query: `api_key=${key}` });
  assert.deepEqual([answer.status, answer.headers.get("cache-control")], [200, "public, max-age=3600"]);
  const { error } = await send({ headers: basic });
  assert.match(error.message, /api_key is missing.*the Authorization header must be Bearer followed by the key/);
  const named = await send({ body: { apiKey: key } });
  assert.match(named.error.message, /api_key is missing.*, not apiKey/);
});

test("with the key in a header, the response is private, because the URL doesn't contain the key", async () => {
  for (const place of ["Authorization", "X-API-Key"]) {
    const answer = await send(places[place]?.(key) ?? {});
    assert.deepEqual(
      [answer.headers.get("cache-control"), answer.headers.get("vary")],
      ["private, max-age=3600", "Authorization, X-API-Key"],
      place,
    );
  }
  const inUrl = await send({ query: `api_key=${key}` });
  assert.deepEqual([inUrl.headers.get("cache-control"), inUrl.headers.get("vary")], ["public, max-age=3600", null]);
  const unchanged = await send({ headers: { "x-api-key": key, "if-none-match": inUrl.headers.get("etag") ?? "" } });
  assert.deepEqual([unchanged.status, unchanged.headers.get("cache-control")], [304, "private, max-age=3600"]);
});

test("domains, signature and rate limit apply to a key in a header just as in the query", async () => {
  const { key: bound } = await service.createAccount({ domains: ["app.example"] });
  const at = (origin: string) => send({ headers: { origin, authorization: `Bearer ${bound}` } });
  assert.equal((await at("https://app.example")).status, 200);
  assert.equal((await at("https://other.example")).error.code, "domain_not_allowed");
  const { key: limited } = await service.createAccount({ rateLimit: 1 });
  const codes = [];
  for (const _ of [1, 2]) codes.push((await send({ headers: { "x-api-key": limited } })).error?.code);
  assert.deepEqual(codes, [undefined, "rate_limited"]);
});

test("no key is ever logged", () => {
  assert.doesNotMatch(service.logged(), new RegExp(`${key}|${other}`));
});
