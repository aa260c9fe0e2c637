/** The servers that `npm run local` and the tests start. */

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
  chmodSync(folder, 0o755); // if the tests run as root, PostgreSQL runs as another user
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

test("PostgreSQL keeps its data across a restart", async (t) => {
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

test("PostgreSQL listens only on loopback, without a socket file, and requires its password", async (t) => {
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

test("an aborted start doesn't leave incomplete data behind", async (t) => {
  const folder = folderOf(t);
  await assert.rejects(startPostgres({ folder, throwAway: true }, silent, AbortSignal.abort(new Error("enough"))), /enough/);
  assert.deepEqual(readdirSync(folder), []);
});

test("the real Redis requires its password", async (t) => {
  let isSubstitute = false;
  const server = await startRedis({ folder: undefined }, () => (isSubstitute = true), never);
  t.after(() => server.stop());
  const redis = new Redis(server.url, { maxRetriesPerRequest: 1 });
  t.after(() => redis.disconnect());
  assert.equal(await redis.set("a", "1"), "OK");
  if (isSubstitute) return t.skip("the substitute for Redis has no passwords");
  const unauthenticated = new Redis(Number(new URL(server.url).port), "127.0.0.1", { maxRetriesPerRequest: 1, enableReadyCheck: false });
  t.after(() => unauthenticated.disconnect());
  await assert.rejects(unauthenticated.get("a"), /NOAUTH/);
});

test("without an installed Redis, a substitute runs on loopback, and a message says so", async (t) => {
  const messages: string[] = [];
  const path = process.env.PATH;
  process.env.PATH = "";
  t.after(() => {
    process.env.PATH = path;
  });
  const server = await startRedis({ folder: undefined }, (message) => messages.push(message), never);
  t.after(() => server.stop());
  if (messages.length === 0) return t.skip("a Redis installed outside of PATH is found");
  assert.match(messages[0] ?? "", /Redis is not installed.*apt-get install redis-server/);
  assert.equal(new URL(server.url).hostname, "127.0.0.1");
  const redis = new Redis(server.url, { maxRetriesPerRequest: 1 });
  t.after(() => redis.disconnect());
  assert.equal(await redis.eval("return redis.call('incr', KEYS[1])", 1, "counter"), 1);
});

test("the Redis substitute answers pipelined commands about as fast as a single one", async (t) => {
  const path = process.env.PATH;
  process.env.PATH = "";
  const { url, stop } = await startRedis({ folder: undefined }, silent, never).finally(() => (process.env.PATH = path));
  t.after(stop);
  const redis = new Redis(url);
  t.after(() => redis.disconnect());
  const median = async (ask: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let round = 0; round < 15; round += 1) {
      const startedAt = performance.now();
      await ask();
      times.push(performance.now() - startedAt);
    }
    return times.sort((a, b) => a - b)[7] ?? 0;
  };
  const single = await median(() => redis.get("a"));
  const pipelined = await median(() => redis.pipeline().set("a", "1").get("a").incr("n").exec());
  // A delayed acknowledgment takes 40 ms, longer than a hundred single commands.
  assert.ok(pipelined < 20 * single, `${pipelined} ms for three commands, ${single} ms for one`);
});

test("a Chromium that renders text passes the check; one without fonts doesn't", async (t) => {
  const executablePath = process.env.TEST_CHROMIUM ?? "";
  const sandbox = process.env.CHROMIUM_SANDBOX !== "false" && process.getuid?.() !== 0;
  assert.equal(await chromiumProblem(executablePath, { sandbox, env: process.env }, never), undefined);
  const folder = folderOf(t);
  const noFonts = join(folder, "fonts.conf");
  writeFileSync(noFonts, `<?xml version="1.0"?><fontconfig><cachedir>${folder}</cachedir></fontconfig>`);
  if (process.platform !== "linux") return t.skip("fonts can be hidden from Chromium only on Linux");
  const problem = await chromiumProblem(executablePath, { sandbox, env: { ...process.env, FONTCONFIG_FILE: noFonts } }, never);
  assert.match(problem ?? "", /text|fonts/);
});

test("a program that is not a Chromium fails the check with a message", async () => {
  assert.match((await chromiumProblem("/bin/false", { sandbox: true, env: {} }, never)) ?? "", /\/bin\/false does not start/);
});

test("only one local run can lock the data; a killed run's lock is taken over", async (t) => {
  const file = join(folderOf(t), "run.pid");
  const other = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log()", "local.ts"]);
  t.after(() => other.kill("SIGKILL"));
  await once(other.stdout, "data");
  writeFileSync(file, String(other.pid));
  await assert.rejects(claim(file), new RegExp(`as process ${other.pid}: stop it first`));
  other.kill("SIGKILL");
  await once(other, "exit");
  const own = await claim(file);
  await own[Symbol.asyncDispose]();
  await using _again = await claim(file);
});
