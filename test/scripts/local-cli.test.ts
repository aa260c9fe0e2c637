/** `npm run local -- cli`: the command line with the settings of the running local service. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runProgram } from "../../scripts/stack/child.ts";
import { settingsForCli, shareWithCli } from "../../scripts/stack/local-cli.ts";
import { createTestDatabase } from "../support/database.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The folder of a local service, locked by a process until `end`. */
async function lockedFolder(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "tintype-local-cli-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const service = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log()", "local.ts"]);
  t.after(() => service.kill("SIGKILL"));
  await once(service.stdout, "data");
  writeFileSync(join(folder, "run.pid"), String(service.pid));
  const end = async () => {
    service.kill("SIGKILL");
    await once(service, "exit");
  };
  return { folder, end };
}

test("a command uses the local service's database; only its user can read the file with the settings", async (t) => {
  const { folder } = await lockedFolder(t);
  const { settings, pool } = await createTestDatabase(t);
  const { user, password, host, port, database } = settings;
  const databaseUrl = `postgresql://${user}:${password || "unused"}@${host}:${port}/${database}`;
  await using _shared = await shareWithCli(folder, { DATABASE_URL: databaseUrl, AUTH_SECRET: "x".repeat(32), PORT: "1" });
  for (const name of readdirSync(folder).filter((file) => file !== "run.pid")) assert.equal(statSync(join(folder, name)).mode & 0o077, 0);
  const env = { PATH: process.env.PATH, ...(await settingsForCli(folder)) };
  const cli = (...args: string[]) =>
    runProgram([process.execPath, "src/cli.ts", ...args], { cwd: root, env, timeoutMs: 60_000, signal: t.signal });
  await cli("user:create", "a@example.test", "--plan", "enterprise");
  const key = await cli("key:create", "a@example.test");
  assert.match(await cli("key:secret", key), /^[0-9a-f]{64}$/);
  assert.equal((await pool.query("select 1 from api_keys")).rowCount, 1);
});

test("doctor gets all settings of the local service, and nothing else from its environment", async (t) => {
  const { folder } = await lockedFolder(t);
  const settings = {
    REDIS_URL: "redis://a",
    STORAGE_URL: "file:/a",
    STORAGE_BUCKET: "a",
    CHROMIUM_SANDBOX: "false",
    EGRESS_ALLOWED_HOSTS: "a",
  };
  await using _shared = await shareWithCli(folder, { ...settings, PATH: "/bin" });
  assert.deepEqual({ ...(await settingsForCli(folder)) }, settings);
});

test("without a running local service, or while it is starting, the error says what to do", async (t) => {
  const { folder, end } = await lockedFolder(t);
  await assert.rejects(settingsForCli(folder), { message: /still starting: try again when it is ready/ });
  const shared = await shareWithCli(folder, { DATABASE_URL: "postgresql://a:b@c/d" });
  await end();
  await assert.rejects(settingsForCli(folder), { message: /npm run local.*in another terminal/ });
  await shared[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(folder), ["run.pid"]);
});
