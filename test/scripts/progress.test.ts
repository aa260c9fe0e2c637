/** Progress reports of a slow start. */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createProgress } from "../../scripts/stack/progress.ts";
import { longOnly } from "../support/long-only.ts";

const longTest = longOnly(test);
test("every five seconds, a line lists the work still pending", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "Date"] });
  const lines: string[] = [];
  const { track } = createProgress({ print: (message) => lines.push(message) });
  const [chromium, dashboard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const works = [track("Redis", Promise.resolve()), track("Chromium", chromium.promise), track("the dashboard", dashboard.promise)];
  await nextTurn();
  t.mock.timers.tick(4_000);
  assert.deepEqual(lines, []);
  t.mock.timers.tick(1_000);
  chromium.resolve();
  await works[1];
  t.mock.timers.tick(5_000);
  dashboard.resolve();
  await Promise.all(works);
  t.mock.timers.tick(60_000);
  assert.deepEqual(lines, ["Still working after 5 s: Chromium, the dashboard.", "Still working after 10 s: the dashboard."]);
});

test("in a terminal, a single line shows a progress bar, the time and pending work; messages are printed above it", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "Date"] });
  const shown: string[] = [];
  const { track, say, hold } = createProgress({ print: (message) => shown.push(`print ${message}`), redraw: (line) => shown.push(line) });
  const [packages, chromium, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const works = [track("packages", packages.promise, { whole: 30, share: () => 0.5 }), track("Chromium", chromium.promise, { whole: 70 })];
  const asking = hold(answer.promise);
  t.mock.timers.tick(1_000);
  say("Downloading ...");
  assert.deepEqual(shown, [""]); // the terminal is used by the question
  answer.resolve();
  await asking;
  assert.deepEqual(shown.splice(0), ["", "print Downloading ..."]);
  t.mock.timers.tick(500);
  packages.resolve();
  await works[0];
  t.mock.timers.tick(500);
  chromium.resolve();
  await works[1];
  assert.deepEqual(shown, ["[##--------------] 15 %, 1 s: packages, Chromium", "[####------------] 30 %, 2 s: Chromium", ""]);
});

test("track rejects if the work does", async () => {
  const { track } = createProgress({ print: () => {} });
  await assert.rejects(track("Redis", Promise.reject(new Error("no luck"))), /no luck/);
});

/** A project whose packages are missing. */
function emptyProject(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tintype-boot-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "scripts"));
  for (const name of ["boot.cjs", "hold-lock.cjs"])
    copyFileSync(new URL(`../../scripts/${name}`, import.meta.url), join(folder, "scripts", name));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: { "": {}, "node_modules/a": { integrity: "b" } } }));
  return folder;
}

test("packages are not installed while a service runs in the same clone", async (t) => {
  const folder = emptyProject(t);
  const running = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "local.ts"]);
  t.after(() => running.kill("SIGKILL"));
  mkdirSync(join(folder, ".local"));
  writeFileSync(join(folder, ".local/run.pid"), String(running.pid));
  const npm = join(folder, "npm-cli.js");
  writeFileSync(npm, "");
  const env = { PATH: process.env.PATH, npm_execpath: npm };
  const { status, stderr } = spawnSync(process.execPath, [join(folder, "scripts/boot.cjs"), "client"], { env, encoding: "utf8" });
  const message = `Tintype is running here, as process ${running.pid}: stop it first, because the project's packages have to be installed.\n`;
  assert.deepEqual([status, stderr], [1, message]);
});

longTest("a line is printed every five seconds while npm installs", async (t) => {
  const folder = emptyProject(t);
  const npm = join(folder, "npm-cli.js"); // an npm that never exits
  writeFileSync(npm, "setInterval(() => {}, 1000);");
  const env = { PATH: process.env.PATH, npm_execpath: npm };
  const boot = spawn(process.execPath, [join(folder, "scripts/boot.cjs"), "check"], { env, detached: true });
  t.after(() => process.kill(-(boot.pid as number), "SIGKILL"));
  let output = "";
  for await (const data of boot.stderr) {
    output += data;
    if (output.includes("10 s\n")) break;
  }
  assert.match(
    output,
    /^Installing the project's packages \.\.\.\n\.\.\. still installing after 5 s\n\.\.\. still installing after 10 s\n/,
  );
});

test("a start that is killed while npm installs makes the next one wait for that npm", async (t) => {
  const folder = emptyProject(t);
  const [npm, log, go] = ["npm-cli.js", "npm.log", "go"].map((name) => join(folder, name)) as [string, string, string];
  // An npm that installs the packages once the file `go` exists.
  writeFileSync(
    npm,
    `const fs = require("node:fs");
     fs.appendFileSync(${JSON.stringify(log)}, "started\\n");
     setInterval(() => {
       if (!fs.existsSync(${JSON.stringify(log)})) process.exit(); // the test has ended
       if (!fs.existsSync(${JSON.stringify(go)})) return;
       fs.mkdirSync("node_modules");
       fs.writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: { "node_modules/a": { integrity: "b" } } }));
       process.exit();
     }, 20);`,
  );
  const start = () => {
    const env = { PATH: process.env.PATH, npm_execpath: npm };
    const boot = spawn(process.execPath, [join(folder, "scripts/boot.cjs"), "client"], { env, stdio: ["ignore", "ignore", "pipe"] });
    t.after(() => boot.kill("SIGKILL"));
    return boot;
  };
  const killed = start();
  while (!existsSync(log)) await pause(20);
  killed.kill("SIGKILL");
  const next = start();
  let output = "";
  for await (const data of next.stderr) {
    output += data;
    if (output.includes("installing ...\n") || output.includes("Installing")) writeFileSync(go, "");
  }
  assert.match(output, /^Waiting for process \d+, which is installing \.\.\.\n/);
  assert.doesNotMatch(output, /Installing/);
  assert.equal(readFileSync(log, "utf8"), "started\n", "npm ran once");
});

test("code that runs before the packages are installed doesn't import any of them", () => {
  const seen = new Set<string>();
  const outside: string[] = [];
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type\b)[^;]*? from "([^"]+)";$/gm)) {
      if (name.startsWith(".")) visit(join(dirname(file), name));
      else if (!name.startsWith("node:")) outside.push(`${file}: ${name}`);
    }
  };
  visit(fileURLToPath(new URL("../../scripts/first-start.ts", import.meta.url)));
  assert.ok(seen.size > 10, `${seen.size} files`);
  assert.deepEqual(outside, []);
});
