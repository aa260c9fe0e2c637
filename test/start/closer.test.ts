/** The shutdown's phases and their deadlines. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { type ClosingTimes, closeServer, closingMsMax, closingTimes, createCloser } from "../../src/start/closer.ts";
import { logLines } from "../screenshots/log-lines.ts";

const hour = 3_600_000;
const patient: ClosingTimes = { deadlineMs: { requests: hour, work: hour, flush: hour, connections: hour }, recordingMs: hour };
const never = () => new Promise<never>(() => {});

test("phases close in order, whatever was opened first, and components of a phase close concurrently", async () => {
  const { opens, closeAll } = createCloser(logLines().log, () => patient);
  const closed: string[] = [];
  const other = Promise.withResolvers<void>();
  opens("connections", "pool", (name) => closed.push(name));
  opens("requests", "server", (name) => closed.push(name));
  opens("flush", "uploads", (name) => closed.push(name));
  opens("work", "jobs", () => other.resolve());
  opens("work", "sweep", async (name) => {
    await other.promise;
    closed.push(name);
  });
  opens("work", "refreshes", async () => await other.promise);
  await Promise.all([closeAll(), closeAll()]);
  assert.deepEqual(closed, ["server", "sweep", "uploads", "pool"]);
});

test("components that hang or fail are aborted at their phase's deadline, and don't prevent the next phase from closing", async () => {
  const { log, lines } = logLines();
  const short = { ...patient, deadlineMs: { ...patient.deadlineMs, work: 20 }, recordingMs: 20 };
  const { opens, closeAll } = createCloser(log, () => short);
  const told: string[] = [];
  for (const name of ["jobs", "sweep"])
    opens("work", name, (_, deadline) => {
      deadline.addEventListener("abort", () => told.push(name));
      return never();
    });
  opens("work", "refreshes", () => Promise.reject(new Error("lost")));
  opens("connections", "pool", (name) => told.push(name));
  await closeAll();
  assert.deepEqual(told, ["jobs", "sweep", "pool"]);
  assert.deepEqual(
    lines.map(({ msg, phase, open }) => ({ msg, phase, open })),
    [
      { msg: "failed to close a component", phase: "work", open: undefined },
      { msg: "components did not close in time", phase: "work", open: 2 },
    ],
  );
});

test("nothing is opened once the shutdown has begun", async () => {
  const { opens, closeAll } = createCloser(logLines().log, () => patient);
  await closeAll();
  assert.throws(() => opens("work", "late", () => {}), /shutting down/);
});

test("the maximum duration of a shutdown is the sum of its phases", () => {
  assert.equal(closingMsMax(closingTimes(90_000)) - closingMsMax(closingTimes(30_000)), 60_000);
  assert.equal(closingMsMax({ deadlineMs: { requests: 1, work: 2, flush: 3, connections: 4 }, recordingMs: 10 }), 50);
});

test("a server closes once its responses have ended, even if a client keeps the connection of one that began before the shutdown", async (t) => {
  const server = createServer({ keepAliveTimeout: hour });
  server.listen(0, "127.0.0.1");
  t.after(() => server.closeAllConnections());
  await once(server, "listening");
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const sent = get({ agent, host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  const [, running]: ServerResponse[] = await once(server, "request");
  running?.writeHead(200, { "content-length": 2 }).write("a");
  const [response]: IncomingMessage[] = await once(sent, "response");
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  const closed = closeServer({ server, close }, AbortSignal.timeout(hour));
  running?.end("b");
  assert.equal(await response?.setEncoding("utf8").reduce((text, chunk) => text + chunk), "ab");
  await closed;
});
