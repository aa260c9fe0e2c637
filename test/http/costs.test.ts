/** What requests to a process with browsers of its own cost: the rows of docs/quota.md. For other roles see roles-answers and roles-killed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { freePort } from "../../scripts/stack/ports.ts";
import { createQuotaSweep } from "../../src/accounts/usage/sweep.ts";
import { eventually } from "../support/eventually.ts";
import { spawnServer } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { closedPage, colouredPage, createSite } from "../support/site.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00") });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
const url = `${site.origin}/`;
const small = { width: "200", height: "100", format: "png" };

async function used(userId: string): Promise<number> {
  const { rows } = await service.pool.query("select coalesce(sum(used), 0)::integer as used from usage_periods where user_id = $1", [
    userId,
  ]);
  return rows[0].used;
}

async function ended(userId: string): Promise<{ status: string; stored: boolean }[]> {
  await eventually("no record is pending", async () => {
    const { rows } = await service.pool.query("select 1 from screenshots where user_id = $1 and status = 'pending'", [userId]);
    return rows.length === 0;
  });
  const { rows } = await service.pool.query("select status, object_key is not null as stored from screenshots where user_id = $1", [
    userId,
  ]);
  return rows;
}

test("a delivered screenshot costs one; a failed capture, a refused request and a stored screenshot cost nothing", async () => {
  const { key, userId } = await service.createAccount();
  const cached = { api_key: key, url, is_cached: "true", ...small };
  await (await service.take(cached)).arrayBuffer();
  assert.deepEqual(await ended(userId), [{ status: "done", stored: true }]);
  const statuses: number[] = [];
  const others: Record<string, string>[] = [{}, { selector: "#missing" }, { width: "none" }];
  for (const more of others) statuses.push((await service.take({ ...cached, ...more })).status);
  assert.deepEqual(statuses, [200, 400, 400]);
  assert.equal(await used(userId), 1);
});

test("a caller who leaves before the capture has ended pays nothing, one who leaves in the answer pays; only the latter is kept", async () => {
  const [early, late] = [await service.createAccount(), await service.createAccount()];
  const page = closedPage(site, "/left");
  const caller = new AbortController();
  const request = (key: string, path: string) => {
    const query = new URLSearchParams({ api_key: key, url: site.origin + path, ...small });
    return fetch(`${service.origin}/v1/screenshots/take?${query}`, { signal: caller.signal });
  };
  const left = request(early.key, "/left").catch(() => "left");
  const response = await request(late.key, "/");
  await eventually("the other runs", page.requested);
  caller.abort();
  assert.equal(await left, "left");
  await response.body?.cancel().catch(() => {});
  page.open();
  assert.deepEqual([await ended(early.userId), await used(early.userId)], [[{ status: "failed", stored: false }], 0]);
  assert.deepEqual([await ended(late.userId), await used(late.userId)], [[{ status: "done", stored: true }], 1]);
});

test("while the storage is away a screenshot is delivered, and costs one", async (t) => {
  const { key, userId } = await service.createAccount();
  const { store } = service.services;
  const { put } = store;
  store.put = () => Promise.reject(new Error("the storage is away"));
  t.after(() => {
    store.put = put;
  });
  assert.equal((await service.take({ api_key: key, url, ...small })).status, 200);
  assert.equal(await used(userId), 1);
});

test("callers of a process that is killed during their captures pay nothing once the leases have ended", async (t) => {
  const port = String(await freePort());
  const killed = spawnServer(t, { ...service.env, HOST: "127.0.0.1", PORT: port, ENABLE_METRICS: "false" });
  await killed.printed('"ready"');
  const { key, userId } = await service.createAccount();
  const page = closedPage(site, "/killed");
  const query = new URLSearchParams({ api_key: key, url: `${site.origin}/killed`, ...small });
  const lost = fetch(`http://127.0.0.1:${port}/v1/screenshots/take?${query}`).catch(() => "lost");
  await eventually("it runs", page.requested);
  killed.child.kill("SIGKILL");
  page.open();
  assert.equal(await lost, "lost");
  assert.equal(await used(userId), 1);
  await service.pool.query("update screenshots set lease_until = now() where user_id = $1 and status = 'pending'", [userId]);
  await createQuotaSweep({ database: service.database, log: pino({ level: "silent" }) }).run();
  assert.equal(await used(userId), 0);
});
