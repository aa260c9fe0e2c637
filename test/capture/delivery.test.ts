/** Delivery of screenshots, and handling of a target's status. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, test } from "node:test";
import { parse } from "content-disposition";
import { hashKey } from "../../src/accounts/keys/authenticate.ts";
import { createApiKey } from "../accounts/accounts.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage } from "../support/image.ts";
import { onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage } from "../support/site.ts";

const scope = fileScope();
let captures: Captures;
let capture: Captures["capture"];

before(async () => {
  captures = await startCaptures(scope);
  ({ capture } = captures);
  const statuses = [200, 201, 401, 403, 404, 410, 418, 500, 503];
  const page = (status: number) => (_: unknown, response: import("node:http").ServerResponse) =>
    void response.writeHead(status, { "content-type": "text/html" }).end(`<h1>${status}`);
  captures.site.serve(Object.fromEntries(statuses.map((status) => [`/${status}`, page(status)])));
});

const visits = (path: string) => captures.site.requests.filter((request) => request.path === path).length;

test("fail_on_status: a listed status causes an error that names it; other statuses are captured", async () => {
  const outcome = async (path: string, fail_on_status: string | string[]) => {
    const { status, json } = await capture(path, { fail_on_status });
    return status === 200 ? 200 : [status, json.code, json.error];
  };
  const failed = (words: string) => [400, "host_returned_error", `The target returned status ${words}.`];
  assert.deepEqual(await outcome("/404", "404,500-599"), failed("404 Not Found"));
  assert.deepEqual(await outcome("/500", ["404", "500-599"]), failed("500 Internal Server Error"));
  assert.equal(await outcome("/403", "404,500-599"), 200);
  assert.equal(await outcome("/200", "404,500-599"), 200);
  for (const [path, statuses, words] of onlyLong([
    ["/503", "404,500-599", "503 Service Unavailable"],
    ["/418", "[404, 418]", "418 I'm a Teapot"],
    ["/201", "200-299", "201 Created"],
  ] as const))
    assert.deepEqual(await outcome(path, statuses), failed(words));
});

test("fail_on_status: retryable is true only for temporary statuses", async () => {
  const retryable = async (status: number) => {
    captures.site.serve({
      [`/answers-${status}`]: (_, response) => response.writeHead(status, { "content-type": "text/html" }).end("<h1>no"),
    });
    const { json } = await capture(`/answers-${status}`, { fail_on_status: "200-599" });
    assert.equal(json.code, "host_returned_error");
    return json.retryable;
  };
  for (const status of [429, 503, ...onlyLong([408, 425, 500, 502])]) assert.equal(await retryable(status), true, String(status));
  for (const status of [404, 501, ...onlyLong([200, 401, 403, 410])]) assert.equal(await retryable(status), false, String(status));
});

test("fail_on_status: the final page counts, not the redirects before it", async () => {
  captures.site.serve({
    "/busy-then-fine": (request, response) => {
      const again = request.headers.cookie === "seen=1";
      response.writeHead(again ? 200 : 503, { "content-type": "text/html", "set-cookie": "seen=1" });
      response.end(again ? "<h1>fine" : "<script>location.reload()</script>");
    },
  });
  const { status, headers } = await capture("/busy-then-fine", { fail_on_status: "500-599", wait_until: "networkidle0" });
  assert.deepEqual([status, headers.get("x-target-status")], [200, "200"]);
});

test("fail_on_status: an invalid status is reported", async () => {
  for (const [fail_on_status, words] of [
    ["teapot", /^fail_on_status must be statuses and ranges, such as 404,500-599, not "teapot"/],
    ["600", /must be statuses/],
    ["4xx", /must be statuses/],
    ["599-500", /^fail_on_status contains 599-500, which ends before it begins/],
  ] as const) {
    const { status, json } = await capture("/200", { fail_on_status });
    assert.equal(status, 400);
    assert.match(json.error ?? "", words);
  }
});

test("fail_on_status: costs no quota, and doesn't return a screenshot that was cached without the option", async () => {
  const { service } = captures;
  const account = await service.createAccount({ plan: "pro", quota: 2 });
  const asked = { api_key: account.key, is_cached: "true" };
  assert.equal((await capture("/404", { ...asked, fail_on_status: "404" })).json.code, "host_returned_error");
  const { rows } = await service.pool.query("select used from usage_periods where user_id = $1", [account.userId]);
  assert.deepEqual(rows, [{ used: 0 }]);
  assert.equal((await capture("/200", { ...asked, response_type: "empty" })).status, 204);
  assert.equal((await capture("/200", { ...asked, fail_on_status: "200" })).json.code, "host_returned_error");
});

test("a page with an error status is captured, reports its status, and is never cached", async () => {
  for (const path of ["/404", "/500"]) {
    // With `empty`, the response waits until the screenshot is stored, so a cached one would be found.
    assert.equal((await capture(path, { is_cached: "true", response_type: "empty" })).status, 204);
    const before = visits(path);
    const { status, headers, bytes } = await capture(path, { is_cached: "true" });
    assert.deepEqual([status, headers.get("x-target-status"), headers.get("x-cache")], [200, path.slice(1), "MISS"]);
    assert.deepEqual(describeImage(bytes), { type: "png", width: 200, height: 100 });
    assert.equal(visits(path), before + 1);
  }
});

test("attachment_name: the download has that name, with any characters, and the format's extension", async () => {
  const disposition = async (attachment_name: string, format = "png") => {
    const { headers } = await capture("/200", { attachment_name, format });
    return headers.get("content-disposition") ?? "";
  };
  assert.equal(await disposition("report"), "attachment; filename=report.png");
  assert.equal(await disposition("report.png"), "attachment; filename=report.png");
  assert.equal(await disposition("Photo.JPEG", "jpeg"), "attachment; filename=Photo.JPEG");
  assert.equal(await disposition("report.png", "webp"), "attachment; filename=report.png.webp");
  for (const [name, saved] of [
    ["Überblick", "Überblick.png"],
    ["../../etc/passwd", "__.._etc_passwd.png"],
    ["a\r\nX-Injected: 1", "a__X-Injected_ 1.png"],
    ...onlyLong([
      ["全景 👩‍👩‍👧", "全景 👩‍👩‍👧.png"],
      ['a"b', "a_b.png"],
      ["a\u202egnp.exe", "a_gnp.exe.png"],
    ] as const),
  ] as const) {
    const header = await disposition(name);
    assert.match(header, /^[\x20-\x7e]*$/);
    const { type, parameters } = parse(header);
    assert.deepEqual([type, parameters.filename], ["attachment", saved], header);
  }
  assert.match(await disposition(""), /^inline; filename="127\.0\.0\.1\.png"$/);
});

test("HEAD captures like GET but responds without a body; with is_cached, the next GET is a hit", async () => {
  const { service, site, key } = captures;
  site.serve({ "/warmed": colouredPage("#0f0") });
  const query = new URLSearchParams({ api_key: key, url: `${site.origin}/warmed`, is_cached: "true", width: "60", height: "40" });
  const ask = (method: string) => fetch(`${service.origin}/v1/screenshots/take?${query}`, { method });
  const head = await ask("HEAD");
  assert.deepEqual([head.status, head.headers.get("x-cache"), head.headers.get("content-type")], [200, "MISS", "image/jpeg"]);
  assert.equal((await head.arrayBuffer()).byteLength, 0);
  const again = await ask("HEAD");
  assert.equal(again.headers.get("x-cache"), "HIT");
  const got = await ask("GET");
  const bytes = new Uint8Array(await got.arrayBuffer());
  assert.equal(got.headers.get("x-cache"), "HIT");
  assert.deepEqual(describeImage(bytes), { type: "jpg", width: 60, height: 40 });
  for (const name of ["content-length", "etag", "content-type", "content-disposition", "cache-control", "x-target-status"])
    for (const warming of [head, again]) assert.equal(warming.headers.get(name), got.headers.get(name), name);
  assert.equal(visits("/warmed"), 1);
  const refused = await fetch(`${service.origin}/v1/screenshots/take?api_key=${key}&url=nonsense`, { method: "HEAD" });
  assert.deepEqual([refused.status, (await refused.arrayBuffer()).byteLength], [400, 0]);
});

test("response_type: json returns metadata, empty no body, and both respond once the image is stored", async () => {
  const empty = await capture("/200", { response_type: "empty" });
  assert.deepEqual([empty.status, empty.bytes.length, empty.headers.get("x-cache")], [204, 0, "MISS"]);
  const { status, json } = await capture("/200", { response_type: "json" });
  assert.equal(status, 200);
  const stored = await fetch(String(json.url));
  assert.deepEqual(describeImage(new Uint8Array(await stored.arrayBuffer())), { type: "png", width: 200, height: 100 });
});

test("strict: unknown parameters are errors with suggestions, listed along with invalid ones", async () => {
  const { status, headers } = await capture("/200", { widht: "10" });
  assert.deepEqual([status, headers.get("x-warnings")], [200, "unknown parameter widht was ignored (did you mean width?)"]);
  const refused = await capture("/200", { widht: "10", frobnicate: "1", quality: "0", strict: "true" });
  assert.equal(refused.status, 400);
  assert.equal(
    refused.json.error,
    "quality must be an integer from 1 to 100, not 0; widht is not a parameter (did you mean width?); frobnicate is not a parameter.",
  );
  assert.deepEqual(
    (refused.json.details as { parameter: string }[]).map(({ parameter }) => parameter),
    ["quality", "widht", "frobnicate"],
  );
  assert.equal((await capture("/200", { strict: "true" })).status, 200);
});

test("dry_run: reports what would be done without doing it", async () => {
  const { service } = captures;
  const account = await service.createAccount({ plan: "pro", quota: 1 });
  captures.site.serve({ "/dry": colouredPage("#00f") }); // a white page would be blank, which is not cached
  const dry = async (parameters: Record<string, string> = {}) => {
    const { status, json, headers } = await capture("/dry", { api_key: account.key, dry_run: "true", cookies: "a=hush", ...parameters });
    assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"]);
    return json as unknown as { dry_run: boolean; options: Record<string, unknown>; warnings: string[]; cache: Record<string, unknown> };
  };
  const { dry_run, options, warnings, cache } = await dry({ timeout: "90", colour: "red" });
  assert.equal(dry_run, true);
  assert.deepEqual(
    [options.width, options.height, options.quality, options.timeout, options.wait_until, options.cookies],
    [200, 100, 80, 30, ["auto"], "given"],
  );
  const reduced = "timeout was reduced from 90 to 30 seconds, the maximum of this service";
  assert.deepEqual(warnings, [reduced, "unknown parameter colour was ignored"]);
  assert.deepEqual(cache, { state: "OFF", captured_at: null, id: null });
  assert.deepEqual((await dry({ is_cached: "true" })).cache.state, "MISS");
  assert.deepEqual([visits("/dry"), (await usage(account.userId)).length], [0, 0]);
  assert.equal((await capture("/dry", { api_key: account.key, cookies: "a=hush", is_cached: "true", response_type: "empty" })).status, 204);
  const { cache: stored } = await dry({ is_cached: "true" });
  assert.equal(stored.state, "HIT");
  assert.ok(Math.abs(Date.parse(String(stored.captured_at)) - Date.now()) < 60_000);
  assert.deepEqual(await usage(account.userId), [{ used: 1 }]);
  const { status, json } = await capture("http://169.254.169.254/", { dry_run: "true" });
  assert.deepEqual([status, json.code], [400, "target_blocked"]);
  assert.equal((await capture("/dry", { dry_run: "true", width: "0" })).status, 400);
});

async function usage(userId: string): Promise<{ used: number }[]> {
  return (await captures.service.pool.query("select used from usage_periods where user_id = $1", [userId])).rows;
}

/** A key of a new account, with its signing secret. */
async function signingKey(requireSignature: boolean) {
  const { service } = captures;
  const { userId } = await service.createAccount();
  const { rows } = await service.pool.query("select email from users where id = $1", [userId]);
  const key = await createApiKey(service.database, rows[0].email, { requireSignature });
  const { rows: keys } = await service.pool.query("select id from api_keys where hash = $1", [hashKey(key)]);
  return { key, secret: service.services.signatures.secretOf(keys[0].id) };
}

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

function sign(secret: string, query: string): string {
  return createHmac("sha256", secret).update(query).digest("hex");
}

async function answerTo(query: string) {
  const response = await fetch(`${captures.service.origin}/v1/screenshots/take?${query}`);
  const body = Buffer.from(await response.arrayBuffer());
  return response.status === 200 ? "200" : `${response.status} ${JSON.parse(body.toString()).error}`;
}

test("signature: a signed link works unmodified, but not with any modification", async () => {
  const { key, secret } = await signingKey(true);
  const query = `api_key=${key}&url=${encodeURIComponent(`${captures.site.origin}/200`)}&width=50&height=40&expires=${inAnHour()}`;
  const signature = sign(secret, query);
  const wrong = "403 The signature does not match the request.";
  assert.equal(await answerTo(`${query}&signature=${signature}`), "200");
  assert.equal(await answerTo(`signature=${signature}&${query}`), "200");
  const upperCase = await answerTo(`${query}&signature=${signature.toUpperCase()}`);
  assert.equal(upperCase, "403 The signature does not match the request; it must be in lower case.");
  assert.equal(await answerTo(query), "403 The API key accepts only signed requests.");
  assert.equal(await answerTo(`${query}&signature=`), "403 The API key accepts only signed requests.");
  for (const changed of [
    query.replace("width=50", "width=51"),
    query.replace("%2F200", "%2F404"),
    query.replace(/expires=\d+/, `expires=${inAnHour() + 9}`),
    `${query}&format=png`,
    `${query}&`,
    query.replace("width=50&height=40", "height=40&width=50"),
    query.replaceAll("%2F", "/"),
  ])
    assert.equal(await answerTo(`${changed}&signature=${signature}`), wrong, changed);
  for (const other of ["0".repeat(64), signature.slice(1), sign(key, query), sign((await signingKey(true)).secret, query), "zz"])
    assert.equal(await answerTo(`${query}&signature=${other}`), wrong, other);
  assert.equal(await answerTo(`${query}&signature=${signature}&signature=${signature}`), wrong);
});

test("expires: an expired request is rejected, signed or not, and an invalid time is reported", async () => {
  const { key, secret } = await signingKey(false);
  const query = `api_key=${key}&url=${encodeURIComponent(`${captures.site.origin}/200`)}&width=50&height=40`;
  const past = `${query}&expires=${Math.floor(Date.now() / 1000) - 1}`;
  assert.equal(await answerTo(`${past}&signature=${sign(secret, past)}`), "403 The request has expired.");
  assert.equal(await answerTo(past), "403 The request has expired.");
  assert.equal(await answerTo(query), "200");
  assert.equal(await answerTo(`${query}&expires=${inAnHour()}`), "200");
  assert.match(await answerTo(`${query}&expires=${Date.now() * 1000}`), /^400 expires must be an integer from 1 to 253402300799/);
  assert.match(await answerTo(`${query}&expires=tomorrow`), /^400 expires must be an integer/);
  assert.equal(await answerTo(`${query}&signature=${"0".repeat(64)}`), "403 The signature does not match the request.");
});
