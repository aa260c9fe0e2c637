/** `tintype batch`, installed as users install it, with Node 20: saves a list of pages as files, even after an interruption. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { openGate } from "../support/gate.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { closedPage, colouredPage, createSite } from "../support/site.ts";
import { installClient, node20 } from "./package.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00"), "/two": colouredPage("#ff0000"), "/three": colouredPage("#0000ff") });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, SCREENSHOT_TIMEOUT: "90000", MAX_CONCURRENT_JOBS: "1" });
const { command } = await installClient(scope);
const node = await node20();
const folder = await mkdtemp(join(tmpdir(), "command-batch-"));
scope.after(() => rm(folder, { recursive: true }));
const host = site.host.replace(":", "-");

function start(key: string, ...args: string[]): ChildProcess {
  return spawn(node, [command, "batch", ...args], {
    env: { TINTYPE_URL: service.origin, TINTYPE_KEY: key },
    stdio: ["pipe", "pipe", "pipe"],
  });
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

test("batch: each page in the list becomes a file, and failures are named", async () => {
  const { key } = await service.createAccount();
  const out = join(folder, "out");
  const list = await listOf("list.txt", "/", "/two", "/three");
  const { code, words } = await run(key, list, "--out", out, "--width=200", "--format=png");
  assert.equal(code, 0, words);
  assert.match(words, /\] 3 of 3\n3 of 3 captures are saved in /);
  assert.deepEqual((await readdir(out)).sort(), [`${host}-three.png`, `${host}-two.png`, `${host}.png`]);
  assert.equal((await readFile(join(out, `${host}.png`))).subarray(1, 4).toString(), "PNG");
  const failing = await run(key, await listOf("failing.txt", "/", "/two"), "--out", out, "--selector=#no");
  assert.equal(failing.code, 1);
  assert.match(failing.words, /\/two: No visible element on the page matches the selector/);
});

test("batch: when killed halfway and restarted, it continues the same batch, which is charged once", async () => {
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
  await eventually("the first file has been saved", async () =>
    (await readdir(out).catch(() => [])).some((name) => !name.endsWith(".part")),
  );
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

test("batch: waits for a service that is down at the start or goes down halfway", async () => {
  const { key } = await service.createAccount();
  const held = closedPage(site, "/interrupted");
  const gate = await openGate(scope, service.origin);
  await gate.refuse();
  const out = join(folder, "away");
  const child = start(
    key,
    await listOf("away.txt", "/", "/interrupted"),
    "--out",
    out,
    "--format=png",
    "--wait=600", // even for a service that has never responded
    "--server",
    gate.through(service.origin),
  );
  let words = "";
  child.stderr?.on("data", (chunk) => {
    words += chunk;
  });
  const exit = once(child, "exit");
  await eventually("it says so", () => words.includes("does not answer"));
  await gate.mend();
  await eventually("the first file has been saved", async () => (await readdir(out)).some((name) => name.endsWith(".png")));
  await gate.refuse();
  await eventually("it says so again", () => words.slice(words.indexOf("1 of 2")).includes("does not answer"));
  held.open();
  await gate.mend();
  assert.equal((await exit)[0], 0, words);
  assert.deepEqual((await readdir(out)).sort(), [`${host}-interrupted.png`, `${host}.png`]);
});

test("batch: gives up after --wait if the service stays down, with a message", async () => {
  const { key } = await service.createAccount();
  const gate = await openGate(scope, service.origin);
  await gate.refuse();
  const list = await listOf("gone-away.txt", "/");
  const { code, words } = await run(key, list, "--out", folder, "--server", gate.through(service.origin), "--wait", "1");
  assert.equal(code, 3);
  assert.match(words, /does not answer[\s\S]* has not answered for 1 s \(.+\)\. Run the same command again to go on\./);
  assert.match((await run(key, list, "--out", folder, "--wait", "soon")).words, /--wait must be seconds/);
});

test("batch: the command soon gives up on a service that has never responded, with a hint; it waits for one that has responded before", async () => {
  const { key } = await service.createAccount();
  const gate = await openGate(scope, service.origin);
  await gate.refuse();
  const list = await listOf("never.txt", "/");
  const { code, words } = await run(key, list, "--out", folder, "--server", gate.through(service.origin));
  assert.equal(code, 3);
  assert.match(words, /can't be reached: .*ECONNREFUSED.*\. Is it running, and is its URL right \(--server, or TINTYPE_URL\)\?/);
  const held = closedPage(site, "/later");
  await gate.mend();
  const child = start(key, await listOf("later.txt", "/later"), "--out", folder, "--server", gate.through(service.origin));
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const exit = once(child, "exit");
  await eventually("the batch has been created", () => said.includes("1 captures"));
  await gate.refuse();
  const attempts = () => said.split("does not answer").length - 1;
  await eventually("it keeps trying for longer than it would for an unknown service", () => attempts() > 4, 60_000);
  held.open();
  await gate.mend();
  assert.equal((await exit)[0], 0, said);
});

test("batch: the path of --server is kept, because a service may be behind a proxy with a path prefix", async () => {
  const { key } = await service.createAccount();
  const proxy = createServer((incoming, answer) => {
    const path = incoming.url?.replace(/^\/shots\//, "/") ?? "";
    if (path === incoming.url) return void answer.writeHead(404).end();
    const headers = { ...incoming.headers, host: new URL(service.origin).host };
    const forwarded = request(service.origin + path, { method: incoming.method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(forwarded);
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  scope.after(() => proxy.close());
  const server = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/shots/`;
  const out = join(folder, "prefix");
  const { code, words } = await run(key, await listOf("prefix.txt", "/"), "--out", out, "--server", server);
  assert.equal(code, 0, words);
  assert.equal((await readdir(out)).length, 1);
});

test("batch: an existing file is kept if it belongs to the batch, and otherwise replaced, even if it has the same size", async () => {
  const { key } = await service.createAccount();
  const out = join(folder, "replaced");
  const args = [await listOf("replaced.txt", "/", "/two"), "--out", out, "--format=png"];
  assert.equal((await run(key, ...args)).code, 0);
  const [kept, replaced] = [join(out, `${host}.png`), join(out, `${host}-two.png`)];
  const [before, image] = [await stat(kept), await readFile(replaced)];
  await writeFile(replaced, Buffer.alloc(image.length));
  await utimes(replaced, 0, 0);
  assert.equal((await run(key, ...args)).code, 0);
  assert.deepEqual(await readFile(replaced), image);
  assert.equal((await stat(kept)).ino, before.ino);
});

test("batch: captures that the service no longer stores are reported and not waited for", async () => {
  const { key, userId } = await service.createAccount();
  const args = [await listOf("gone.txt", "/", "/two"), "--out", join(folder, "gone")];
  assert.equal((await run(key, ...args)).code, 0);
  await service.pool.query("delete from captures where user_id = $1 and position = 1", [userId]);
  const { code, words } = await run(key, ...args);
  assert.equal(code, 1);
  assert.match(words, /1 of 2 captures are no longer kept\. Send the list with --again\./);
});

test("batch: slices have the same names as in a zip, repeated options form a list, and a closed stderr doesn't stop it", async () => {
  const { key } = await service.createAccount();
  const tall = `<div id="a">a</div><div id="b">b</div><div style="height:600px">tall</div>`;
  site.serve({ "/tall": colouredPage("#00ff00", tall) });
  const out = join(folder, "slices");
  const given = ["full_page=true", "slice_height=250", "format=png", "width=200", "height=200", "hide_selectors=#a", "hide_selectors=#b"];
  const child = start(key, await listOf("slices.txt", "/tall"), "--out", out, ...given.map((option) => `--${option}`));
  child.stderr?.once("data", () => child.stderr?.destroy());
  assert.deepEqual(await once(child, "exit"), [0, null]);
  const names = await readdir(join(out, `${host}-tall`));
  assert.deepEqual(names.sort().slice(0, 2), ["screenshot-01.png", "screenshot-02.png"]);
});

test("batch: impossible requests are rejected immediately and cost nothing", async () => {
  const { key, userId } = await service.createAccount();
  const list = await listOf("impossible.txt", "/");
  site.serve({ "/v1/batches": "<!doctype html><title>Something else</title>" });
  const words = async (own: string, ...args: string[]) => (await run(own, list, ...args)).words;
  assert.match(await words(key, "--out", list), /Files can't be saved in .*impossible\.txt: EEXIST/);
  assert.match(
    await words(key, "--out", folder, "--server", "localhost:3000"),
    /The service must be an http or https URL without a query, such as/,
  );
  assert.match(await words(key, "--out", folder, "--server", "http://name.invalid"), /http:\/\/name\.invalid can't be reached: /);
  assert.match(await words(key, "--out", folder, "--server", "http://127.0.0.1:1"), /can't be reached: bad port/);
  assert.match(await words(key, "--out", folder, "--server", site.origin), /is not a Tintype service/);
  assert.match(await words("clé", "--out", folder), /The API key is missing, or has characters that no API key has/);
  const { rows } = await service.pool.query("select id from batches where user_id = $1", [userId]);
  assert.deepEqual(rows, []);
});

test("batch: a wrong command or key is rejected with a sentence", async () => {
  const list = await listOf("refused.txt", "/");
  assert.match((await run("", list, "--out", folder)).words, /The API key is missing: set TINTYPE_KEY/);
  assert.match((await run("wrong", list)).words, /Missing: --out/);
  const { code, words } = await run("wrong", list, "--out", folder);
  assert.deepEqual([code, words.trim()], [3, "The API key is not valid. Valid keys are listed in the dashboard under API keys."]);
  const { key } = await service.createAccount();
  assert.match(
    (await run(key, list, "--out", folder, "--widht=1")).words,
    /--widht is not an option of this command \(did you mean --width\?\)/,
  );
});
