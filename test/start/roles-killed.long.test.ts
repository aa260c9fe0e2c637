/** Workers killed while a caller waits: the queue's heartbeat detects them after ten to fifteen seconds. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../../scripts/stack/ports.ts";
import { eventually } from "../support/eventually.ts";
import { spawnServer } from "../support/process.ts";
import { fileScope, type Scope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { closedPage, createSite } from "../support/site.ts";

const scope = fileScope();
const site = await createSite(scope);
const api = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, ROLE: "api", SCREENSHOT_TIMEOUT: "90000" });

const { used } = api;

async function startWorker(t: Scope) {
  const PORT = String(await freePort());
  const browser = { PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "" };
  const worker = spawnServer(t, { ...api.env, ...browser, ROLE: "worker", HOST: "127.0.0.1", PORT, ENABLE_METRICS: "false" });
  await worker.printed('"ready"');
  return worker;
}

test("costs: a killed worker's capture costs one if another worker repeats it in time", async (t) => {
  const killed = await startWorker(t);
  const { key, userId } = await api.createAccount();
  const page = closedPage(site, "/again");
  const response = api.take({ api_key: key, url: `${site.origin}/again`, timeout: "80", width: "200", height: "100" });
  await eventually("it runs", page.requested);
  killed.child.kill("SIGKILL");
  page.open();
  await startWorker(t);
  assert.equal((await response).status, 200);
  assert.equal(await used(userId), 1);
});

test("costs: without another worker, a killed worker's capture becomes a 503 at the timeout and costs nothing", async (t) => {
  const killed = await startWorker(t);
  const { key, userId } = await api.createAccount();
  const page = closedPage(site, "/lost");
  const response = api.take({ api_key: key, url: `${site.origin}/lost`, timeout: "5", width: "200", height: "100" });
  await eventually("it runs", page.requested);
  killed.child.kill("SIGKILL");
  const { status, headers } = await response;
  page.open();
  assert.deepEqual([status, headers.get("x-error-code")], [503, "unavailable"]);
  assert.ok(Number(headers.get("retry-after")) > 0);
  assert.equal(await used(userId), 0);
});
