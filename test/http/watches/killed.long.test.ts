/** A worker is killed between a run's capture and the end of its comparison. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { freePort } from "../../../scripts/stack/ports.ts";
import { type ServerProcess, spawnServer } from "../../support/process.ts";
import { eventually, productPage, startWatching } from "./watching.ts";

async function startWorker(t: TestContext, env: Record<string, string>): Promise<ServerProcess> {
  const [PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())];
  const own = { ROLE: "worker", PORT, METRICS_PORT, HOST: "127.0.0.1", PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "" };
  const worker = spawnServer(t, { ...env, ...own });
  await worker.printed('"ready"');
  return worker;
}

test("watch run: if a worker is killed between capture and comparison, the run still ends, and is charged and reported once", {
  timeout: 240_000,
}, async (t) => {
  const { service, site, send, settled, used, receiver } = await startWatching(t, { ROLE: "api" });
  const { address, received } = receiver("/hook");
  const { key, userId } = await service.createAccount();
  const worker = await startWorker(t, service.env);
  const { id } = await settled(key, { url: `${site.origin}/`, webhook_url: address });
  site.serve({ "/": productPage("21 €") });

  const holder = await service.pool.connect(); // comparisons end in a transaction that locks their watch
  await holder.query("begin");
  await holder.query("set local idle_in_transaction_session_timeout = 0");
  const { json: run } = await send("POST", `/v1/watches/${id}/run`, key);
  await holder.query("select 1 from watches where id = $1 for update", [id]);
  const jobs = async (state: string) =>
    (await service.pool.query("select 1 from jobs.job where name = 'watches' and id = $1 and state = $2", [run.id, state])).rowCount;
  await eventually("the comparison has started", async () => (await jobs("active")) === 1);
  worker.child.kill("SIGKILL");
  await worker.exited;
  await holder.query("rollback");
  holder.release();
  const state = async () => (await service.pool.query("select status, ended_at from watch_runs where id = $1", [run.id])).rows[0];
  assert.deepEqual(await state(), { status: "running", ended_at: null });

  await startWorker(t, service.env);
  await eventually("the run has ended", async () => (await state()).ended_at !== null);
  await eventually("its webhook has arrived", () => received.length > 0);
  await eventually("the queue is empty", async () => (await jobs("completed")) === 1);
  assert.equal((await state()).status, "changed");
  assert.deepEqual(
    received.map((webhook) => webhook.id),
    [run.id],
  );
  const { rows } = await service.pool.query("select id from watch_runs where watch_id = $1 order by id", [id]);
  assert.equal(rows.length, 2);
  assert.equal(await used(userId), 2);
});
