/** Generated requests, bytes and captures: every response is one that the API documents, and none is a 5xx. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { parameterSchemas } from "../../../src/http/input/validation.ts";
import { askOnly, noSuchName, startNameServer } from "../../support/name-server.ts";
import { exchange, type RawAnswer } from "../../support/raw.ts";
import type { Scope } from "../../support/scope.ts";
import { startService, type TestService, type TestTimeouts } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";
import { type GeneratedRequest, queryOf, quickOptions, rawBytes, requestOf, requestText } from "../requests.ts";

/** Requests pipelined on one connection. */
const batchSize = 40;
const connectionsAtOnce = 20;

export interface Fuzzed {
  service: TestService;
  site: Site;
  /** May request anything but gets no captures: its quota is 0. */
  emptyKey: string;
}

/** A service for which no generated request can leave this machine: every name is unknown. */
export async function startFuzzed(scope: Scope, timeouts: TestTimeouts = {}): Promise<Fuzzed> {
  const site = await createSite(scope, { "/": colouredPage("#ff0000", "<main id=main>hello</main>") });
  askOnly(scope, (await startNameServer(scope, () => noSuchName)).servers);
  const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, RATE_LIMIT_MAX_REQUESTS: "1000000" }, timeouts);
  const { key } = await service.createAccount({ plan: "pro", quota: 0, rateLimit: 1_000_000 });
  return { service, site, emptyKey: key };
}

export interface FuzzSize {
  requests: number;
  connections: number;
  captures: number;
  /** Makes the requests the same in every run. Without it each run has different ones, and a failure names the seed. */
  seed?: number;
}

/** Defines the tests. */
export function fuzzTests({ service, site, emptyKey }: Fuzzed, { requests, connections, captures, seed }: FuzzSize): void {
  const schemas = parameterSchemas(service.services.takeSchema);
  const generated = requestOf(queryOf(schemas, urlsOf(site)), [...Array(15).fill(emptyKey), `${emptyKey.slice(0, -1)}~`]);
  const run = { endOnFailure: true, ...(seed === undefined ? {} : { seed }) };

  test(`${requests} generated requests: each gets a response, none a 5xx`, async (t) => {
    const seen = counted();
    let heldAtFirst: number | undefined;
    const batch = fc.array(generated, { minLength: batchSize, maxLength: batchSize, size: "max" });
    await fc.assert(
      fc.asyncProperty(batch, async (all) => {
        for (const [index, answer] of (await askOnOneConnection(service, all)).entries()) {
          assertOurs(answer, all[index]?.method ?? "", () => `${JSON.stringify(all[index])} ${faults(service)}`);
          seen.add(answer);
        }
        heldAtFirst ??= heldBytes(service);
      }),
      { ...run, numRuns: requests / batchSize },
    );
    seen.print(t);
    assert.ok(seen.counts["403 quota_exceeded"], "some were valid except for the quota");
    const grownMb = (heldBytes(service) - (heldAtFirst ?? 0)) / 2 ** 20;
    assert.ok(grownMb < 100, `${grownMb} MB more are in use`);
    await assertWell(service, site);
  });

  test(`${connections} connections with malformed HTTP: each response has the API's format, and none is a 5xx`, async (t) => {
    const seen = counted();
    const one = fc.record({ pieces: rawBytes(generated) });
    const group = fc.array(one, { minLength: connectionsAtOnce, maxLength: connectionsAtOnce, size: "max" });
    await fc.assert(
      fc.asyncProperty(group, async (all) => {
        const each = await Promise.all(all.map(({ pieces }) => exchange(service.origin, { pieces, halfClose: true })));
        for (const answers of each) {
          if (answers.length === 0) seen.add("no answer");
          for (const answer of answers) {
            assertOurs(answer, "", () => faults(service));
            seen.add(answer);
          }
        }
      }),
      { ...run, numRuns: connections / connectionsAtOnce },
    );
    seen.print(t);
    assert.ok(seen.counts["400 invalid_parameters"], "some were rejected with a message");
    await assertWell(service, site);
  });

  test(`${captures} captures with unusual options: each gives an image or a 400, never a 5xx`, async (t) => {
    const seen: Record<string, number> = {};
    const { key } = await service.createAccount();
    const one = fc.asyncProperty(fc.array(quickOptions(schemas), { minLength: 2, maxLength: 2 }), async (pair) => {
      await Promise.all(
        pair.map(async (options) => {
          const response = await service.take({ api_key: key, url: `${site.origin}/`, ...options });
          const body = Buffer.from(await response.arrayBuffer());
          const code = response.headers.get("x-error-code") ?? (response.ok ? "" : JSON.parse(body.toString()).code); // for an error image
          const what = `${response.status} ${code}`.trim();
          seen[what] = (seen[what] ?? 0) + 1;
          assert.match(what, /^(200|204|400 .*)$/, JSON.stringify(options));
        }),
      );
    });
    await fc.assert(one, { ...run, numRuns: captures / 2, examples: known.map((options) => [[{ ...small, ...options }, small]]) });
    t.diagnostic(JSON.stringify(seen));
    await assertWell(service, site);
  });
}

const small = { width: "50", height: "40", timeout: "10" };
/** Options that once caused a 5xx. */
const known: Record<string, string>[] = [
  { selector: "a\0b" },
  { headers: '["X-Odd: \\ud83d"]' },
  { headers: "X-Odd: \u{1f600}" },
  { cookies: '["a=\\ud83d", "b=\\u0000"]' },
  { cookies: "a=\u{1f600}" },
  { cache_key: "\0" },
];

function urlsOf(site: Site): string[] {
  const others = ["http://169.254.169.254/", "http://[::1]/", "http://0x7f.1/", "https://example.com/", "data:text/html,a", "//a"];
  return [`${site.origin}/`, `${site.origin}/`, ...others, "http://a:b@c/"];
}

/** Requests are pipelined; those after a response that closes the connection are sent on the next one. */
async function askOnOneConnection(service: TestService, all: GeneratedRequest[]): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  while (answers.length < all.length) {
    const rest = all.slice(answers.length);
    const text = rest.map((request, index) => requestText(request, index === rest.length - 1 ? "close" : "keep-alive")).join("");
    const some = await exchange(service.origin, { pieces: [text], methods: rest.map(({ method }) => method) });
    assert.equal(some.at(-1)?.headers.connection, "close", `${some.length} of ${rest.length} were answered`);
    answers.push(...some);
  }
  return answers;
}

/** Counts responses by status and code. */
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

export function codeOf({ status, headers, body }: RawAnswer): string {
  if (status < 400 || body.length === 0) return "";
  return headers["x-error-code"] ?? JSON.parse(body.toString()).code;
}

/** Checks that the response is a success, or an error in the API's own format that is not the API's fault. */
export function assertOurs(answer: RawAnswer, method: string, context = () => ""): void {
  const { status, headers, body } = answer;
  if (status >= 500) assert.fail(`${status} ${body} ${context()}`);
  assert.match(headers["x-request-id"] ?? "", /^req_[0-9a-f]{32}$/, `${status}: ${body}`);
  if (status < 400 || method === "HEAD") return;
  if (headers["content-type"]?.startsWith("image/")) return void assert.ok(headers["x-error-code"]); // error_image
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  const { error, message, code, requestId, retryable } = JSON.parse(body.toString("utf8"));
  assert.equal(requestId, headers["x-request-id"]);
  assert.equal(error, message);
  assert.deepEqual([typeof message, typeof code, typeof retryable], ["string", "string", "boolean"]);
  assert.ok(!headers["x-injected"]);
}

/** The service's own error-level log lines. */
function faults(service: TestService): string {
  const lines = service.logged().split("\n");
  return lines.filter((line) => line.includes('"level":50')).join("\n");
}

async function assertWell(service: TestService, site: Site): Promise<void> {
  const live = await fetch(`${service.origin}/health`);
  assert.equal((await live.json()).status, "healthy");
  const { key } = await service.createAccount();
  const picture = await service.take({ api_key: key, url: `${site.origin}/` });
  assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/jpeg"]);
  await picture.arrayBuffer();
  assert.equal(faults(service), "");
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Heap in use, in bytes, not counting the log, which the test keeps. */
function heldBytes(service: TestService): number {
  collectGarbage();
  return process.memoryUsage().heapUsed - service.logged().length;
}
