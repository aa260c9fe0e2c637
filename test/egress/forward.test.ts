/** Plain http through a lane: what the origin and the browser see of each other. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { ask, exchange, openLane, startOrigin, startTcpOrigin } from "./proxy-client.ts";

test("end-to-end headers pass both ways in their order and spelling, those of the hop do not, none is added", async (t) => {
  let seen: IncomingMessage | undefined;
  const origin = await startOrigin(t, (req, res) => {
    seen = req;
    res.sendDate = false;
    res.writeHead(299, "Rather Fine", [
      "x-B",
      "1",
      "Set-Cookie",
      "a=1",
      "X-a",
      "\xe9",
      "set-cookie",
      "b=2",
      "Keep-Alive",
      "timeout=7",
      "Content-Length",
      "2",
    ]);
    res.end(Buffer.from("ok")); // a string would be sent together with the headers, as UTF-8
  });
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const host = `127.0.0.1:${origin.port}`;
  const headers = [
    "x-First",
    "1",
    "Host",
    "elsewhere.example",
    "Proxy-Connection",
    "keep-alive",
    "X-Second",
    "\xe9",
    "Connection",
    "close, x-private",
  ];
  headers.push("x-private", "1", "Proxy-Authorization", "Basic eA==", "TE", "trailers", "x-first", "2", "Cookie", "c=1", "Accept", "*/*");
  const answer = await ask(lane.port, `http://${host}/a%2Fb/../c?q=%zz|x`, { headers });
  assert.equal(seen?.url, "/a%2Fb/../c?q=%zz|x");
  const kept = ["x-First", "1", "Host", host, "X-Second", "\xe9", "x-first", "2", "Cookie", "c=1", "Accept", "*/*"];
  assert.deepEqual(seen?.rawHeaders, [...kept, "Connection", "keep-alive"]);
  assert.equal(answer.statusCode, 299);
  assert.equal(answer.statusMessage, "Rather Fine");
  assert.deepEqual(answer.rawHeaders.slice(0, 10), [
    "x-B",
    "1",
    "Set-Cookie",
    "a=1",
    "X-a",
    "\xe9",
    "set-cookie",
    "b=2",
    "Content-Length",
    "2",
  ]);
  assert.deepEqual(answer.rawHeaders.slice(10), ["Connection", "close"]);
});

test("connections to an origin are kept within a capture, and never into the next", async (t) => {
  const origin = await startOrigin(t, (_req, res) => res.end("hello"));
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  for (const path of ["a", "b", "c", "d"]) await ask(lane.port, `http://127.0.0.1:${origin.port}/${path}`);
  assert.equal(origin.connections(), 1);
  lane.begin("two");
  await ask(lane.port, `http://127.0.0.1:${origin.port}/e`);
  assert.equal(origin.connections(), 2);
});

test("a browser's connection serves several hosts, and survives answers without a body", async (t) => {
  const first = await startOrigin(t, (req, res) => res.writeHead(req.method === "HEAD" ? 200 : 204, { "X-Who": "first" }).end());
  const second = await startOrigin(t, (_req, res) => res.writeHead(304, { ETag: '"1"' }).end());
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const browser = connect({ host: "127.0.0.1", port: lane.port });
  t.after(() => void browser.destroy());
  for (const [port, method, status] of [
    [first.port, "GET", 204],
    [second.port, "GET", 304],
    [first.port, "HEAD", 200],
    [second.port, "GET", 304],
  ] as const) {
    browser.write(`${method} http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [answer] = (await once(browser, "data")) as [Buffer];
    assert.match(answer.toString(), new RegExp(`^HTTP/1.1 ${status} [^]*\r\n\r\n$`));
  }
});

test("bodies arrive whole, in every framing and method", async (t) => {
  const origin = await startOrigin(t, async (req, res) => {
    const body = await text(req);
    res.end(`${req.method} ${req.headers["content-length"] ?? req.headers["transfer-encoding"] ?? "none"} ${body.length}`);
  });
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const url = `http://127.0.0.1:${origin.port}/`;
  const host = `127.0.0.1:${origin.port}`;
  const body = "x".repeat(500_000);
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "GET", "OPTIONS"]) {
    const sized = await ask(lane.port, url, { method, body, headers: { Host: host, "Content-Length": body.length } });
    assert.equal(sized.body.toString(), `${method} 500000 500000`);
    const chunked = await ask(lane.port, url, { method, body, headers: { Host: host, "Transfer-Encoding": "chunked" } });
    assert.equal(chunked.body.toString(), `${method} chunked 500000`);
  }
  assert.equal((await ask(lane.port, url, { method: "POST", headers: { Host: host, "Content-Length": 0 } })).body.toString(), "POST 0 0");
  assert.equal(origin.connections(), 1);
});

test("a large answer arrives whole at a browser that reads late", async (t) => {
  const size = 8_000_000;
  const origin = await startOrigin(t, (_req, res) => res.end(Buffer.alloc(size, "x")));
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const outgoing = request({ host: "127.0.0.1", port: lane.port, path: `http://127.0.0.1:${origin.port}/`, headers: { Host: "x" } }).end();
  const [incoming] = await once(outgoing, "response");
  incoming.pause();
  await ask(lane.port, `http://127.0.0.1:${origin.port}/`);
  assert.equal((await text(incoming)).length, size);
});

test("a request on a kept connection that the origin closed is sent again on a new one", async (t) => {
  const served = new Map<Socket, number>();
  const origin = await startOrigin(t, (req, res) => {
    const count = served.get(req.socket) ?? 0;
    served.set(req.socket, count + 1);
    if (count > 0) req.socket.destroy();
    else res.end("hello");
  });
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const url = `http://127.0.0.1:${origin.port}/`;
  await ask(lane.port, url);
  assert.equal((await ask(lane.port, url)).body.toString(), "hello");
  assert.equal(origin.connections(), 2);
  assert.deepEqual(lane.refusals(), []);
  await assert.rejects(ask(lane.port, url, { method: "POST", body: "pay", headers: { Host: "x", "Content-Length": 3 } }));
  assert.equal(origin.connections(), 2);
  assert.deepEqual(lane.refusals(), [{ host: "127.0.0.1", port: origin.port, reason: "connection_failed" }]);
});

test("an origin's hint about idle connections does not shorten the wait for its next answer", async (t) => {
  const dialled: Socket[] = [];
  const waits: (number | undefined)[] = [];
  const origin = await startOrigin(t, (_req, res) => {
    waits.push(dialled[0]?.timeout);
    res.setHeader("Keep-Alive", "timeout=2");
    res.end("hello");
  });
  const lane = await openLane(t, {
    allowed: "127.0.0.1",
    connect: (options) => {
      const socket = connect(options);
      dialled.push(socket);
      return socket;
    },
  });
  lane.begin("one");
  await ask(lane.port, `http://127.0.0.1:${origin.port}/`);
  await ask(lane.port, `http://127.0.0.1:${origin.port}/`);
  assert.equal(dialled.length, 1);
  assert.deepEqual(waits, [30_000, 30_000]);
});

test("an answer that breaks off looks broken to the browser too", async (t) => {
  for (const header of ["Content-Length: 100\r\n", "Transfer-Encoding: chunked\r\n"]) {
    const origin = await startTcpOrigin(t, (socket) => {
      socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n5\r\nhello`, () => socket.destroy()));
    });
    const lane = await openLane(t, { allowed: "127.0.0.1" });
    lane.begin("one");
    await assert.rejects(ask(lane.port, `http://127.0.0.1:${origin.port}/`), { code: "ECONNRESET" });
  }
});

test("an answer without a length ends where the origin closes", async (t) => {
  const origin = await startTcpOrigin(t, (socket) => void socket.once("data", () => socket.end("HTTP/1.0 200 OK\r\nX: 1\r\n\r\nhello")));
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  assert.equal((await ask(lane.port, `http://127.0.0.1:${origin.port}/`)).body.toString(), "hello");
});

const nonsense = [
  "",
  "\x16\x03\x01",
  "HTTP/1.1 200 OK\r\nBad Header: x\r\n\r\n",
  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nraw",
];
nonsense.push(
  `HTTP/1.1 200 OK\r\nX: ${"x".repeat(300_000)}\r\n\r\n`,
  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
  "HTTP/1.1 099 Low\r\n\r\n",
);
for (const bytes of nonsense) {
  test(`an origin that answers ${JSON.stringify(bytes.slice(0, 50))} is a failed connection, and the lane goes on`, async (t) => {
    const origin = await startTcpOrigin(t, (socket) => void socket.once("data", () => socket.end(Buffer.from(bytes, "latin1"))));
    const good = await startOrigin(t, (_req, res) => res.end("hello"));
    const lane = await openLane(t, { allowed: "127.0.0.1" });
    lane.begin("one");
    await assert.rejects(ask(lane.port, `http://127.0.0.1:${origin.port}/`));
    assert.equal((await ask(lane.port, `http://127.0.0.1:${good.port}/`)).body.toString(), "hello");
  });
}

test("headers larger than Node's default pass", async (t) => {
  const long = "x".repeat(60_000);
  const origin = await startOrigin(t, (req, res) => res.setHeader("X-Long", long).end(String(req.headers["x-long"]?.length)));
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const head = await exchange(lane.port, `GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  assert.ok(head.includes(long));
});

test("a browser that leaves takes its request with it", async (t) => {
  const arrived = Promise.withResolvers<Socket>();
  const origin = await startOrigin(t, (req) => arrived.resolve(req.socket));
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const outgoing = request({ host: "127.0.0.1", port: lane.port, path: `http://127.0.0.1:${origin.port}/`, headers: { Host: "x" } }).end();
  outgoing.on("error", () => {});
  const socket = await arrived.promise;
  const cut = new Promise((resolve) => socket.once("close", resolve));
  outgoing.destroy();
  await cut;
  assert.deepEqual(lane.refusals(), []);
});

test("a refused connection is told from one that nobody answers", async (t) => {
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  await assert.rejects(ask(lane.port, "http://127.0.0.1:1024/"));
  await assert.rejects(ask(lane.port, "http://missing.example/"));
  const reasons = lane.refusals().map(({ host, reason }) => `${host} ${reason}`);
  assert.deepEqual(reasons, ["127.0.0.1 connection_refused", "missing.example name_not_resolved"]);
});
