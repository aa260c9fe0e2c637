/** Queued captures while their workers are killed: none is lost, and none is captured, charged or reported twice. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { inParallel } from "../support/in-parallel.ts";
import { startService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { startWorker } from "../support/worker.ts";
import { startReceiver } from "../webhooks/receiver.ts";

/** @param aliveMs how long after its first capture a worker is killed. */
export function killedWorkersTest({ captures, aliveMs }: { captures: number; aliveMs: number }): void {
  test(`${captures} captures, with workers killed every ${aliveMs / 1000} s: each is captured, charged and reported once`, {
    timeout: 120_000 + captures * 3_000, // ten times what an idle machine needs
  }, async (t) => {
    // Slow enough that no worker finishes everything before it is killed.
    const site = await createSite(t, {
      "/": async (_request, response) => {
        await pause(200);
        response.setHeader("content-type", "text/html").end(colouredPage("#00ff00", "<h1>Open</h1>"));
      },
    });
    const receiver = await startReceiver(t);
    const api = await startService(t, {
      EGRESS_ALLOWED_HOSTS: `${site.host},${receiver.host}`,
      WEBHOOK_ALLOW_HTTP: "true",
      ROLE: "api",
    });
    const { key, userId } = await api.createAccount();
    const body = {
      url: `${site.origin}/`,
      width: 320,
      height: 200,
      async: true,
      outputs: [{ name: "image" }, { name: "words", format: "text" }],
    };
    const ids = new Set<string>();
    await inParallel(captures, 10, async () => {
      const response = await fetch(`${api.origin}/v1/captures`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ ...body, webhook_url: `http://${receiver.host}/hook` }),
      });
      assert.equal(response.status, 202);
      ids.add((await response.json()).id);
    });

    let kills = 0;
    const pending = () => count(api.pool, "captures", "ended_at is null");
    for (let before = await pending(); before > 0; before = await pending()) {
      const worker = await startWorker(t, api.env);
      let left = before;
      for (let aliveUntil = Number.POSITIVE_INFINITY; left > 0 && performance.now() < aliveUntil; left = await pending()) {
        await pause(100);
        if (left < before) aliveUntil = Math.min(aliveUntil, performance.now() + aliveMs);
      }
      if (left > 0) kills += 1;
      worker.child.kill("SIGKILL");
    }
    assert.ok(kills > 0, "workers were killed");
    t.diagnostic(`${kills} workers were killed`);
    await startWorker(t, api.env); // for the remaining webhooks
    while ((await count(api.pool, "webhook_deliveries", "state = 'pending'")) > 0) await pause(200);

    const { rows: failed } = await api.pool.query("select result from captures where status <> 'done'");
    assert.deepEqual(failed, []);
    assert.equal(await count(api.pool, "captures", "status = 'done'"), captures);
    assert.equal(await count(api.pool, "screenshots", "status = 'done' and object_key is not null"), 2 * captures);
    assert.equal(await count(api.pool, "screenshots", "status <> 'done'"), 0);
    const { rows } = await api.pool.query("select sum(used)::integer as used from usage_periods where user_id = $1", [userId]);
    assert.equal(rows[0].used, captures);
    // A delivery whose process died before recording it is sent again, with the same id.
    const reported = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
    assert.deepEqual([...reported].sort(), [...ids].sort());
  });
}

async function count(pool: { query(text: string): Promise<{ rows: { count: number }[] }> }, table: string, where: string): Promise<number> {
  const { rows } = await pool.query(`select count(*)::integer as count from ${table} where ${where}`);
  return rows[0]?.count ?? 0;
}
