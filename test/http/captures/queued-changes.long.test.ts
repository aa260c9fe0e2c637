/** Changes while captures are queued: Redis goes down, the plan changes, the key expires, and many requests wait for one capture. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setPlan } from "../../../src/accounts/usage/plans.ts";
import { eventually } from "../../support/eventually.ts";
import { openGate } from "../../support/gate.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { closedPage, colouredPage, createSite } from "../../support/site.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00", "<h1>Open</h1>") });
const settings = { EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_JOBS: "1" };
const service = await startService(scope, settings);

const submit = (of: TestService, key: string, path = "/") =>
  of.send("POST", "/v1/captures", key, { url: `${site.origin}${path}`, width: 200, height: 100, outputs: [{}], async: true });
const read = async (of: TestService, key: string, id: string, wait = 30) =>
  (await of.send("GET", `/v1/captures/${id}?wait=${wait}`, key)).json;

test("async: without Redis, captures are queued and completed, each charged once", async (t) => {
  const gate = await openGate(t, process.env.TEST_REDIS_URL ?? "");
  const withoutRedis = { ...settings, REDIS_URL: gate.through(process.env.TEST_REDIS_URL ?? "") };
  const faulty = await startService(t, withoutRedis, { redisMs: 250 });
  const { key, userId } = await faulty.createAccount();
  const page = closedPage(site, "/without-redis");
  const running = await submit(faulty, key, "/without-redis");
  const waiting = await submit(faulty, key);
  await eventually("the first capture is running", page.requested);
  await gate.refuse();
  const later = await submit(faulty, key);
  assert.equal(later.status, 202, JSON.stringify(later.json));
  page.open();
  for (const { json } of [running, waiting, later]) assert.equal((await read(faulty, key, json.id)).status, "done");
  assert.equal(await faulty.used(userId), 3);
});

test("async: after a downgrade new captures are rejected, but those already queued still run", async () => {
  const { key, userId } = await service.createAccount({ quota: 3 });
  const page = closedPage(site, "/before-plan");
  const running = await submit(service, key, "/before-plan");
  const waiting = await submit(service, key);
  await eventually("the first capture is running", page.requested);
  await setPlan(service.database, userId, { planId: "pro", rateLimit: 100_000, quota: 1 });
  page.open();
  for (const { json } of [running, waiting]) assert.equal((await read(service, key, json.id)).status, "done");
  assert.equal(await service.used(userId), 2);
  await eventually("the service knows about the change", async () => (await submit(service, key)).json.code === "quota_exceeded");
  assert.equal(await service.used(userId), 2);
});

test("async: captures still queued when their key expires don't run and cost nothing", async () => {
  const { key, userId } = await service.createAccount();
  const page = closedPage(site, "/before-expiry");
  const running = await submit(service, key, "/before-expiry");
  const waiting = await submit(service, key);
  await eventually("the first capture is running", page.requested);
  await service.pool.query("update api_keys set expires_at = now() where user_id = $1", [userId]);
  page.open();
  const record = async (id: string) => (await service.pool.query("select status, result from captures where id = $1", [id])).rows[0];
  await eventually("the second has failed", async () => (await record(waiting.json.id)).status === "failed");
  assert.equal((await record(waiting.json.id)).result.failure.code, "invalid_api_key");
  assert.equal((await record(running.json.id)).status, "done");
  assert.equal(await service.used(userId), 1);
});

test("async: two hundred waiting requests don't hold any database connections", async (t) => {
  const { key } = await service.createAccount();
  const page = closedPage(site, "/awaited");
  const { json } = await submit(service, key, "/awaited");
  await eventually("it runs", page.requested);
  const { captureRecords } = service.services;
  const { find } = captureRecords;
  let found = 0;
  captureRecords.find = async (...which) => {
    const record = await find(...which);
    found += 1;
    return record;
  };
  t.after(() => {
    captureRecords.find = find;
  });
  const before = process.memoryUsage().rss;
  const answers = Array.from({ length: 200 }, () => read(service, key, json.id, 60));
  await eventually("all wait", () => found === 200);
  const { rows } = await service.pool.query(
    "select count(*) filter (where state <> 'idle' and pid <> pg_backend_pid())::integer as busy, count(*)::integer as all from pg_stat_activity where datname = current_database()",
  );
  assert.ok(rows[0].busy <= 2, `${rows[0].busy} of ${rows[0].all} connections are busy`);
  assert.equal((await read(service, key, json.id, 0)).status, "running", "other requests are answered meanwhile");
  t.diagnostic(`${rows[0].all} connections; ${Math.round((process.memoryUsage().rss - before) / 1024 / 1024)} MB for 200 waiting requests`);
  const openedAt = performance.now();
  page.open();
  const states = new Set((await Promise.all(answers)).map(({ status }) => status));
  t.diagnostic(`answered ${Math.round(performance.now() - openedAt)} ms after the page`);
  assert.deepEqual([...states], ["done"]);
});
