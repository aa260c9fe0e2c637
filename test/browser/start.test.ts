/** The error message when no browser can start: the reason, and what to do about it. */

import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, type TestContext, test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { longOnly } from "../support/long-only.ts";
import { spawnServer } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";

const longTest = longOnly(test);
const scope = fileScope();
/** Its database and Redis also serve the process under test. */
let stores: TestService;

before(async () => {
  stores = await startService(scope);
});

/** The fatal log message of a failed start. */
async function fatalMessage(t: TestContext, settings: Record<string, string>, through: string[] = []): Promise<string> {
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function killIfAlive(pid: number): void {
  if (isAlive(pid)) process.kill(pid, "SIGKILL");
}

async function script(t: TestContext, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "chromium"), `#!/bin/sh\n${text}\n`);
  await chmod(join(folder, "chromium"), 0o755);
  return join(folder, "chromium");
}

longTest(
  "the Chromium that is started to collect its error output exits when its pipe closes, even if the service is killed",
  async (t) => {
    // The first start fails. The second one stands for a Chromium that hangs until its pipe is closed.
    const path = await script(
      t,
      `[ -e "$0.failed" ] || { touch "$0.failed"; exit 1; }; echo $$ > "$0.pid"; cat <&3 && exit 0; exec sleep 600`,
    );
    const settings = { HOST: "127.0.0.1", PORT: "1", ENABLE_METRICS: "false", PUPPETEER_EXECUTABLE_PATH: path };
    const server = spawnServer(t, { ...stores.env, ...settings });
    const pid = async () => Number(await readFile(`${path}.pid`, "utf8").catch(() => ""));
    await eventually("the second one is running", async () => (await pid()) > 0);
    server.child.kill("SIGKILL");
    await server.exited;
    const found = await pid();
    t.after(() => killIfAlive(found));
    await eventually("it has exited", () => !isAlive(found), 5_000);
  },
);

longTest("the diagnosis doesn't wait for a Chromium that starts on the second attempt", async (t) => {
  const path = await script(t, `[ -e "$0.failed" ] || { touch "$0.failed"; exit 1; }; exec ${process.env.TEST_CHROMIUM} "$@"`);
  const sandbox = process.env.CHROMIUM_SANDBOX ?? "true";
  const message = await fatalMessage(t, { PUPPETEER_EXECUTABLE_PATH: path, CHROMIUM_SANDBOX: sandbox });
  assert.match(message, /does not start\. Its last output: .*exit 0$/);
});

test("as root, where the sandbox refuses to run, the message recommends an ordinary user", async (t) => {
  const message = await fatalMessage(t, {}, ["unshare", "--user", "--map-root-user"]);
  assert.match(
    message,
    /does not start\. Chromium's sandbox refuses to run as root: run the service as a normal user, or set CHROMIUM_SANDBOX=false/,
  );
});

test("without user namespaces, the message says how to allow them, in a container and on a host", async (t) => {
  // A namespace that allows one nested namespace, which is used up by switching back to an ordinary user.
  const limited = 'echo 1 > /proc/sys/user/max_user_namespaces && exec unshare --user --map-user=1000 --map-group=1000 "$@"';
  const message = await fatalMessage(t, {}, ["unshare", "--user", "--map-root-user", "sh", "-c", limited, "sh"]);
  assert.match(
    message,
    /sandbox needs user namespaces, which this machine or container refuses: allow them \(docker\/seccomp-chromium\.json/,
  );
});

longTest("without fonts, the message names packages with fonts", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true }));
  const config = join(folder, "fonts.conf");
  await writeFile(
    config,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><cachedir>${folder}</cachedir></fontconfig>`,
  );
  const message = await fatalMessage(t, { FONTCONFIG_FILE: config, CHROMIUM_SANDBOX: process.env.CHROMIUM_SANDBOX ?? "true" });
  assert.match(message, /doesn't render text because it can't find any fonts\. Install some \(Debian and Ubuntu: apt-get install fonts-/);
});

longTest("if Chromium crashes immediately, the message contains its last output", async (t) => {
  const message = await fatalMessage(t, { PUPPETEER_EXECUTABLE_PATH: await script(t, 'echo "a fault of its own" >&2; kill -SEGV $$') });
  assert.match(message, /does not start\. Its last output: a fault of its own \/ exit SIGSEGV$/);
});

longTest("if a library is missing, the message names it", async (t) => {
  const message = await fatalMessage(t, {
    PUPPETEER_EXECUTABLE_PATH: await script(
      t,
      'echo "chromium: error while loading shared libraries: libnss3.so: cannot open shared object file" >&2; exit 127',
    ),
  });
  assert.match(message, /lacks a system library \(libnss3\.so\)/);
});

test("for a configured path, the message says whether the file is missing or not executable", async (t) => {
  const missing = await fatalMessage(t, { PUPPETEER_EXECUTABLE_PATH: "/nowhere/chromium" });
  assert.match(missing, /\/nowhere\/chromium/);
});
