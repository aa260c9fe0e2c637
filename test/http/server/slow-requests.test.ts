/** Incomplete requests are answered after a timeout, and their connections closed. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { countParsedRequests } from "../../support/count-parsed.ts";
import { eventually } from "../../support/eventually.ts";
import { longOnly } from "../../support/long-only.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { exchange, type RawAnswer } from "../../support/raw.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { createSite, type Site } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Site;
let service: TestService;

/** All are sent concurrently, because each takes the whole timeout. */
let answersTo: Record<string, Promise<RawAnswer[]>>;

const head = "POST /v1/auth/sign-in HTTP/1.1\r\nHost: a\r\nOrigin: http://localhost:3001\r\nContent-Type: application/json\r\n";
const unfinished: Record<string, string> = {
  "a body that never begins to arrive": `${head}Content-Length: 20\r\n\r\n`,
  "a body that ends too early": `${head}Content-Length: 20\r\n\r\n{"email":`,
  "chunks that never end": `${head}Transfer-Encoding: chunked\r\n\r\n9\r\n{"email":\r\n`,
  "headers that never end": "POST /v1/auth/sign-in HTTP/1.1\r\nHost: a\r\n",
};
const early = "a request that is answered before its body has arrived";
const earlyAnswered = "PUT /v1/screenshots/take HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n";

before(async () => {
  site = await createSite(scope);
  service = await startService(
    scope,
    { EGRESS_ALLOWED_HOSTS: site.host },
    { headersTimeout: 1_500, requestTimeout: 2_000, connectionsCheckingInterval: 100, stalledTimeout: 1_000, keylessBodyTimeout: 1_000 },
  );
  const all = Object.entries({ ...unfinished, [early]: earlyAnswered });
  answersTo = Object.fromEntries(all.map(([what, sent]) => [what, exchange(service.origin, { pieces: [sent] })]));
});

for (const what of Object.keys(unfinished))
  test(`${what}: 408, and the connection is closed`, async () => {
    const [answer, ...more] = (await answersTo[what]) ?? [];
    assert.ok(answer);
    assert.deepEqual(more, []);
    assert.equal(answer.status, 408, answer.body.toString());
    assert.equal(answer.headers.connection, "close");
    assert.equal(JSON.parse(answer.body.toString()).code, "request_timeout");
  });

test("a body whose request has a key in a header may take longer to arrive than one without a key", async () => {
  const { key } = await service.createAccount();
  const [withKey, without] = await Promise.all(
    [`X-API-Key: ${key}\r\n`, ""].map(async (line) => {
      const pieces = [
        `POST /v1/screenshots/take HTTP/1.1\r\nHost: a\r\n${line}Content-Type: application/json\r\nContent-Length: 20\r\n\r\n`,
      ];
      const [answer] = await exchange(service.origin, { pieces });
      return { status: answer?.status, message: JSON.parse(String(answer?.body)).message };
    }),
  );
  assert.deepEqual(withKey, { status: 408, message: "The request did not arrive in time." });
  assert.equal(without?.status, 408);
  assert.match(without?.message, /Send the API key in a header/);
});

test(`${early}: its connection is closed without a second response`, async () => {
  const answers = (await answersTo[early]) ?? [];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [405],
  );
});

longTest("a client that doesn't read its response is disconnected; one that reads it slowly is not", async (t) => {
  const { key } = await service.createAccount();
  site.serve({ "/large": `<p>Large<script type="text/plain">${"x".repeat(24_000_000)}</script>` });
  const ask = () => {
    const { hostname, port } = new URL(service.origin);
    const socket = connect(Number(port), hostname);
    t.after(() => socket.destroy());
    socket.pause();
    socket.write(`GET /v1/screenshots/take?format=html&url=${site.origin}/large HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`);
    return socket;
  };
  ask();
  await eventually("it has been disconnected", () => /"path":"\/v1\/screenshots\/take","status":499/.test(service.logged()));

  const slow = ask();
  let received = 0;
  slow.on("data", (bytes) => {
    received += bytes.length;
    slow.pause();
    setTimeout(() => slow.resume(), 5);
  });
  slow.resume();
  await eventually("it has received everything", () => received > 24_000_000);
});

const last = "GET /nope HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

longTest("pipelined requests run one after another", async () => {
  const { key } = await service.createAccount();
  const held = Promise.withResolvers<ServerResponse>();
  const second = Promise.withResolvers<void>();
  const loaded: string[] = [];
  site.serve({
    "/one": (_request, response) => {
      loaded.push("one");
      held.resolve(response);
    },
    "/two": async (_request, response) => {
      loaded.push("two");
      if (loaded.length > 2) await second.promise;
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>two");
    },
  });
  const take = (path: string, header = "") =>
    `GET /v1/screenshots/take?width=20&height=10&url=${site.origin}${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n${header}\r\n`;
  const answers = exchange(service.origin, { pieces: [take("/one") + take("/two", "Connection: close\r\n")] });
  const first = await held.promise;
  assert.equal((await service.take({ api_key: key, url: `${site.origin}/two`, width: "20", height: "10" })).status, 200);
  assert.deepEqual(loaded, ["one", "two"], "the other browser is free, and the second request has not started");
  first.writeHead(200, { "content-type": "text/html" }).end("<h1>one");
  await eventually("the second request has started", () => loaded.length === 3);
  await pause(1_500); // longer than a client may go without reading the first response
  second.resolve();
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    [200, 200],
  );
  assert.deepEqual(loaded, ["one", "two", "two"]);
});

test("a hundred requests may be pipelined; thousands close the connection without blocking the event loop", async () => {
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const answers = await exchange(service.origin, { pieces: [ask("/health/live").repeat(100) + last] });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array.from({ length: 100 }, () => 200), 404],
  );
  await fetch(`${service.origin}/openapi.json`).then((description) => description.text()); // built when it is first requested
  const tooMany = await longestTurnAtBest(() => exchange(service.origin, { pieces: [ask("/openapi.json").repeat(3_000)] }));
  assert.equal(tooMany.result.length, 0);
  assert.ok(tooMany.ms < 100 && tooMany.grownBytes < 50e6, `${tooMany.ms} ms, ${tooMany.grownBytes} bytes`);
});

test("a connection whose waiting requests have heads of more than 256 KB is closed", async () => {
  const { key } = await service.createAccount();
  const held: ServerResponse[] = [];
  site.serve({ "/held-first": (_request, response) => void held.push(response) });
  const first = `GET /v1/screenshots/take?width=20&height=10&url=${site.origin}/held-first HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`;
  const ask = (bytes: number) => `GET /health/live HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(bytes)}\r\n\r\n`;
  assert.equal((await exchange(service.origin, { pieces: [first + ask(60_000).repeat(5)] })).length, 0);
  held.length = 0; // if the page was asked for at all
  const few = exchange(service.origin, { pieces: [first + ask(20_000).repeat(5) + last] });
  await eventually("the page is asked for", () => held.length > 0);
  for (const response of held) response.writeHead(200, { "content-type": "text/html" }).end("<h1>one");
  assert.deepEqual(
    (await few).map(({ status }) => status),
    [200, 200, 200, 200, 200, 200, 404],
  );
});

test("the rest of what is read from a connection with too many requests isn't parsed, and later connections work", async (t) => {
  const parsed = countParsedRequests(t);
  const flood = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n".repeat(5_000);
  const connections = 10;
  const answers = await Promise.all(Array.from({ length: connections }, () => exchange(service.origin, { pieces: [flood] })));
  assert.deepEqual(answers.flat(), []);
  assert.equal(parsed(), connections * 102, "one that runs, a hundred that wait, and one too many");
  const healthy = Array.from({ length: 2 * connections }, () =>
    exchange(service.origin, { pieces: ["GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n", last] }),
  );
  for (const [first, second, ...more] of await Promise.all(healthy)) {
    assert.deepEqual([first?.status, second?.status, more.length], [200, 404, 0]);
  }
});

test("none of these requests is logged as an error of the service", () => {
  assert.doesNotMatch(service.logged(), /"level":50/);
});

longTest("handling a complete request may take longer than the request timeout", async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  site.serve({ "/held": (_request, response) => asked.resolve(response) });
  const { key } = await service.createAccount();
  const screenshot = service.take({ api_key: key, url: `${site.origin}/held`, width: "20", height: "10" });
  const page = await asked.promise;
  const [answer] = await exchange(service.origin, { pieces: [unfinished["a body that never begins to arrive"] ?? ""] });
  assert.equal(answer?.status, 408, "the time limit for receiving a request has passed");
  page.writeHead(200, { "content-type": "text/html" }).end("<h1>at last");
  assert.equal((await screenshot).status, 200);
});
