/** `batch` on the command line: a list of pages becomes files, also if it is interrupted. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually } from "../support/eventually.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00"), "/two": colouredPage("#ff0000"), "/three": colouredPage("#0000ff") });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_JOBS: "1" });
const script = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "cli-batch-"));
scope.after(() => rm(folder, { recursive: true }));
const host = site.host.replace(":", "-");

function start(key: string, ...args: string[]): ChildProcess {
  const { NODE_COMPILE_CACHE, PATH } = process.env;
  const env = { ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}), PATH, TINTYPE_URL: service.origin, TINTYPE_API_KEY: key };
  return spawn(process.execPath, [script, "batch", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
}

async function run(key: string, ...args: string[]): Promise<{ code: number; words: string }> {
  const child = start(key, ...args);
  const [words, [code]] = await Promise.all([text(child.stderr as NodeJS.ReadableStream), once(child, "exit")]);
  return { code, words };
}

async function listOf(name: string, ...paths: string[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, ["# pages", "", ...paths.map((path) => site.origin + path)].join("\r\n"));
  return file;
}

test("each page of the list becomes a file, and failures are named", async () => {
  const { key } = await service.createAccount();
  const out = join(folder, "out");
  const list = await listOf("list.txt", "/", "/two", "/three");
  const { code, words } = await run(key, list, "--out", out, "--option", "width=200", "--option", "format=png");
  assert.equal(code, 0, words);
  assert.match(words, /\] 3 of 3\n3 of 3 captures are saved in /);
  assert.deepEqual((await readdir(out)).sort(), [`${host}-three.png`, `${host}-two.png`, `${host}.png`]);
  assert.equal((await readFile(join(out, `${host}.png`))).subarray(1, 4).toString(), "PNG");
  const failing = await run(key, await listOf("failing.txt", "/", "/two"), "--out", out, "--option", "selector=#no");
  assert.equal(failing.code, 1);
  assert.match(failing.words, /\/two: No visible element of the page matches the selector/);
});

test("killed in the middle and started again, it goes on with the same batch, and pays once", async () => {
  const { key, userId } = await service.createAccount();
  const opened = Promise.withResolvers<void>();
  site.serve({
    "/held": async (_request, response) => {
      await opened.promise;
      response.setHeader("content-type", "text/html").end(colouredPage("#00ffff"));
    },
  });
  const out = join(folder, "killed");
  const args = [await listOf("killed.txt", "/", "/held", "/two"), "--out", out];
  const child = start(key, ...args);
  await eventually("the first file is saved", async () => (await readdir(out).catch(() => [])).some((name) => !name.endsWith(".part")));
  child.kill("SIGKILL");
  await once(child, "exit");
  opened.resolve();
  const { code, words } = await run(key, ...args);
  assert.equal(code, 0, words);
  assert.equal((await readdir(out)).length, 3);
  const { rows } = await service.pool.query(
    "select (select count(*) from batches where user_id = $1)::integer as batches, used from usage_periods where user_id = $1",
    [userId],
  );
  assert.deepEqual(rows, [{ batches: 1, used: 3 }]);
});

test("a wrong command or key is refused with a sentence", async () => {
  const list = await listOf("refused.txt", "/");
  assert.match((await run("", list, "--out", folder)).words, /TINTYPE_API_KEY is missing/);
  assert.match((await run("wrong", list)).words, /Missing: --out/);
  const { code, words } = await run("wrong", list, "--out", folder);
  assert.deepEqual([code, words.trim()], [1, "The API key is not valid."]);
  const { key } = await service.createAccount();
  assert.match(
    (await run(key, list, "--out", folder, "--option", "widht=1")).words,
    /shared\.widht is not a parameter \(did you mean width\?\)/,
  );
});
