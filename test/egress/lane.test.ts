/** The lane: what gets out of it, when, and what becomes of connections at a capture's end. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import type { Connect } from "../../src/egress/dial.ts";
import { answers, literals, names } from "./forms.ts";
import { ask, exchange, openLane, openTunnel, startOrigin, startTcpOrigin } from "./proxy-client.ts";

/** Notes what would be dialled and leads it to a local port, where nothing listens unless one is given. */
function recorder(port = 1): { dialled: string[]; connect: Connect } {
  const dialled: string[] = [];
  return {
    dialled,
    connect: ({ host }) => {
      dialled.push(host);
      return connect({ host: "127.0.0.1", port });
    },
  };
}

test("a refused form is not dialled, neither plain nor through a tunnel; an allowed one is dialled at its vetted address", async (t) => {
  const { dialled, connect } = recorder();
  const lane = await openLane(t, { connect, resolve: async (host) => answers[host] ?? [] });
  for (const [form, outcome] of [...literals, ...names]) {
    if (outcome === "unparsable" || outcome === "scheme") continue;
    const { host, hostname, port } = new URL(form);
    lane.begin(form);
    await exchange(lane.port, `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const answer = await exchange(lane.port, `CONNECT ${hostname}:${port || 80} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    const expected = outcome === "allowed" ? (answers[hostname] ?? [hostname.replace(/^\[|\]$/g, "")]) : [];
    assert.deepEqual(dialled.splice(0), [...expected, ...expected], form);
    assert.match(answer, outcome === "allowed" || outcome === "name_not_resolved" ? /^HTTP\/1\.1 502 / : /^HTTP\/1\.1 403 /, form);
    if (outcome !== "allowed" && !form.includes(":0/"))
      assert.deepEqual(lane.refusals(), [{ host: hostname, port: Number(port || 80), reason: outcome }]);
    lane.end();
  }
});

test("a spelling that is no canonical host does not get out of the lane as it came", async (t) => {
  const { dialled, connect } = recorder();
  const lane = await openLane(t, { connect });
  lane.begin("one");
  for (const host of ["0x7f.1", "2130706433", "127.0.0.1.", "0177.0.0.1", "public.example@127.0.0.1", "[::ffff:127.0.0.1]", "LOCALHOST"]) {
    await exchange(lane.port, `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await exchange(lane.port, `CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  }
  assert.deepEqual(dialled, []);
});

test("a local origin is reached when it is allowed, and only then", async (t) => {
  const origin = await startOrigin(t, (_req, res) => res.end("hello"));
  const url = `http://127.0.0.1:${origin.port}/`;
  const closed = await openLane(t);
  closed.begin("one");
  await assert.rejects(ask(closed.port, url));
  assert.equal((await openTunnel(t, closed.port, `127.0.0.1:${origin.port}`)).status, "HTTP/1.1 403 Forbidden");
  assert.deepEqual(closed.refusals(), [{ host: "127.0.0.1", port: origin.port, reason: "private_address" }]);
  assert.equal(closed.reported.length, 2);
  assert.equal(origin.connections(), 0);

  const open = await openLane(t, { allowed: `127.0.0.1:${origin.port}` });
  open.begin("one");
  assert.equal((await ask(open.port, url)).body.toString(), "hello");
  assert.deepEqual(open.refusals(), []);
});

test("the own infrastructure, the lane itself and other lanes are refused although their range is allowed", async (t) => {
  const database = await startTcpOrigin(t, () => {});
  const lane = await openLane(t, { allowed: "127.0.0.0/8", infrastructure: [{ host: "localhost", port: database.port }] });
  lane.begin("one");
  for (const port of [database.port, lane.port]) {
    await assert.rejects(ask(lane.port, `http://127.0.0.1:${port}/`));
    await assert.rejects(ask(lane.port, `http://localhost:${port}/`));
    assert.equal((await openTunnel(t, lane.port, `127.0.0.2:${port}`)).status, "HTTP/1.1 403 Forbidden");
  }
  assert.deepEqual(new Set(lane.refusals().map(({ reason }) => reason)), new Set(["own_infrastructure"]));
  assert.equal(database.connections(), 0);
});

test("a name is looked up once per connection, so a second answer is never used", async (t) => {
  const origin = await startOrigin(t, (req, res) => res.end(req.headers.host));
  const { dialled, connect } = recorder(origin.port);
  const replies = [["93.184.215.14"], ["127.0.0.1"]];
  const lane = await openLane(t, { connect, resolve: async () => replies.shift() ?? [] });
  lane.begin("one");
  assert.equal((await ask(lane.port, "http://rebind.example/")).body.toString(), "rebind.example");
  assert.equal((await ask(lane.port, "http://rebind.example/again")).body.toString(), "rebind.example");
  assert.deepEqual(dialled, ["93.184.215.14"]);
  assert.deepEqual(replies, [["127.0.0.1"]]);
  lane.begin("two");
  await assert.rejects(ask(lane.port, "http://rebind.example/"));
  assert.deepEqual(dialled, ["93.184.215.14"]);
});

test("when an address does not answer, the next vetted one is tried", async (t) => {
  const origin = await startOrigin(t, (_req, res) => res.end("hello"));
  const dialled: string[] = [];
  const lane = await openLane(t, {
    resolve: async () => ["93.184.215.14", "1.1.1.1"],
    connect: ({ host }) => {
      dialled.push(host);
      return connect({ host: "127.0.0.1", port: host === "1.1.1.1" ? origin.port : 1 });
    },
  });
  lane.begin("one");
  assert.equal((await ask(lane.port, "http://two.example/")).body.toString(), "hello");
  assert.deepEqual(dialled, ["93.184.215.14", "1.1.1.1"]);
  assert.deepEqual(lane.refusals(), []);
});

test("nothing gets out between captures", async (t) => {
  const origin = await startOrigin(t, (_req, res) => res.end("hello"));
  const url = `http://127.0.0.1:${origin.port}/`;
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  await assert.rejects(ask(lane.port, url));
  lane.begin("one");
  await ask(lane.port, url);
  lane.end();
  await assert.rejects(ask(lane.port, url));
  assert.equal(await exchange(lane.port, `CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\nHost: x\r\n\r\n`), "");
  assert.equal(await exchange(lane.port, ""), "");
  assert.equal(origin.connections(), 1);
});

test("the end of a capture cuts its connections on both sides, idle, answering and tunnelled ones", async (t) => {
  const origin = await startOrigin(t, (req, res) => (req.url === "/idle" ? res.end() : res.write("the first half")));
  const echo = await startTcpOrigin(t, (socket) => socket.write("hello"));
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const idle = connect({ host: "127.0.0.1", port: lane.port });
  idle.write(`GET http://127.0.0.1:${origin.port}/idle HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(idle, "data");
  const hanging = request({ host: "127.0.0.1", port: lane.port, path: `http://127.0.0.1:${origin.port}/`, headers: { Host: "x" } }).end();
  const [incoming] = await once(hanging, "response");
  incoming.on("error", () => {});
  const tunnel = await openTunnel(t, lane.port, `127.0.0.1:${echo.port}`);
  tunnel.socket.resume();
  const sides = [...origin.sockets, ...echo.sockets, tunnel.socket, incoming.socket as Socket, idle];
  const cut = Promise.all(sides.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  lane.end();
  await cut;
});

test("refusals are kept until the next capture begins, each once, a hundred at most", async (t) => {
  const lane = await openLane(t);
  lane.begin("one");
  await assert.rejects(ask(lane.port, "http://10.0.0.1/"));
  await assert.rejects(ask(lane.port, "http://10.0.0.1/again"));
  lane.end();
  assert.deepEqual(lane.refusals(), [{ host: "10.0.0.1", port: 80, reason: "private_address" }]);
  lane.begin("two");
  assert.deepEqual(lane.refusals(), []);
  for (let last = 0; last < 120; last += 1) await assert.rejects(ask(lane.port, `http://10.0.0.${last}/`));
  assert.equal(lane.refusals().length, 100);
  assert.equal(lane.reported.length, 122);
});

test("a capture that moved more than its bytes is cut, and gets nothing more", async (t) => {
  const origin = await startOrigin(t, (_req, res) => {
    const pump = () => {
      while (res.write(Buffer.alloc(65_536))) if (res.destroyed) return;
      res.once("drain", pump);
    };
    pump();
  });
  const url = `http://127.0.0.1:${origin.port}/`;
  const lane = await openLane(t, { allowed: "127.0.0.1", limits: { bytesMax: 1_000_000 } });
  lane.begin("one");
  await assert.rejects(ask(lane.port, url));
  await assert.rejects(ask(lane.port, url));
  assert.deepEqual(lane.refusals(), [{ host: "127.0.0.1", port: origin.port, reason: "byte_budget" }]);
  assert.equal(origin.connections(), 1);
});

test("uploads and tunnels count towards a capture's bytes", async (t) => {
  const origin = await startOrigin(t, (req) => req.resume());
  const sink = await startTcpOrigin(t, (socket) => socket.resume());
  const lane = await openLane(t, { allowed: "127.0.0.1", limits: { bytesMax: 1_000_000 } });
  lane.begin("one");
  await assert.rejects(ask(lane.port, `http://127.0.0.1:${origin.port}/`, { method: "POST", body: Buffer.alloc(2_000_000) }));
  assert.deepEqual(lane.refusals(), [{ host: "127.0.0.1", port: origin.port, reason: "byte_budget" }]);
  lane.begin("two");
  const { socket } = await openTunnel(t, lane.port, `127.0.0.1:${sink.port}`);
  socket.resume().write(Buffer.alloc(2_000_000));
  await new Promise((resolve) => socket.once("close", resolve));
  assert.deepEqual(lane.refusals(), [{ host: "127.0.0.1", port: sink.port, reason: "byte_budget" }]);
});

test("a capture has no more connections than it may, and an idle one gives way", async (t) => {
  const first = await startOrigin(t, (_req, res) => res.end("first"));
  const second = await startOrigin(t, (_req, res) => res.end("second"));
  const lane = await openLane(t, { allowed: "127.0.0.1", limits: { socketsMax: 2 } });
  lane.begin("one");
  const busy = await startTcpOrigin(t, () => {});
  assert.equal((await openTunnel(t, lane.port, `127.0.0.1:${busy.port}`)).status, "HTTP/1.1 200 Connection Established");
  assert.equal((await ask(lane.port, `http://127.0.0.1:${first.port}/`)).body.toString(), "first");
  assert.equal((await ask(lane.port, `http://127.0.0.1:${second.port}/`)).body.toString(), "second");
  lane.begin("two");
  const tunnels = await Promise.all([1, 2].map(() => openTunnel(t, lane.port, `127.0.0.1:${busy.port}`)));
  assert.deepEqual(
    tunnels.map(({ status }) => status),
    Array(2).fill("HTTP/1.1 200 Connection Established"),
  );
  assert.equal(await exchange(lane.port, `GET http://127.0.0.1:${first.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`), "");
  assert.deepEqual(lane.refusals(), [{ host: "", port: 0, reason: "socket_limit" }]);
});

const garbage = [
  "\0\0\0\0",
  "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
  "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
  "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http://[::1/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET https://93.184.215.14/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET file:///etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http://93.184.215.14:99999/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "CONNECT 93.184.215.14 HTTP/1.1\r\nHost: a\r\n\r\n",
  "CONNECT 93.184.215.14:0 HTTP/1.1\r\nHost: a\r\n\r\n",
  "CONNECT 93.184.215.14:443x HTTP/1.1\r\nHost: a\r\n\r\n",
  "CONNECT http://93.184.215.14:443/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "CONNECT [::1%25lo]:443 HTTP/1.1\r\nHost: a\r\n\r\n",
  "CONNECT :443 HTTP/1.1\r\nHost: a\r\n\r\n",
  "CONNECT a@93.184.215.14:443 HTTP/1.1\r\nHost: a\r\n\r\n",
  "BREW http://93.184.215.14/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http://93.184.215.14/ HTTP/9.9\r\nHost: a\r\n\r\n",
  "GET http://93.184.215.14/ HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nHost: a\r\n\r\n",
  "POST http://93.184.215.14/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
  "POST http://93.184.215.14/ HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  `GET http://93.184.215.14/ HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(300_000)}\r\n\r\n`,
];
for (const bytes of garbage) {
  test(`${JSON.stringify(bytes.slice(0, 60))} reaches nobody and harms nobody`, async (t) => {
    const { dialled, connect } = recorder();
    const lane = await openLane(t, { connect, allowed: "127.0.0.1" });
    lane.begin("one");
    assert.doesNotMatch(await exchange(lane.port, Buffer.from(bytes, "latin1")), /^HTTP\/1\.1 2/);
    assert.deepEqual(dialled, []);
    await assert.rejects(ask(lane.port, "http://93.184.215.14/"));
    assert.deepEqual(dialled, ["93.184.215.14"]);
  });
}

test("a closed lane listens no more, and closing twice does no harm", async (t) => {
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const busy = await startTcpOrigin(t, () => {});
  const { socket } = await openTunnel(t, lane.port, `127.0.0.1:${busy.port}`);
  const cut = new Promise((resolve) => socket.resume().once("close", resolve));
  await lane.close();
  await cut;
  await lane.close();
  await assert.rejects(ask(lane.port, `http://127.0.0.1:${busy.port}/`), { code: "ECONNREFUSED" });
});
