/** What requests cost on a process with its own browsers: the rows of docs/quota.md. For other roles see roles-answers and roles-killed. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { type TestContext, test } from "node:test";
import type { FastifyReply } from "fastify";
import { freePort } from "../../scripts/stack/ports.ts";
import { heldBytesMax, heldImages } from "../../src/http/server/held-images.ts";
import { eventually } from "../support/eventually.ts";
import { longOnly } from "../support/long-only.ts";
import { spawnServer } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { closedPage, createSite } from "../support/site.ts";
import { createCosts, small, testCosts } from "./costs.ts";

const longTest = longOnly(test);
const scope = fileScope();
const site = await createSite(scope);
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
const { used, paid, records, sweep } = createCosts(service);
const url = `${site.origin}/`;

testCosts(service, site);

/** Holds the storage's uploads until the test ends, and then fails those still running. */
function replacePut(t: TestContext, put: () => Promise<never>): { restore: () => void } {
  const { store } = service.services;
  const original = store.put;
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  store.put = () => Promise.race([put(), ended.promise]);
  const restore = () => {
    store.put = original;
    ended.reject(new Error("the storage is back"));
  };
  t.after(restore);
  return { restore };
}

test("costs: a caller who disconnects before the capture has ended isn't charged, and nothing is stored", async () => {
  const { key, userId } = await service.createAccount();
  const page = closedPage(site, "/left");
  const caller = new AbortController();
  const query = new URLSearchParams({ api_key: key, url: `${site.origin}/left`, ...small });
  const left = fetch(`${service.origin}/v1/screenshots/take?${query}`, { signal: caller.signal }).catch(() => "left");
  await eventually("it runs", page.requested);
  caller.abort();
  assert.equal(await left, "left");
  await eventually("it has ended", async () => (await records(userId))[0]?.status === "failed");
  page.open();
  assert.equal(await paid(userId), 0);
  assert.deepEqual(
    (await records(userId)).map(({ status, error, stored }) => ({ status, error, stored })),
    [{ status: "failed", error: "client_gone", stored: false }],
  );
});

for (const [what, put] of [
  ["is away", () => Promise.reject(new Error("storage is unavailable"))],
  ["doesn't respond", () => new Promise<never>(() => {})],
] as const)
  test(`costs: while storage ${what}, a screenshot is delivered from memory and costs one`, async (t) => {
    const { key, userId } = await service.createAccount();
    replacePut(t, put);
    const response = await service.take({ api_key: key, url, ...small });
    assert.equal(response.status, 200);
    assert.ok((await response.arrayBuffer()).byteLength > 0);
    assert.equal(await used(userId), 1);
  });

longTest("costs: while storage is down, several outputs are delivered from memory and cost one", async (t) => {
  const { key, userId } = await service.createAccount();
  replacePut(t, () => Promise.reject(new Error("storage is unavailable")));
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = { url, width: 200, height: 100, response_type: "zip", outputs: [{ name: "image" }, { name: "words", format: "text" }] };
  const zip = await fetch(`${service.origin}/v1/captures`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(zip.status, 200);
  assert.ok((await zip.arrayBuffer()).byteLength > 0);
  assert.equal(await used(userId), 1);
});

longTest(
  "costs: a screenshot that isn't delivered, because the caller's share of unread images is used up and storage is unavailable, is charged once it can be fetched",
  async (t) => {
    const { key, userId } = await service.createAccount();
    const store = replacePut(t, () => Promise.reject(new Error("the storage is away")));
    const unread = { raw: new EventEmitter() } as unknown as FastifyReply;
    heldImages.hold(userId, unread, [Buffer.alloc(heldBytesMax.perClientMax)]);
    t.after(() => unread.raw.emit("close"));
    const asked = { api_key: key, url, ...small };
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ url, width: 200, height: 100, response_type: "zip", outputs: [{}, { format: "text" }] });
    const [one, same, zip] = await Promise.all([
      service.take(asked),
      service.take(asked),
      fetch(`${service.origin}/v1/captures`, { method: "POST", headers, body }),
    ]);
    assert.deepEqual([one.status, same.status, (await one.json()).code, zip.status], [429, 429, "rate_limited", 200]);
    assert.match(Buffer.from(await zip.arrayBuffer()).toString("latin1"), /capture\.json/);
    store.restore();
    await eventually("what was captured is kept", async () => (await records(userId)).filter(({ stored }) => stored).length === 3);
    assert.equal(await paid(userId), 2);
    const image = `${service.origin}/v1/screenshots/${one.headers.get("x-screenshot-id")}/image`;
    assert.equal((await fetch(image, { headers: { authorization: `Bearer ${key}` } })).status, 200);
  },
);

longTest(
  "costs: when a process is killed, callers are charged for responses they received, and refunded for running captures once the leases expire",
  async (t) => {
    const port = String(await freePort());
    const killed = spawnServer(t, { ...service.env, HOST: "127.0.0.1", PORT: port, ENABLE_METRICS: "false" });
    await killed.printed('"ready"');
    const { key, userId } = await service.createAccount();
    const page = closedPage(site, "/killed");
    const query = new URLSearchParams({ api_key: key, url: `${site.origin}/killed`, ...small });
    const delivered = await fetch(`http://127.0.0.1:${port}/v1/screenshots/take?${new URLSearchParams({ api_key: key, url, ...small })}`);
    assert.equal((await delivered.arrayBuffer()).byteLength > 0 && (await paid(userId)), 1);
    const lost = fetch(`http://127.0.0.1:${port}/v1/screenshots/take?${query}`).catch(() => "lost");
    await eventually("it runs", page.requested);
    killed.child.kill("SIGKILL");
    page.open();
    assert.equal(await lost, "lost");
    assert.equal(await used(userId), 2);
    await service.pool.query("update screenshots set lease_until = now() where user_id = $1 and status = 'pending'", [userId]);
    await sweep.run();
    assert.equal(await used(userId), 1);
  },
);
