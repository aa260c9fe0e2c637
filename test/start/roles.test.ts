/** Processes with a role: one serves requests without browsers, the other has browsers and serves only health checks. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetricsServer } from "../../src/http/server/metrics-server.ts";
import { describeImage } from "../support/image.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { startReplica, startService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { signedUp } from "../support/visitor.ts";

const longTest = longOnly(test);

const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00", "<h1>Open</h1><p style='height:2000px'>long") });
const api = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, ROLE: "api", PUPPETEER_EXECUTABLE_PATH: "/no/such/browser" });
const worker = await startReplica(scope, api, { ROLE: "worker", PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "" });
const url = `${site.origin}/`;

const { used } = api;

test("an api process has no browsers, and returns screenshots taken by a worker", async () => {
  const { key, userId } = await api.createAccount();
  const response = await api.take({ api_key: key, url, width: "300", height: "200", format: "png" });
  const bytes = new Uint8Array(await response.arrayBuffer());
  assert.equal(response.status, 200, Buffer.from(bytes).toString());
  assert.deepEqual(describeImage(bytes), { type: "png", width: 300, height: 200 });
  assert.ok(response.headers.get("x-verdict"));
  assert.match(response.headers.get("server-timing") ?? "", /navigate;dur=[1-9]/);
  assert.equal(await used(userId), 1);
  assert.deepEqual(api.services.slots.state(), { running: 0, waiting: 0, idle: 0, started: 0, max: 0 });
});

longTest("api process: errors are the page's own, and cost nothing", async () => {
  const { key, userId } = await api.createAccount();
  const missing = await api.take({ api_key: key, url, selector: "#missing" });
  assert.deepEqual([missing.status, (await missing.json()).code], [400, "selector_not_found"]);
  const slow = Promise.withResolvers<void>();
  site.serve({ "/slow": async (_request, response) => slow.promise.then(() => void response.end("late")) });
  const late = await api.take({ api_key: key, url: `${site.origin}/slow`, timeout: "1" });
  slow.resolve();
  assert.deepEqual([late.status, (await late.json()).code], [400, "target_timeout"]);
  assert.equal(await used(userId), 0);
});

test("api process: cached screenshots, several outputs, slices and asynchronous captures work as with local browsers", async () => {
  const { key, userId } = await api.createAccount();
  const cached = { api_key: key, url, width: "310", is_cached: "true" };
  const [first, again] = [await api.take(cached), await api.take(cached)];
  assert.deepEqual([first.headers.get("x-cache"), again.headers.get("x-cache")], ["MISS", "HIT"]);
  assert.equal(first.headers.get("etag"), again.headers.get("etag"));

  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const post = (body: object) => fetch(`${api.origin}/v1/captures`, { method: "POST", headers, body: JSON.stringify({ url, ...body }) });
  const outputs = [
    { name: "image" },
    { name: "words", format: "text" },
    { name: "long", full_page: true, slice_height: 600 },
    { selector: "#no" },
  ];
  const several = await (await post({ outputs })).json();
  assert.equal(several.loads, 1, JSON.stringify(several));
  assert.ok(several.outputs[2].slices.length > 2);
  assert.equal(several.outputs[3].error.code, "selector_not_found");
  assert.equal((await fetch(several.outputs[1].url).then((file) => file.text())).includes("Open"), true);
  const shared = { width: 310, is_cached: true, outputs: [{}] };
  const found = await post(shared);
  assert.deepEqual([found.headers.get("x-cache"), (await found.json()).outputs[0].cache], ["HIT", "HIT"]);
  const zip = await post({ outputs, response_type: "zip" });
  assert.equal(zip.headers.get("content-type"), "application/zip");
  const { id } = await (await post({ outputs, async: true })).json();
  const ended = await (await fetch(`${api.origin}/v1/captures/${id}?wait=30`, { headers })).json();
  assert.equal(ended.status, "done");
  assert.equal(await used(userId), 4);
});

longTest("api process: the playground works as with local browsers", async () => {
  const person = await signedUp(api);
  const image = await person.post(`/v1/account/playground?${new URLSearchParams({ url, width: "300", height: "200" })}`);
  assert.equal(image.status, 200, JSON.stringify(image.body));
  const several = await person.post("/v1/account/playground/captures", { url, outputs: [{}, { format: "text" }] });
  assert.equal(several.status, 200, JSON.stringify(several.body));
});

longTest("api process: each request is counted once, although two processes handle it", async () => {
  const { key, userId } = await api.createAccount();
  assert.equal((await api.take({ api_key: key, url })).status, 200);
  assert.equal((await api.take({ api_key: key, url, selector: "#missing" })).status, 400);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const post = (body: object, more = {}) =>
    fetch(`${api.origin}/v1/captures`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify({ url, ...body }) });
  assert.equal((await post({ outputs: [{}] })).status, 200);
  assert.equal((await post({ outputs: [{ selector: "#missing" }] }, { "idempotency-key": "fails" })).status, 400);
  const { id } = await (await post({ outputs: [{}], async: true })).json();
  assert.equal((await (await fetch(`${api.origin}/v1/captures/${id}?wait=30`, { headers })).json()).status, "done");
  for (const { services } of [api, worker]) await services.usage.flush();
  const { rows } = await api.pool.query(
    "select sum(captured)::integer as captured, sum(failed)::integer as failed from usage_days where user_id = $1",
    [userId],
  );
  assert.deepEqual(rows, [{ captured: 3, failed: 2 }]);
});

test("api process: at shutdown, a request waiting for a capture returns its current state", async (t) => {
  const alone = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host, ROLE: "api" });
  const { key } = await alone.createAccount();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ url, outputs: [{}], async: true });
  const { id } = await (await fetch(`${alone.origin}/v1/captures`, { method: "POST", headers, body })).json();
  const waiting = fetch(`${alone.origin}/v1/captures/${id}?wait=60`, { headers, signal: AbortSignal.timeout(20_000) });
  const repeated = fetch(`${alone.origin}/v1/captures`, {
    method: "POST",
    headers: { ...headers, "idempotency-key": "waits" },
    body: JSON.stringify({ url, outputs: [{}] }),
    signal: AbortSignal.timeout(20_000),
  });
  alone.services.stopAdmitting();
  assert.equal((await (await waiting).json()).status, "queued");
  const { status, headers: answered } = await repeated;
  assert.deepEqual([status, answered.get("retry-after")], [503, "5"]);
});

longTest("api process: metrics count captures waiting for a worker, and omit them while the database is down", async (t) => {
  const alone = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host, ROLE: "api" });
  const { key } = await alone.createAccount();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ url, outputs: [{}], async: true });
  for (const _ of [1, 2]) assert.equal((await fetch(`${alone.origin}/v1/captures`, { method: "POST", headers, body })).status, 202);
  const queued = async (watched: Parameters<typeof createMetricsServer>[0]) => {
    const server = createMetricsServer(watched);
    t.after(() => server.close());
    return /^tintype_queued_captures (\d+)$/m.exec((await server.inject("/metrics")).body)?.[1];
  };
  assert.equal(await queued(alone.services), "2");
  assert.equal(await queued({ ...alone.services, queuedCaptures: () => Promise.reject(new Error("away")) }), undefined);
  assert.equal(await queued({ ...alone.services, queuedCaptures: () => new Promise(() => {}) }), undefined);
});

test("tintype_ready is labeled with the process's role, so that workers don't hide an API that is down", async (t) => {
  for (const [role, { services }] of Object.entries({ api, worker })) {
    const server = createMetricsServer(services);
    t.after(() => server.close());
    assert.match((await server.inject("/metrics")).body, new RegExp(`^tintype_ready\\{role="${role}"\\} 1$`, "m"));
  }
});

test("a worker serves only its health checks", async () => {
  const { key } = await api.createAccount();
  assert.equal((await worker.take({ api_key: key, url })).status, 404);
  assert.equal((await fetch(`${worker.origin}/`)).status, 404);
  const health = await (await fetch(`${worker.origin}/health`)).json();
  assert.ok(health.checks.some(({ name }: { name: string }) => name === "browser"));
  const ofApi = await (await fetch(`${api.origin}/health`)).json();
  assert.ok(!ofApi.checks.some(({ name }: { name: string }) => name === "browser"));
  assert.equal(ofApi.status, "healthy");
});

test("without any worker, a request ends at its timeout, costs nothing, and leaves nothing in the queue", async (t) => {
  const alone = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host, ROLE: "api" });
  const { key, userId } = await alone.createAccount();
  const response = await alone.take({ api_key: key, url, timeout: "1" });
  assert.deepEqual([response.status, (await response.json()).code], [429, "queue_full"]);
  const { rows } = await alone.pool.query(
    "select c.status, coalesce(sum(u.used), 0)::integer as used from captures c join usage_periods u on u.user_id = c.user_id where c.user_id = $1 group by c.status",
    [userId],
  );
  assert.deepEqual(rows, [{ status: "canceled", used: 0 }]);
});
