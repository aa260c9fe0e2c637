/** The servers that local runs and tests start for themselves. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Redis } from "ioredis";
import pg from "pg";
import { chromiumProblem } from "../../scripts/stack/chromium-proof.ts";
import { startPostgres } from "../../scripts/stack/postgres.ts";
import { startRedis } from "../../scripts/stack/redis.ts";
import { claim } from "../../scripts/stack/single-run.ts";

const never = new AbortController().signal;
const silent = () => {};

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tintype-stack-"));
  chmodSync(folder, 0o755); // where the tests run as root, PostgreSQL is another user
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: "array" })).rows.flat();
  } finally {
    await client.end();
  }
}

test("PostgreSQL keeps its data over a stop and a start", async (t) => {
  const folder = folderOf(t);
  const first = await startPostgres({ folder, throwAway: false }, silent, never);
  t.after(() => first.stop());
  await query(first.url, "create table kept as select 42 as answer");
  await first.stop();
  await assert.rejects(query(first.url, "select 1"), { code: "ECONNREFUSED" });
  const second = await startPostgres({ folder, throwAway: false }, silent, never);
  t.after(() => second.stop());
  assert.deepEqual(await query(second.url, "select answer from kept"), [42]);
});

test("PostgreSQL listens on loopback alone, without a socket file, and asks for its password", async (t) => {
  const server = await startPostgres({ folder: folderOf(t), throwAway: true }, silent, never);
  t.after(() => server.stop());
  assert.deepEqual(await query(server.url, "select current_setting('listen_addresses'), current_setting('unix_socket_directories')"), [
    "127.0.0.1",
    "",
  ]);
  const wrong = new URL(server.url);
  wrong.password = "wrong";
  await assert.rejects(query(wrong.href, "select 1"), { code: "28P01" });
});

test("a start that is given up leaves no half-made data", async (t) => {
  const folder = folderOf(t);
  await assert.rejects(startPostgres({ folder, throwAway: true }, silent, AbortSignal.abort(new Error("enough"))), /enough/);
  assert.deepEqual(readdirSync(folder), []);
});

test("Redis asks for its password where it is the real one", async (t) => {
  let standIn = false;
  const server = await startRedis({ folder: undefined }, () => (standIn = true), never);
  t.after(() => server.stop());
  const redis = new Redis(server.url, { maxRetriesPerRequest: 1 });
  t.after(() => redis.disconnect());
  assert.equal(await redis.set("a", "1"), "OK");
  if (standIn) return t.skip("the stand-in for Redis knows no passwords");
  const stranger = new Redis(Number(new URL(server.url).port), "127.0.0.1", { maxRetriesPerRequest: 1, enableReadyCheck: false });
  t.after(() => stranger.disconnect());
  await assert.rejects(stranger.get("a"), /NOAUTH/);
});

test("where Redis is not installed a stand-in answers, on loopback, after saying so", async (t) => {
  const said: string[] = [];
  const path = process.env.PATH;
  process.env.PATH = "";
  t.after(() => {
    process.env.PATH = path;
  });
  const server = await startRedis({ folder: undefined }, (words) => said.push(words), never);
  t.after(() => server.stop());
  if (said.length === 0) return t.skip("Redis is installed outside of PATH");
  assert.match(said[0] ?? "", /Redis is not installed.*apt-get install redis-server/);
  assert.equal(new URL(server.url).hostname, "127.0.0.1");
  const redis = new Redis(server.url, { maxRetriesPerRequest: 1 });
  t.after(() => redis.disconnect());
  assert.equal(await redis.eval("return redis.call('incr', KEYS[1])", 1, "counter"), 1);
});

test("a Chromium that draws text has no problem, and one without fonts says so", async (t) => {
  const executablePath = process.env.TEST_CHROMIUM ?? "";
  const sandbox = process.env.CHROMIUM_SANDBOX !== "false" && process.getuid?.() !== 0;
  assert.equal(await chromiumProblem(executablePath, { sandbox, env: process.env }, never), undefined);
  const folder = folderOf(t);
  const noFonts = join(folder, "fonts.conf");
  writeFileSync(noFonts, `<?xml version="1.0"?><fontconfig><cachedir>${folder}</cachedir></fontconfig>`);
  if (process.platform !== "linux") return t.skip("fonts can be hidden from Chromium on Linux alone");
  const problem = await chromiumProblem(executablePath, { sandbox, env: { ...process.env, FONTCONFIG_FILE: noFonts } }, never);
  assert.match(problem ?? "", /text|fonts/);
});

test("a program that is no Chromium is a problem in words", async () => {
  assert.match((await chromiumProblem("/bin/false", { sandbox: true, env: {} }, never)) ?? "", /\/bin\/false does not start/);
});

test("only one local run has the data, and the claim of one that was killed is taken over", async (t) => {
  const file = join(folderOf(t), "run.pid");
  const other = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log()", "local.ts"]);
  t.after(() => other.kill("SIGKILL"));
  await once(other.stdout, "data");
  writeFileSync(file, String(other.pid));
  await assert.rejects(claim(file), new RegExp(`as process ${other.pid}: stop that one first`));
  other.kill("SIGKILL");
  await once(other, "exit");
  const own = await claim(file);
  await own[Symbol.asyncDispose]();
  await using _again = await claim(file);
});
