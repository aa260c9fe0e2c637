/** Tunnels through a proxy: data, closing and failures. */

import assert from "node:assert/strict";
import { connect, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fetchThrough, greeting, openProxy, openTunnel, requestFor, startOrigin, startTcpOrigin } from "./proxy-client.ts";

/** How a browser's connection closes: normally, or with an error. */
function endingOf(socket: Socket): Promise<string> {
  const ending = new Promise<string>((resolve) =>
    socket.once("end", () => resolve("in order")).once("error", (error) => resolve((error as NodeJS.ErrnoException).code ?? "")),
  );
  socket.resume();
  return ending;
}

test("a tunnel relays both directions, and one direction may end before the other", async (t) => {
  const origin = await startTcpOrigin(t, (socket) => void socket.pipe(socket));
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  const { reply, socket } = await openTunnel(t, proxy.port, "127.0.0.1", origin.port);
  assert.equal(reply, "succeeded");
  const sent = "x".repeat(3_000_000);
  socket.end(sent);
  assert.equal(await text(socket), sent);
});

test("an origin that has ended its side still receives data", async (t) => {
  const heard = Promise.withResolvers<string>();
  const talk = (socket: Socket) => {
    socket.end("no need for so much");
    heard.resolve(text(socket));
  };
  const origin = await startTcpOrigin(t, talk, { allowHalfOpen: true });
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  const { socket } = await openTunnel(t, proxy.port, "127.0.0.1", origin.port);
  assert.equal(await endingOf(socket), "in order");
  socket.end("x".repeat(3_000_000));
  assert.equal((await heard.promise).length, 3_000_000);
});

test("a large response reaches a slow reader completely", async (t) => {
  const origin = await startTcpOrigin(t, (socket) => void socket.end("x".repeat(8_000_000)));
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  const { socket } = await openTunnel(t, proxy.port, "127.0.0.1", origin.port);
  const { socket: other } = await openTunnel(t, proxy.port, "127.0.0.1", origin.port);
  assert.equal((await text(other)).length, 8_000_000);
  assert.equal((await text(socket)).length, 8_000_000);
});

test("a response without a length ends when the origin closes the connection", async (t) => {
  const origin = await startTcpOrigin(t, (socket) => void socket.once("data", () => socket.end("HTTP/1.0 200 OK\r\n\r\nhello")));
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  assert.equal((await fetchThrough(proxy.port, `http://127.0.0.1:${origin.port}/`)).body.toString(), "hello");
});

test("an aborted connection to the origin never looks like a complete response", async (t) => {
  const origin = await startTcpOrigin(t, (socket) => {
    socket.once("data", () => socket.write("HTTP/1.0 200 OK\r\n\r\nthe first half", () => socket.resetAndDestroy()));
  });
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  const { socket } = await openTunnel(t, proxy.port, "127.0.0.1", origin.port);
  socket.write("GET / HTTP/1.1\r\n\r\n");
  assert.equal(await endingOf(socket), "ECONNRESET");
});

const cuts: [what: string, limits: { bytesMax?: number; idleTimeoutMs?: number }, end: boolean][] = [
  ["the end of the capture", {}, true],
  ["an exhausted byte budget", { bytesMax: 10 }, false],
  ["an origin that sends nothing for too long", { idleTimeoutMs: 50 }, false],
];
for (const [what, limits, end] of cuts) {
  test(`${what} does not make a truncated response look complete`, async (t) => {
    const origin = await startTcpOrigin(t, (socket) => void socket.write("HTTP/1.0 200 OK\r\n\r\nthe first half"));
    const proxy = await openProxy(t, { allowed: "127.0.0.1", limits });
    proxy.begin("one");
    const { socket } = await openTunnel(t, proxy.port, "127.0.0.1", origin.port);
    const ending = endingOf(socket);
    if (end) proxy.end();
    assert.equal(await ending, "ECONNRESET");
  });
}

test("each failure has its SOCKS reply and its recorded reason", async (t) => {
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  assert.equal((await openTunnel(t, proxy.port, "127.0.0.1", 1024)).reply, "refused");
  assert.equal((await openTunnel(t, proxy.port, "missing.example", 443)).reply, "host unreachable");
  assert.equal((await openTunnel(t, proxy.port, "10.0.0.1", 443)).reply, "not allowed");
  assert.deepEqual(proxy.refusals(), [
    { host: "127.0.0.1", port: 1024, reason: "connection_refused" },
    { host: "missing.example", port: 443, reason: "name_not_resolved", asUnresolved: true },
    { host: "10.0.0.1", port: 443, reason: "private_address" },
  ]);
});

test("connecting to a host that never responds times out", async (t) => {
  // A socket that is never connected stands for a host that drops packets.
  const proxy = await openProxy(t, { limits: { connectTimeoutMs: 20 }, connect: () => new Socket() });
  proxy.begin("one");
  assert.equal((await openTunnel(t, proxy.port, "93.184.215.14", 443)).reply, "expired");
  assert.deepEqual(proxy.refusals(), [{ host: "93.184.215.14", port: 443, reason: "connect_timeout" }]);
});

test("the end of a capture aborts dialing, which is not recorded as a failure", async (t) => {
  const started = Promise.withResolvers<Socket>();
  const proxy = await openProxy(t, {
    connect: () => {
      const socket = new Socket();
      started.resolve(socket);
      return socket;
    },
  });
  proxy.begin("one");
  const browser = connect({ host: "127.0.0.1", port: proxy.port });
  browser.on("error", () => {});
  browser.once("data", () => browser.write(requestFor("93.184.215.14", 443)));
  browser.write(greeting);
  const dialled = await started.promise;
  const cut = new Promise((resolve) => dialled.once("close", resolve));
  proxy.end();
  await cut;
  assert.deepEqual(proxy.refusals(), []);
});

test("the origin's connection is closed when the browser disconnects", async (t) => {
  const arrived = Promise.withResolvers<Socket>();
  const origin = await startOrigin(t, (req) => arrived.resolve(req.socket));
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  proxy.begin("one");
  const { socket } = await openTunnel(t, proxy.port, "127.0.0.1", origin.port);
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const asked = await arrived.promise;
  const cut = new Promise((resolve) => asked.once("close", resolve));
  socket.destroy();
  await cut;
  assert.deepEqual(proxy.refusals(), []);
});
