/** Many connections that send at the same time don't stop the process. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, createServer, get, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { limitConnections } from "../../../src/http/server/connection-limit.ts";
import { createMetricsServer } from "../../../src/http/server/metrics-server.ts";
import { runOneAtATime } from "../../../src/http/server/one-at-a-time.ts";
import { limitReads } from "../../../src/http/server/read-turns.ts";
import { limitTimeouts } from "../../../src/http/server/timeout-turns.ts";
import { withDeadline } from "../../../src/shared/deadline.ts";
import { createOwnerSums } from "../../../src/shared/owner-sums.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { runOneAtATime as runOneAtATimeInWeb } from "../../../web/server/one-at-a-time.ts";
import { limitReads as limitReadsOfWeb } from "../../../web/server/read-turns.ts";
import { limitTimeouts as limitTimeoutsOfWeb } from "../../../web/server/timeout-turns.ts";
import { countParsedRequests } from "../../support/count-parsed.ts";
import { eventually } from "../../support/eventually.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { exchange } from "../../support/raw.ts";

const connections = 300;
const chunks = 3_000;

/** A thread that sends a body in chunks of a byte on each connection, all at once, and reports how many responses were right. */
const sender = `
const { connect } = require("node:net");
const { parentPort, workerData: { port, connections, chunks } } = require("node:worker_threads");
const head = "POST / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n";
const body = Buffer.from("1\\r\\na\\r\\n".repeat(chunks) + "0\\r\\n\\r\\n");
(async () => {
  const sockets = await Promise.all(Array.from({ length: connections }, () => new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => { socket.write(head); resolve(socket); });
  })));
  const texts = sockets.map((socket) => new Promise((resolve) => {
    let text = "";
    socket.on("data", (data) => (text += data)).on("close", () => resolve(text));
  }));
  for (const socket of sockets) socket.write(body);
  const right = (await Promise.all(texts)).filter((text) => text.endsWith("\\r\\n\\r\\n" + chunks)).length;
  parentPort.postMessage(right);
})();`;

test("bodies in tiny chunks on hundreds of connections at once are received whole, in turns of at most 100 ms", async (t) => {
  const server = createServer(async (request, response) => {
    let length = 0;
    for await (const chunk of request) length += chunk.length;
    response.setHeader("content-length", String(length).length);
    response.end(String(length));
  });
  limitReads(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { result, ms } = await longestTurnAtBest(async () => {
    const worker = new Worker(sender, { eval: true, workerData: { port, connections, chunks } });
    const [right] = await once(worker, "message");
    await worker.terminate();
    return right;
  });
  assert.equal(result, connections);
  assert.ok(ms <= 100, `a turn of ${ms} ms`);
});

/** A thread with idle connections that have been served once, and two that send one body in tiny chunks after another. */
const flood = `
const { connect } = require("node:net");
const { parentPort, workerData: { port, idle } } = require("node:worker_threads");
const open = (text) => new Promise((resolve) => {
  const socket = connect(port, "127.0.0.1", () => socket.write(text));
  socket.once("data", () => resolve(socket));
});
const post = "POST / HTTP/1.1\\r\\nHost: a\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n" + "1\\r\\na\\r\\n".repeat(5000) + "0\\r\\n\\r\\n";
(async () => {
  for (let count = 0; count < idle; count += 1) await open("GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n");
  for (const socket of [await open(post), await open(post)]) {
    const send = () => { while (socket.write(post.repeat(10))); };
    socket.on("drain", send);
    send();
  }
  parentPort.postMessage("flooding");
})();`;

test("idle connections and a few costly ones don't make a connection wait that is used now and then", async (t) => {
  const server = createServer((request, response) => void request.resume().on("end", () => response.end("fine")));
  limitReads(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const worker = new Worker(flood, { eval: true, workerData: { port, idle: 500 } });
  t.after(async () => {
    await worker.terminate();
    server.closeAllConnections();
    server.close();
  });
  await once(worker, "message");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const ask = () =>
    new Promise<void>(
      (resolve, reject) => void get({ port, agent }, (response) => response.resume().on("end", resolve)).on("error", reject),
    );
  for (let count = 0; count < 20; count += 1) await withDeadline(ask(), 2_000, () => assert.fail("it waits for more than two seconds"));
});

/** A thread that sends requests on many connections of one address, and then one request on a connection of another, all at once. */
const addresses = `
const { connect } = require("node:net");
const { workerData: { port, connections, used, sent } } = require("node:worker_threads");
const request = (path) => "GET " + path + " HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n";
const open = (localAddress) => new Promise((resolve) => {
  const socket = connect({ port, host: "127.0.0.1", localAddress }, () => (used ? socket.write(request("/quick")) : resolve(socket)));
  socket.on("data", () => resolve(socket));
});
(async () => {
  const many = await Promise.all(Array.from({ length: connections }, () => open("127.0.0.1")));
  const other = await open("127.0.0.2");
  for (const socket of many) socket.write(request("/slow"));
  other.write(request("/slow"));
  Atomics.store(sent, 0, 1);
  Atomics.notify(sent, 0);
})();`;

/** How many of 300 requests of one address are served before one of another address, all sent at once. */
async function servedBefore(limit: (server: Server) => void, used: boolean): Promise<number> {
  const served: (string | undefined)[] = [];
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const server = createServer((request, response) => {
    if (request.url === "/slow") {
      Atomics.wait(sent, 0, 0, 10_000);
      served.push(request.socket.remoteAddress);
      for (const until = performance.now() + 3; performance.now() < until; );
    }
    response.end("fine");
  });
  limit(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const worker = new Worker(addresses, { eval: true, workerData: { port, connections: 300, used, sent } });
  try {
    await once(worker, "online");
    if (!used) Atomics.wait(sent, 0, 0, 10_000); // none is accepted before all have sent their requests
    await eventually("all are served", () => served.length === 301);
    return served.indexOf("127.0.0.2");
  } finally {
    await worker.terminate();
    server.closeAllConnections();
    server.close();
  }
}

for (const [kind, used] of [
  ["new", false],
  ["used", true],
] as const)
  for (const [name, limit] of [
    ["the API", limitReads],
    ["the dashboard's server", limitReadsOfWeb],
  ] as const)
    test(`${name}: many ${kind} connections of an address delay those of another by a few requests`, async () => {
      const before = await servedBefore(limit, used);
      assert.ok(before < 50, `${before} requests came before`);
    });

test("the body of a request that waits for another one on its connection is not read until its turn", async (t) => {
  const running = Promise.withResolvers<ServerResponse>();
  let received = 0;
  const server = createServer(async (request, response) => {
    if (request.url === "/first") return running.resolve(response);
    for await (const chunk of request) received += chunk.length;
    response.end("fine");
  });
  runOneAtATime(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  t.after(() => {
    client.destroy();
    server.close();
  });
  let text = "";
  client.on("data", (data) => (text += data));
  // Fewer bytes than Node reads ahead, but each chunk takes hundreds of bytes.
  const [length, count] = [60_000, 5];
  const post = `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\n \r\n".repeat(length)}0\r\n\r\n`;
  client.write(`GET /first HTTP/1.1\r\nHost: a\r\n\r\n${post.repeat(count)}`);
  const first = await running.promise;
  const before = process.memoryUsage().heapUsed;
  await pause(500);
  const grownBytes = process.memoryUsage().heapUsed - before;
  assert.ok(grownBytes < 15e6, `${grownBytes} bytes`);
  first.end("fine");
  await eventually("all have been received", () => received === length * count && text.match(/200 OK/g)?.length === count + 1);
});

function metricsServer(t: TestContext) {
  const never = async () => await new Promise<never>(() => {});
  const slots = { state: () => ({ running: 0, waiting: 0, idle: 0, started: 0 }) };
  const asked = { health: never, readiness: never, queuedCaptures: never };
  const app = createMetricsServer({ config: { ROLE: "all" }, metrics: createMetrics(), slots, ...asked });
  t.after(() => app.close());
  return app;
}

test("requests on the metrics port that Node would answer by itself wait like others", async (t) => {
  const app = metricsServer(t);
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const parsed = countParsedRequests(t);
  const ask = (lines: string, path = "/none") => `GET ${path} HTTP/1.1\r\n${lines}\r\n`;
  const [expects, hostless] = [ask("Host: a\r\nExpect: x\r\n"), ask("")];
  for (const flood of [expects, hostless].map((one) => ask("Host: a\r\n", "/metrics") + one.repeat(1_500)))
    assert.deepEqual(await exchange(origin, { pieces: [flood] }), []);
  assert.equal(parsed(), 2 * 102, "one that runs, a hundred that wait, and one too many");
  const answers = await exchange(origin, { pieces: [expects + hostless] });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 400],
  );
});

/** A thread that sends many requests on each connection, all at once, until all are closed. */
const pipelined = `
const { connect } = require("node:net");
const { parentPort, workerData: { port, connections, text } } = require("node:worker_threads");
(async () => {
  const sockets = await Promise.all(Array.from({ length: connections }, () => new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
  })));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => {
    socket.on("close", resolve).on("error", () => {}).resume().write(text);
  })));
  parentPort.postMessage("closed");
})();`;

test("a request with a body on the metrics port is refused before its body has arrived", async (t) => {
  const app = metricsServer(t);
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  for (const head of ["POST /metrics HTTP/1.1\r\nHost: a\r\n", "GET /elsewhere HTTP/1.1\r\nHost: a\r\n"])
    for (const rest of ["Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n", "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"]) {
      const [answer] = await exchange(origin, { pieces: [head + rest] });
      assert.deepEqual([answer?.status, answer?.headers.connection], [400, "close"], head + rest);
      assert.match(String(answer?.body), /without a body/);
    }
});

test("many connections to the metrics port are read in turns of at most 100 ms", async (t) => {
  const app = metricsServer(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const text = "GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n".repeat(1_500);
  const { ms } = await longestTurnAtBest(async () => {
    const worker = new Worker(pipelined, { eval: true, workerData: { port, connections: 300, text } });
    await once(worker, "message");
    await worker.terminate();
  });
  assert.ok(ms <= 100, `a turn of ${ms} ms`);
});

const oneAtATime = [
  ["the API", runOneAtATime],
  ["the dashboard's server", runOneAtATimeInWeb],
] as const;

/** A server that answers no request. `ask` opens a connection from an address with `count` requests. */
async function startSilent(t: TestContext, limit: (server: Server) => void) {
  let running = 0;
  const server = createServer(() => {
    running += 1;
  });
  limit(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const close = () => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  t.after(() => {
    close();
    server.close();
  });
  const ask = (count: number, localAddress = "127.0.0.1") => {
    const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {});
    sockets.push(socket);
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count));
    return socket;
  };
  return { ask, close, running: () => running };
}

for (const [name, limit] of oneAtATime)
  test(`${name}: at most a thousand requests of an address wait on all its connections`, async (t) => {
    const { ask, close, running } = await startSilent(t, limit);
    const sockets = Array.from({ length: 40 }, (_, at) => ask(51, at < 39 ? "127.0.0.1" : "127.0.0.2")); // one runs, and fifty wait
    const closed = new Set<number>();
    for (const [at, socket] of sockets.entries()) socket.on("close", () => closed.add(at));
    await eventually("all have begun", () => running() === 40 && closed.size === 19);
    assert.ok(!closed.has(39), "another address isn't affected");
    close();
    const again = ask(101);
    await eventually("another hundred may wait", () => running() === 41);
    await pause(100);
    assert.equal(again.destroyed, false);
  });

for (const [name, limit] of oneAtATime)
  test(`${name}: however many requests of some addresses wait, those of another may`, async (t) => {
    const { ask, running } = await startSilent(t, limit);
    for (let address = 1; address <= 8; address += 1) for (let left = 20; left > 0; left -= 1) ask(51, `127.0.0.${address}`);
    await eventually("all have begun", () => running() === 160);
    await pause(200);
    const other = ask(11, "127.0.0.9");
    await eventually("it has begun", () => running() === 161);
    await pause(100);
    assert.equal(other.destroyed, false);
  });

for (const [name, limit] of oneAtATime)
  test(`${name}: requests behind a response that closes the connection no longer count`, async (t) => {
    const server = createServer(async (_, response) => {
      await pause(5);
      response.writeHead(200, { connection: "close" }).end("fine");
    });
    limit(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.after(() => server.close());
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ask = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    for (let round = 0; round < 15; round += 1)
      assert.equal((await exchange(origin, { pieces: [ask.repeat(91)] })).length, 1, `after ${round * 90} requests`);
  });

for (const [name, limit] of [
  ["API", limitTimeouts],
  ["dashboard", limitTimeoutsOfWeb],
] as const)
  test(`${name}: incomplete requests whose time is up together end in turns of at most 100 ms`, async (t) => {
    const server = createServer({ headersTimeout: 500, requestTimeout: 500, connectionsCheckingInterval: 1_000 });
    server.on("clientError", (_, socket) => {
      const before = process.threadCpuUsage();
      while (process.threadCpuUsage(before).user < 5_000); // as if there were thousands
      socket.end("HTTP/1.1 408 Request Timeout\r\n\r\n");
    });
    limit(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.after(() => server.close());
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { result, ms } = await longestTurnAtBest(async () => {
      const asked = Array.from({ length: 50 }, () => exchange(origin, { pieces: ["GET / HTTP/1.1\r\nHost: a\r\n"] }));
      return (await Promise.all(asked)).filter(([answer]) => answer?.status === 408).length;
    });
    assert.equal(result, 50);
    assert.ok(ms <= 100, `a turn of ${ms} ms`);
  });

test("an address may have at most half of the connections, and the next one half of the rest", async (t) => {
  const server = createServer();
  limitConnections(server, 8, createOwnerSums());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  /** Opens `count` connections, and returns how many of them stay open. */
  const open = async (localAddress: string, count: number) => {
    const closed = new Set<Socket>();
    for (let left = count; left > 0; left -= 1) {
      const socket = connect({ port, host: "127.0.0.1", localAddress });
      sockets.push(socket.on("error", () => {}).on("close", () => closed.add(socket)));
      await once(socket, "connect");
    }
    await pause(100);
    return count - closed.size;
  };
  assert.equal(await open("127.0.0.1", 8), 4);
  assert.equal(await open("127.0.0.2", 8), 2);
  assert.equal(await open("127.0.0.3", 1), 1);
  for (const socket of sockets.splice(0)) socket.destroy();
  await pause(100);
  assert.equal(await open("127.0.0.1", 8), 4);
});
