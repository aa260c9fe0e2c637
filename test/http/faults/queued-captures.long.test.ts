/** PostgreSQL restarts during queued captures. */

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { eventually } from "../../support/eventually.ts";
import { openGate } from "../../support/gate.ts";
import { startService } from "../../support/service.ts";
import { closedPage, colouredPage, createSite } from "../../support/site.ts";
import { startReceiver } from "../../webhooks/receiver.ts";

test("if PostgreSQL restarts while captures run and wait, each is captured, charged and reported once, and new ones get a 503", async (t) => {
  const site = await createSite(t, { "/": colouredPage("#00ff00", "<h1>Open</h1>") });
  const receiver = await startReceiver(t);
  const gate = await openGate(t, process.env.TEST_DATABASE_URL ?? "");
  const service = await startService(t, ({ DATABASE_URL = "" }) => ({
    DATABASE_URL: gate.through(DATABASE_URL),
    EGRESS_ALLOWED_HOSTS: `${site.host},${receiver.host}`,
    WEBHOOK_ALLOW_HTTP: "true",
    MAX_CONCURRENT_JOBS: "2",
  }));
  const [ada, grace] = [await service.createAccount(), await service.createAccount()];
  const send = async (method: string, path: string, key: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) };
    return await fetch(`${service.origin}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  const body = { width: 200, height: 100, outputs: [{}], async: true, webhook_url: `http://${receiver.host}/hook` };
  const post = (key: string, path: string) => send("POST", "/v1/captures", key, { ...body, url: `${site.origin}${path}` });
  const submit = async (key: string, path: string): Promise<string> => {
    const response = await post(key, path);
    assert.equal(response.status, 202);
    return (await response.json()).id;
  };
  const count = async (what: string) => (await service.pool.query(`select count(*)::integer as count from ${what}`)).rows[0].count;

  const pages = [closedPage(site, "/of-ada"), closedPage(site, "/of-grace")];
  const ids = [await submit(ada.key, "/of-ada"), await submit(grace.key, "/of-grace"), await submit(ada.key, "/")];
  await eventually("two run", () => pause(20).then(() => pages.every((page) => page.requested())));

  // What a restart does: every connection is ended with a message, then new ones are refused.
  await service.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await gate.refuse();
  for (const page of pages) page.open();
  const folder = fileURLToPath(String(service.env.STORAGE_URL));
  const stored = async () => (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".jpg")).length;
  await eventually("both images exist, but can't be recorded", () => stored().then((files) => files === 2));
  for (const refused of [await post(ada.key, "/"), await send("GET", `/v1/captures/${ids[0]}`, ada.key)]) {
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
  }
  await gate.mend();

  await eventually("the queued one has ended", () =>
    count(`captures where id = '${ids[2]}' and status = 'done'`).then((ended) => ended === 1),
  );
  await eventually("the others end as well", () => count("captures where status = 'done'").then((ended) => ended >= 2));
  await eventually("all have ended", () => count("captures where status = 'done'").then((ended) => ended === 3));
  await eventually("all are reported", () => count("webhook_deliveries where state = 'pending'").then((pending) => pending === 0));
  assert.equal(await count("captures"), 3, "the refused one does not exist");
  assert.equal(await count("screenshots where status = 'done' and object_key is not null"), 3);
  assert.equal(await count("screenshots"), 3);
  const { rows } = await service.pool.query("select user_id, sum(used)::integer as used from usage_periods group by user_id");
  const used = Object.fromEntries(rows.map((row) => [row.user_id, row.used]));
  assert.deepEqual(used, { [ada.userId]: 2, [grace.userId]: 1 });
  assert.deepEqual(receiver.received.map(({ headers }) => headers["webhook-id"]).sort(), ids.toSorted());
  const after = await submit(grace.key, "/");
  const ended = await (await send("GET", `/v1/captures/${after}?wait=30`, grace.key)).json();
  assert.equal(ended.status, "done", "the queue continues as before");
});
