/** Images and archives that their clients don't read take a bounded part of the connections to the storage. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import Fastify from "fastify";
import { createAnswerFailure } from "../../src/http/errors.ts";
import { setAccount } from "../../src/http/request-account.ts";
import { limitStreamedBodies, streamsPerOwnerMax } from "../../src/http/streamed-bodies.ts";
import { createMetrics } from "../../src/metrics.ts";
import { eventually } from "../support/eventually.ts";

async function* endless() {
  yield "the first bytes";
  await new Promise(() => {});
}

/** Sends a body that never ends; `X-Account` names the account. */
async function serve(t: TestContext) {
  const app = Fastify({ trustProxy: true, forceCloseConnections: true });
  app.setErrorHandler(createAnswerFailure(createMetrics()));
  limitStreamedBodies(app);
  app.get("/image", (request, reply) => {
    const account = request.headers["x-account"];
    if (typeof account === "string") setAccount(request, account);
    return reply.header("cache-control", "private, max-age=3600, immutable").send(Readable.from(endless()));
  });
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  t.after(() => app.close());
  return Number(port);
}

async function open(t: TestContext, port: number, header: string) {
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.write(`GET /image HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`);
  const [head] = await once(socket, "data");
  return { socket, status: Number(String(head).slice(9, 12)), head: String(head) };
}

for (const [what, flood, other] of [
  ["an account", "X-Account: a", "X-Account: b"],
  ["an address without a key", "X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 192.0.2.2"],
] as const)
  test(`${what} that doesn't read its images is refused more than its share; another one isn't`, async (t) => {
    const port = await serve(t);
    const held = await Promise.all(Array.from({ length: streamsPerOwnerMax }, () => open(t, port, flood)));
    assert.ok(held.every(({ status }) => status === 200));
    const { status, head } = await open(t, port, flood);
    assert.equal(status, 429);
    assert.match(head, /cache-control: no-store/);
    assert.match(head, /retry-after: 5/);
    assert.match(head, /"rate_limited","message":"128 images or archives are being sent to you/);
    assert.equal((await open(t, port, other)).status, 200);
    held[0]?.socket.destroy();
    await eventually("there is room again", async () => (await open(t, port, flood)).status === 200);
  });
