/** Tunnels through a lane: https, WebSockets and whatever else a page asks to be connected to. */

import assert from "node:assert/strict";
import { connect, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { openLane, openTunnel, startTcpOrigin } from "./proxy-client.ts";

test("a tunnel passes bytes both ways until one side closes", async (t) => {
  const origin = await startTcpOrigin(t, (socket) => void socket.pipe(socket));
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const { status, socket } = await openTunnel(t, lane.port, `127.0.0.1:${origin.port}`);
  assert.equal(status, "HTTP/1.1 200 Connection Established");
  const sent = "x".repeat(3_000_000);
  socket.end(sent);
  assert.equal(await text(socket), sent);
});

test("what the browser sends together with its CONNECT is passed on", async (t) => {
  const origin = await startTcpOrigin(t, (socket) => void socket.pipe(socket));
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const socket = connect({ host: "127.0.0.1", port: lane.port });
  socket.end(`CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\nHost: x\r\n\r\nearly`);
  assert.equal(await text(socket), "HTTP/1.1 200 Connection Established\r\n\r\nearly");
});

test("what the origin sent before it closed arrives", async (t) => {
  const origin = await startTcpOrigin(t, (socket) => void socket.end("x".repeat(3_000_000)));
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const { socket } = await openTunnel(t, lane.port, `127.0.0.1:${origin.port}`);
  const rest = await text(socket);
  assert.ok(rest.length > 2_500_000, String(rest.length)); // the first bytes may have come with the status line
});

test("a host that cannot be reached is a bad gateway, with its reason on the list", async (t) => {
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  assert.equal((await openTunnel(t, lane.port, "127.0.0.1:1024")).status, "HTTP/1.1 502 Bad Gateway");
  assert.equal((await openTunnel(t, lane.port, "missing.example:443")).status, "HTTP/1.1 502 Bad Gateway");
  assert.deepEqual(lane.refusals(), [
    { host: "127.0.0.1", port: 1024, reason: "connection_refused" },
    { host: "missing.example", port: 443, reason: "name_not_resolved" },
  ]);
});

test("a host that never answers is given up in time", async (t) => {
  // A socket that is never connected stands for a host that drops packets.
  const lane = await openLane(t, { limits: { connectTimeoutMs: 20 }, connect: () => new Socket() });
  lane.begin("one");
  assert.equal((await openTunnel(t, lane.port, "93.184.215.14:443")).status, "HTTP/1.1 502 Bad Gateway");
  assert.deepEqual(lane.refusals(), [{ host: "93.184.215.14", port: 443, reason: "connect_timeout" }]);
});

test("the end of a capture stops the dialling, and that is no failure", async (t) => {
  const started = Promise.withResolvers<Socket>();
  const lane = await openLane(t, {
    connect: () => {
      const socket = new Socket();
      started.resolve(socket);
      return socket;
    },
  });
  lane.begin("one");
  const browser = connect({ host: "127.0.0.1", port: lane.port });
  browser.on("error", () => {});
  browser.write("CONNECT 93.184.215.14:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  const dialled = await started.promise;
  const cut = new Promise((resolve) => dialled.once("close", resolve));
  lane.end();
  await cut;
  assert.deepEqual(lane.refusals(), []);
});

test("a tunnel's origin is told when the browser leaves", async (t) => {
  const origin = await startTcpOrigin(t, (socket) => void socket.resume());
  const lane = await openLane(t, { allowed: "127.0.0.1" });
  lane.begin("one");
  const { socket } = await openTunnel(t, lane.port, `127.0.0.1:${origin.port}`);
  const cut = new Promise((resolve) => origin.sockets[0]?.once("close", resolve));
  socket.destroy();
  await cut;
});
