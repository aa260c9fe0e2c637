/** Every status code of the take operation, triggered over HTTP with real components. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createCertificate } from "../../browser/certificate.ts";
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
    "/": colouredPage("#ff0000", "<p>hello"),
    "/missing-page": (_, response) => response.writeHead(404).end("<h1>gone"),
  });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  ({ key } = await service.createAccount());
});

async function failure(response: Response) {
  const body = await response.json();
  assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
  assert.equal(body.error, body.message);
  assert.match(body.requestId, /^req_[0-9a-f]{32}$/);
  assert.equal(response.headers.get("x-request-id"), body.requestId);
  return { status: response.status, code: body.code, ...body };
}

test("200: the image, with every documented header", async () => {
  const before = Date.now() / 1000;
  const response = await service.take({ api_key: key, url: `${site.origin}/`, width: "320", height: "200" });
  assert.equal(response.status, 200);
  const bytes = new Uint8Array(await response.arrayBuffer());
  assert.deepEqual(describeImage(bytes), { type: "jpg", width: 320, height: 200 });
  const headers = Object.fromEntries(response.headers);
  assert.equal(headers["content-type"], "image/jpeg");
  assert.equal(headers["content-length"], String(bytes.length));
  assert.equal(headers["cache-control"], "public, max-age=3600");
  assert.match(headers.etag ?? "", /^"[\w-]{43}"$/);
  assert.equal(headers["content-disposition"], 'inline; filename="127.0.0.1.jpg"');
  assert.equal(headers["x-cache"], "MISS");
  assert.equal(headers["x-target-status"], "200");
  assert.equal(headers["x-target-url"], `${site.origin}/`);
  assert.equal(headers["access-control-allow-origin"], "*");
  assert.equal(headers["cross-origin-resource-policy"], "cross-origin");
  assert.equal(headers["x-robots-tag"], "noindex");
  assert.match(
    headers["server-timing"] ?? "",
    /^queue;dur=[\d.]+, navigate;dur=[\d.]+, wait;dur=[\d.]+;desc="ready", shoot;dur=[\d.]+, total;dur=[\d.]+$/,
  );
  assert.equal(headers["x-ratelimit-limit"], "100000");
  assert.ok(Number(headers["x-ratelimit-remaining"]) < 100_000);
  const reset = Number(headers["x-ratelimit-reset"]);
  assert.ok(before < reset && reset <= Date.now() / 1000 + 61, `a one-minute window that ends at ${reset}, requested at ${before}`);
});

test("200: a page with status 404 is captured, with its status in a header", async () => {
  const response = await service.take({ api_key: key, url: `${site.origin}/missing-page` });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("x-target-status"), "404");
  await response.arrayBuffer();
});

test("304: the image isn't sent again to a client that already has it", async () => {
  const asked = { api_key: key, url: `${site.origin}/`, format: "png", width: "50", height: "50" };
  const first = await service.take(asked);
  const etag = first.headers.get("etag") ?? "";
  await first.arrayBuffer();
  for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const second = await service.take(asked, { "if-none-match": ifNoneMatch });
    assert.equal(second.status, 304, ifNoneMatch);
    assert.equal((await second.arrayBuffer()).byteLength, 0);
    assert.equal(second.headers.get("etag"), etag);
  }
  const other = await service.take(asked, { "if-none-match": '"other"' });
  assert.equal(other.status, 200);
  assert.equal(pixelAt(new Uint8Array(await other.arrayBuffer()), 25, 45), "#ff0000");
});

test("400: five invalid parameters in one request are all named, along with what is valid", async () => {
  const refused = await failure(
    await service.take({
      api_key: key,
      url: `${site.origin}/`,
      width: "abc",
      height: "99999",
      format: "bmp",
      quality: "0",
      omit_background: "maybe",
    }),
  );
  assert.equal(refused.status, 400);
  assert.equal(refused.code, "invalid_parameters");
  assert.equal(refused.retryable, false);
  assert.deepEqual(
    refused.details.map(({ parameter, allowed }: { parameter: string; allowed: string }) => [parameter, allowed]),
    [
      ["width", "an integer from 1 to 3840"],
      ["height", "an integer from 1 to 2160"],
      [
        "format",
        "one of jpeg, png, webp, avif, jpg, pdf, html, mhtml, text, markdown, metadata, elements, har, console, gif, webp-animation, webm, mp4",
      ],
      ["quality", "an integer from 1 to 100"],
      ["omit_background", "true or false"],
    ],
  );
  for (const { message } of refused.details) assert.ok(refused.error.includes(message));
});

test("400: missing key, missing url, a url that can't be captured", async () => {
  assert.equal((await failure(await service.take({ url: `${site.origin}/` }))).details[0].parameter, "api_key");
  assert.deepEqual((await failure(await service.take({ api_key: key }))).details[0].message, "url is missing: send url, html or markdown");
  for (const [url, words] of [
    ["example.com", "url is not absolute (did you mean https://example.com?)"],
    ["file:///etc/passwd", "url has the scheme file; only http and https are supported"],
    [
      "https://user:secret@example.com/",
      "url contains a user name or password; send them in authorization instead, as `Basic` and user:password in Base64",
    ],
    ["http://", "url is not a URL"],
  ]) {
    const refused = await failure(await service.take({ api_key: key, url: url ?? "" }));
    assert.deepEqual([refused.status, refused.code, refused.error], [400, "invalid_url", `${words}.`]);
  }
});

test("400: the error for a missing key says where to send it, and names parameters that look like a key", async () => {
  const headers = "or in a header, Authorization: Bearer or X-API-Key";
  for (const name of ["apikey", "API-Key", "key", "token", "access_key"]) {
    const { error } = await failure(await service.take({ [name]: key, url: `${site.origin}/` }));
    assert.equal(error, `api_key is missing: send the key in the query parameter api_key, not ${name}, ${headers}.`);
  }
  const { error, details } = await failure(await service.take({ url: `${site.origin}/` }));
  assert.equal(error, `api_key is missing: send the key in the query parameter api_key, ${headers}.`);
  assert.equal(details[0].parameter, "api_key");
});

test("400: private targets, unknown names and closed ports each have their own code, without details of the internal network", async () => {
  const target = async (url: string) => {
    const { status, code, error } = await failure(await service.take({ api_key: key, url }));
    return { status, code, error };
  };
  for (const url of [
    "http://127.0.0.1:9/",
    service.origin, // no port of the service itself is revealed
    "http://[::1]/",
    "http://0x7f.1/",
    "http://localhost/",
    "http://10.0.0.1/",
  ]) {
    const { hostname, port } = new URL(url);
    const setting = `EGRESS_ALLOWED_HOSTS=${hostname}:${port || 80}.`;
    const onNetwork = `If the page is on the service's network, the operator can allow it by setting ${setting}`;
    const onMachine = `${hostname} is the machine on which the service runs. On your own machine, start the service with \`npm run local -- --allow ${port || 80}\`; elsewhere, the operator can set ${setting}`;
    const error = `The target's address is blocked. ${hostname === "10.0.0.1" ? onNetwork : onMachine}`;
    assert.deepEqual(await target(url), { status: 400, code: "target_blocked", error }, url);
  }
  const metadata = { status: 400, code: "target_blocked", error: "The target's address is blocked." };
  assert.deepEqual(await target("http://169.254.169.254/latest/meta-data/"), metadata);
  const unknown = await target("http://web:8080/");
  assert.match(unknown.error, /^The target's host name does not resolve .*EGRESS_ALLOWED_HOSTS=web:8080\.$/);
  const unresolved = await target("http://does-not-exist.invalid/");
  assert.deepEqual([unresolved.status, unresolved.code], [400, "name_not_resolved"]);
});

test("400: a redirect to a private address isn't followed", async () => {
  site.serve({ "/to-metadata": (_, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end() });
  assert.equal((await failure(await service.take({ api_key: key, url: `${site.origin}/to-metadata` }))).code, "target_blocked");
});

longTest("400: a target that is not a page, or never becomes ready, has its own code", async () => {
  site.serve({
    "/empty": (_, response) => response.writeHead(204).end(),
    "/file": (_, response) => response.writeHead(200, { "content-type": "application/zip", "content-disposition": "attachment" }).end("PK"),
    "/loop": (_, response) => response.writeHead(302, { location: "/loop" }).end(),
    "/busy": "<script>for (;;);</script>",
    "/hanging": () => {},
    "/cut": (_, response) => response.destroy(),
  });
  const code = async (path: string, limit = {}) =>
    (await failure(await service.take({ api_key: key, url: site.origin + path, ...limit }))).code;
  assert.equal(await code("/empty"), "not_a_page");
  assert.equal(await code("/file"), "not_a_page");
  assert.equal(await code("/loop"), "too_many_redirects");
  assert.equal(await code("/busy", { timeout: "2" }), "target_timeout");
  assert.equal(await code("/hanging", { timeout: "2" }), "target_timeout");
  assert.equal(await code("/cut"), "connection_failed");
});

test("400: https to a port without TLS is not reported as a certificate problem", async () => {
  const { code, error } = await failure(await service.take({ api_key: key, url: site.origin.replace("http:", "https:") }));
  assert.equal(code, "tls_error");
  assert.equal(error, "The target's port does not use TLS: if the page is served without TLS, use a URL that begins with http://.");
});

longTest("400: a certificate whose issuer's own can't be fetched is a certificate problem", async (t) => {
  const { key: privateKey, cert } = createCertificate("localhost", "http://169.254.169.254/issuer.crt");
  const secure = createSecureServer({ key: privateKey, cert }, (_, response) => void response.end("<p>secret"));
  secure.on("tlsClientError", () => {});
  await once(secure.listen(0, "127.0.0.1"), "listening");
  t.after(() => secure.close());
  const host = `localhost:${(secure.address() as AddressInfo).port}`;
  const other = await startService(t, { EGRESS_ALLOWED_HOSTS: host });
  const account = await other.createAccount();
  const { code, error } = await failure(await other.take({ api_key: account.key, url: `https://${host}/` }));
  assert.match(other.logged(), /169\.254\.169\.254/, "its fetch was refused");
  assert.equal(code, "tls_error");
  assert.equal(error, "The target's TLS certificate is self-signed, or issued by an authority that is not trusted.");
});

test("403: unknown, malformed and revoked keys get the same response", async () => {
  const account = await service.createAccount();
  const status = async (apiKey: string) => {
    const {
      status: number,
      code,
      error,
    } = await failure(await service.take({ api_key: apiKey, url: `${site.origin}/`, width: "10", height: "10" }));
    return [number, code, error];
  };
  const first = await service.take({ api_key: account.key, url: `${site.origin}/`, width: "10", height: "10" });
  assert.equal(first.status, 200);
  await first.arrayBuffer();
  await service.pool.query("update api_keys set revoked_at = now() where user_id = $1", [account.userId]);
  const refused = [403, "invalid_api_key", "The API key is not valid. Valid keys are listed in the dashboard under API keys."];
  assert.deepEqual(await status("nonsense"), refused);
  assert.deepEqual(await status("ss_000000000000000000000000000000000000"), refused);
  // The revocation reaches the service by NOTIFY, which takes a moment.
  await eventually("the service has been notified", async () => (await status(account.key).catch(() => []))[0] === 403);
  assert.deepEqual(await status(account.key), refused);
});

test("403: a domain-restricted key works only on its domain", async () => {
  const { key: bound } = await service.createAccount({ domains: ["example.com"] });
  const asked = { api_key: bound, url: `${site.origin}/`, width: "10", height: "10" };
  const allowed = await service.take(asked, { referer: "https://example.com/page" });
  assert.equal(allowed.status, 200);
  await allowed.arrayBuffer();
  for (const headers of [{ referer: "https://evil.example/" }, { origin: "https://evilexample.com" }, {}] as Record<string, string>[]) {
    const response = await service.take(asked, headers);
    assert.equal(response.headers.get("cache-control"), "no-store");
    const refused = await failure(response);
    assert.deepEqual([refused.status, refused.code], [403, "domain_not_allowed"]);
  }
});

test("403: a target-restricted key captures only its targets, even after redirects", async () => {
  const other = await createSite(scope, { "/": colouredPage("#0000ff") });
  const { key: bound } = await service.createAccount({ targets: [site.host] });
  site.serve({
    "/away": (_, response) => response.writeHead(302, { location: "http://localhost:1/" }).end(),
    "/script-away": `<script>location = "${other.origin}/"</script>`,
  });
  const code = async (url: string) => (await failure(await service.take({ api_key: bound, url }))).code;
  const allowed = await service.take({ api_key: bound, url: `${site.origin}/`, width: "10", height: "10" });
  assert.equal(allowed.status, 200);
  await allowed.arrayBuffer();
  assert.equal(await code(`${other.origin}/`), "target_not_allowed");
  assert.equal(await code(`${site.origin}/away`), "target_not_allowed");
  assert.equal(await code(`${site.origin}/script-away`), "target_not_allowed");
  assert.equal(other.requests.length, 0);
});

/** How many browsers have been replaced so far, for whatever reason, once all of them are idle. */
async function browsersReplaced(): Promise<number> {
  await eventually("captures and their follow-up work have finished", async () => {
    await delay(10);
    return service.services.slots.state().running === 0;
  });
  const { values } = await service.services.metrics.browserEnds.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

test("403: the error for an exhausted quota states its size and the end of the month; failures cost nothing", async () => {
  const account = await service.createAccount({ plan: "pro", quota: 1 });
  const asked = { api_key: account.key, url: `${site.origin}/`, width: "10", height: "10" };
  site.serve({ "/broken": (_, response) => response.destroy() });
  assert.equal((await failure(await service.take({ ...asked, url: `${site.origin}/broken` }))).code, "connection_failed");
  const first = await service.take(asked);
  assert.equal(first.status, 200);
  await first.arrayBuffer();
  const [visits, browsers] = [site.requests.length, await browsersReplaced()];
  const refused = await failure(await service.take(asked));
  assert.deepEqual([refused.status, refused.code], [403, "quota_exceeded"]);
  assert.equal(site.requests.length, visits, "no request was sent to the target");
  assert.equal(await browsersReplaced(), browsers, "and the prepared browser is still usable");
  assert.match(refused.error, /^The monthly quota of 1 screenshot is used up; it resets on \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/);
});

test("429: the plan's limit per minute, with its three headers and Retry-After", async () => {
  const { key: slow } = await service.createAccount({ rateLimit: 2 });
  // Refused requests count as well; these are the cheapest.
  const ask = () => service.take({ api_key: slow, url: "nonsense" });
  for (const remaining of ["1", "0"]) {
    const response = await ask();
    assert.equal(response.status, 400);
    assert.equal(response.headers.get("x-ratelimit-remaining"), remaining);
    await response.arrayBuffer();
  }
  const before = Date.now() / 1000;
  const response = await ask();
  const after = Date.now() / 1000;
  const refused = await failure(response);
  assert.deepEqual([refused.status, refused.code, refused.retryable], [429, "rate_limited", true]);
  assert.equal(response.headers.get("x-ratelimit-limit"), "2");
  assert.equal(response.headers.get("x-ratelimit-remaining"), "0");
  const wait = Number(response.headers.get("retry-after"));
  assert.ok(wait >= 1 && wait <= 60, `Retry-After is ${wait}`);
  const answeredAt = Number(response.headers.get("x-ratelimit-reset")) - wait;
  assert.ok(before - 1 <= answeredAt && answeredAt <= after + 1, `reset and Retry-After agree: ${before} ${answeredAt} ${after}`);
});

test("500: the error contains no internal details", async () => {
  const { key: doomed } = await service.createAccount();
  await service.pool.query("alter table screenshots rename to screenshots_gone");
  try {
    const refused = await failure(await service.take({ api_key: doomed, url: `${site.origin}/`, width: "11", height: "11" }));
    assert.deepEqual([refused.status, refused.code, refused.error], [500, "internal_error", "Internal server error."]);
    assert.equal(JSON.stringify(refused).includes("screenshots"), false);
    assert.ok(service.logged().includes('relation \\"screenshots\\" does not exist'));
  } finally {
    await service.pool.query("alter table screenshots_gone rename to screenshots");
  }
});

test("405: Allow lists the methods that the path supports", async () => {
  for (const [path, method, allow] of [
    ["/v1/screenshots/take", "PUT", "GET, HEAD, POST"],
    ["/v1/screenshots/some.png", "DELETE", "GET, HEAD"],
    ["/v1/account/playground", "GET", "POST"],
    ["/v1/account/keys", "PUT", "GET, POST"],
  ] as const) {
    const answer = await fetch(`${service.origin}${path}`, { method });
    assert.deepEqual([answer.status, answer.headers.get("allow")], [405, allow], path);
    await answer.arrayBuffer();
  }
});

test("431: the error states the limit, and which parameters are usually long", async () => {
  const { status, code, error } = await failure(await service.take({ api_key: key, url: `${site.origin}/`, styles: "a".repeat(70_000) }));
  assert.deepEqual([status, code], [431, "headers_too_large"]);
  assert.equal(
    error,
    "The request URL and headers exceed 65536 bytes in total, or there are more than 1000 header lines; shorten long parameters such as styles and scripts, which percent-encoding makes longer.",
  );
});

test("404 and 405 are JSON", async () => {
  const nowhere = await failure(await fetch(`${service.origin}/v2/nothing`));
  assert.deepEqual([nowhere.status, nowhere.code], [404, "not_found"]);
  const put = await failure(await fetch(`${service.origin}/v1/screenshots/take`, { method: "PUT" }));
  assert.deepEqual(
    [put.status, put.code, put.error],
    [405, "method_not_allowed", "Method not allowed for this path; allowed: GET, HEAD, POST."],
  );
  const withBody = { method: "PUT", headers: { "content-type": "text/odd" }, body: "x".repeat(100_000) };
  assert.equal((await failure(await fetch(`${service.origin}/v1/screenshots/take`, withBody))).code, "method_not_allowed");
  assert.equal((await failure(await fetch(`${service.origin}/v2/nothing`, withBody))).code, "not_found");
});

test("an unknown parameter is ignored, with a warning and a suggestion", async () => {
  const response = await service.take({ api_key: key, url: `${site.origin}/`, widht: "300", width: "20", height: "10" });
  assert.equal(response.headers.get("x-warnings"), "unknown parameter widht was ignored (did you mean width?)");
  assert.equal(describeImage(new Uint8Array(await response.arrayBuffer())).width, 20);
});

test("preflight requests allow scripts from any origin to send requests", async () => {
  const response = await fetch(`${service.origin}/v1/screenshots/take`, {
    method: "OPTIONS",
    headers: { origin: "https://example.com", "access-control-request-method": "GET" },
  });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
});

test("a request's key, secret headers and cookies, and the query of its page, are never logged", async () => {
  const response = await service.take({
    api_key: key,
    url: `${site.origin}/?token=hush-query`,
    headers: "X-Secret: hush-header",
    cookies: "a=hush-cookie",
    bypass_csp: "true",
    width: "30",
    height: "10",
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("cache-control"), "private, max-age=3600");
  await response.arrayBuffer();
  const several = await fetch(`${service.origin}/v1/captures`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ url: `${site.origin}/?token=hush-query`, bypass_csp: true, outputs: [{ format: "png" }, { format: "text" }] }),
  });
  assert.equal(several.status, 200);
  const logged = service.logged();
  assert.equal(logged.split("bypass_csp was used").length - 1, 3);
  assert.ok(logged.includes('"path":"/v1/screenshots/take"'));
  for (const secret of [key, "hush-query", "hush-header", "hush-cookie", "a secret for tests"])
    assert.equal(logged.includes(secret), false, secret);
  const { rows } = await service.pool.query("select options from screenshots where options ? 'headers'");
  assert.deepEqual([rows[0].options.headers, rows[0].options.cookies], ["given", "given"]);
});

test("requests with unknown keys are limited per IP address", async () => {
  const guarded = await startService(scope, { RATE_LIMIT_MAX_REQUESTS: "2", TRUST_PROXY: "127.0.0.1", EGRESS_ALLOWED_HOSTS: site.host });
  const from = `2001:db8:${Math.floor(Math.random() * 0xffff).toString(16)}:${Math.floor(Math.random() * 0xffff).toString(16)}::1`;
  const ask = async (address: string) =>
    (await failure(await guarded.take({ api_key: "wrong", url: `${site.origin}/` }, { "x-forwarded-for": address }))).code;
  assert.deepEqual([await ask(from), await ask(from), await ask(from)], ["invalid_api_key", "invalid_api_key", "rate_limited"]);
  assert.equal(await ask(`2001:db8:ffff:${Math.floor(Math.random() * 0xffff).toString(16)}::1`), "invalid_api_key");
});
