/** The shipped load balancer itself: incomplete requests, one caller's share, and a PostgreSQL outage. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../scripts/stack/ports.ts";
import { eventually } from "../support/eventually.ts";
import { openGate } from "../support/gate.ts";
import { spawnServer } from "../support/process.ts";
import { startService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { hasBalancer, startBalancer } from "./balancer.ts";

const skip = hasBalancer ? false : "HAProxy is not installed: apt-get install haproxy";
const path = "/v1/screenshots/take";

/** A container that reads each request to its end, behind the balancer. Callers on this machine count as proxies, or not. */
async function startBehind(t: TestContext, callers: { areProxies: boolean }) {
  const apiPort = await freePort();
  const api = createServer(async (request, response) => {
    for await (const _ of request);
    response.end("ok");
  }).listen(apiPort, "127.0.0.2");
  t.after(() => api.close());
  await once(api, "listening");
  const changes: Record<string, string> = callers.areProxies ? {} : { "127.0.0.0/8 ": "" };
  const balancer = await startBalancer(t, () => [[127, 0, 0, 2]], String(apiPort), changes);
  const send = async (headers: Record<string, string> = {}) =>
    (await fetch(`${balancer.origin}${path}`, { method: "POST", body: "whole", headers, signal: AbortSignal.timeout(20_000) })).status;
  await eventually("the balancer answers", async () => (await send().catch(() => 0)) === 200);
  return { ...balancer, send };
}

/** Sends the headers and half of the body on `count` connections from `address`; `refused` counts those closed without a response. */
async function sendHalves(t: TestContext, port: number, address: string, count: number, headers = "") {
  const seen = { refused: 0, answered: 0 };
  const half = Buffer.alloc(100_000, "x");
  for (let index = 0; index < count; index += 1) {
    const socket = connect({ host: "127.0.0.1", port, localAddress: address });
    let isAnswered = false;
    socket
      .on("error", () => {})
      .on("data", () => {
        if (!isAnswered) seen.answered += 1;
        isAnswered = true;
      });
    socket.on("close", () => {
      if (!isAnswered) seen.refused += 1;
    });
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${2 * half.length}\r\n\r\n`);
    socket.write(half);
    t.after(() => socket.destroy());
  }
  return seen;
}

test("a caller that sends thousands of incomplete requests gets 100 connections, and others are still served", { skip }, async (t) => {
  const { port, send, child } = await startBehind(t, { areProxies: false });
  const seen = await sendHalves(t, port, "127.0.1.1", 2_000);
  await eventually("all except its share are refused", () => seen.refused === 1_900);
  assert.equal(await send(), 200);
  await eventually("the rest end at the deadline for a request", () => seen.answered === 100);
  assert.equal(child.exitCode, null);
});

test("incomplete requests from many callers don't exhaust the balancer's memory, and it recovers once they end", { skip }, async (t) => {
  const { port, send, child } = await startBehind(t, { areProxies: false });
  const all: Awaited<ReturnType<typeof sendHalves>>[] = [];
  for (let caller = 1; caller <= 25; caller += 1) all.push(await sendHalves(t, port, `127.0.1.${caller}`, 100));
  await eventually("one is answered", async () => (await send().catch(() => 0)) === 200);
  await eventually("all were answered, or failed through their own fault", () => all.every(({ answered }) => answered === 100));
  assert.equal(child.exitCode, null);
});

test("behind a proxy, each forwarded client address has its own share", { skip }, async (t) => {
  const { port, send } = await startBehind(t, { areProxies: true });
  const seen = await sendHalves(t, port, "127.0.0.1", 150, "X-Forwarded-For: 192.0.2.7\r\n");
  await eventually("all except its share get a 429", () => seen.answered >= 50);
  assert.equal(await send({ "X-Forwarded-For": "192.0.2.7" }), 429);
  assert.equal(await send({ "X-Forwarded-For": "192.0.2.7, 198.51.100.8" }), 200); // the last one is the proxy's
});

test("while PostgreSQL is down, the balancer delivers cached screenshots, and other requests get a 503", { skip }, async (t) => {
  const site = await createSite(t, { "/": colouredPage("#00ff00") });
  const stores = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host });
  const gate = await openGate(t, stores.env.DATABASE_URL ?? "");
  const PORT = String(await freePort());
  const settings = { PORT, HOST: "127.0.0.2", ENABLE_METRICS: "false", TRUST_PROXY: "127.0.0.1", MAX_CONCURRENT_SCREENSHOTS: "1" };
  const server = spawnServer(t, { ...stores.env, ...settings, DATABASE_URL: gate.through(stores.env.DATABASE_URL ?? "") });
  await server.printed('"msg":"ready"');
  const { origin } = await startBalancer(t, () => [[127, 0, 0, 2]], PORT);
  const { key } = await stores.createAccount();
  const take = (parameters: Record<string, string>) =>
    fetch(`${origin}${path}?${new URLSearchParams({ api_key: key, url: `${site.origin}/`, ...parameters })}`);
  await eventually("the balancer answers", async () => (await take({ is_cached: "true" }).catch(() => undefined))?.status === 200);
  gate.cut();
  await pause(5_000); // a container that three health checks find not ready no longer receives requests
  for (let time = 0; time < 3; time += 1) {
    const cached = await take({ is_cached: "true" });
    assert.deepEqual([cached.status, cached.headers.get("x-cache")], [200, "HIT"]);
    await cached.arrayBuffer();
    const fresh = await take({ width: String(300 + time) });
    assert.deepEqual([fresh.status, (await fresh.json()).code], [503, "unavailable"]);
    assert.ok(fresh.headers.has("x-request-id"), "the response comes from the service, not from the balancer");
  }
});
