/** Connections of a capture through another proxy: what it is asked for, what is refused before, and how it may fail. */

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import type { ServiceEndpoint } from "../../src/egress/own-infrastructure.ts";
import type { UpstreamProxy } from "../../src/egress/upstream.ts";
import { parseProxyUrl } from "../../src/shared/proxy-url.ts";
import { eventually } from "../support/eventually.ts";
import { startProxy } from "../support/proxies.ts";
import { fetchThrough, openProxy, openTunnel, startOrigin, startTcpOrigin } from "./proxy-client.ts";

const publicAddress = "93.184.215.14";
/** Where a proxy outside our network is; `connect` leads to the one on loopback. */
const outside = "9.9.9.9";
const protocols = ["http", "socks5"] as const;
const login = { user: "ada", password: "p@ss:w0rd" };

function upstreamOf(url: string, isTrusted = true): UpstreamProxy {
  const upstream = parseProxyUrl(url, isTrusted);
  assert.ok(upstream, url);
  return upstream;
}

interface SetUp {
  answers?: Record<string, string[]>;
  allowed?: string;
  infrastructure?: ServiceEndpoint[];
}

/** An origin, a proxy that leads everything to it, and our own egress proxy. @param answers of DNS; the public address by default. */
async function setUp(t: TestContext, protocol: "http" | "socks5", { answers = {}, ...more }: SetUp = {}) {
  const origin = await startOrigin(t, (request, response) => response.end(`host ${request.headers.host}`));
  const through = await startProxy(t, protocol, { ...login, dial: () => connect({ host: "127.0.0.1", port: origin.port }) });
  const resolved: string[] = [];
  const dialled: string[] = [];
  const egress = await openProxy(t, {
    resolve: async (host) => {
      resolved.push(host);
      return answers[host] ?? [publicAddress];
    },
    connect: ({ host, port, ...options }) => {
      dialled.push(`${host}:${port}`);
      return connect({ ...options, host: "127.0.0.1", port: host === outside ? through.port : port });
    },
    ...more,
  });
  const outer = { ...upstreamOf(through.url), host: outside };
  return { origin, through, egress, resolved, dialled, near: upstreamOf(through.url), outer };
}

for (const protocol of protocols) {
  test(`proxies: ${protocol} outside our network gets the target's name, and resolves it itself`, async (t) => {
    const { through, egress, resolved, dialled, outer } = await setUp(t, protocol);
    egress.begin("one", undefined, outer);
    assert.equal((await fetchThrough(egress.port, "http://shop.example/")).body.toString(), "host shop.example");
    assert.equal((await fetchThrough(egress.port, "http://shop.example/")).body.toString(), "host shop.example");
    assert.equal((await openTunnel(t, egress.port, "93.184.215.20", 443)).reply, "succeeded");
    assert.deepEqual(through.asked, ["shop.example:80", "shop.example:80", "93.184.215.20:443"]);
    assert.deepEqual(resolved, ["shop.example"]); // the vetting, once for the capture
    assert.deepEqual(new Set(dialled), new Set([`${outside}:${through.port}`]));
    assert.deepEqual(egress.refusals(), []);
  });

  test(`proxies: ${protocol} with a private address gets the vetted address, so a second DNS answer is never used`, async (t) => {
    const answers = { "shop.example": [publicAddress, "2606:4700::1111"] };
    const { through, egress, near } = await setUp(t, protocol, { answers });
    egress.begin("one", undefined, near);
    assert.equal((await fetchThrough(egress.port, "http://shop.example/")).body.toString(), "host shop.example");
    answers["shop.example"] = ["127.0.0.1"];
    assert.equal((await fetchThrough(egress.port, "http://shop.example/")).body.toString(), "host shop.example");
    assert.equal((await openTunnel(t, egress.port, "[2606:4700::1111]", 443)).reply, "succeeded");
    const v6 = protocol === "http" ? "2606:4700::1111" : "2606:4700:0:0:0:0:0:1111";
    assert.deepEqual(through.asked, [`${publicAddress}:80`, `${publicAddress}:80`, `${v6}:443`]);
  });

  test(`proxies: ${protocol} is not asked for a target that is refused`, async (t) => {
    const answers = { "inside.example": ["10.1.2.3"], "mixed.example": [publicAddress, "192.168.0.1"], "none.example": [] };
    const { through, egress, near, outer } = await setUp(t, protocol, { answers, infrastructure: [{ host: "db.example", port: 5432 }] });
    const targets: [string, number][] = [
      ["127.0.0.1", through.port],
      ["10.0.0.1", 80],
      ["169.254.169.254", 80],
      ["[::1]", 8080],
      ["localhost", 8080],
      ["inside.example", 443],
      ["mixed.example", 443],
      ["none.example", 443],
      ["db.example", 5432],
      ["router.local", 80],
      ["metadata", 80],
      ["shop.example", 25],
    ];
    for (const upstream of [near, outer]) {
      egress.begin("one", undefined, upstream);
      for (const [host, port] of targets) assert.notEqual((await openTunnel(t, egress.port, host, port)).reply, "succeeded", host);
      assert.equal(egress.refusals().length, targets.length);
    }
    assert.equal(through.connections(), 0);
  });

  test(`proxies: a private target that the operator allows is reached by ${protocol} in our network, but not by one outside`, async (t) => {
    const { through, egress, near, outer } = await setUp(t, protocol, { allowed: "10.1.2.3" });
    egress.begin("one", undefined, outer);
    assert.equal((await openTunnel(t, egress.port, "10.1.2.3", 80)).reply, "not allowed");
    assert.equal(through.connections(), 0);
    egress.begin("two", undefined, near);
    assert.equal((await openTunnel(t, egress.port, "10.1.2.3", 80)).reply, "succeeded");
  });

  test(`proxies: a loopback address that the operator allows is reached by ${protocol} on this machine, but not by one on another`, async (t) => {
    const { through, egress, near } = await setUp(t, protocol, { allowed: "0.0.0.0/0, ::/0" });
    for (const host of ["127.0.0.1", "127.9.9.9", "0.0.0.0", "[::1]", "[::]", "[::ffff:7f00:1]", "localhost"]) {
      egress.begin("one", undefined, { ...near, host: "10.0.0.7" });
      assert.equal((await openTunnel(t, egress.port, host, 8080)).reply, "not allowed", host);
      assert.equal(egress.refusals()[0]?.reason, "private_address");
    }
    assert.equal(through.connections(), 0);
    egress.begin("two", undefined, near);
    assert.equal((await openTunnel(t, egress.port, "127.0.0.1", 8080)).reply, "succeeded");
  });

  test(`proxies: ${protocol} that refuses the password, is away, or can't reach the target is told apart`, async (t) => {
    const { egress, near, outer } = await setUp(t, protocol);
    const away = await startProxy(t, protocol, { dial: () => connect({ host: "127.0.0.1", port: 1 }) });
    const reasons: string[] = [];
    for (const upstream of [
      { ...near, credentials: { user: "ada", password: "wrong" } },
      { ...outer, credentials: undefined },
      { ...near, port: 1 },
      upstreamOf(away.url),
    ]) {
      egress.begin("one", undefined, upstream);
      assert.notEqual((await openTunnel(t, egress.port, "shop.example", 443)).reply, "succeeded");
      reasons.push(...egress.refusals().map(({ reason }) => reason));
    }
    const failed = protocol === "http" ? "connection_failed" : "connection_refused";
    assert.deepEqual(reasons, ["proxy_authentication", "proxy_authentication", "proxy_unreachable", failed]);
  });

  test(`proxies: connections through ${protocol} end with their capture, and the next one connects directly`, async (t) => {
    const { origin, through, egress, near } = await setUp(t, protocol, {
      allowed: "127.0.0.1",
    });
    egress.begin("one", undefined, near);
    const { socket } = await openTunnel(t, egress.port, "shop.example", 443);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    egress.begin("two");
    await closed;
    const before = through.connections();
    assert.equal((await fetchThrough(egress.port, `http://127.0.0.1:${origin.port}/`)).statusCode, 200);
    assert.equal(through.connections(), before);
  });

  test(`proxies: a caller's own ${protocol} is vetted like a target, and its name resolved once`, async (t) => {
    const answers: Record<string, string[]> = { "proxy.example": [outside], "inner.example": ["10.0.0.7"] };
    const { through, egress, dialled, near, outer } = await setUp(t, protocol, { answers });
    for (const host of ["127.0.0.1", "inner.example", "localhost"]) {
      egress.begin("one", undefined, { ...near, host, isTrusted: false });
      assert.equal((await openTunnel(t, egress.port, "shop.example", 443)).reply, "failed");
      assert.deepEqual(egress.refusals(), [{ host: "shop.example", port: 443, reason: "proxy_unreachable" }]);
    }
    assert.deepEqual(dialled, []);
    egress.begin("two", undefined, { ...outer, host: "proxy.example", isTrusted: false });
    assert.equal((await openTunnel(t, egress.port, "shop.example", 443)).reply, "succeeded");
    answers["proxy.example"] = ["127.0.0.1"];
    assert.equal((await openTunnel(t, egress.port, "shop.example", 443)).reply, "succeeded");
    assert.deepEqual(dialled, Array(2).fill(`${outside}:${through.port}`));
  });
}

const socksOk = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0];

/** Sends `parts`, one for each message of the client. */
const saying =
  (...parts: (string | number[])[]) =>
  (socket: Socket) => {
    const left = [...parts];
    socket.on("data", () => {
      const next = left.shift();
      if (next !== undefined) socket.write(typeof next === "string" ? next : Buffer.from(next));
    });
  };

const oneByteAtATime = (socket: Socket) => {
  const text = `HTTP/1.1 200 OK\r\n${"X-Slow: yes\r\n".repeat(1_000)}`;
  const left = [...text];
  const timer = setInterval(() => void socket.write(left.shift() ?? ""), 5);
  socket.on("close", () => clearInterval(timer));
};

function* repeatedly(text: string) {
  for (;;) yield text;
}

const endless = (socket: Socket) => {
  socket.write("HTTP/1.1 200 OK\r\n");
  Readable.from(repeatedly(`X-More: ${"x".repeat(1_000)}\r\n`)).pipe(socket);
};

const lies: [what: string, protocol: "http" | "socks5", talk: (socket: Socket) => void, reason: string][] = [
  ["says nothing", "http", () => {}, "proxy_timeout"],
  ["says nothing", "socks5", () => {}, "proxy_timeout"],
  ["sends one byte at a time", "http", oneByteAtATime, "proxy_timeout"],
  ["sends headers without end", "http", endless, "proxy_invalid"],
  ["sends garbage", "http", saying("\0\x01\x02 not a proxy at all"), "proxy_invalid"],
  ["speaks another protocol", "http", saying("220 mail.example ESMTP\r\n"), "proxy_invalid"],
  ["speaks HTTP/2", "http", saying("HTTP/2.0 200 OK\r\n\r\n"), "proxy_invalid"],
  ["hangs up", "http", (socket) => void socket.end(), "proxy_invalid"],
  ["resets the connection", "http", (socket) => void socket.once("data", () => socket.resetAndDestroy()), "proxy_invalid"],
  ["redirects", "http", saying("HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\n\r\n"), "proxy_refused"],
  ["sends an interim response", "http", saying("HTTP/1.1 100 Continue\r\n\r\n"), "proxy_refused"],
  ["refuses the password as tinyproxy does", "http", saying("HTTP/1.0 401 Unauthorized\r\n\r\n"), "proxy_authentication"],
  ["forbids the target", "http", saying("HTTP/1.1 403 Forbidden\r\n\r\n"), "proxy_refused"],
  ["reports a timeout of the target", "http", saying("HTTP/1.1 504 Gateway Timeout\r\n\r\n"), "connect_timeout"],
  ["sends garbage", "socks5", saying("HTTP/1.1 400 Bad Request\r\n\r\n"), "proxy_invalid"],
  ["chooses a method that was not offered", "socks5", saying([5, 1]), "proxy_invalid"],
  ["asks for a password", "socks5", saying([5, 2]), "proxy_invalid"],
  ["has no acceptable method", "socks5", saying([5, 0xff]), "proxy_authentication"],
  ["hangs up", "socks5", (socket) => void socket.end(), "proxy_invalid"],
  ["replies with an unknown address type", "socks5", saying([5, 0], [5, 0, 0, 9, 0, 0]), "proxy_invalid"],
  ["replies in another version", "socks5", saying([5, 0], [4, 0, 0, 1, 0, 0, 0, 0, 0, 0]), "proxy_invalid"],
  ["forbids the target", "socks5", saying([5, 0], [5, 2]), "proxy_refused"],
  ["reports a target that does not exist", "socks5", saying([5, 0], [5, 4, 0, 1, 0, 0, 0, 0, 0, 0]), "connection_failed"],
];
for (const [what, protocol, talk, reason] of lies) {
  test(`proxies: ${protocol} that ${what} ends as ${reason}`, async (t) => {
    const proxy = await startTcpOrigin(t, talk);
    const egress = await openProxy(t, { resolve: async () => [publicAddress], limits: { connectTimeoutMs: 300 } });
    egress.begin("one", undefined, upstreamOf(`${protocol}://127.0.0.1:${proxy.port}`));
    assert.notEqual((await openTunnel(t, egress.port, "shop.example", 443)).reply, "succeeded");
    assert.deepEqual(egress.refusals(), [{ host: "shop.example", port: 443, reason }]);
  });
}

test("proxies: what a target sends with the proxy's last message is not lost", async (t) => {
  const talks = {
    http: saying("HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello"),
    socks5: saying([5, 0], [...socksOk, ...Buffer.from("hello")]),
  };
  for (const protocol of protocols) {
    const proxy = await startTcpOrigin(t, talks[protocol]);
    const egress = await openProxy(t, { resolve: async () => [publicAddress] });
    egress.begin("one", undefined, upstreamOf(`${protocol}://127.0.0.1:${proxy.port}`));
    const { socket } = await openTunnel(t, egress.port, "shop.example", 443);
    const said = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
    assert.equal(said.toString(), "hello");
  }
});

test("proxies: if only encrypted connections are allowed, the first byte decides, and no other reaches the target", async (t) => {
  const received: number[] = [];
  const target = await startTcpOrigin(t, (socket) => void socket.on("data", (chunk: Buffer) => void received.push(...chunk)));
  for (const protocol of protocols) {
    const through = await startProxy(t, protocol, { dial: () => connect({ host: "127.0.0.1", port: target.port }) });
    const egress = await openProxy(t, { resolve: async () => [publicAddress] });
    egress.begin("one", undefined, { ...upstreamOf(through.url), isEncryptedOnly: true });
    for (const begins of ["GET / HTTP/1.1\r\n\r\n", "\0"]) {
      const { socket } = await openTunnel(t, egress.port, "shop.example", 443);
      const closed = new Promise((resolve) => socket.resume().once("close", resolve));
      socket.write(begins);
      await closed;
    }
    assert.deepEqual(egress.refusals(), [{ host: "shop.example", port: 443, reason: "not_encrypted" }]);
    const { socket } = await openTunnel(t, egress.port, "shop.example", 443);
    const handshake = [22, 3, 1];
    socket.write(Buffer.from(handshake));
    await eventually("it arrives", () => received.length >= handshake.length);
    assert.deepEqual(received.splice(0), handshake);
  }
});

test("proxies: the end of a capture ends a handshake, which is not recorded as a failure", async (t) => {
  const reached = Promise.withResolvers<Socket>();
  const proxy = await startTcpOrigin(t, (socket) => reached.resolve(socket));
  const egress = await openProxy(t, { resolve: async () => [publicAddress] });
  egress.begin("one", undefined, upstreamOf(`http://127.0.0.1:${proxy.port}`));
  const opening = openTunnel(t, egress.port, "shop.example", 443);
  const closed = new Promise((resolve) => reached.promise.then((socket) => socket.resume().once("close", resolve)));
  await reached.promise;
  egress.end();
  await closed;
  assert.equal((await opening).reply, "closed");
  assert.deepEqual(egress.refusals(), []);
});
