/** Where a request ends: the dashboard's server and the API must agree, or one user's bytes could become another's request. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { freePort } from "../../scripts/stack/ports.ts";
import { exchange } from "../support/raw.ts";
import { fileScope } from "../support/scope.ts";
import { startDashboardServer } from "./dashboard.ts";

const scope = fileScope();
let origin: string;
/** What reached the API, in order of arrival. */
const received: string[] = [];

before(async () => {
  const api = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    received.push(`${request.method} ${request.url} ${body}`.trim());
    response.end("ok");
  });
  await once(api.listen(0, "127.0.0.1"), "listening");
  scope.after(() => {
    api.close();
    api.closeAllConnections();
  });
  const port = await freePort();
  const { port: apiPort } = api.address() as AddressInfo;
  await startDashboardServer(scope, { WEB_SERVER_URL: `http://127.0.0.1:${apiPort}`, WEB_PORT: String(port) });
  origin = `http://127.0.0.1:${port}`;
});

const hidden = "GET /v1/hidden HTTP/1.1\r\nHost: a\r\n\r\n";
const chunks = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
const framings: Record<string, string> = {
  "in chunks": `Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
  "with Content-Length": `Connection: close\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  "in chunks, with Transfer-Encoding listed in Connection": `Connection: close, transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
  "with Content-Length, which is listed in Connection": `Connection: close, content-length\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  "with Content-Length after hundreds of other headers": `Connection: close\r\n${"a:\r\n".repeat(490)}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
};

for (const method of ["GET", "HEAD", "DELETE", "OPTIONS", "POST", "PUT", "PATCH", "TRACE", "QUERY"])
  for (const [how, rest] of Object.entries(framings))
    test(`request smuggling: the body of a ${method} request, sent ${how}, is not parsed as the next request`, async () => {
      received.length = 0;
      const text = `${method} /v1/seen HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n${rest}`;
      // The next request uses the same connection to the API, after everything that the previous one sent on it.
      for (const _ of [1, 2]) await exchange(origin, { pieces: [text], methods: [method] });
      await exchange(origin, { pieces: ["GET /v1/last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"] });
      const seen = `${method} /v1/seen ${hidden}`.trim();
      assert.deepEqual(received, [seen, seen, "GET /v1/last"]);
    });

test("a request with more than 500 headers is refused, and its body is not parsed as the next request", async () => {
  received.length = 0;
  const head = (count: number) => `POST /v1/seen HTTP/1.1\r\nHost: a\r\n${"a:\r\n".repeat(count)}Content-Length: ${hidden.length}\r\n\r\n`;
  for (const text of [head(499), head(12_000), head(1).replace("a:", `Connection: ${"a,".repeat(600)}`)]) {
    const answers = await exchange(origin, { pieces: [text + hidden] });
    assert.deepEqual(
      answers.map(({ status }) => status),
      [431],
      text.slice(0, 100),
    );
    const { code, retryable, message, error, requestId } = JSON.parse(String(answers[0]?.body));
    assert.deepEqual([code, retryable, message === error, typeof requestId], ["headers_too_large", false, true, "string"]);
  }
  assert.deepEqual(received, []);
  await exchange(origin, { pieces: [head(498).replace("a:", "Connection: close") + hidden] });
  assert.deepEqual(received, [`POST /v1/seen ${hidden}`.trim()]);
});

test("a request without a body is forwarded without one", async () => {
  received.length = 0;
  for (const method of ["GET", "POST", "DELETE"])
    await exchange(origin, { pieces: [`${method} /v1/seen HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`] });
  assert.deepEqual(received, ["GET /v1/seen", "POST /v1/seen", "DELETE /v1/seen"]);
});

test("a body that isn't forwarded is not received: the response doesn't wait for its end, and closes the connection", async () => {
  for (const path of ["/elsewhere", "/assets/none", "/healthz"])
    for (const type of ["application/json", "text/plain", "a/b"]) {
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`;
      const [answer] = await exchange(origin, { pieces: [head] });
      assert.deepEqual([answer?.status, answer?.headers.connection], [404, "close"], head);
    }
});
