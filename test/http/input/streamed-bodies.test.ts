/** Images and archives that clients don't read use a bounded share of memory and storage connections. */

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import Fastify, { type FastifyReply } from "fastify";
import { assertRoomFor, limitStreams, markRepeated, streamLimits } from "../../../src/http/server/client-limits.ts";
import { confirmOnceSent } from "../../../src/http/server/confirm-once-sent.ts";
import { createAnswerFailure } from "../../../src/http/server/error-handler.ts";
import { createHeldImages, heldBytesMax, heldImages, heldOrStored } from "../../../src/http/server/held-images.ts";
import { setAccount } from "../../../src/http/server/owners.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { eventually } from "../../support/eventually.ts";

async function* endless() {
  yield "the first bytes";
  await new Promise(() => {});
}

/** Sends an endless body; `X-Account` names the account. */
async function serve(t: TestContext) {
  const app = Fastify({ trustProxy: true, forceCloseConnections: true });
  app.setErrorHandler(createAnswerFailure(createMetrics()));
  limitStreams(app);
  const bodies: Readable[] = [];
  app.get("/image", async (request, reply) => {
    await setTimeout(30); // as long as object storage takes; clients disconnect meanwhile
    const account = request.headers["x-account"];
    if (typeof account === "string") setAccount(request, account);
    const body = Readable.from(endless());
    bodies.push(body);
    return reply.header("cache-control", "private, max-age=3600, immutable").send(body);
  });
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  t.after(() => app.close());
  return { port: Number(port), bodies };
}

async function open(t: TestContext, port: number, header: string, request = "GET /image") {
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.write(`${request} HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`);
  const [head] = await once(socket, "data");
  return { socket, status: Number(String(head).slice(9, 12)), head: String(head) };
}

for (const [what, flood, other] of [
  ["an account", "X-Account: a", "X-Account: b"],
  ["an address without a key", "X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 192.0.2.2"],
] as const)
  test(`${what} that doesn't read its images is limited to its share; others are not affected`, async (t) => {
    const { port } = await serve(t);
    const held = await Promise.all(Array.from({ length: streamLimits.perClient }, () => open(t, port, flood)));
    assert.ok(held.every(({ status }) => status === 200));
    const { status, head } = await open(t, port, flood);
    assert.equal(status, 429);
    assert.match(head, /cache-control: no-store/);
    assert.match(head, /retry-after: 5/);
    assert.match(head, /"rate_limited","message":"Too many images or ZIP files are being sent/);
    assert.equal((await open(t, port, other)).status, 200);
    held[0]?.socket.destroy();
    await eventually("there is room again", async () => (await open(t, port, flood)).status === 200);
  });

test("responses in memory that clients don't read use up their account's share of unsent images", async (t) => {
  const app = Fastify({ forceCloseConnections: true });
  limitStreams(app);
  app.get("/image", async (request, reply) => {
    setAccount(request, "slow");
    return reply.send(Buffer.alloc(heldBytesMax.perClientMax / 2));
  });
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  t.after(() => app.close());
  const sockets = await Promise.all([1, 2].map(() => open(t, Number(port), "X-Account: slow")));
  assert.throws(() => heldImages.assertRoom("slow"), { code: "rate_limited" });
  assert.equal((await open(t, Number(port), "X-Account: slow")).status, 429);
  for (const { socket } of sockets) socket.destroy();
  await eventually("nothing is held", () => heldImages.hold("slow", replyTo(), [Buffer.alloc(heldBytesMax.perClientMax)]));
});

test("long JSON that clients don't read uses up the same share; lists are then refused, but not descriptions of captures", async (t) => {
  const app = Fastify({ forceCloseConnections: true });
  limitStreams(app);
  app.get("/image", async (request, reply) => {
    setAccount(request, "reader");
    if (request.headers["x-capture"]) reply.header("x-screenshot-id", "1");
    return { text: "x".repeat(heldBytesMax.perClientMax / 2) };
  });
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  t.after(() => app.close());
  const opened = await Promise.all([1, 2].map(() => open(t, Number(port), "X-Account: reader")));
  assert.deepEqual(
    await Promise.all(["A: b", "X-Capture: 1"].map(async (header) => (await open(t, Number(port), header)).status)),
    [429, 200],
  );
  for (const { socket } of opened) socket.destroy();
  await eventually("there is room again", async () => (await open(t, Number(port), "A: b")).status === 200);
});

test("repeated responses and further changes are refused once much long JSON is unread, but not the response to a change that was made", async (t) => {
  const app = Fastify({ forceCloseConnections: true });
  limitStreams(app);
  const text = "x".repeat(heldBytesMax.perClientMax / 2);
  app.post("/repeated", async (request, reply) => {
    setAccount(request, "sender");
    markRepeated(reply);
    return { text };
  });
  app.post("/made", async (request) => {
    setAccount(request, "sender");
    return { text };
  });
  app.post("/asked-before", async (request) => {
    setAccount(request, "sender");
    assertRoomFor(request);
    return { text };
  });
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  t.after(() => app.close());
  const post = async (path: string) => (await open(t, Number(port), "A: b", `POST ${path}`)).status;
  assert.deepEqual([await post("/repeated"), await post("/asked-before")], [200, 200]);
  assert.deepEqual([await post("/repeated"), await post("/asked-before"), await post("/made")], [429, 429, 200]);
});

test("clients that disconnect before their image is sent release the stream and their share", async (t) => {
  const { port, bodies } = await serve(t);
  for (const header of ["X-Account: a", "X-Forwarded-For: 192.0.2.1"]) {
    const count = bodies.length + 2 * streamLimits.total;
    for (let index = 0; index < 2 * streamLimits.total; index += 1) {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      socket.write(`GET /image HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`, () => socket.destroy());
      await once(socket, "close");
    }
    await eventually("all have been answered", () => bodies.length >= count - 20);
    await eventually("nothing is read for them", () => bodies.every(({ destroyed }) => destroyed));
    assert.equal((await open(t, port, header)).status, 200);
    bodies.length = 0;
  }
});

test("when most storage connections are in use, only owners who have few get another one, and some are reserved for captures", async (t) => {
  const { port } = await serve(t);
  const openMany = (account: string, count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await open(t, port, `X-Account: ${account}`)).status));
  const { perClient, crowded, fewPerClient } = streamLimits;
  await openMany("a", perClient);
  await openMany("b", crowded - perClient);
  assert.deepEqual(await openMany("b", 1), [429]);
  assert.deepEqual((await openMany("c", fewPerClient + 1)).sort(), [...Array(fewPerClient).fill(200), 429]);
});

const replyTo = () => ({ raw: new EventEmitter() }) as unknown as FastifyReply;

test("a capture is charged if its response is refused because too many are unread, but not if the service fails", () => {
  const endsOf = (statusCode: number) => {
    const reply = { ...replyTo(), statusCode };
    let ends = 0;
    confirmOnceSent(reply as FastifyReply, () => {
      ends += 1;
    });
    reply.raw.emit("close");
    return ends;
  };
  assert.deepEqual([endsOf(200), endsOf(429), endsOf(503)], [1, 1, 0]);
});

test("an account's unsent images may fill its share of memory, or be a single larger image", () => {
  const { hold, add, assertRoom, hasRoom } = createHeldImages({ bytesMax: 200, perClientMax: 100 });
  const image = (bytes: number) => [Buffer.alloc(bytes)];
  const first = replyTo();
  const same = image(90);
  assert.deepEqual([hold("a", first, same), hold("a", replyTo(), same), hold("a", replyTo(), image(11))], [true, true, false]);
  assert.deepEqual(
    [hold("b", replyTo(), image(300)), hold("b", replyTo(), image(1)), hold("c", replyTo(), image(50))],
    [true, false, true],
  );
  assert.equal(hold("c", replyTo(), image(1)), false, "all together exceed the limit");
  first.raw.emit("close");
  assert.equal(hold("a", replyTo(), image(11)), false, "another response sends the image");
  hold("d", { raw: Object.assign(new EventEmitter(), { closed: true }) } as unknown as FastifyReply, image(500));
  assert.equal(hold("d", replyTo(), image(500)), true, "whose client has disconnected holds nothing");
  assertRoom("e");
  add("e", replyTo(), image(150));
  assert.throws(() => assertRoom("e"), { code: "rate_limited" });
  assert.deepEqual([hasRoom("c"), hasRoom("f")], [false, true], "all together still exceed the limit");
  add("f", replyTo(), image(6));
  assert.equal(hasRoom("f"), true, "who holds little isn't refused for it");
  assert.equal(hold("e", replyTo(), image(1)), false);
  const both = createHeldImages({ bytesMax: 200, perClientMax: 100 });
  const [one, other, shared] = [replyTo(), replyTo(), image(100)];
  both.add("one", one, shared);
  both.add("other", other, shared);
  one.raw.emit("close");
  assert.deepEqual([both.hasRoom("one"), both.hasRoom("other")], [false, true], "an image for two counts against the first");
  other.raw.emit("close");
  assert.deepEqual([both.hasRoom("one"), both.hasRoom("other")], [true, true]);
});

test("an image beyond its account's share is read from storage; if it isn't stored, the request is refused", async () => {
  const reply = replyTo();
  heldImages.hold("full", reply, [Buffer.alloc(heldBytesMax.perClientMax)]);
  const disconnected = () => new AbortController().signal;
  const stored = Buffer.from("stored");
  const store = { get: async () => ({ stream: Readable.from([stored]), bytes: stored.length, contentType: "image/png" }) };
  const to = { caller: { userId: "full" }, reply: replyTo(), store, newId: "019a", disconnected };
  const body = await heldOrStored(Buffer.from("memory"), { ...to, stored: async () => "key" });
  assert.deepEqual(await buffer(body as Readable), stored);
  const refused = { code: "rate_limited", screenshotId: "019a", retryable: false };
  await assert.rejects(heldOrStored(Buffer.from("memory"), { ...to, stored: async () => null }), refused);
  reply.raw.emit("close");
  assert.deepEqual(await heldOrStored(stored, { ...to, stored: async () => null }), stored);
});
