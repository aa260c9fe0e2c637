/** SOCKS5 on a proxy: supported requests, and harmless rejection of everything else. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { OpenSocket } from "../../src/egress/dial.ts";
import { exchange, fetchThrough, greeting, openProxy, requestFor, startOrigin } from "./proxy-client.ts";

/** Records dialed addresses without connecting anywhere. */
function recorder(): { dialled: string[]; connect: OpenSocket } {
  const dialled: string[] = [];
  return {
    dialled,
    connect: ({ host, port }) => {
      dialled.push(`${host} ${port}`);
      return connect({ host: "127.0.0.1", port: 1 });
    },
  };
}

const destinations: [what: string, request: Buffer, dialled: string][] = [
  ["an IPv4 address", Buffer.from([5, 1, 0, 1, 93, 184, 215, 14, 1, 187]), "93.184.215.14 443"],
  ["an IPv6 address", Buffer.from([5, 1, 0, 4, 0x26, 6, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11, 0, 80]), "2606:4700::1111 80"],
  ["a name", requestFor("public.example", 8080), "93.184.215.14 8080"],
  ["an IPv4 address sent as a name", requestFor("93.184.215.14", 80), "93.184.215.14 80"],
  ["an IPv6 address sent as a name", requestFor("2606:4700::1111", 80), "2606:4700::1111 80"],
];
for (const [what, request, dialled] of destinations) {
  test(`${what} is parsed, in one chunk and byte by byte`, async (t) => {
    const recorded = recorder();
    const resolve = async (host: string) => (host === "public.example" ? ["93.184.215.14"] : []);
    const proxy = await openProxy(t, { connect: recorded.connect, resolve });
    proxy.begin("one");
    await exchange(proxy.port, greeting, request);
    await exchange(proxy.port, greeting, ...[...request].map((byte) => Buffer.from([byte])));
    assert.deepEqual(recorded.dialled, [dialled, dialled]);
  });
}

test("a greeting may offer other methods, but is rejected without one that requires no credentials", async (t) => {
  const proxy = await openProxy(t);
  proxy.begin("one");
  const answer = await exchange(proxy.port, Buffer.from([5, 3, 2, 1, 0]), requestFor("10.0.0.1", 80));
  assert.deepEqual([...answer.subarray(0, 4)], [5, 0, 5, 2]);
  assert.deepEqual([...(await exchange(proxy.port, Buffer.from([5, 2, 1, 2])))], [5, 0xff]);
});

test("BIND, UDP and unknown address types are rejected as unsupported", async (t) => {
  const { dialled, connect } = recorder();
  const proxy = await openProxy(t, { connect });
  proxy.begin("one");
  const codeOf = async (...request: number[]) => (await exchange(proxy.port, greeting, Buffer.from(request)))[3];
  assert.equal(await codeOf(5, 2, 0, 1, 93, 184, 215, 14, 0, 80), 7);
  assert.equal(await codeOf(5, 3, 0, 1, 93, 184, 215, 14, 0, 80), 7);
  assert.equal(await codeOf(5, 1, 0, 2, 93, 184, 215, 14, 0, 80), 8);
  assert.deepEqual(dialled, []);
});

const valid = requestFor("93.184.215.14", 80);
const nonsense: [what: string, pieces: [Buffer | string, ...Buffer[]]][] = [
  ["zeros", [Buffer.alloc(4)]],
  ["TLS", [Buffer.from("160301020001000001fc0303", "hex")]],
  ["HTTP", ["GET http://93.184.215.14/ HTTP/1.1\r\nHost: a\r\n\r\n"]],
  ["HTTP's CONNECT", ["CONNECT 93.184.215.14:443 HTTP/1.1\r\nHost: a\r\n\r\n"]],
  ["SOCKS4", [Buffer.from([4, 1, 0, 80, 93, 184, 215, 14, 0])]],
  ["a greeting without methods", [Buffer.from([5, 0])]],
  ["a request without a greeting", [valid]],
  ["a request sent before the reply to the greeting", [Buffer.concat([greeting, valid])]],
  ["data sent together with the request", [greeting, Buffer.concat([valid, Buffer.from("GET / HTTP/1.1\r\n\r\n")])]],
  ["a request with another protocol version", [greeting, Buffer.from([4, ...valid.subarray(1)])]],
  ["a reserved byte that is set", [greeting, Buffer.from([5, 1, 1, ...valid.subarray(3)])]],
  ["an empty name", [greeting, Buffer.from([5, 1, 0, 3, 0, 0, 80])]],
  ["a megabyte of methods", [Buffer.alloc(1_000_000, 5)]],
];
for (const [what, pieces] of nonsense) {
  test(`${what}: no connection is made, the refusal is recorded, and the proxy keeps working`, async (t) => {
    const { dialled, connect } = recorder();
    const proxy = await openProxy(t, { connect });
    proxy.begin("one");
    const answer = await exchange(proxy.port, ...pieces);
    assert.notEqual(answer[3], 0, "no reply reports success");
    assert.deepEqual(dialled, []);
    assert.deepEqual(proxy.refusals(), [{ host: "", port: 0, reason: "invalid_request" }]);
    await assert.rejects(fetchThrough(proxy.port, "http://93.184.215.14/"));
    assert.deepEqual(dialled, ["93.184.215.14 80"]);
  });
}

test("port 0 is refused", async (t) => {
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  assert.equal((await exchange(proxy.port, greeting, requestFor("127.0.0.1", 0)))[3], 2);
  assert.deepEqual(proxy.refusals(), [{ host: "127.0.0.1", port: 0, reason: "port" }]);
});

test("a greeting may arrive byte by byte", async (t) => {
  const proxy = await openProxy(t);
  proxy.begin("one");
  const socket = connect({ host: "127.0.0.1", port: proxy.port, noDelay: true });
  t.after(() => void socket.destroy());
  const chosen = once(socket, "data");
  for (const byte of greeting) {
    socket.write(Buffer.from([byte]));
    await setImmediate();
  }
  assert.deepEqual([...(await chosen)[0]], [5, 0]);
});

test("a browser that disconnects during the handshake is not recorded as a refusal", async (t) => {
  const origin = await startOrigin(t, (_req, res) => res.end("hello"));
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  for (const pieces of [[], [greeting.subarray(0, 1)], [greeting], [greeting, requestFor("127.0.0.1", origin.port).subarray(0, 7)]]) {
    const socket = connect({ host: "127.0.0.1", port: proxy.port });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const [first, second] = pieces;
    if (first) socket.write(first);
    if (first === greeting) await once(socket, "data");
    if (second) socket.write(second);
    socket.resume().end();
    await closed;
  }
  assert.deepEqual(proxy.refusals(), []);
  assert.equal(origin.connections(), 0);
  assert.equal((await fetchThrough(proxy.port, `http://127.0.0.1:${origin.port}/`)).body.toString(), "hello");
});

test("a browser that sends no request is disconnected after the timeout", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const proxy = await openProxy(t);
  proxy.begin("one");
  const socket = connect({ host: "127.0.0.1", port: proxy.port });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const chosen = new Promise((resolve) => socket.once("data", resolve));
  socket.write(greeting);
  await chosen;
  t.mock.timers.tick(10_000);
  await closed;
});
