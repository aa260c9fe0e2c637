/** Queued captures of one host: few at a time, with pauses, regardless of the process. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { freePort } from "../../scripts/stack/ports.ts";
import { eventually } from "../support/eventually.ts";
import { spawnServer } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startReplica, startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";

const scope = fileScope();

/** A site that answers requests only when the test says so, and the number of requests waiting for that. */
async function slowSite() {
  const open: ServerResponse[] = [];
  let isOpen = false;
  const counts = { waiting: 0, most: 0, served: 0 };
  const answer = (response: ServerResponse) => response.setHeader("content-type", "text/html").end(colouredPage("#00ff00"));
  const site = await createSite(scope, {
    "/": (_request, response) => {
      counts.waiting += 1;
      counts.served += 1;
      counts.most = Math.max(counts.most, counts.waiting);
      response.once("close", () => {
        counts.waiting -= 1;
      });
      if (isOpen) answer(response);
      else open.push(response);
    },
  });
  return {
    ...site,
    counts,
    answerOne: () => void answer(open.shift() as ServerResponse),
    answerAll: () => {
      isOpen = true;
      for (const response of open.splice(0)) answer(response);
    },
  };
}

const [slow, other] = [await slowSite(), await createSite(scope, { "/": colouredPage("#0000ff") })];
const settings = {
  EGRESS_ALLOWED_HOSTS: `${slow.host},${other.host}`,
  MAX_CONCURRENT_SCREENSHOTS: "8", // more than are used
  MAX_CONCURRENT_JOBS: "3",
  MAX_CONCURRENT_JOBS_PER_HOST: "2",
  MAX_PAGE_LOAD_TIMEOUT: "90000", // the slow pages wait for the rest of the test
};
const api = await startService(scope, { ...settings, ROLE: "api", PUPPETEER_EXECUTABLE_PATH: "/no/such/browser" });

const send = async (service: TestService, key: string, method: string, path: string, body?: object) =>
  (await service.send(method, path, key, body)).json;

const batchOf = (origin: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ url: `${origin}/?${index}`, width: 200, height: 100, timeout: 90 }));

async function statusOf(id: string): Promise<Record<string, number>> {
  const { rows } = await api.pool.query(
    `select coalesce(sum((status = 'done')::int), 0)::int as done, coalesce(sum((status in ('queued', 'running'))::int), 0)::int as open,
            coalesce(sum(is_held::int), 0)::int as held
       from captures where batch_id = $1`,
    [id],
  );
  return rows[0];
}

const batchDone = (id: string) => eventually("the batch is done", async () => (await statusOf(id)).open === 0);

/** For the captures of a host: milliseconds from one start to the next. */
async function gapsAt(host: string, batchId: string): Promise<number[]> {
  const { rows } = await api.pool.query(
    "select (extract(epoch from visited_at) * 1000)::float as at from captures where host = $1 and batch_id = $2 order by visited_at",
    [host, batchId],
  );
  return rows.slice(1).map(({ at }, index) => at - rows[index].at);
}

test("two workers together run two captures per host, and continue with other hosts in the meantime", async (t) => {
  t.after(slow.answerAll); // otherwise a failure would wait for the captures
  await startReplica(t, api, { ...settings, ROLE: "worker", PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "" });
  await startReplica(t, api, { ...settings, ROLE: "worker", PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "" });
  const { key } = await api.createAccount();
  const [grace] = [await api.createAccount()];
  const batch = await send(api, key, "POST", "/v1/batches", { captures: [...batchOf(slow.origin, 6), ...batchOf(other.origin, 4)] });
  // Once the last ones have ended, everything that can start has started: the captures of the slow host come first, and are held.
  await eventually("the captures of the other host are done", async () => (await statusOf(batch.id)).done === 4);
  await eventually("all other captures of the slow host are held", async () => (await statusOf(batch.id)).held === 4);
  await eventually("two pages have been requested", async () => (await statusOf(batch.id)) && slow.counts.waiting === 2);
  assert.equal(slow.counts.most, 2);

  const synchronous = api.take({ api_key: grace.key, url: `${slow.origin}/`, timeout: "60" });
  await eventually("a synchronous request doesn't wait for a permit", async () => (await statusOf(batch.id)) && slow.counts.waiting === 3);
  const later = await send(api, grace.key, "POST", "/v1/batches", { captures: [...batchOf(slow.origin, 1), ...batchOf(other.origin, 1)] });
  await eventually("another account's capture of another host is done", async () => (await statusOf(later.id)).done === 1);
  await eventually("its capture of the slow host is held", async () => (await statusOf(later.id)).held === 1);

  slow.counts.most = 0;
  slow.answerAll();
  assert.equal((await synchronous).status, 200);
  for (const { id } of [batch, later]) await batchDone(id);
  assert.ok(slow.counts.most <= 2, `${slow.counts.most} concurrently`);
  assert.deepEqual([(await statusOf(batch.id)).done, (await statusOf(later.id)).done], [10, 2]);
});

test("starts of captures of one host are separated by the pause, even if captures end immediately", async (t) => {
  const limits = { ...settings, MAX_CONCURRENT_JOBS_PER_HOST: "3", JOB_PAUSE_PER_HOST_MS: "400" };
  await startReplica(t, api, { ...limits, ROLE: "worker", PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "" });
  const { key } = await api.createAccount();
  const { id } = await send(api, key, "POST", "/v1/batches", { captures: batchOf(other.origin, 5) });
  await batchDone(id);
  const gaps = await gapsAt(other.host, id);
  assert.equal(gaps.length, 4);
  assert.ok(
    gaps.every((ms) => ms >= 400),
    gaps.join(),
  );
});

test("a killed worker's permits for hosts are released", { timeout: 120_000 }, async (t) => {
  const killed = await slowSite();
  t.after(killed.answerAll);
  const hosts = { EGRESS_ALLOWED_HOSTS: killed.host, MAX_CONCURRENT_JOBS_PER_HOST: "1" };
  const { key } = await api.createAccount();
  const env = { ...api.env, ...settings, ...hosts, ROLE: "worker", HOST: "127.0.0.1" };
  const server = async () => {
    const ports = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
    const worker = spawnServer(t, { ...env, ...ports, PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "" });
    await worker.printed('"ready"');
    return worker;
  };
  const first = await server();
  const { id } = await send(api, key, "POST", "/v1/batches", { captures: batchOf(killed.origin, 3) });
  await eventually("one has arrived", async () => (await statusOf(id)) && killed.counts.waiting === 1);
  await eventually("the others are held", async () => (await statusOf(id)).held === 2);
  first.child.kill("SIGKILL");
  await first.exited;
  await server();
  killed.answerAll();
  await batchDone(id);
  assert.equal((await statusOf(id)).done, 3);
});

test("held captures are canceled along with their batch and cost nothing", async (t) => {
  const held = await slowSite();
  t.after(held.answerAll);
  const limits = { ...settings, EGRESS_ALLOWED_HOSTS: held.host, MAX_CONCURRENT_JOBS_PER_HOST: "1" };
  await startReplica(t, api, { ...limits, ROLE: "worker", PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "" });
  const { key, userId } = await api.createAccount();
  const { id } = await send(api, key, "POST", "/v1/batches", { captures: batchOf(held.origin, 3) });
  await eventually("two are held", async () => (await statusOf(id)).held === 2);
  await send(api, key, "DELETE", `/v1/batches/${id}`);
  held.answerAll();
  await batchDone(id);
  assert.deepEqual([(await statusOf(id)).done, held.counts.served], [1, 1]);
  const { rows } = await api.pool.query("select sum(used)::integer as used from usage_periods where user_id = $1", [userId]);
  assert.equal(rows[0].used, 1);
});
