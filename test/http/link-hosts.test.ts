/** The base URL of links in responses: from the settings or the request itself, never from an untrusted forwarding header. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { longOnly } from "../support/long-only.ts";
import { exchange } from "../support/raw.ts";
import { fileScope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { signedUp } from "../support/visitor.ts";

const longTest = longOnly(test);
const scope = fileScope();
const dashboard = "https://dashboard.example:8443";
let site: Site;
let service: TestService;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#ff0000") });
  // Every request in this test comes from a listed address, so its forwarding headers count as a listed proxy's.
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, TRUST_PROXY: "127.0.0.1", WEB_PUBLIC_URL: dashboard });
});

/** The link in the response to a request with these header lines. */
async function linkFor(headers: string[], at: TestService = service): Promise<URL> {
  const { key } = await at.createAccount();
  const query = new URLSearchParams({ api_key: key, url: `${site.origin}/`, width: "20", height: "10", response_type: "json" });
  const lines = [`GET /v1/screenshots/take?${query} HTTP/1.1`, ...headers, "Connection: close", "", ""];
  const [answer] = await exchange(at.origin, { pieces: [lines.join("\r\n")] });
  assert.ok(answer);
  assert.equal(answer.status, 200, answer.body.toString());
  return new URL(JSON.parse(answer.body.toString()).url);
}

test("links start with the request's Host; X-Forwarded-Host and Forwarded are ignored", async () => {
  const claims = [
    "X-Forwarded-Host: evil.example",
    "Forwarded: host=evil.example",
    "X-Forwarded-Server: evil.example",
    "X-Host: evil.example",
  ];
  assert.equal((await linkFor(["Host: api.example:8080", ...claims])).origin, "http://api.example:8080");
  assert.equal((await linkFor(["Host: api.example", "X-Forwarded-Host: evil.example, dashboard.example"])).origin, "http://api.example");
});

test("links use the scheme forwarded by a trusted proxy", async () => {
  assert.equal((await linkFor(["Host: api.example", "X-Forwarded-Proto: https"])).origin, "https://api.example");
  assert.equal((await linkFor(["Host: api.example", "X-Forwarded-Proto: javascript"])).origin, "http://api.example");
});

test("links in responses served through the dashboard start with the dashboard's URL, and work there", async () => {
  const link = await linkFor(["Host: api:3000", `X-Forwarded-Host: ${new URL(dashboard).host}`]);
  assert.equal(link.origin, dashboard);
  assert.equal((await fetch(`${service.origin}${link.pathname}${link.search}`)).status, 200);
});

test("without a Host, as in HTTP/1.0, links start with the socket's address", async () => {
  const { key } = await service.createAccount();
  const query = new URLSearchParams({ api_key: key, url: `${site.origin}/`, width: "20", height: "10", response_type: "json" });
  const [answer] = await exchange(service.origin, { pieces: [`GET /v1/screenshots/take?${query} HTTP/1.0\r\n\r\n`] });
  assert.equal(new URL(JSON.parse(answer?.body.toString() ?? "").url).origin, service.origin);
});

longTest("with PUBLIC_URL, every link starts with it, even in the playground", async () => {
  const settings = { EGRESS_ALLOWED_HOSTS: site.host, TRUST_PROXY: "127.0.0.1", PUBLIC_URL: "https://shots.example/below/" };
  const named = await startService(scope, settings);
  const link = await linkFor(["Host: evil.example", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http"], named);
  assert.match(link.href, /^https:\/\/shots\.example\/below\/v1\/screenshots\/[0-9a-f-]{36}\.jpg\?expires=/);
  const person = await signedUp(named);
  const { body } = await person.post(`/v1/account/playground?url=${encodeURIComponent(site.origin)}&response_type=json&width=20&height=10`);
  assert.equal(new URL(body.url).origin, "https://shots.example");
});

test("an invalid or repeated Host header causes a 400", async () => {
  const hosts = ["a b", "a/b", "a?b", "a#b", "a@b", "a\\b", "http://a", "a:b", "[::1", "a,b", "a\r\nHost: b", "a\r\nHOST: a"];
  for (const host of hosts) {
    const [answer] = await exchange(service.origin, {
      pieces: [`GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`],
    });
    assert.equal(answer?.status, 400, host);
    assert.match(JSON.parse(answer.body.toString()).message, /Host header/, host);
  }
  for (const host of ["a", "A.example:80", "[::1]:3000", "127.0.0.1:65535", "xn--bcher-kva.example.", "under_score", ""]) {
    const [answer] = await exchange(service.origin, {
      pieces: [`GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`],
    });
    assert.equal(answer?.status, 200, host);
  }
});
