/** Many connections that send at the same time don't stop the dashboard's server, or use up its memory. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { pipeline, Readable, Writable } from "node:stream";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { joinChunks } from "../../web/server/body-chunks.ts";
import { eventually } from "../support/eventually.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";

/** A thread with an API, which responds with the length of the body and the number of chunks, and a sender for many connections. */
const outside = `
const { createServer, get } = require("node:http");
const { connect } = require("node:net");
const { parentPort } = require("node:worker_threads");
const api = createServer((request, response) => {
  let [bytes, chunks] = [0, 0];
  request.on("error", () => {}).on("data", (chunk) => ([bytes, chunks] = [bytes + chunk.length, chunks + 1]));
  request.on("end", () => response.end(bytes + " " + chunks + " " + request.headers["x-forwarded-for"]));
}).listen(0, "127.0.0.1", () => parentPort.postMessage(api.address().port));
let sockets = [];
parentPort.on("message", async ({ port, connections, first, rest }) => {
  const answers = await Promise.all(Array.from({ length: connections }, (_, index) => new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(first.replace("INDEX", index));
      if (sockets.push(socket) < connections) return;
      if (rest) setTimeout(() => sockets.forEach((one) => one.write(rest)), 300);
      else get({ port, path: "/healthz" }, () => setTimeout(() => sockets.forEach((one) => one.emit("late")), 500));
    });
    let text = "";
    socket.on("data", (data) => (text += data)).on("error", () => {}).on("close", () => resolve(text)).on("late", () => resolve(text));
  })));
  for (const socket of sockets) socket.destroy();
  sockets = [];
  parentPort.postMessage(answers);
});`;

interface Flood {
  connections: number;
  /** Sent when a connection opens; INDEX becomes its number. */
  first: string;
  /** Sent on all connections at once, and then answered; without it, the responses up to half a second after a later request's are returned. */
  rest?: string;
}

/** Starts a dashboard's server in this process, and returns a function that sends a flood from another thread and returns the responses. */
async function start(t: TestContext, trustProxy: string[] | false = false): Promise<(flood: Flood) => Promise<string[]>> {
  const worker = new Worker(outside, { eval: true });
  const [apiPort] = await once(worker, "message");
  const folder = process.env.TEST_WEB ?? "";
  const { createWebServer } = await import(pathToFileURL(join(folder, "server/app.ts")).href);
  const settings = { api: new URL(`http://127.0.0.1:${apiPort}`), apiPublicUrl: "", trustProxy, logLevel: "silent" };
  const app = await createWebServer(settings, join(folder, "dist"));
  t.after(async () => {
    await worker.terminate();
    await app.close();
  });
  const port = Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port);
  return async (flood) => {
    worker.postMessage({ ...flood, port });
    const [answers] = await once(worker, "message");
    return answers;
  };
}

const head = (headers: string) => `POST /v1/screenshots/take HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}`;
const inChunks = head("Transfer-Encoding: chunked\r\n\r\n");

test("250 bodies in chunks of a byte at once are forwarded whole, in few chunks, in turns of at most 100 ms", async (t) => {
  const send = await start(t);
  const bytes = 1_990;
  const flood = { connections: 250, first: inChunks, rest: `${"1\r\na\r\n".repeat(bytes)}0\r\n\r\n` };
  const { result, ms } = await longestTurnAtBest(() => send(flood));
  const seen = result.map((text) => / 200 .*\r\n\r\n.*?(\d+) (\d+) 127/s.exec(text));
  assert.deepEqual(new Set(seen.map((one) => Number(one?.[1]))), new Set([bytes]));
  const most = Math.max(...seen.map((one) => Number(one?.[2])));
  assert.ok(most <= 10, `a body was forwarded in ${most} chunks`);
  assert.ok(ms <= 100, `a turn of ${ms} ms`);
});

test("250 heads with 10,000 headers at once are refused, in turns of at most 100 ms", async (t) => {
  const send = await start(t);
  const lines = Array.from({ length: 10_000 }, (_, index) => `${index.toString(36)}:\r\n`).join("");
  const { result, ms } = await longestTurnAtBest(() => send({ connections: 250, first: head(lines), rest: "\r\n" }));
  assert.deepEqual(new Set(result.map((text) => text.slice(9, 12))), new Set(["431"]));
  assert.ok(ms <= 100, `a turn of ${ms} ms`);
});

test("an address can have at most 256 incomplete bodies, until they end; other addresses behind the same proxy can have more", async (t) => {
  const send = await start(t, ["127.0.0.1"]);
  const from = (address: string) => head(`X-Forwarded-For: ${address}\r\nContent-Length: 100\r\n\r\n{`);
  const refused = (answers: string[]) =>
    answers.filter((text) => /^HTTP\/1\.1 503 .*"code":"unavailable","retryable":true/s.test(text)).length;
  assert.deepEqual([refused(await send({ connections: 259, first: from("192.0.2.1") }))], [3]);
  assert.deepEqual([refused(await send({ connections: 259, first: from("2001:db8::INDEX") }))], [3], "one /64");
  assert.deepEqual([refused(await send({ connections: 259, first: from("2001:db8:0:INDEX::1") }))], [0]);
  assert.deepEqual([refused(await send({ connections: 256, first: from("::ffff:192.0.2.1") }))], [0], "the others have ended");
});

test("chunks are not joined beyond the stream's buffers while nobody reads", async (t) => {
  const chunk = Buffer.alloc(64);
  let sent = 0;
  const sender = new Readable({
    read() {
      sent += chunk.length;
      setImmediate(() => this.push(chunk));
    },
  });
  const stuck = new Writable({ write() {} });
  t.after(() => stuck.destroy());
  pipeline(sender, joinChunks(), stuck, () => {});
  for (let before = -1; before < sent; ) {
    before = sent;
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    assert.ok(sent < 1_000_000, "it reads on");
  }
});

test("a client may have 256 requests in progress; more are refused, but not another client's", async (t) => {
  let asked = 0;
  const api = createServer(() => {
    asked += 1;
  });
  await once(api.listen(0, "127.0.0.1"), "listening");
  const folder = process.env.TEST_WEB ?? "";
  const { createWebServer } = await import(pathToFileURL(join(folder, "server/app.ts")).href);
  const url = new URL(`http://127.0.0.1:${(api.address() as AddressInfo).port}`);
  const app = await createWebServer({ api: url, apiPublicUrl: "", trustProxy: false, logLevel: "silent" }, join(folder, "dist"));
  const port = Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port);
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    api.closeAllConnections();
    api.close();
    await app.close();
  });
  const refused: string[] = [];
  const ask = (localAddress: string) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress }, () => socket.write("GET /v1/account HTTP/1.1\r\nHost: a\r\n\r\n"));
    sockets.push(socket.on("error", () => {}).on("data", (data) => refused.push(String(data))));
  };
  for (let count = 0; count < 300; count += 1) ask("127.0.0.1");
  await eventually("all have arrived", () => asked + refused.length === 300);
  assert.equal(asked, 256);
  for (const text of refused) assert.match(text, /^HTTP\/1.1 503 [\s\S]*retry-after: 1/i);
  ask("127.0.0.2");
  await eventually("the other client's request has arrived", () => asked === 257);
  for (const address of ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"]) for (let count = 0; count < 300; count += 1) ask(address);
  await eventually("all have been forwarded or refused", () => asked + refused.length === 1_501);
  const before = asked;
  ask("127.0.0.6");
  await eventually("a client that has none gets one of the last", () => asked === before + 1);
});
