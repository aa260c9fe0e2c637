/** `helm test`: the chart's script against a real API and a real worker. */

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, type TestContext, test } from "node:test";
import { spawnProcess } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startReplica, startService, type TestService } from "../support/service.ts";
import { find, merged, render, threeValues } from "./render.ts";

const scope = fileScope();
let api: TestService;
let script: string;

before(async () => {
  const objects = await render(merged(threeValues, { test: { keySecret: "test-key" } }));
  const folder = await mkdtemp(join(tmpdir(), "tintype-helm-"));
  scope.after(() => rm(folder, { recursive: true }));
  script = join(folder, "test.mjs");
  await writeFile(script, find(objects, "ConfigMap", "tintype-test").data?.["test.mjs"] ?? "");
  api = await startService(scope, { ROLE: "api" });
  await startReplica(scope, api, { ROLE: "worker", MAX_CONCURRENT_SCREENSHOTS: "1" });
});

/** With localhost as its name: in a cluster it is the Service's name, for which the API responds with name_not_resolved. */
async function runScript(t: TestContext, env: Record<string, string>) {
  const { port } = new URL(api.origin);
  const run = spawnProcess(t, [process.execPath, script], { API_URL: `http://localhost:${port}`, ...env });
  return { ...(await run.exited), output: run.output() };
}

test("helm test checks that the API is ready, captures a page, and refuses its own address by name and by IP address", async (t) => {
  const { key } = await api.createAccount();
  const { code, output } = await runScript(t, { API_KEY: key });
  assert.equal(code, 0, output);
  assert.match(output, /a picture of \d+ bytes/);
  assert.match(output, /localhost:\d+\/health\/live was refused: target_blocked/);
  assert.match(output, /(127\.0\.0\.1|\[::1\]):\d+\/health\/live was refused: target_blocked/);
});

test("helm test without a key says what it skips, and with a wrong key it fails", async (t) => {
  const without = await runScript(t, {});
  assert.deepEqual([without.code, /SKIPPED/.test(without.output)], [0, true], without.output);
  const { code, output } = await runScript(t, { API_KEY: "ss_wrong" });
  assert.notEqual(code, 0);
  assert.match(output, /no picture: 403/);
});
