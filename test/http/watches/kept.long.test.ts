/** Watches: screenshots are kept as long as a watch needs them, and everything that belongs to a watch is deleted with it. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { createCleanUp } from "../../../src/accounts/people/clean-up.ts";
import { deleteUser } from "../../../src/accounts/people/users.ts";
import { createRetention } from "../../../src/storage/retention.ts";
import { fileScope } from "../../support/scope.ts";
import { colouredPage } from "../../support/site.ts";
import { startWatching } from "./watching.ts";

const { site, service, send, read, settled, run } = await startWatching(fileScope());
const never = new AbortController().signal;

/** Deletes everything that isn't exempt from its plan's retention period. */
async function expireEverything(t: TestContext): Promise<void> {
  const { pool, database, services } = service;
  await pool.query("update captures set expires_at = now() - interval '1 minute'");
  await pool.query("update screenshots set expires_at = now() - interval '1 minute' where expires_at < '9999-01-01'");
  await pool.query("delete from captures where ended_at is not null");
  const retention = createRetention({ database, store: services.store, log: pino({ level: "silent" }) });
  t.after(() => retention.close());
  await retention.sweep(never);
}

test("watch retention: the baseline's images are kept until another run is accepted", async (t) => {
  const { key } = await service.createAccount();
  const watch = await settled(key, { url: `${site.origin}/` });
  const first = watch.latest_run;
  const second = await run(key, watch.id);
  const third = await run(key, watch.id);
  await expireEverything(t);
  const statusOf = async (link: string) => (await fetch(link)).status;
  assert.deepEqual([await statusOf(first.screenshot.link), await statusOf(second.screenshot.link)], [200, 404]);
  assert.equal(await statusOf(third.screenshot.link), 200, "the latest image");
  assert.equal((await send("GET", `/v1/watches/${watch.id}/runs/${second.id}`, key)).json.screenshot, null);
  const fourth = await run(key, watch.id);
  assert.deepEqual([fourth.status, fourth.compared_with_run_id], ["unchanged", first.id]);
  assert.equal((await send("POST", `/v1/watches/${watch.id}/accept`, key)).json.accepted_run_id, fourth.id);
  assert.deepEqual(
    await send("POST", `/v1/watches/${watch.id}/accept`, key, { run_id: second.id }).then(({ status, json }) => [
      status,
      json.details[0].parameter,
    ]),
    [400, "run_id"],
  );
  await expireEverything(t);
  assert.deepEqual([await statusOf(first.screenshot.link), await statusOf(fourth.screenshot.link)], [404, 200]);
});

test("watch retention: runs are deleted after 90 days, except the baseline and the latest", async () => {
  const { key } = await service.createAccount();
  const { id, accepted_run_id } = await settled(key, { url: `${site.origin}/` });
  const [second, third] = [await run(key, id), await run(key, id)];
  const age = (days: number) =>
    service.pool.query("update watch_runs set created_at = now() - make_interval(days => $2) where watch_id = $1", [id, days]);
  const kept = async () => {
    await createCleanUp(service.database, pino({ level: "silent" })).run();
    const { json } = await send("GET", `/v1/watches/${id}/runs`, key);
    return json.runs.map((one: { id: string }) => one.id);
  };
  await age(89);
  assert.deepEqual(await kept(), [third.id, second.id, accepted_run_id]);
  await age(91);
  assert.deepEqual(await kept(), [third.id, accepted_run_id]);
});

test("watch retention: if the baseline's image is deleted, the next run becomes the baseline", async () => {
  const { key, userId } = await service.createAccount();
  const { id, accepted_run_id } = await settled(key, { url: `${site.origin}/` });
  await service.pool.query("delete from screenshots where user_id = $1", [userId]);
  const next = await run(key, id);
  assert.deepEqual([next.status, next.accepted, next.compared_with_run_id], ["unchanged", true, null]);
  assert.notEqual((await read(key, id)).accepted_run_id, accepted_run_id);
});

test("deleting an account removes its watches, and none of them runs again", async (t) => {
  const { key, userId } = await service.createAccount();
  site.serve({ "/account": colouredPage("#00ff00", "<h1>Open</h1>") });
  const { latest_run } = await settled(key, { url: `${site.origin}/account` });
  await deleteUser(service.database, userId);
  for (const table of ["watches", "watch_runs", "watch_muted"]) {
    const where = table === "watches" ? "user_id = $1" : "watch_id in (select id from watches where user_id = $1)";
    assert.equal((await service.pool.query(`select 1 from ${table} where ${where}`, [userId])).rowCount, 0, table);
  }
  const retention = createRetention({ database: service.database, store: service.services.store, log: pino({ level: "silent" }) });
  t.after(() => retention.close());
  await retention.sweep(never);
  assert.equal((await fetch(latest_run.screenshot.link)).status, 404);
});
