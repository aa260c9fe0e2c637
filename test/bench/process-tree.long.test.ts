/** Total CPU time and memory of all processes of a contender. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { cpuOf, memoryOf, pidsOf } from "../../bench/measure/process-tree.ts";

/** Starts a child that works for a while, prints a line when its work is done, and keeps running. */
const parent = `
const { spawnSync, spawn } = require("node:child_process");
spawnSync(process.execPath, ["-e", "const end = process.cpuUsage().user + 400_000; while (process.cpuUsage().user < end);"]);
spawn(process.execPath, ["-e", "globalThis.held = Buffer.alloc(100 * 1024 * 1024, 1); console.log('held'); setInterval(() => {}, 1000)"], { stdio: "inherit" });
setInterval(() => {}, 1000);
`;

test("CPU time and memory include child processes, even exited ones", async (t) => {
  const child = spawn(process.execPath, ["-e", parent], { stdio: ["ignore", "pipe", "inherit"], detached: true });
  t.after(() => process.kill(-(child.pid ?? 0), "SIGKILL"));
  await once(child.stdout, "data");
  const pid = child.pid ?? 0;

  assert.equal(pidsOf(pid).length, 2);
  const { tree, own } = cpuOf(pid);
  assert.ok(tree >= 0.4, `${tree} s in total`);
  assert.ok(own < tree - 0.35, `${own} s of its own`);
  const { anonymousMb, residentMb, processes } = memoryOf(pid);
  assert.ok(anonymousMb > 100, `${anonymousMb} MB`);
  assert.ok(residentMb >= anonymousMb);
  assert.equal(processes, 2);
});
