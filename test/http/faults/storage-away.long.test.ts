/** A worker is stopped while captures wait for storage, which is unavailable. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { startReplica, startService } from "../../support/service.ts";
import { colouredPage, createSite } from "../../support/site.ts";

test("a queued capture whose worker gives up storing its files is repeated by another worker, and charged once", async (t) => {
  const site = await createSite(t, { "/": colouredPage("#00ff00", "<h1>Open</h1>") });
  const api = await startService(t, { ROLE: "api", EGRESS_ALLOWED_HOSTS: site.host });
  const first = await startReplica(t, api, { ROLE: "worker" });
  let tries = 0;
  first.services.store.put = async () => {
    tries += 1;
    throw new Error("storage is unavailable");
  };
  const { key, userId } = await api.createAccount();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ url: `${site.origin}/`, width: 200, height: 100, outputs: [{}], async: true });
  const { id } = await (await fetch(`${api.origin}/v1/captures`, { method: "POST", headers, body })).json();
  await eventually("its file could not be stored", () => tries > 3);
  await first.stop();
  const read = async (wait: number) => await (await fetch(`${api.origin}/v1/captures/${id}?wait=${wait}`, { headers })).json();
  assert.notEqual((await read(0)).status, "done");
  await startReplica(t, api, { ROLE: "worker" });
  const ended = await read(60);
  assert.deepEqual([ended.status, (await fetch(ended.outputs[0].url)).status], ["done", 200]);
  const { rows } = await api.pool.query("select used from usage_periods where user_id = $1", [userId]);
  assert.deepEqual(rows, [{ used: 1 }]);
});
