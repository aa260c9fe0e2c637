/** `POST /v1/screenshots/take`: responds like `GET`, and reports every problem with the body. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { createApiKey } from "../../accounts/accounts.ts";
import { describeImage } from "../../support/image.ts";
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
  site = await createSite(scope, { "/": colouredPage("#ff0000", "<h1>A heading</h1>") });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, MAX_REQUEST_BODY_MB: "1" });
  ({ key } = await service.createAccount());
});

/** `body`: an object, or the exact text to send. */
function post(body: unknown, headers: Record<string, string> = {}, query = ""): Promise<Response> {
  return fetch(`${service.origin}/v1/screenshots/take${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  });
}

const page = (more: object = {}) => ({ api_key: key, url: `${site.origin}/`, ...more });

interface Refusal {
  status: number;
  code: string;
  message: string;
  details?: { parameter: string; message: string; allowed?: string }[];
}

async function refusalOf(response: Response): Promise<Refusal> {
  const { code, message, details } = await response.json();
  return { status: response.status, code, message, details };
}

test("POST take: options as JSON values, as JSON strings and as a query share one cache entry", async () => {
  const options = { width: 60, height: 40, device_scale_factor: 1.5, format: "png", is_cached: true, wait_until: ["load", "auto"] };
  const texts = Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)]));
  const first = await post(page({ ...options, response_type: "json" }));
  const { id, cache, width, height } = await first.json();
  assert.deepEqual([first.status, cache, width, height], [200, "MISS", 90, 60]);
  for (const answer of [
    await post(page(options)),
    await post(page(texts)),
    await service.take({ api_key: key, url: `${site.origin}/`, ...texts }),
  ]) {
    assert.deepEqual([answer.status, answer.headers.get("x-cache"), answer.headers.get("x-screenshot-id")], [200, "HIT", id]);
    assert.deepEqual(describeImage(new Uint8Array(await answer.arrayBuffer())), { type: "png", width: 90, height: 60 });
  }
});

test("POST take: headers, statuses, history and usage are the same as for GET", async () => {
  const account = await service.createAccount({ plan: "pro", quota: 1, rateLimit: 50 });
  const asked = { api_key: account.key, url: `${site.origin}/`, width: "50" };
  const [get] = [await service.take(asked)];
  const { key: other } = await service.createAccount({ plan: "pro", quota: 1, rateLimit: 50 });
  const answer = await post({ ...asked, api_key: other });
  assert.deepEqual([...answer.headers.keys()], [...get.headers.keys()]);
  const etag = answer.headers.get("etag") ?? "";
  assert.equal(etag, get.headers.get("etag"));
  assert.equal(answer.headers.get("x-ratelimit-remaining"), "49");
  assert.equal((await refusalOf(await post({ ...asked, api_key: other }))).code, "quota_exceeded");
  const { rows } = await service.pool.query("select url, options from screenshots where id = $1", [answer.headers.get("x-screenshot-id")]);
  assert.deepEqual([rows[0].url, rows[0].options.width], [`${site.origin}/`, 50]);
  await answer.arrayBuffer();
  await get.arrayBuffer();

  const cached = page({ is_cached: true, width: 51 });
  const stored = await post({ ...cached, response_type: "empty" });
  assert.equal(stored.status, 204);
  const unchanged = await post(cached, { "if-none-match": stored.headers.get("etag") ?? "" });
  assert.equal(unchanged.status, 304);
  const dry = await (await post(page({ dry_run: true, width: 70 }))).json();
  assert.deepEqual([dry.dry_run, dry.options.width], [true, 70]);
});

test("POST take: responses are private, because the URL doesn't contain the options", async () => {
  const answer = await post(page({ width: 52 }));
  await answer.arrayBuffer();
  assert.equal(answer.headers.get("cache-control"), "private, max-age=3600");
});

test("POST take: lists, header objects, null and empty strings are equivalent to their query notation", async () => {
  const headers = { "X-One": "1", "X-Two": "two words" };
  for (const sent of [headers, ["X-One: 1", "X-Two: two words"], "X-One: 1\nX-Two: two words", JSON.stringify(headers)]) {
    const answer = await post(
      page({ headers: sent, cookies: { session: "a" }, selector: null, user_agent: "", fail_on_status: [500], click: [] }),
    );
    assert.equal(answer.status, 200, await answer.text());
    const received = site.requests.findLast(({ path }) => path === "/")?.headers;
    assert.deepEqual([received?.["x-one"], received?.["x-two"], received?.cookie], ["1", "two words", "session=a"]);
  }
});

test("POST take: a body that is not a single JSON object is rejected; the error says what is wrong and what is valid", async () => {
  const deep = `{"a":${"[".repeat(100_000)}`;
  const refusals: [body: unknown, message: RegExp][] = [
    ["", /the body is empty/],
    [" \n", /the body is empty/],
    ["[]", /must be a JSON object, not a list/],
    ['"text"', /must be a JSON object/],
    [`{"api_key":"${key}",\n "url":}`, /not valid JSON at line 2, column 8: a value was expected/],
    [`{"api_key":"${key}","url":"http://a.example/"`, /not valid JSON: it ends where a comma or } was expected/],
    [Buffer.concat([Buffer.from('{"url":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]), /not UTF-8/],
    [`{"api_key":"${key}","url":"http://a.example/","width":1,"width":2}`, /has width twice/],
    [`{"api_key":"${key}","url":"http://a.example/","w\\u0069dth":1,"width":2}`, /has width twice/],
    [`{"api_key":"${key}","headers":{"A":"1","A":"2"}}`, /has headers\.A twice/],
    [deep, /more than 6 levels/],
    [`{"api_key":"${key}","click":[${"1,".repeat(100_000)}1]}`, /too many values/],
  ];
  for (const [body, message] of refusals) {
    const refusal = await refusalOf(await post(body));
    assert.deepEqual([refusal.status, refusal.code], [400, "invalid_parameters"], String(body).slice(0, 80));
    assert.match(refusal.message, message);
    assert.ok(refusal.details?.[0]?.allowed, refusal.message);
    assert.doesNotMatch(refusal.message, new RegExp(key), "no error repeats a key");
  }
  assert.doesNotMatch(service.logged(), new RegExp(key), "nor does the log");
});

test("POST take: every unknown member and wrong type is named, along with what is valid", async () => {
  const { status, code, details } = await refusalOf(
    await post(
      page({
        widht: 1,
        __proto__x: 1,
        width: true,
        full_page: 1,
        height: [1],
        selector: 5,
        headers: { A: { b: 1 } },
        url: "\u0000",
        click: [5],
      }),
    ),
  );
  assert.deepEqual([status, code], [400, "invalid_parameters"]);
  const problems = Object.fromEntries((details ?? []).map(({ parameter, message }) => [parameter, message]));
  assert.match(problems.widht ?? "", /widht is not a parameter \(did you mean width\?\)/);
  assert.match(problems.width ?? "", /width must be an integer from 1 to 3840, not true/);
  assert.match(problems.full_page ?? "", /full_page must be true or false, not 1/);
  assert.match(problems.height ?? "", /height must be an integer from 1 to 2160, not \[1\]/);
  assert.match(problems.selector ?? "", /selector must be a string.*, not 5/);
  assert.ok(problems.headers);
  assert.ok(problems.url);
  for (const { parameter, allowed } of details ?? []) assert.ok(allowed, parameter);
  assert.equal(details?.find(({ parameter }) => parameter === "widht")?.allowed, "a parameter in the API reference, at /docs");
  const own = await refusalOf(await post(`{"api_key":"${key}","url":"${site.origin}/","__proto__":{"width":5}}`));
  assert.match(own.message, /__proto__ is not a parameter/);
  assert.match(own.details?.[0]?.allowed ?? "", /^one of url, html, .*, api_key$/);
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`unknown${index}`, 1]));
  assert.equal((await refusalOf(await post(page(many)))).details?.length, 20);
  assert.match((await refusalOf(await post(page({ cache_key: "a\u0000" })))).message, /cache_key contains a NUL character/);
});

/** JSON with `megabytes` MB of text, in chunks. */
function chunksOf(megabytes: number): ReadableStream {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(Buffer.from(sent === 0 ? '{"styles":"' : "x".repeat(64 * 1024)));
      sent += 1;
      if (sent > megabytes * 16) controller.close();
    },
  });
}

longTest("POST take: random members lead to a 200, or to a 400 that names one of them", async () => {
  const names = Object.keys(service.services.takeSchema.shape);
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.string({ unit: "binary" }),
    fc.constant([]),
  );
  const bodies = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), values, { maxKeys: 8 });
  const ask = async (members: object) => {
    const response = await post({ ...members, api_key: key, url: `${site.origin}/`, dry_run: true, expires: null, signature: null });
    const { code, details = [] } = await response.json();
    if (response.status === 200) return;
    assert.deepEqual([response.status, code], [400, "invalid_parameters"], JSON.stringify(members));
    assert.ok(details.length > 0 && details.every(({ parameter }: { parameter: string }) => parameter !== ""), JSON.stringify(members));
  };
  await fc.assert(fc.asyncProperty(bodies, ask), { numRuns: 400 });
});

test("POST take: an oversized body causes a 413, even with 20 MB or in chunks; another content type or a compressed body causes a 415", async () => {
  for (const megabytes of [1.1, 20]) {
    const refusal = await refusalOf(await post(`{"api_key":"${key}","styles":"${"x".repeat(megabytes * 1024 * 1024)}"}`));
    assert.deepEqual(refusal, {
      status: 413,
      code: "payload_too_large",
      message: "The body is larger than 1048576 bytes.",
      details: undefined,
    });
  }
  const take = `${service.origin}/v1/screenshots/take`;
  const headers = { "content-type": "application/json" };
  const inChunks = await fetch(take, { method: "POST", headers, body: chunksOf(3), duplex: "half" } as RequestInit);
  assert.equal((await refusalOf(inChunks)).status, 413);
  const compressed = await refusalOf(await post(gzipSync(JSON.stringify(page())), { "content-encoding": "gzip" }));
  assert.deepEqual(
    [compressed.status, compressed.message],
    [415, "Compressed bodies are not supported: send the body uncompressed, without Content-Encoding."],
  );
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "application/jsonp"]) {
    const refusal = await refusalOf(await post(JSON.stringify(page()), { "content-type": type }));
    assert.deepEqual([refusal.status, refusal.message], [415, "The body must be JSON, with Content-Type: application/json."], type);
  }
  assert.equal((await post(page({ width: 53 }), { "content-type": "application/json; charset=utf-8" })).status, 200);
});

test("POST take: options and signatures in the query are rejected", async () => {
  const misplaced = await refusalOf(await post({ url: `${site.origin}/` }, {}, `?api_key=${key}&width=20`));
  assert.deepEqual([misplaced.status, misplaced.message], [400, "width is in the query: send it as a member of the body."]);
  assert.equal((await post({ url: `${site.origin}/`, width: 54 }, {}, `?api_key=${key}`)).status, 200);
  const { status, message } = await refusalOf(await post(page({ signature: "0".repeat(64) })));
  assert.deepEqual([status, message], [400, "signature is for GET requests: a body can't be signed."]);
});

test("POST take: signature-only keys and expired requests are rejected", async () => {
  const { userId } = await service.createAccount();
  const { rows } = await service.pool.query("select email from users where id = $1", [userId]);
  const signing = await createApiKey(service.database, rows[0].email, { requireSignature: true });
  const refusal = await refusalOf(await post(page({ api_key: signing })));
  assert.deepEqual([refusal.status, refusal.code], [403, "signature_invalid"]);
  assert.match(refusal.message, /only GET requests can be signed/);
  for (const expires of [1, "1"]) {
    const expired = await refusalOf(await post(page({ expires })));
    assert.deepEqual([expired.status, expired.message], [403, "The request has expired."]);
  }
});

test("POST take: authentication and rate limit are checked before the options are validated", async () => {
  const wrong = { url: "nonsense", styles: "x".repeat(3_000) };
  const missing = await refusalOf(await post(wrong));
  assert.deepEqual([missing.status, /api_key is missing/.test(missing.message)], [400, true]);
  assert.equal((await refusalOf(await post({ ...wrong, api_key: "ss_unknown" }))).code, "invalid_api_key");
  const { key: limited } = await service.createAccount({ rateLimit: 1 });
  const codes = [];
  for (const _ of [1, 2]) codes.push((await refusalOf(await post({ ...wrong, api_key: limited }))).code);
  assert.deepEqual(codes, ["invalid_url", "rate_limited"]);
});

test("POST take: an unknown key in the query or a header is rejected before the body arrives", async (t) => {
  const { hostname, port } = new URL(service.origin);
  const answerTo = async (path: string, header: string) => {
    const socket = connect(Number(port), hostname);
    t.after(() => socket.destroy());
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${header}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`);
    const [bytes] = await once(socket, "data");
    return String(bytes);
  };
  for (const path of ["/v1/screenshots/take", "/v1/captures"]) {
    assert.match(await answerTo(`${path}?api_key=ss_unknown`, ""), /^HTTP\/1.1 403.*invalid_api_key/s);
    assert.match(await answerTo(path, "Authorization: Bearer ss_unknown\r\n"), /^HTTP\/1.1 403.*invalid_api_key/s);
    assert.match(await answerTo(path, `X-API-Key: ${key},ss_unknown\r\n`), /^HTTP\/1.1 400.*more than once/s);
  }
});

test("POST take: the error for a misplaced or mistyped key names the place where it was sent", async () => {
  const missing = await refusalOf(await post({ url: `${site.origin}/` }));
  assert.match(missing.message, /or in a header, Authorization: Bearer or X-API-Key, or as api_key in the body/);
  const number = await refusalOf(await post({ url: `${site.origin}/`, api_key: 5 }, { "x-api-key": key }));
  assert.equal(number.message, "api_key must be a string.");
  const signed = await refusalOf(await post({ url: `${site.origin}/` }, {}, `?api_key=${key}&signature=abc`));
  assert.equal(signed.message, "signature is for GET requests: a body can't be signed.");
});

test("POST take: leading whitespace in the body is accepted", async () => {
  const asked = JSON.stringify(page({ dry_run: true }));
  for (const start of [" ".repeat(5_000), "\ufeff\r\n", "\n".repeat(200_000)]) assert.equal((await post(start + asked)).status, 200);
  assert.match((await refusalOf(await post(" ".repeat(5_000)))).message, /the body is empty/);
  assert.match((await refusalOf(await post(`${" ".repeat(5_000)}[]`))).message, /not a list/);
});

test("POST take: a missing document, an out-of-range number and a URL without a host are each named in the error", async () => {
  assert.equal((await refusalOf(await post({ api_key: key }))).message, "url is missing: send url, html or markdown.");
  const infinite = await refusalOf(await post(`{"api_key":"${key}","html":"x","width":1e999}`));
  assert.match(infinite.message, /^width must be an integer from 1 to 3840, not Infinity/);
  const relative = await refusalOf(await post({ api_key: key, html: "x", base_url: "/x" }));
  assert.equal(relative.message, "base_url is not absolute: it has no scheme and no host.");
});

test("POST take: headers, authorization and cookies for a document without base_url cause a warning, because they are not sent", async () => {
  const secrets = { headers: { A: "b" }, authorization: "Bearer c", cookies: { d: "e" } };
  const warningsOf = async (more: object) => (await (await post({ api_key: key, dry_run: true, ...secrets, ...more })).json()).warnings;
  const expected = ["headers", "authorization", "cookies"].map((name) => `${name} has no effect without base_url`);
  assert.deepEqual(await warningsOf({ html: "x" }), expected);
  assert.deepEqual(await warningsOf({ html: "x", base_url: `${site.origin}/` }), []);
});

test("POST take: cross-origin scripts may POST after a preflight, with a key that allows their domain", async () => {
  const preflight = await fetch(`${service.origin}/v1/screenshots/take`, {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /POST/);
  assert.equal(preflight.headers.get("access-control-allow-headers"), "authorization,content-type");
  const { key: own } = await service.createAccount({ domains: ["app.example"] });
  const statuses = [];
  for (const origin of ["https://app.example", "https://other.example"])
    statuses.push((await post(page({ api_key: own, width: 55 }), { origin })).status);
  assert.deepEqual(statuses, [200, 403]);
});

test("POST take: error_image in the body returns errors as images", async () => {
  const answer = await post(
    page({
      url: `${site.origin}/`,
      error_image: true,
      selector: "#nowhere",
      error_on_selector_not_found: true,
      width: 90,
      height: 60,
      format: "png",
    }),
  );
  assert.deepEqual([answer.status, answer.headers.get("content-type")], [400, "image/png"]);
  assert.deepEqual(describeImage(new Uint8Array(await answer.arrayBuffer())), { type: "png", width: 90, height: 60 });
});
