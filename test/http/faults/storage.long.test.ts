/** Object storage is slow, unresponsive, down, and available again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startStorage } from "../../storage/storage-server.ts";
import { openGate } from "../../support/gate.ts";
import { hit, provoke, startOnFaultyStore, taken } from "./provoke.ts";

test("during a storage outage, captures work, each is counted once and eventually stored, and images in memory are served", async (t) => {
  const url = `http://127.0.0.1:${(await startStorage(t)).port}`;
  const gate = await openGate(t, url);
  const { service, page } = await startOnFaultyStore(t, () => ({
    STORAGE_URL: gate.through(url),
    STORAGE_USE_PATH_STYLE_ENDPOINT: "true",
  }));
  await provoke(t, { service, page, gate, slowMs: 100, without: { cached: hit, fresh: taken, json: taken } });
  const { rows } = await service.pool.query(
    "select count(*)::integer as lost from screenshots where status = 'done' and object_key is null",
  );
  assert.equal(rows[0].lost, 0);
});
