/** What an operator reads when no browser can serve: the reason, and what to do. */

import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, type TestContext, test } from "node:test";
import { spawnServer } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";

const scope = fileScope();
/** Gives the stores that the process under test needs, too. */
let stores: TestService;

before(async () => {
  stores = await startService(scope);
});

/** The last words of a start that fails. */
async function lastWords(t: TestContext, settings: Record<string, string>, through: string[] = []): Promise<string> {
  const server = spawnServer(
    t,
    { ...stores.env, HOST: "127.0.0.1", PORT: "1", CHROMIUM_SANDBOX: "true", ENABLE_METRICS: "false", ...settings },
    through,
  );
  assert.deepEqual(await server.exited, { code: 1, signal: null });
  const fatal = server
    .output()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .findLast(({ level }) => level === 60);
  return fatal.msg;
}

async function script(t: TestContext, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "chromium"), `#!/bin/sh\n${text}\n`);
  await chmod(join(folder, "chromium"), 0o755);
  return join(folder, "chromium");
}

test("as root: the sandbox refuses, and the way out is an ordinary user", async (t) => {
  const words = await lastWords(t, {}, ["unshare", "--user", "--map-root-user"]);
  assert.match(
    words,
    /does not start\. Chromium's sandbox refuses to run as root: run the service as a normal user, or set CHROMIUM_SANDBOX=false/,
  );
});

test("without user namespaces: what allows them, in a container and on a host", async (t) => {
  // A namespace in which one more may be made, used up by the one that makes us an ordinary user again.
  const limited = 'echo 1 > /proc/sys/user/max_user_namespaces && exec unshare --user --map-user=1000 --map-group=1000 "$@"';
  const words = await lastWords(t, {}, ["unshare", "--user", "--map-root-user", "sh", "-c", limited, "sh"]);
  assert.match(
    words,
    /sandbox needs user namespaces, which this machine or container refuses: allow them \(docker\/seccomp-chromium\.json/,
  );
});

test("without fonts: it draws no text, and which packages have some", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true }));
  const config = join(folder, "fonts.conf");
  await writeFile(
    config,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><cachedir>${folder}</cachedir></fontconfig>`,
  );
  const words = await lastWords(t, { FONTCONFIG_FILE: config, CHROMIUM_SANDBOX: process.env.CHROMIUM_SANDBOX ?? "true" });
  assert.match(words, /draws no text: it finds no fonts\. Install some \(Debian and Ubuntu: apt-get install fonts-/);
});

test("a Chromium that crashes at once: its last words", async (t) => {
  const words = await lastWords(t, { PUPPETEER_EXECUTABLE_PATH: await script(t, 'echo "a fault of its own" >&2; kill -SEGV $$') });
  assert.match(words, /does not start\. Its last output: a fault of its own \/ exit SIGSEGV$/);
});

test("a library that is missing is named", async (t) => {
  const words = await lastWords(t, {
    PUPPETEER_EXECUTABLE_PATH: await script(
      t,
      'echo "chromium: error while loading shared libraries: libnss3.so: cannot open shared object file" >&2; exit 127',
    ),
  });
  assert.match(words, /lacks a system library \(libnss3\.so\)/);
});

test("a path that leads to nothing, or to what can't be run, is said to", async (t) => {
  const missing = await lastWords(t, { PUPPETEER_EXECUTABLE_PATH: "/nowhere/chromium" });
  assert.match(missing, /\/nowhere\/chromium/);
});
