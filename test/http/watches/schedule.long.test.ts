/** Watches run once when due, however many processes there are, and once after an outage. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileScope } from "../../support/scope.ts";
import { startReplica } from "../../support/service.ts";
import { closedPage, colouredPage } from "../../support/site.ts";
import { eventually, startWatching } from "./watching.ts";

const scope = fileScope();
const { site, service, send, read, settled, run, watchWhen } = await startWatching(scope, { MAX_CONCURRENT_JOBS: "2" });

async function runsOf(id: string): Promise<{ id: string; status: string }[]> {
  return (await service.pool.query("select id, status from watch_runs where watch_id = $1 order by id", [id])).rows;
}

const makeDue = (id: string, ago = "0 s") =>
  service.pool.query("update watches set next_run_at = now() - $2::interval where id = $1", [id, ago]);
const small = { width: 40, height: 40, full_page: false };

test("scheduler: with two processes, watches due at the same time run once each", async (t) => {
  const replica = await startReplica(t, service);
  const { key } = await service.createAccount();
  const ids = await Promise.all(
    Array.from({ length: 4 }, async () => (await settled(key, { url: `${site.origin}/`, ...small })).id as string),
  );
  for (const id of ids) assert.equal((await runsOf(id)).length, 1);
  await Promise.all(ids.map((id) => makeDue(id)));
  for (const id of ids) await watchWhen(key, id, "it has run", ({ status }) => status === "unchanged");
  for (const id of ids) assert.equal((await runsOf(id)).length, 2);
  await replica.stop();
});

test("scheduler: a watch that missed several runs during downtime runs once", async (t) => {
  const first = await startWatching(t);
  const { key } = await first.service.createAccount();
  const { id } = await first.settled(key, { url: `${first.site.origin}/`, every: "1h", ...small });
  await first.service.stop();
  const { pool } = first.service;
  await pool.query("update watches set next_run_at = now() - interval '3 days' where id = $1", [id]);
  const back = await startReplica(t, first.service);
  const runs = async () => (await pool.query("select ended_at from watch_runs where watch_id = $1 order by id", [id])).rows;
  await eventually("it has run", async () => (await runs()).length === 2 && (await runs())[1].ended_at !== null);
  const { json } = await back.send("GET", `/v1/watches/${id}`, key);
  assert.equal(json.status, "unchanged");
  const inMs = Date.parse(json.next_run_at) - Date.now();
  assert.ok(inMs > 0 && inMs <= 3_600_000, `the next run is at one of its hours: in ${inMs} ms`);
  assert.equal((await runs()).length, 2);
});

test("scheduler: a run that is due while another is in progress is skipped; POST run returns the one in progress", async () => {
  const { key } = await service.createAccount();
  site.serve({ "/slow": colouredPage("#00ff00", "<h1>Open</h1>") });
  const { id } = await settled(key, { url: `${site.origin}/slow`, ...small });
  const page = closedPage(site, "/slow");
  const { json: open } = await send("POST", `/v1/watches/${id}/run`, key);
  await eventually("the page is requested", page.requested);
  assert.equal((await send("POST", `/v1/watches/${id}/run`, key)).json.id, open.id);
  await makeDue(id);
  const { next_run_at } = await watchWhen(key, id, "it was skipped", (watch) => Date.parse(watch.next_run_at) > Date.now());
  assert.ok(Date.parse(next_run_at) > Date.now() + 3_600_000);
  assert.equal((await runsOf(id)).length, 2);
  assert.equal((await read(key, id)).latest_run.status, "running");
  page.open();
  await watchWhen(key, id, "it has ended", ({ latest_run }) => latest_run.ended_at !== null);
});

test("scheduler: a paused watch runs only on request, and immediately on resume if it is overdue", async () => {
  const { key } = await service.createAccount();
  const { id } = await settled(key, { url: `${site.origin}/`, every: "1h", ...small });
  for (let turn = 0; turn < 2; turn++) {
    const { status, json } = await send("POST", `/v1/watches/${id}/pause`, key);
    assert.deepEqual([status, json.state, json.next_run_at], [200, "paused", null]);
  }
  assert.equal((await run(key, id)).status, "unchanged");
  const soon = (await send("POST", `/v1/watches/${id}/resume`, key)).json;
  assert.equal(soon.state, "active");
  assert.ok(Date.parse(soon.next_run_at) > Date.now() + 3_000_000, "an hour after its latest run");
  await send("POST", `/v1/watches/${id}/pause`, key);
  await service.pool.query("update watch_runs set created_at = now() - interval '2 hours' where watch_id = $1", [id]);
  const { json } = await send("POST", `/v1/watches/${id}/resume`, key);
  assert.ok(Date.parse(json.next_run_at) <= Date.now() + 1_000);
  assert.equal((await send("POST", `/v1/watches/${id}/resume`, key)).status, 200);
  await eventually("it has run", async () => (await runsOf(id)).length === 3);
});

test("scheduler: an account's run begins after at most ten of another account's that were due before", async () => {
  const [{ key: many }, { key: one }] = [await service.createAccount(), await service.createAccount()];
  const [copied, waiting] = [
    await settled(many, { url: `${site.origin}/`, ...small }),
    await settled(one, { url: `${site.origin}/`, ...small }),
  ];
  await service.pool.query("update watches set next_run_at = null where id = $1", [copied.id]);
  const { rows } = await service.pool.query<{ id: string }>(
    `insert into watches select (jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid(), 'accepted_run_id', null, 'reported_run_id', null,
       'latest_run_id', null, 'next_run_at', null))).* from watches w, generate_series(1, 30) where w.id = $1 returning id`,
    [copied.id],
  );
  const ids = [...rows.map(({ id }) => id), waiting.id];
  const since = (await runsOf(waiting.id)).length;
  await service.pool.query(
    "update watches set next_run_at = now() - case when id = $2 then interval '1 s' else interval '9 s' end where id = any($1)",
    [ids, waiting.id],
  );
  await eventually("it has begun", async () => (await runsOf(waiting.id)).length > since);
  const latest = (await runsOf(waiting.id)).at(-1)?.id;
  const before = await service.pool.query("select 1 from watch_runs where watch_id = any($1) and watch_id <> $2 and id < $3", [
    ids,
    waiting.id,
    latest,
  ]);
  // The copies' runs fail: a request is sealed for its watch's id. Failed runs count, too.
  assert.ok(before.rowCount && before.rowCount <= 10, `${before.rowCount} runs began before`);
});

test("scheduler: watches of a disabled account don't run", async () => {
  const { key, userId } = await service.createAccount();
  const { id } = await settled(key, { url: `${site.origin}/`, ...small });
  await service.pool.query("update users set disabled_at = now() where id = $1", [userId]);
  await makeDue(id, "1 day");
  const other = await settled((await service.createAccount()).key, { url: `${site.origin}/`, ...small });
  assert.equal((await runsOf(other.id)).length, 1, "another watch has run since");
  assert.equal((await runsOf(id)).length, 1);
});

test("scheduler: a watch with an unreadable record is logged and doesn't block others", async () => {
  const { key } = await service.createAccount();
  const { id } = await settled(key, { url: `${site.origin}/`, ...small });
  await service.pool.query("update watches set every = null, cron = 'never' where id = $1", [id]);
  await makeDue(id, "1 day");
  const other = await settled((await service.createAccount()).key, { url: `${site.origin}/`, ...small });
  await makeDue(other.id);
  await eventually("the other one has run", async () => (await runsOf(other.id)).length === 2);
  assert.equal((await runsOf(id)).length, 1);
  assert.match(service.logged(), new RegExp(`"watchId":"${id}","msg":"failed to start a watch's run"`));
});
