/** COMPATIBLE_INTERFACES: only the listed products are served. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../../src/settings/read-config.ts";
import { startService } from "../../support/service.ts";

test("COMPATIBLE_INTERFACES: the paths of unlisted products return 404", async (t) => {
  const { origin } = await startService(t, { ROLE: "api", COMPATIBLE_INTERFACES: "browserless" });
  assert.equal((await fetch(`${origin}/take?url=x`)).status, 404);
  assert.equal((await fetch(`${origin}/pdf`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })).status, 401);
});

test("COMPATIBLE_INTERFACES: an unknown name prevents startup, and the error lists the valid ones", async () => {
  await assert.rejects(
    readConfig({ COMPATIBLE_INTERFACES: "browserles" }, ["COMPATIBLE_INTERFACES"]),
    /must be none, or a comma-separated list of screenshotone/,
  );
  assert.deepEqual(await readConfig({ COMPATIBLE_INTERFACES: "none" }, ["COMPATIBLE_INTERFACES"]), { COMPATIBLE_INTERFACES: "none" });
});
