/** What HTTP caches may store, and for how long. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";

const scope = fileScope();
let site: Site;
let service: TestService;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#ff0000") });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
});

async function kept(key: string, options: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await service.take({ api_key: key, url: `${site.origin}/`, width: "20", height: "10", ...options }, headers);
  await response.arrayBuffer();
  assert.ok(response.status < 400, String(response.status));
  return { etag: response.headers.get("etag") ?? "", how: response.headers.get("cache-control") };
}

test("Cache-Control: responses to a domain-restricted key are private", async () => {
  const { key: bound } = await service.createAccount({ domains: ["example.com"] });
  const { key: free } = await service.createAccount({ targets: ["127.0.0.1"] });
  const page = { referer: "https://example.com/page" };
  const stored = { is_cached: "true", cache_ttl: "600" };
  const taken = await kept(bound, { ...stored, response_type: "json" }, page);
  const unchanged = await kept(bound, stored, { ...page, "if-none-match": taken.etag });
  const hit = await kept(bound, stored, page);
  assert.deepEqual([taken.how, unchanged.how, hit.how], Array(3).fill("private, max-age=600"));
  assert.equal((await kept(free, stored, page)).how, "public, max-age=600");
});

test("Cache-Control: max-age never exceeds the remaining validity of a signed link or request", async () => {
  const { key } = await service.createAccount();
  const stored = { is_cached: "true", cache_ttl: "31622400" };
  assert.equal((await kept(key, { ...stored, response_type: "json" })).how, "public, max-age=86400");
  assert.equal((await kept(key, stored)).how, "public, max-age=31622400");
  const expires = Math.floor(Date.now() / 1000) + 100;
  const { how } = await kept(key, { ...stored, expires: String(expires) });
  const maxAge = Number(/^public, max-age=(\d+)$/.exec(how ?? "")?.[1]);
  assert.ok(maxAge <= 100 && Date.now() / 1000 + maxAge < expires + 1 && maxAge > 0, String(how));
});
