/** Processes with a role that stop, or whose clock is wrong, while a caller waits: who gets an image, and what it costs. */

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { freePort } from "../../scripts/stack/ports.ts";
import { createQuotaSweep } from "../../src/accounts/usage/sweep.ts";
import { chromiumProcesses } from "../browser/processes.ts";
import { eventually } from "../support/eventually.ts";
import { spawnServer } from "../support/process.ts";
import { fileScope, type Scope } from "../support/scope.ts";
import { startReplica, startService } from "../support/service.ts";
import { closedPage, colouredPage, createSite } from "../support/site.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00") });
const api = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, ROLE: "api" });
const small = { width: "200", height: "100", format: "png" };

const { used } = api;

/** Another process with the same stores. @returns its origin. */
async function spawnReplica(t: Scope, settings: Record<string, string>) {
  const port = String(await freePort());
  const server = spawnServer(t, { ...api.env, ...settings, HOST: "127.0.0.1", PORT: port, ENABLE_METRICS: "false" });
  await server.printed('"ready"');
  return { ...server, origin: `http://127.0.0.1:${port}` };
}

/** A preloaded module that sets its process's clock. */
const clockAhead = (ms: number) =>
  `--import=data:text/javascript,${encodeURIComponent(`const Real = Date; globalThis.Date = class extends Real {
    constructor(...of) { super(...(of.length > 0 ? of : [Real.now() + ${ms}])); }
    static now() { return Real.now() + ${ms}; }
  };`)}`;

test("a worker whose clock is a minute ahead captures in time", async (t) => {
  await spawnReplica(t, { ROLE: "worker", NODE_OPTIONS: clockAhead(60_000) });
  const { key, userId } = await api.createAccount();
  const response = await api.take({ api_key: key, url: `${site.origin}/`, timeout: "20", ...small });
  assert.deepEqual([response.status, response.headers.get("x-error-code")], [200, null]);
  await response.arrayBuffer();
  assert.equal(await used(userId), 1);
});

test("costs: callers of a killed api process are charged only for responses they received, whether or not their captures had ended", async (t) => {
  await startReplica(t, api, { ROLE: "worker" });
  const killed = await spawnReplica(t, { ROLE: "api" });
  const { key, userId } = await api.createAccount();
  const take = (path: string, more = {}) => {
    const query = new URLSearchParams({ api_key: key, url: site.origin + path, ...small, ...more });
    return fetch(`${killed.origin}/v1/screenshots/take?${query}`);
  };
  assert.equal((await take("/")).status, 200);
  await eventually("it has been confirmed", async () => (await unconfirmed()) === 0);
  const page = closedPage(site, "/one");
  const lost = ["/one", "/two"].map((path) =>
    take(path).then(
      ({ status }) => status,
      () => "lost",
    ),
  );
  await eventually("one is running, the other is waiting", page.requested);
  killed.child.kill("SIGKILL");
  page.open();
  assert.deepEqual(await Promise.all(lost), ["lost", "lost"]);
  await eventually("all have ended", async () => {
    const { rows } = await api.pool.query("select 1 from captures where user_id = $1 and ended_at is null", [userId]);
    return rows.length === 0;
  });
  assert.equal(await used(userId), 3, "until the leases of their responses expire");
  await api.pool.query("update captures set answer_by = now() where answer_by is not null");
  await createQuotaSweep({ database: api.database, log: pino({ level: "silent" }) }).run();
  assert.equal(await used(userId), 1);

  async function unconfirmed(): Promise<number> {
    const { rows } = await api.pool.query("select 1 from captures where user_id = $1 and answer_by is not null", [userId]);
    return rows.length;
  }
});

test("costs: a capture that a stopped worker could not finish costs one if another worker repeats it in time", async (t) => {
  const stopped = await startReplica(t, api, { ROLE: "worker" });
  const { key, userId } = await api.createAccount();
  const page = closedPage(site, "/handed-over");
  const response = api.take({ api_key: key, url: `${site.origin}/handed-over`, ...small });
  await eventually("it runs", page.requested);
  stopped.services.stopAdmitting();
  await killBrowsers();
  page.open();
  await startReplica(t, api, { ROLE: "worker" });
  assert.equal((await response).status, 200);
  assert.equal(await used(userId), 1);
});

test("costs: without another worker, a capture that a stopped worker could not finish becomes a 503 with Retry-After and costs nothing", async (t) => {
  const stopped = await startReplica(t, api, { ROLE: "worker" });
  const { key, userId } = await api.createAccount();
  const page = closedPage(site, "/lost");
  const response = api.take({ api_key: key, url: `${site.origin}/lost`, timeout: "3", ...small });
  await eventually("it runs", page.requested);
  stopped.services.stopAdmitting();
  await killBrowsers();
  const { status, headers } = await response;
  page.open();
  assert.deepEqual([status, headers.get("x-error-code")], [503, "unavailable"]);
  assert.ok(Number(headers.get("retry-after")) > 0);
  assert.equal(await used(userId), 0);
});

test("costs: an image that takes storage more than 25 s to send becomes a 503 with the screenshot's id and costs nothing", async (t) => {
  await startReplica(t, api, { ROLE: "worker" });
  const { key, userId } = await api.createAccount();
  const { store } = api.services;
  const { get } = store;
  t.after(() => {
    store.get = get;
  });
  store.get = async (...of) => {
    const found = await get.apply(store, of);
    found?.stream.destroy();
    return found && { ...found, stream: Readable.from(drops(), { signal: of[1] }) };
  };
  async function* drops() {
    for (;;) {
      yield Buffer.alloc(1);
      await pause(1_000);
    }
  }
  const started = performance.now();
  const { status, headers } = await api.take({ api_key: key, url: `${site.origin}/`, ...small });
  const seconds = (performance.now() - started) / 1_000;
  assert.deepEqual([status, headers.get("x-error-code"), await used(userId)], [503, "unavailable", 0]);
  assert.ok(headers.get("x-screenshot-id") && seconds > 25, `${seconds} s`);
});

async function killBrowsers(): Promise<void> {
  for (const { pid, kind } of await chromiumProcesses()) if (kind === "browser") process.kill(pid, "SIGKILL");
}
