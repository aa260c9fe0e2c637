/** Progress reports of a long start. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createProgress } from "../../scripts/stack/progress.ts";

test("every five seconds a line lists pending work", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const lines: string[] = [];
  const { track } = createProgress((message) => lines.push(message));
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

test("track rejects as the work does", async () => {
  const { track } = createProgress(() => {});
  await assert.rejects(track("Redis", Promise.reject(new Error("no luck"))), /no luck/);
});

test("a line is printed every five seconds while npm installs", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tintype-boot-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "scripts"));
  copyFileSync(new URL("../../scripts/boot.cjs", import.meta.url), join(folder, "scripts/boot.cjs"));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: { "": {}, "node_modules/a": { integrity: "b" } } }));
  const npm = join(folder, "npm-cli.js"); // an npm that never ends
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
