/** The proxy: what it allows and when, and how its connections are closed when a capture ends. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { OpenSocket } from "../../src/egress/dial.ts";
import { createCaptureTraffic, TooManySockets } from "../../src/egress/traffic.ts";
import { answers, internalNames, literals, names } from "./forms.ts";
import { exchange, fetchThrough, greeting, openProxy, openTunnel, startOrigin, startTcpOrigin } from "./proxy-client.ts";

/** Records the dialed addresses and connects to a local port instead; by default nothing is listening there. */
function recorder(port = 1): { dialled: string[]; connect: OpenSocket } {
  const dialled: string[] = [];
  return {
    dialled,
    connect: ({ host }) => {
      dialled.push(host);
      return connect({ host: "127.0.0.1", port });
    },
  };
}

test("refused URLs are not dialed; allowed ones are dialed at their vetted address", async (t) => {
  const { dialled, connect } = recorder();
  const proxy = await openProxy(t, { connect, resolve: async (host) => answers[host] ?? [] });
  const byName = [...names, ...internalNames];
  for (const [form, outcome] of [...literals, ...byName]) {
    if (outcome === "unparsable" || outcome === "scheme") continue;
    const { hostname, port } = new URL(form);
    proxy.begin(form);
    const { reply } = await openTunnel(t, proxy.port, hostname, Number(port || 80));
    const expected = outcome === "allowed" ? (answers[hostname] ?? [hostname.replace(/^\[|\]$/g, "")]) : [];
    assert.deepEqual(dialled.splice(0), expected, form);
    const isName = byName.some(([name]) => name === form);
    assert.equal(reply, outcome === "allowed" ? "refused" : isName ? "host unreachable" : "not allowed", form);
    const refusal = { host: hostname, port: Number(port || 80), reason: outcome, ...(isName ? { asUnresolved: true } : {}) };
    if (outcome !== "allowed") assert.deepEqual(proxy.refusals(), [refusal]);
    proxy.end();
  }
});

test("hosts in non-canonical notation are refused", async (t) => {
  const { dialled, connect } = recorder();
  const proxy = await openProxy(t, { connect });
  proxy.begin("one");
  const spellings = ["0x7f.1", "2130706433", "127.0.0.1.", "0177.0.0.1", "public.example@127.0.0.1", "::ffff:127.0.0.1", "0:0:0:0:0:0:0:1"];
  spellings.push(
    "LOCALHOST",
    "fe80::1%lo",
    "a.example:80",
    "http://a.example",
    "a.example/",
    " a.example",
    "a.exam\tple",
    "b\xfccher.example",
    "%61.example",
  );
  for (const host of spellings) assert.equal((await openTunnel(t, proxy.port, host, 443)).reply, "not allowed", host);
  assert.deepEqual(dialled, []);
  assert.deepEqual(new Set(proxy.refusals().map(({ reason }) => reason)), new Set(["invalid_host"]));
});

test("a local origin is reachable only if it is allowed", async (t) => {
  const origin = await startOrigin(t, (_req, res) => res.end("hello"));
  const url = `http://127.0.0.1:${origin.port}/`;
  const closed = await openProxy(t);
  closed.begin("one");
  await assert.rejects(fetchThrough(closed.port, url));
  assert.equal((await openTunnel(t, closed.port, "127.0.0.1", origin.port)).reply, "not allowed");
  assert.deepEqual(closed.refusals(), [{ host: "127.0.0.1", port: origin.port, reason: "private_address" }]);
  assert.equal(closed.reported.length, 2);
  assert.equal(origin.connections(), 0);

  const open = await openProxy(t, { allowed: `127.0.0.1:${origin.port}` });
  open.begin("one");
  assert.equal((await fetchThrough(open.port, url)).body.toString(), "hello");
  assert.deepEqual(open.refusals(), []);
});

test("the service's own infrastructure and proxies are refused even if their range is allowed", async (t) => {
  const database = await startTcpOrigin(t, () => {});
  const proxy = await openProxy(t, { allowed: "127.0.0.0/8", infrastructure: [{ host: "localhost", port: database.port }] });
  proxy.begin("one");
  for (const port of [database.port, proxy.port]) {
    await assert.rejects(fetchThrough(proxy.port, `http://127.0.0.1:${port}/`));
    await assert.rejects(fetchThrough(proxy.port, `http://localhost:${port}/`));
    assert.equal((await openTunnel(t, proxy.port, "127.0.0.2", port)).reply, "not allowed");
  }
  assert.deepEqual(new Set(proxy.refusals().map(({ reason }) => reason)), new Set(["own_infrastructure"]));
  assert.equal(database.connections(), 0);
});

test("a name is resolved once per capture, and checked again in the next one", async (t) => {
  const origin = await startOrigin(t, (req, res) => res.end(req.headers.host));
  const { dialled, connect } = recorder(origin.port);
  const replies = [["93.184.215.14"], ["127.0.0.1"]];
  const proxy = await openProxy(t, { connect, resolve: async () => replies.shift() ?? [] });
  proxy.begin("one");
  for (let turn = 0; turn < 3; turn += 1)
    assert.equal((await fetchThrough(proxy.port, "http://rebind.example/")).body.toString(), "rebind.example");
  assert.deepEqual(replies, [["127.0.0.1"]]);
  proxy.begin("two");
  await assert.rejects(fetchThrough(proxy.port, "http://rebind.example/"));
  assert.deepEqual(dialled, Array(3).fill("93.184.215.14"));
  assert.deepEqual(proxy.refusals(), [{ host: "rebind.example", port: 80, reason: "private_address", asUnresolved: true }]);
});

test("a failed lookup is not cached", async (t) => {
  const origin = await startOrigin(t, (_req, res) => res.end("there"));
  const replies = [[], ["93.184.215.14"]];
  const proxy = await openProxy(t, { connect: recorder(origin.port).connect, resolve: async () => replies.shift() ?? [] });
  proxy.begin("one");
  await assert.rejects(fetchThrough(proxy.port, "http://late.example/"));
  assert.equal((await fetchThrough(proxy.port, "http://late.example/")).body.toString(), "there");
});

test("if one vetted address fails, the next one is tried", async (t) => {
  const origin = await startOrigin(t, (_req, res) => res.end("hello"));
  const dialled: string[] = [];
  const proxy = await openProxy(t, {
    resolve: async () => ["93.184.215.14", "1.1.1.1"],
    connect: ({ host }) => {
      dialled.push(host);
      return connect({ host: "127.0.0.1", port: host === "1.1.1.1" ? origin.port : 1 });
    },
  });
  proxy.begin("one");
  assert.equal((await fetchThrough(proxy.port, "http://two.example/")).body.toString(), "hello");
  assert.deepEqual(dialled, ["93.184.215.14", "1.1.1.1"]);
  assert.deepEqual(proxy.refusals(), []);
});

test("between captures, every connection is refused", async (t) => {
  const origin = await startOrigin(t, (_req, res) => res.end("hello"));
  const url = `http://127.0.0.1:${origin.port}/`;
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  await assert.rejects(fetchThrough(proxy.port, url));
  proxy.begin("one");
  await fetchThrough(proxy.port, url);
  proxy.end();
  await assert.rejects(fetchThrough(proxy.port, url));
  assert.equal((await exchange(proxy.port, greeting)).length, 0);
  assert.equal(origin.connections(), 1);
});

test("the end of a capture closes its connections on both sides, including idle ones", async (t) => {
  const echo = await startTcpOrigin(t, (socket) => socket.write("hello"));
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  const silent = connect({ host: "127.0.0.1", port: proxy.port });
  silent.on("error", () => {});
  await once(silent, "connect");
  const tunnel = await openTunnel(t, proxy.port, "127.0.0.1", echo.port);
  const sides = [...echo.sockets, tunnel.socket, silent];
  const cut = Promise.all(sides.map((socket) => new Promise((resolve) => socket.resume().once("close", resolve))));
  proxy.end();
  await cut;
  assert.equal(sides.length, 3);
});

test("a connection closed during its own shutdown is released", async (t) => {
  const origin = await startTcpOrigin(t, (socket) => void socket.once("data", (chunk) => socket.end(chunk)));
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  const open = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
  const before = open();
  for (const delay of [0, 1, 2, 3]) {
    proxy.begin("one");
    const { socket } = await openTunnel(t, proxy.port, "127.0.0.1", origin.port);
    const closed = once(socket, "close");
    socket.write("hello");
    await once(socket, "readable");
    for (let turn = 0; turn < delay; turn += 1) await setImmediate();
    proxy.end();
    socket.end().resume();
    await closed;
    await setImmediate();
  }
  assert.equal(open(), before);
});

test("a connection does not survive into the next capture", async (t) => {
  const origin = await startTcpOrigin(t, (socket) => void socket.pipe(socket));
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  const { socket } = await openTunnel(t, proxy.port, "127.0.0.1", origin.port);
  const cut = new Promise((resolve) => socket.resume().once("close", resolve));
  proxy.begin("two");
  socket.write("more");
  await cut;
  assert.equal(origin.connections(), 1);
});

test("refusals are kept until the next capture starts: distinct ones, at most 100", async (t) => {
  const proxy = await openProxy(t);
  proxy.begin("one");
  await assert.rejects(fetchThrough(proxy.port, "http://10.0.0.1/"));
  await assert.rejects(fetchThrough(proxy.port, "http://10.0.0.1/again"));
  proxy.end();
  assert.deepEqual(proxy.refusals(), [{ host: "10.0.0.1", port: 80, reason: "private_address" }]);
  proxy.begin("two");
  assert.deepEqual(proxy.refusals(), []);
  for (let last = 0; last < 120; last += 1) await assert.rejects(fetchThrough(proxy.port, `http://10.0.0.${last}/`));
  assert.equal(proxy.refusals().length, 100);
  assert.equal(proxy.reported.length, 122);
});

test("a capture that exceeds its byte budget loses all connections and gets no new ones", async (t) => {
  const origin = await startOrigin(t, (_req, res) => {
    const pump = () => {
      while (res.write(Buffer.alloc(65_536))) if (res.destroyed) return;
      res.once("drain", pump);
    };
    pump();
  });
  const url = `http://127.0.0.1:${origin.port}/`;
  const proxy = await openProxy(t, { allowed: "127.0.0.1", limits: { bytesMax: 1_000_000 } });
  const limits: string[] = [];
  proxy.begin("one", (limit) => limits.push(limit));
  await assert.rejects(fetchThrough(proxy.port, url));
  await assert.rejects(fetchThrough(proxy.port, url));
  assert.deepEqual(proxy.refusals(), [{ host: "127.0.0.1", port: origin.port, reason: "byte_budget" }]);
  assert.deepEqual(limits, ["data"]);
  assert.equal(origin.connections(), 1);
});

test("sent bytes also count towards the byte budget", async (t) => {
  const sink = await startTcpOrigin(t, (socket) => socket.resume());
  const proxy = await openProxy(t, { allowed: "127.0.0.1", limits: { bytesMax: 1_000_000 } });
  proxy.begin("one");
  const { socket } = await openTunnel(t, proxy.port, "127.0.0.1", sink.port);
  socket.resume().write(Buffer.alloc(2_000_000));
  await new Promise((resolve) => socket.once("close", resolve));
  assert.deepEqual(proxy.refusals(), [{ host: "127.0.0.1", port: sink.port, reason: "byte_budget" }]);
});

test("the number of connections to a proxy is limited", async (t) => {
  const busy = await startTcpOrigin(t, () => {});
  const proxy = await openProxy(t, { allowed: "127.0.0.1", limits: { socketsMax: 2 } });
  proxy.begin("one");
  const tunnels = await Promise.all([1, 2].map(() => openTunnel(t, proxy.port, "127.0.0.1", busy.port)));
  assert.deepEqual(
    tunnels.map(({ reply }) => reply),
    ["succeeded", "succeeded"],
  );
  assert.equal((await openTunnel(t, proxy.port, "127.0.0.1", busy.port)).reply, "closed");
  assert.deepEqual(proxy.refusals(), [{ host: "", port: 0, reason: "socket_limit" }]);
});

test("the number of a capture's outgoing connections is limited, regardless of those that the browser keeps open", async (t) => {
  const origin = await startTcpOrigin(t, () => {});
  const { vet } = await openProxy(t, { allowed: "127.0.0.1" });
  const limits = {
    bytesMax: 1_000,
    socketsMax: 2,
    connectTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
    refusalsMax: 3_000,
    refusalsPerSecondMax: 1_000,
  };
  const traffic = createCaptureTraffic({ vet, limits, report: () => {}, onLimit: () => {} });
  t.after(() => traffic.end());
  const first = await traffic.connect("127.0.0.1", origin.port);
  await traffic.connect("127.0.0.1", origin.port);
  await assert.rejects(traffic.connect("127.0.0.1", origin.port), TooManySockets);
  assert.deepEqual(traffic.refusals(), [{ host: "127.0.0.1", port: origin.port, reason: "socket_limit" }]);
  const closed = once(first, "close");
  first.destroy();
  await closed;
  await traffic.connect("127.0.0.1", origin.port);
});

test("after too many failed connections the proxy refuses everything and calls onLimit once", async (t) => {
  const origin = await startOrigin(t, (_req, res) => res.end("hello"));
  for (const [limits, failures] of [
    [{ refusalsMax: 20 }, 20],
    [{ refusalsPerSecondMax: 10 }, 10],
  ] as const) {
    const proxy = await openProxy(t, { allowed: `127.0.0.1:${origin.port}`, limits });
    let floods = 0;
    proxy.begin("flood", (limit) => {
      floods += Number(limit === "failed connections");
    });
    for (let count = 0; count < failures; count += 1) await openTunnel(t, proxy.port, `name-${count}.invalid`, 80);
    assert.equal(floods, 0);
    assert.equal((await fetchThrough(proxy.port, `http://127.0.0.1:${origin.port}/`)).body.toString(), "hello");
    for (let count = 0; count < 3; count += 1) await openTunnel(t, proxy.port, "10.0.0.1", 80);
    assert.equal(floods, 1);
    await assert.rejects(fetchThrough(proxy.port, `http://127.0.0.1:${origin.port}/`));
    proxy.begin("next");
    assert.equal((await fetchThrough(proxy.port, `http://127.0.0.1:${origin.port}/`)).body.toString(), "hello");
  }
});

test("a closed proxy no longer listens, and closing it twice is harmless", async (t) => {
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  const busy = await startTcpOrigin(t, () => {});
  const { socket } = await openTunnel(t, proxy.port, "127.0.0.1", busy.port);
  const cut = new Promise((resolve) => socket.resume().once("close", resolve));
  await proxy.close();
  await cut;
  await proxy.close();
  await assert.rejects(once(connect({ host: "127.0.0.1", port: proxy.port }), "connect"), { code: "ECONNREFUSED" });
});
