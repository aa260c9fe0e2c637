/** The API against malformed HTTP and a thousand generated requests; robustness.long.test.ts sends sixteen thousand. */

import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { pino } from "pino";
import { createHttpServer } from "../../../src/http/server/http-server.ts";
import { createMetricsServer } from "../../../src/http/server/metrics-server.ts";
import { type Exchange, exchange } from "../../support/raw.ts";
import { fileScope } from "../../support/scope.ts";
import { assertOurs, codeOf, fuzzTests, startFuzzed } from "./fuzz.ts";

const fuzzed = await startFuzzed(fileScope(), { headersTimeout: 8_000 });
const { service } = fuzzed;
/** The response to a request whose headers never end. Sent first, because it takes seconds. */
const endless = exchange(service.origin, { pieces: ["GET /health/live HTTP/1.1\r\nHost: a\r\nX-Slow: "] });

fuzzTests(fuzzed, { requests: 1_000, connections: 400, captures: 14, seed: 1 });

const host = "Host: a\r\nConnection: close\r\n";

const alone: [what: string, exchange: Exchange, status: number, code?: string][] = [
  ["garbage", { pieces: ["\x01\x02garbage\r\n\r\n"] }, 400, "invalid_parameters"],
  ["HTTP/0.9", { pieces: ["GET /\r\n"], halfClose: true }, 400, "invalid_parameters"],
  ["HTTP/2 without asking", { pieces: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] }, 400, "invalid_parameters"],
  ["no Host header", { pieces: ["GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n"] }, 400, "invalid_parameters"],
  ["a NUL in the request target", { pieces: [`GET /\0 HTTP/1.1\r\n${host}\r\n`] }, 400, "invalid_parameters"],
  ["a NUL in a header", { pieces: [`GET / HTTP/1.1\r\n${host}X: \0\r\n\r\n`] }, 400, "invalid_parameters"],
  ["overlong UTF-8 in the request target", { pieces: [`GET /%c0%af HTTP/1.1\r\n${host}\r\n`] }, 400, "invalid_parameters"],
  ["a stray % in the request target", { pieces: [`GET /% HTTP/1.1\r\n${host}\r\n`] }, 400, "invalid_parameters"],
  ["a request that ends in the middle of its headers", { pieces: ["GET / HT"], halfClose: true }, 400, "invalid_parameters"],
  ["a request target of 100 kB", { pieces: [`GET /${"a".repeat(100_000)} HTTP/1.1\r\n${host}\r\n`] }, 431, "headers_too_large"],
  ["a header of 1 MB", { pieces: [`GET / HTTP/1.1\r\n${host}X: ${"a".repeat(1_000_000)}\r\n\r\n`] }, 431, "headers_too_large"],
  ["10,000 headers", { pieces: [`GET / HTTP/1.1\r\n${host}${"X-Flood: a\r\n".repeat(10_000)}\r\n`] }, 431, "headers_too_large"],
  ["500 headers", { pieces: [`GET /health/live HTTP/1.1\r\n${host}${"X: a\r\n".repeat(500)}\r\n`] }, 200],
  ["1,000 headers", { pieces: [`GET /health/live HTTP/1.1\r\n${host}${"X: a\r\n".repeat(998)}\r\n`] }, 200],
  ["1,001 headers", { pieces: [`GET /health/live HTTP/1.1\r\n${host}${"X: a\r\n".repeat(999)}\r\n`] }, 431, "headers_too_large"],
  [
    "12,000 headers and a body",
    { pieces: [`POST /v1/captures HTTP/1.1\r\n${host}${"X:\r\n".repeat(12_000)}Content-Length: 2\r\n\r\n{}`] },
    431,
    "headers_too_large",
  ],
  ["a path segment of 200 characters", { pieces: [`GET /v1/screenshots/${"a".repeat(200)} HTTP/1.1\r\n${host}\r\n`] }, 414, "uri_too_long"],
  ["two lengths", { pieces: [`POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`] }, 400, "invalid_parameters"],
  [
    "both Content-Length and chunked encoding",
    { pieces: [`POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`] },
    400,
    "invalid_parameters",
  ],
  ["an unknown method", { pieces: [`BREW / HTTP/1.1\r\n${host}\r\n`] }, 400, "invalid_parameters"],
  ["an unknown Expect header", { pieces: [`GET /health/live HTTP/1.1\r\n${host}Expect: the-unexpected\r\n\r\n`] }, 200],
  ["a request target in absolute form", { pieces: [`GET http://a/health/live HTTP/1.1\r\n${host}\r\n`] }, 200],
  ["a request sent byte by byte", { pieces: [...`GET /health/live HTTP/1.1\r\n${host}\r\n`] }, 200],
  [
    "a wrong method with a body sent byte by byte",
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

test("OPTIONS * gets a response", async () => {
  const [answer] = await exchange(service.origin, { pieces: [`OPTIONS * HTTP/1.1\r\n${host}\r\n`] });
  assert.ok(answer && answer.status < 500, String(answer?.status));
});

test("a request whose headers never end gets a 408, and its connection is closed", async () => {
  const [answer] = await endless;
  assert.ok(answer);
  assertOurs(answer, "");
  assert.deepEqual([answer.status, codeOf(answer)], [408, "request_timeout"]);
});

test("malformed requests leave no key in the log", async () => {
  const [answer] = await exchange(service.origin, {
    pieces: [`GET /v1/screenshots/take?api_key=a-key-of-its-own\0 HTTP/1.1\r\n${host}\r\n`],
  });
  assert.equal(answer?.status, 400);
  assert.match(service.logged(), new RegExp(answer.headers["x-request-id"] ?? "none"));
  assert.doesNotMatch(service.logged(), /a-key-of-its-own/);
});

test("a handler of a connection's events that throws costs its connection, not the process", async (t) => {
  const sent: [event: string, pieces: string[]][] = [
    ["connection", []],
    ["upgrade", [`GET / HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`]],
    ["connect", [`CONNECT a:80 HTTP/1.1\r\n${host}\r\n`]],
    ["clientError", ["garbage\r\n\r\n"]],
  ];
  for (const app of [createHttpServer(service.services, pino({ level: "silent" })), createMetricsServer(service.services)]) {
    await app.listen({ host: "127.0.0.1", port: 0 });
    t.after(() => app.close());
    const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    for (const [event, pieces] of sent) {
      app.server.prependOnceListener(event, () => {
        throw new Error("a fault");
      });
      assert.deepEqual(await exchange(origin, { pieces }), [], event);
      const [after] = await exchange(origin, { pieces: [`GET /nothing HTTP/1.1\r\n${host}\r\n`] });
      assert.equal(after?.status, 404, event);
    }
  }
});
