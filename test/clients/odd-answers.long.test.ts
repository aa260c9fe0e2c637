/** The TypeScript client with responses that Tintype never sends but intermediaries may; the Python client has the same tests. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createTintype, type Tintype, TintypeError } from "../../clients/typescript/src/index.ts";

const json = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const image = "HTTP/1.1 200 OK\r\ncontent-type: image/png\r\nx-screenshot-id: one\r\n";
const answered = (head: string, body: string) => [`${head}content-length: ${Buffer.byteLength(body, "latin1")}\r\n\r\n${body}`];

/** Answers each connection with the parts of the next response, a tenth of a second apart; the last response is repeated. */
async function startOddServer(t: TestContext, ...answers: string[][]) {
  const requests: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {}); // the client may disconnect
    socket.once("data", async (head) => {
      requests.push(head.toString("latin1").split("\r\n")[0] ?? "");
      for (const part of (answers.length > 1 ? answers.shift() : answers[0]) ?? []) {
        if (socket.destroyed) return;
        socket.write(part, "latin1");
        await pause(100);
      }
      socket.end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, tintype: createTintype({ url, key: "0".repeat(32), retries: 0, timeoutMs: 5_000 }) };
}

async function errorOf(work: Promise<unknown>): Promise<TintypeError> {
  const error = await work.then(
    () => assert.fail("it succeeded"),
    (reason) => reason,
  );
  assert.ok(error instanceof TintypeError, String(error.stack));
  return error;
}

test("a response that isn't the service's is reported and not retried", async (t) => {
  const answers = {
    "no JSON": answered("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n", "<h1>Sign in</h1>"),
    "half of it": answered(json, '{"id":'),
    empty: answered(json, ""),
    null: answered(json, "null"),
    "a list": answered(json, "[]"),
    nothing: answered("HTTP/1.1 204 No Content\r\n", ""),
    "an unrelated object": answered(json, '{"status":"ok"}'),
    elsewhere: answered("HTTP/1.1 301 Moved\r\nlocation: https://other.example/\r\n", ""),
    "another error": answered("HTTP/1.1 403 No\r\ncontent-type: application/json\r\nretry-after: \xb2\r\n", "null"),
  };
  const first = async (items: AsyncGenerator<unknown>) => (await items.next()).value;
  const calls = [
    (one: Tintype) => one.take({ url: "x" }),
    (one: Tintype) => one.watches.get("x"),
    (one: Tintype) => first(one.watches.list()),
    (one: Tintype) => first(one.batches.progress("x")),
    (one: Tintype) => first(one.batches.results("x")),
    (one: Tintype) => one.batches.zip("x"),
    (one: Tintype) => one.captures.wait("x"),
  ];
  for (const [name, answer] of Object.entries(answers))
    for (const call of calls) {
      const { tintype } = await startOddServer(t, answer);
      const { code, retryable, message } = await errorOf(call(tintype));
      assert.deepEqual([code, retryable], ["unexpected_answer", false], `${name}: ${message}`);
      if (name === "elsewhere") assert.match(message, /redirects to https:\/\/other\.example\/: give that one instead\./);
    }
});

test("a truncated response is an error, and a slow one doesn't outlast the deadline", async (t) => {
  const cut = await startOddServer(t, [`${image}content-length: 100\r\n\r\nhalf`]);
  const { code, retryable } = await errorOf(cut.tintype.take({ url: "x" }));
  assert.deepEqual([code, retryable], ["unreachable", true]);
  const slow = await startOddServer(t, [`${image}content-length: 1000\r\n\r\n`, ...Array<string>(600).fill("x")]);
  assert.equal((await errorOf(slow.tintype.take({ url: "x" }, { timeoutMs: 500 }))).code, "timeout");
});

test("a truncated result is fetched again", async (t) => {
  const lines = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n";
  const { tintype, requests } = await startOddServer(
    t,
    answered(json, '{"id":"x","total":2}'),
    [`${lines}{"id":"1"}\n{"id":`],
    answered(json, '{"id":"x","status":"running"}'),
    [`${lines}{"id":"2"}\n`],
  );
  const ids: string[] = [];
  for await (const { id } of tintype.batches.results("x")) ids.push(id);
  assert.deepEqual(ids, ["1", "2"]);
  assert.equal(requests[3], "GET /v1/batches/x/results?follow=true&after=1 HTTP/1.1");
});

test("lines with another media type or format are not treated as results", async (t) => {
  const batch = answered(json, '{"id":"x","total":2}');
  const lines = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n";
  for (const [name, answer] of Object.entries({
    "a page": answered("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n", '{"id":"1"}\n'),
    "no JSON": [`${lines}<h1>\n`],
    "no object": [`${lines}1\n`],
    "no id": [`${lines}{}\n`],
  })) {
    const { tintype } = await startOddServer(t, batch, answer);
    assert.equal((await errorOf(tintype.batches.results("x").next())).code, "unexpected_answer", name);
  }
});

test("Retry-After is parsed as seconds or an HTTP date; anything else is ignored", async (t) => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  const cases: [string, (seconds: number | undefined) => boolean][] = [
    ["7", (seconds) => seconds === 7],
    [inAMinute, (seconds = 0) => seconds > 50 && seconds <= 61],
    ["Wed, 21 Oct 2015 07:28:00 GMT", (seconds) => seconds === 0],
    ...["0x10", "Infinity", "-1", "1.5", "1e3", "", "soon", "12345678901", "2030-01-01"].map(
      (text): [string, (seconds: number | undefined) => boolean] => [text, (seconds) => seconds === undefined],
    ),
  ];
  for (const [text, isRight] of cases) {
    const { tintype } = await startOddServer(t, answered(`HTTP/1.1 503 No\r\nretry-after: ${text}\r\n`, ""));
    const { retryAfterSeconds } = await errorOf(tintype.watches.get("x"));
    assert.ok(isRight(retryAfterSeconds), `${text}: ${retryAfterSeconds}`);
  }
});

test("an id that would change the URL's path is rejected before anything is sent", async (t) => {
  const { tintype, requests } = await startOddServer(t, answered(json, "{}"));
  for (const id of ["", ".", "..", "a/b", "a?b", "%2e%2e", "a b", "\ud800"]) {
    const refused = { name: "TypeError", message: /^An id has letters, digits and dashes/ };
    await assert.rejects(async () => await tintype.captures.get(id), refused, id);
    await assert.rejects(async () => await tintype.batches.cancel(id), refused, id);
    await assert.rejects(async () => await tintype.watches.runs(id).next(), refused, id);
  }
  assert.deepEqual(requests, []);
  assert.throws(() => createTintype({ url: "https://user:secret@example.com", key: "k" }), {
    message: "The service's URL must have no user name and no password.",
  });
  for (const url of [
    "https://example.com?api_key=secret",
    "https://example.com?",
    "https://example.com#secret",
    "secret",
    "ftp://example.com",
  ])
    assert.throws(() => createTintype({ url, key: "k" }), {
      message: "The service must be an http or https URL without a query, such as https://screenshots.example.com.",
    });
});

test("error members of the wrong type are dropped, and a repeated page ends a list", async (t) => {
  const members = JSON.stringify({ message: 5, code: [], retryable: "yes", requestId: null, details: "x" });
  const { tintype } = await startOddServer(t, answered("HTTP/1.1 400 No\r\ncontent-type: application/json\r\n", members));
  const { message, code, retryable, requestId, details } = await errorOf(tintype.watches.get("x"));
  assert.deepEqual(
    [message, code, retryable, requestId, details],
    ["The service answered with status 400.", "unexpected_answer", false, undefined, []],
  );
  const same = await startOddServer(t, answered(json, '{"watches":[{"id":"1"}],"next_cursor":"1"}'));
  const ids: string[] = [];
  for await (const { id } of same.tintype.watches.list()) ids.push(id);
  assert.deepEqual(ids, ["1", "1"]);
});
