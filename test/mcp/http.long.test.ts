/** `/mcp` without the protocol's own client: messages, keys, log lines and metrics. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { answerBytesMax, type CallApi } from "../../src/mcp/call.ts";
import { readPageTool } from "../../src/mcp/tools/read-page.ts";
import { screenshotTool } from "../../src/mcp/tools/screenshot.ts";
import { eventually } from "../support/eventually.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#ffffff", "<h1>Open</h1>") });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
const { key } = await service.createAccount();

async function post(body: string, headers: Record<string, string> = { authorization: `Bearer ${key}` }, query = "") {
  const given = { "content-type": "application/json", ...headers };
  const response = await fetch(`${service.origin}/mcp${query}`, {
    method: "POST",
    headers: given,
    body,
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return { status: response.status, text, json: text ? JSON.parse(text) : undefined };
}

const message = (method: string, params?: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, ...(params && { params }) });

async function internalErrors(): Promise<number> {
  const { values } = await service.services.metrics.failures.get();
  return values.find(({ labels }) => labels.code === "internal_error")?.value ?? 0;
}

test("each request contains one message; batches, including those that cancel their own requests, are rejected immediately", async () => {
  const list = { jsonrpc: "2.0", id: 7, method: "resources/list" };
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  const cases: [body: string, words: RegExp][] = [
    [JSON.stringify([list, cancel]), /must be a JSON object, not a list/],
    ["[]", /not a list/],
    ["{", /not valid JSON/],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}', /has method twice/],
    [message("tools/call", { name: "screenshot", arguments: { steps: Array(5_000).fill(5) } }), /too many values/],
    [`{"a":${'{"a":'.repeat(20)}1${"}".repeat(20)}}`, /more than 12 levels/],
  ];
  for (const [body, words] of cases) {
    const { status, json, text } = await post(body);
    assert.deepEqual([status, json.error.code, json.id], [400, -32700, null], text);
    assert.match(json.error.message, words);
  }
});

test("responses are JSON, whatever the client accepts, and the key is accepted in headers only", async () => {
  const accepting = (accept: string) => post(message("ping"), { authorization: `Bearer ${key}`, accept });
  for (const accept of ["application/json", "*/*"]) assert.deepEqual((await accepting(accept)).json.result, {});
  const inQuery = await post(message("ping"), {}, `?api_key=${key}`);
  assert.deepEqual([inQuery.status, inQuery.json.code], [403, "invalid_api_key"]);
});

test("a screenshot for a model is not logged as an error, and links to it are never logged", async () => {
  const before = await internalErrors();
  const { json } = await post(message("tools/call", { name: "screenshot", arguments: { url: `${site.origin}/` } }));
  assert.ok(json.result.content.some(({ type }: { type: string }) => type === "image"));
  assert.equal(await internalErrors(), before);
  assert.doesNotMatch(service.logged(), /signature=|"status":499/);
});

test("of a large stored file, only the part that a tool reads is read from storage", async () => {
  site.serve({ "/words": "<!doctype html><p>Words" });
  const request = { url: `${site.origin}/words`, outputs: [{ name: "text", format: "text" }], async: true };
  const made = await service.send("POST", "/v1/captures", key, request);
  await service.send("GET", `/v1/captures/${made.json.id}?wait=30`, key);
  const get = service.services.store.get;
  scope.after(() => Object.assign(service.services.store, { get }));
  let bytesRead = 0;
  let stream: Readable | undefined;
  service.services.store.get = async (...of) => {
    const found = await get(...of);
    found?.stream.destroy();
    const read = () => {
      bytesRead += 1024 * 1024;
      rest.push(Buffer.alloc(1024 * 1024, "line of text\n"));
    };
    const rest = new Readable({ highWaterMark: 0, read });
    stream = rest;
    return found && { ...found, bytes: 1e9, stream: rest };
  };
  const { json } = await post(message("tools/call", { name: "crawl", arguments: { action: "read", page: made.json.id } }));
  assert.match(json.result.content[0].text, /Part 1 of 1\d\d:/);
  assert.ok(bytesRead < 10e6, `${bytesRead} bytes were read`);
  await eventually("the rest is not held", () => stream?.destroyed === true);
});

test("tools read only a limited part of documents and element lists", async () => {
  const api =
    (...bodies: Buffer[]): CallApi =>
    async ({ bytesMax = answerBytesMax }) => {
      const body = bodies.shift() ?? Buffer.from("{}");
      return { status: 200, headers: {}, body: body.subarray(0, bytesMax), isCut: body.length > bytesMax };
    };
  const page = { url: "http://a/", part: 1 };
  const long = Buffer.from("é line of text\n".repeat(3_000_000));
  const read = await longestTurnAtBest(() => readPageTool.run(api(long), page));
  assert.ok(read.ms < 100, `${read.ms} ms`);
  const [first] = read.result as { text: string }[];
  const total = Number(/Part 1 of (\d+)/.exec(first?.text ?? "")?.[1]);
  assert.ok(total > 90 && total < 120, `${total} parts`);
  const [last] = (await readPageTool.run(api(long), { ...page, part: total })) as { text: string }[];
  assert.match(last?.text ?? "", /its end can't be read/);

  const file = { url: "http://a/v1/screenshots/a" };
  const taken = { target: { url: "http://a/", status: 200, title: "" }, outputs: ["view", "elements"].map((name) => ({ name, ...file })) };
  const list = Buffer.from(`{"elements":[${`"${"\\u0001".repeat(7_000_000)}"`}]}`);
  const call = () => api(Buffer.from(JSON.stringify(taken)), Buffer.from("image"), list);
  const shown = await longestTurnAtBest(() => screenshotTool.run(call(), { ...page, from: 0, full_page: true, elements: true }));
  assert.ok(shown.ms < 100, `${shown.ms} ms`);
  assert.match((shown.result.at(-1) as { text: string }).text, /list of elements is too long/);
});

/** A thread that sends a request on each of many connections at once, and reports how many were answered with 200. */
const sender = `
const { connect } = require("node:net");
const { parentPort, workerData: { port, connections, text } } = require("node:worker_threads");
(async () => {
  const sockets = await Promise.all(Array.from({ length: connections }, () => new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
  })));
  const answers = sockets.map((socket) => new Promise((resolve) => {
    let text = "";
    socket.on("data", (data) => (text += data)).on("error", () => {}).on("close", () => resolve(text));
  }));
  for (const socket of sockets) socket.write(text);
  parentPort.postMessage((await Promise.all(answers)).filter((answer) => answer.startsWith("HTTP/1.1 200")).length);
})();`;

test("500 clients that begin, list the tools or call one at once are served in turns of at most 60 ms", async () => {
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const unknown = { name: "screenshot", arguments: { url: 1, height: -1, format: "none" } };
  const connections = 500;
  await post(message("tools/list")); // loads the modules and builds the list
  for (const body of [message("initialize", client), message("tools/list"), message("tools/call", unknown)]) {
    const head = `POST /mcp HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`;
    const text = `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const { result, ms } = await longestTurnAtBest(async () => {
      const worker = new Worker(sender, { eval: true, workerData: { port: Number(new URL(service.origin).port), connections, text } });
      const [right] = await once(worker, "message");
      await worker.terminate();
      return right;
    }, 60);
    assert.equal(result, connections);
    assert.ok(ms <= 60, `a turn of ${ms} ms for ${body}`);
  }
});
