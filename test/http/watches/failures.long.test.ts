/** Watches: a failing page is reported once until it recovers, and never counts as a change. */

import assert from "node:assert/strict";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { v7 } from "uuid";
import { createCaptureRecords } from "../../../src/screenshots/queued/records.ts";
import { folderOf } from "../../../src/settings/storage-folder.ts";
import { systemClock as clock } from "../../../src/shared/clock.ts";
import { objectKey } from "../../../src/storage/link.ts";
import { createCompareRun } from "../../../src/watches/compare-run.ts";
import { createEndRun } from "../../../src/watches/end-run.ts";
import { createApiKey } from "../../accounts/accounts.ts";
import { testsAtOnce } from "../../support/at-once.ts";
import { fileScope } from "../../support/scope.ts";
import { eventually, productPage, startWatching } from "./watching.ts";

const test = testsAtOnce(2);
const { site, service, send, read, settled, create, run, receiver, used, watchWhen } = await startWatching(fileScope());

async function webhooks(address: string): Promise<string[]> {
  const { rows } = await service.pool.query("select type from webhook_deliveries where url = $1 order by created_at", [address]);
  return rows.map(({ type }) => type);
}

test("watch runs: error pages, walls and unreachable pages fail with the reason, reported once until a run succeeds", async () => {
  const { key, userId } = await service.createAccount();
  const { address, received } = receiver("/failures");
  const page = { answer: () => ({ status: 200, html: productPage("19 €") }) };
  site.serve({
    "/shaky": (request, response) => {
      const { status, html } = page.answer();
      if (status === 0) return void request.socket.destroy();
      response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(html);
    },
  });
  const { id } = await settled(key, { url: `${site.origin}/shaky`, webhook_url: address });
  const before = await used(userId);
  page.answer = () => ({ status: 500, html: productPage("Out of order") });
  const broken = await run(key, id);
  assert.deepEqual([broken.status, broken.error.code, broken.reported, broken.regions], ["failed", "host_returned_error", true, []]);
  assert.match(broken.error.message, /500/);
  page.answer = () => ({
    status: 200,
    html: "<!doctype html><title>Just a moment...</title><h1>shop.example</h1><p>Checking your browser before accessing.</p>",
  });
  const wall = await run(key, id);
  assert.deepEqual([wall.status, wall.error.code, wall.reported], ["failed", "unwanted_page", false]);
  assert.match(wall.error.message, /bot_wall/);
  page.answer = () => ({ status: 0, html: "" });
  const gone = await run(key, id);
  assert.deepEqual([gone.status, gone.error.code, gone.screenshot], ["failed", "connection_failed", null]);
  assert.equal((await read(key, id)).status, "failed");
  page.answer = () => ({ status: 200, html: productPage("19 €") });
  assert.equal((await run(key, id)).status, "unchanged");
  page.answer = () => ({ status: 503, html: "" });
  const again = await run(key, id);
  assert.equal(again.reported, true);
  await eventually("both webhooks have arrived", () => received.length >= 2);
  assert.deepEqual(await webhooks(address), ["watch.failed", "watch.failed"]);
  assert.deepEqual(
    received.map(({ id: event, data }) => [event, data.watch_id, data.run_id, data.error.code]),
    [
      [broken.id, id, broken.id, "host_returned_error"],
      [again.id, id, again.id, "host_returned_error"],
    ],
  );
  const accept = await send("POST", `/v1/watches/${id}/accept`, key, { run_id: gone.id });
  assert.deepEqual([accept.status, accept.json.details[0].parameter], [400, "run_id"], "a failed run can't be compared with");
  assert.equal((await used(userId)) - before, 4, "the failed capture cost nothing");
});

test("watch runs: without quota, a scheduled run fails with the reason and isn't captured; a requested run is refused", async () => {
  const { key, userId } = await service.createAccount({ quota: 1 });
  const { address } = receiver("/quota");
  const { id } = await create(key, { url: `${site.origin}/`, webhook_url: address });
  const watch = await watchWhen(key, id, "the second run has failed", ({ latest_run }) => latest_run?.status === "failed");
  assert.deepEqual([watch.latest_run.error.code, watch.latest_run.capture_id], ["quota_exceeded", null]);
  assert.match(watch.latest_run.error.message, /The monthly quota of 1 screenshot is used up/);
  assert.equal(await used(userId), 1);
  assert.deepEqual(await webhooks(address), ["watch.failed"]);
  const { status, json } = await send("POST", `/v1/watches/${id}/run`, key);
  assert.deepEqual([status, json.code], [403, "quota_exceeded"]);
});

test("watch runs: while the watch's key is revoked, runs fail with the reason, until the watch is given another key", async () => {
  const { key, userId } = await service.createAccount();
  const { id } = await settled(key, { url: `${site.origin}/` });
  await service.pool.query("update api_keys set revoked_at = now() where user_id = $1", [userId]);
  await service.pool.query("update watches set next_run_at = now() where id = $1", [id]);
  const latest = async () =>
    (
      await service.pool.query("select status, error_code, error_message from watch_runs where watch_id = $1 order by id desc limit 1", [
        id,
      ])
    ).rows[0];
  await eventually("a run has failed", async () => (await latest()).status === "failed");
  const { error_code, error_message } = await latest();
  assert.equal(error_code, "invalid_api_key");
  assert.match(error_message, /^The API key that the watch uses has been revoked or disabled, or has expired/);
  const { rows } = await service.pool.query("select email from users where id = $1", [userId]);
  const other = await createApiKey(service.database, rows[0].email);
  assert.equal((await send("PATCH", `/v1/watches/${id}`, other, {})).status, 200);
  assert.equal((await run(other, id)).status, "unchanged");
});

test("watch runs: a run whose capture is canceled ends as failed", async () => {
  const { key } = await service.createAccount();
  const { id } = await settled(key, { url: `${site.origin}/` });
  const runId = v7();
  await service.pool.query(
    `insert into captures (id, user_id, status, expires_at, ended_at)
     select $1, user_id, 'canceled', now() + interval '1 day', now() from watches where id = $2`,
    [runId, id],
  );
  await service.pool.query("insert into watch_runs (id, watch_id, status) values ($1, $2, 'queued')", [runId, id]);
  const { latest_run } = await watchWhen(key, id, "it has failed", (watch) => watch.latest_run.status === "failed");
  assert.deepEqual([latest_run.id, latest_run.error.code], [runId, "canceled"]);
});

test("watch runs: while storage can't be read, the comparison is retried for an hour; then the run fails", async () => {
  const { key } = await service.createAccount();
  const { id, last_screenshot } = await settled(key, { url: `${site.origin}/` });
  const { id: runId } = await run(key, id);
  const { database, pool, services, env } = service;
  const file = join(folderOf(env.STORAGE_URL ?? ""), objectKey(last_screenshot.id, "png"));
  await rm(file);
  await mkdir(file); // can't be read
  const again = (age: string) =>
    pool.query("update watch_runs set status = 'running', ended_at = null, captured_at = now() - $2::interval where id = $1", [runId, age]);
  const emit = async () => {};
  const parts = { database, captureRecords: createCaptureRecords(database), store: services.store, clock, log: pino({ level: "silent" }) };
  const compareRun = createCompareRun({ ...parts, endRun: createEndRun({ emit, clock, learningGapMs: 1_000 }) });
  const attempt = () => compareRun({ id: runId, priority: 0, retries: 20, isLastAttempt: false }, new AbortController().signal);
  await again("59 minutes");
  await assert.rejects(attempt(), { code: "unavailable" });
  assert.equal((await send("GET", `/v1/watches/${id}/runs/${runId}`, key)).json.status, "running");
  await again("61 minutes");
  await attempt();
  const { json } = await send("GET", `/v1/watches/${id}/runs/${runId}`, key);
  assert.deepEqual([json.status, json.error.code], ["failed", "unavailable"]);
});
