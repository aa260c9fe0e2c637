/** PostgreSQL is slow, unresponsive, down, and available again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { openGate } from "../../support/gate.ts";
import { startService } from "../../support/service.ts";
import { hit, provoke, startOnFaultyStore, unavailable } from "./provoke.ts";

test("during a PostgreSQL outage, known keys get cached screenshots, captures get a 503, and each screenshot is counted once", async (t) => {
  const gate = await openGate(t, process.env.TEST_DATABASE_URL ?? "");
  const { service, page } = await startOnFaultyStore(t, ({ DATABASE_URL = "" }) => ({ DATABASE_URL: gate.through(DATABASE_URL) }));
  await provoke(t, { service, page, gate, slowMs: 50, without: { cached: hit, fresh: unavailable, json: unavailable } });
});

test("a screenshot captured while PostgreSQL fails is delivered, and counted once PostgreSQL is back", async (t) => {
  const gate = await openGate(t, process.env.TEST_DATABASE_URL ?? "");
  const { service, site, page } = await startOnFaultyStore(t, ({ DATABASE_URL = "" }) => ({ DATABASE_URL: gate.through(DATABASE_URL) }));
  const { key, userId } = await service.createAccount({ plan: "pro", quota: 1 });
  const state = async () => {
    const { rows } = await service.pool.query(
      "select s.status, u.used from screenshots s join usage_periods u using (user_id), pg_sleep(0.1) where s.user_id = $1",
      [userId],
    );
    return rows[0];
  };
  site.serve({
    "/leaving": (_request, response) => {
      void gate.refuse().then(() => response.end("<p>still here"));
    },
  });
  const answer = await service.take({ api_key: key, url: `${page}leaving` });
  assert.equal(answer.status, 200);
  assert.ok((await answer.arrayBuffer()).byteLength > 0);
  assert.deepEqual(await state(), { status: "pending", used: 1 });
  await gate.mend();
  await eventually("it is recorded", async () => (await state()).status === "done");
  assert.equal((await state()).used, 1);
});

test("a service whose PostgreSQL doesn't respond still shuts down within the deadlines of its phases", async (t) => {
  const gate = await openGate(t, process.env.TEST_DATABASE_URL ?? "");
  const behindGate = ({ DATABASE_URL = "" }) => ({ DATABASE_URL: gate.through(DATABASE_URL), ROLE: "api" });
  const closing = { deadlineMs: { requests: 30_000, work: 200, flush: 200, connections: 200 }, recordingMs: 200 };
  const service = await startService(t, behindGate, { closing });
  const { key } = await service.createAccount();
  // At this point a key's last-used time is unwritten, and one listening and several idle connections are open.
  assert.equal((await fetch(`${service.origin}/v1/screenshots`, { headers: { authorization: `Bearer ${key}` } })).status, 200);
  gate.swallow();
  await service.stop();
  assert.match(service.logged(), /"phase":"flush".*"msg":"components did not close in time"/);
});
