/** The API against whatever a network brings: 20,000 generated requests give no 5xx, no crash and no answer that isn't ours. */

import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { parameterSchemas } from "../../src/http/validation.ts";
import { askOnly, noSuchName, startNameServer } from "../support/name-server.ts";
import { type Exchange, exchange, type RawAnswer } from "../support/raw.ts";
import { fileScope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { type GeneratedRequest, queryOf, quickOptions, rawBytes, requestOf, requestText } from "./requests.ts";

const scope = fileScope();
/** Requests that come on one connection, one behind the other without waiting. */
const batchSize = 40;
const batches = 400;
const connections = 4_000;
const connectionsAtOnce = 20;
const captures = 40;

let site: Site;
let service: TestService;
/** What comes of a request whose head never ends. Asked first, as it takes longer than all others. */
let endless: Promise<RawAnswer[]>;
/** May ask for everything and is given nothing: its quota is none. */
let askingKey: string;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#ff0000", "<main id=main>hello</main>") });
  // Names are not what this is about, and those that are generated should not leave this machine.
  askOnly(scope, (await startNameServer(scope, () => noSuchName)).servers);
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, RATE_LIMIT_MAX_REQUESTS: "1000000" });
  endless = exchange(service.origin, { pieces: ["GET /health/live HTTP/1.1\r\nHost: a\r\nX-Slow: "] });
  ({ key: askingKey } = await service.createAccount({ plan: "pro", quota: 0, rateLimit: 1_000_000 }));
});

const schemas = () => parameterSchemas(service.services.optionsSchema);

function requests(): fc.Arbitrary<GeneratedRequest> {
  const urls = [
    `${site.origin}/`,
    `${site.origin}/`,
    "http://169.254.169.254/",
    "http://[::1]/",
    "http://0x7f.1/",
    "https://example.com/",
    "data:text/html,a",
    "//a",
    "http://a:b@c/",
  ];
  return requestOf(queryOf(schemas(), urls), [...Array(15).fill(askingKey), `${askingKey.slice(0, -1)}~`]);
}

/** Without waiting for answers in between; what comes after an answer that closes the connection is asked on the next one. */
async function askOnOneConnection(all: GeneratedRequest[]): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  while (answers.length < all.length) {
    const rest = all.slice(answers.length);
    const text = rest.map((request, index) => requestText(request, index === rest.length - 1 ? "close" : "keep-alive")).join("");
    const some = await exchange(service.origin, { pieces: [text], methods: rest.map(({ method }) => method) });
    assert.equal(some.at(-1)?.headers.connection, "close", `${some.length} of ${rest.length} are answered`);
    answers.push(...some);
  }
  return answers;
}

/** How often which status came, with the code where it has one. */
function counted() {
  const counts: Record<string, number> = {};
  return {
    counts,
    add(answer: RawAnswer | "no answer") {
      const what = answer === "no answer" ? answer : `${answer.status} ${codeOf(answer)}`.trim();
      counts[what] = (counts[what] ?? 0) + 1;
    },
    print: (t: TestContext) => t.diagnostic(JSON.stringify(Object.fromEntries(Object.entries(counts).sort()))),
  };
}

function codeOf({ status, body }: RawAnswer): string {
  return status >= 400 && body.length > 0 ? JSON.parse(body.toString()).code : "";
}

/** Every answer is a success, or an error of ours that the caller caused. */
function assertOurs(answer: RawAnswer, method: string, asked: unknown = ""): void {
  const { status, headers, body } = answer;
  if (status >= 500) assert.fail(`${JSON.stringify(asked)}: ${status} ${body} ${faults()}`);
  assert.match(headers["x-request-id"] ?? "", /^req_[0-9a-f]{32}$/, `${status}: ${body}`);
  if (status < 400 || method === "HEAD") return;
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  const { error, message, code, requestId, retryable } = JSON.parse(body.toString("utf8"));
  assert.equal(requestId, headers["x-request-id"]);
  assert.equal(error, message);
  assert.deepEqual([typeof message, typeof code, typeof retryable], ["string", "string", "boolean"]);
  assert.ok(!headers["x-injected"]);
}

/** What the service says of its own faults. */
function faults(): string {
  return service
    .logged()
    .split("\n")
    .filter((line) => line.includes('"level":50'))
    .join("\n");
}

async function assertWell(): Promise<void> {
  const live = await fetch(`${service.origin}/health`);
  assert.equal((await live.json()).status, "healthy");
  const { key } = await service.createAccount();
  const picture = await service.take({ api_key: key, url: `${site.origin}/` });
  assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/jpeg"]);
  await picture.arrayBuffer();
  assert.equal(faults(), "");
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Bytes that are held, but for the log, which the test keeps. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed - service.logged().length;
}

test(`${batchSize * batches} requests by the options' schema: each is answered, none with a 5xx`, async (t) => {
  const seen = counted();
  let heldAtFirst: number | undefined;
  const batch = fc.array(requests(), { minLength: batchSize, maxLength: batchSize, size: "max" });
  await fc.assert(
    fc.asyncProperty(batch, async (all) => {
      for (const [index, answer] of (await askOnOneConnection(all)).entries()) {
        assertOurs(answer, all[index]?.method ?? "", all[index]);
        seen.add(answer);
      }
      heldAtFirst ??= heldBytes();
    }),
    { numRuns: batches, endOnFailure: true },
  );
  seen.print(t);
  assert.ok(seen.counts["403 quota_exceeded"], "some were good but for the quota");
  const grownMb = (heldBytes() - (heldAtFirst ?? 0)) / 2 ** 20;
  assert.ok(grownMb < 100, `${grownMb} MB more are held`);
  await assertWell();
});

test(`${connections} connections with bytes that are hardly HTTP: what is answered is answered by us, none with a 5xx`, async (t) => {
  const seen = counted();
  const group = fc.array(fc.record({ pieces: rawBytes(requests()) }), {
    minLength: connectionsAtOnce,
    maxLength: connectionsAtOnce,
    size: "max",
  });
  await fc.assert(
    fc.asyncProperty(group, async (all) => {
      const each = await Promise.all(all.map(({ pieces }) => exchange(service.origin, { pieces, halfClose: true })));
      for (const answers of each) {
        if (answers.length === 0) seen.add("no answer");
        for (const answer of answers) {
          assertOurs(answer, "");
          seen.add(answer);
        }
      }
    }),
    { numRuns: connections / connectionsAtOnce, endOnFailure: true },
  );
  seen.print(t);
  assert.ok(seen.counts["400 invalid_parameters"], "some were refused with words");
  await assertWell();
});

test(`${captures} real captures with odd options: a picture or a 400, never a 5xx`, async (t) => {
  const seen: Record<string, number> = {};
  const { key } = await service.createAccount();
  const one = fc.asyncProperty(fc.array(quickOptions(schemas()), { minLength: 2, maxLength: 2 }), async (pair) => {
    await Promise.all(
      pair.map(async (options) => {
        const response = await service.take({ api_key: key, url: `${site.origin}/`, ...options });
        const body = Buffer.from(await response.arrayBuffer());
        const what = response.ok ? String(response.status) : `${response.status} ${JSON.parse(body.toString()).code}`;
        seen[what] = (seen[what] ?? 0) + 1;
        assert.match(what, /^(200|204|400 .*)$/, JSON.stringify(options));
      }),
    );
  });
  const small = { width: "50", height: "40", timeout: "10" };
  const known = [
    { selector: "a\0b" },
    { headers: '["X-Odd: \\ud83d"]' },
    { headers: "X-Odd: \u{1f600}" },
    { cookies: '["a=\\ud83d", "b=\\u0000"]' },
    { cookies: "a=\u{1f600}" },
    { cache_key: "\0" },
  ].map((options) => ({ ...small, ...options }));
  await fc.assert(one, { numRuns: captures / 2, endOnFailure: true, examples: known.map((options) => [[options, small]]) });
  t.diagnostic(JSON.stringify(seen));
  await assertWell();
});

const host = "Host: a\r\nConnection: close\r\n";

const alone: [what: string, exchange: Exchange, status: number, code?: string][] = [
  ["garbage", { pieces: ["\x01\x02garbage\r\n\r\n"] }, 400, "invalid_parameters"],
  ["HTTP/0.9", { pieces: ["GET /\r\n"], halfClose: true }, 400, "invalid_parameters"],
  ["HTTP/2 without asking", { pieces: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] }, 400, "invalid_parameters"],
  ["no Host header", { pieces: ["GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n"] }, 400, "invalid_parameters"],
  ["NUL in the address", { pieces: [`GET /\0 HTTP/1.1\r\n${host}\r\n`] }, 400, "invalid_parameters"],
  ["NUL in a header", { pieces: [`GET / HTTP/1.1\r\n${host}X: \0\r\n\r\n`] }, 400, "invalid_parameters"],
  ["overlong UTF-8 in the address", { pieces: [`GET /%c0%af HTTP/1.1\r\n${host}\r\n`] }, 400, "invalid_parameters"],
  ["a stray % in the address", { pieces: [`GET /% HTTP/1.1\r\n${host}\r\n`] }, 400, "invalid_parameters"],
  ["a head that ends in its middle", { pieces: ["GET / HT"], halfClose: true }, 400, "invalid_parameters"],
  ["an address of 100 kB", { pieces: [`GET /${"a".repeat(100_000)} HTTP/1.1\r\n${host}\r\n`] }, 431, "headers_too_large"],
  ["a header of 1 MB", { pieces: [`GET / HTTP/1.1\r\n${host}X: ${"a".repeat(1_000_000)}\r\n\r\n`] }, 431, "headers_too_large"],
  ["10,000 headers", { pieces: [`GET / HTTP/1.1\r\n${host}${"X-Flood: a\r\n".repeat(10_000)}\r\n`] }, 431, "headers_too_large"],
  ["500 headers", { pieces: [`GET /health/live HTTP/1.1\r\n${host}${"X: a\r\n".repeat(500)}\r\n`] }, 200],
  ["a path segment of 200 characters", { pieces: [`GET /v1/screenshots/${"a".repeat(200)} HTTP/1.1\r\n${host}\r\n`] }, 414, "uri_too_long"],
  ["two lengths", { pieces: [`POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`] }, 400, "invalid_parameters"],
  [
    "a length and chunks",
    { pieces: [`POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`] },
    400,
    "invalid_parameters",
  ],
  ["an unknown method", { pieces: [`BREW / HTTP/1.1\r\n${host}\r\n`] }, 400, "invalid_parameters"],
  ["an expectation that nobody knows", { pieces: [`GET /health/live HTTP/1.1\r\n${host}Expect: the-unexpected\r\n\r\n`] }, 200],
  ["the address in absolute form", { pieces: [`GET http://a/health/live HTTP/1.1\r\n${host}\r\n`] }, 200],
  ["a request byte by byte", { pieces: [...`GET /health/live HTTP/1.1\r\n${host}\r\n`] }, 200],
  [
    "a wrong method with a body byte by byte",
    { pieces: [`PUT /health/live HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n`, "{", "}"] },
    405,
    "method_not_allowed",
  ],
];

for (const [what, sent, status, code] of alone) {
  test(`${what}: ${status}${code ? ` ${code}` : ""}`, async () => {
    const [answer, ...more] = await exchange(service.origin, sent);
    assert.ok(answer);
    assert.deepEqual(more, []);
    assertOurs(answer, "");
    assert.deepEqual([answer.status, answer.status < 400 ? undefined : codeOf(answer)], [status, code]);
  });
}

test("OPTIONS * is answered", async () => {
  const [answer] = await exchange(service.origin, { pieces: [`OPTIONS * HTTP/1.1\r\n${host}\r\n`] });
  assert.ok(answer && answer.status < 500, String(answer?.status));
});

test("a request whose head never ends is 408, and its connection is closed", async () => {
  const [answer] = await endless;
  assert.ok(answer);
  assertOurs(answer, "");
  assert.deepEqual([answer.status, codeOf(answer)], [408, "request_timeout"]);
});

test("what is refused before it is a request leaves no key in the log", async () => {
  const [answer] = await exchange(service.origin, {
    pieces: [`GET /v1/screenshots/take?api_key=a-key-of-its-own\0 HTTP/1.1\r\n${host}\r\n`],
  });
  assert.equal(answer?.status, 400);
  assert.match(service.logged(), new RegExp(answer.headers["x-request-id"] ?? "none"));
  assert.doesNotMatch(service.logged(), /a-key-of-its-own/);
});
