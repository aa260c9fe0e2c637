/** How a browser's processes end. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { type Chromium, launchChromium } from "../../src/browser/chromium.ts";
import { eventually } from "../support/eventually.ts";

const log = pino({ level: "silent" });
const linuxOnly = { skip: process.platform !== "linux" && "needs /proc" };

const autogroupsOnly = { skip: !existsSync("/proc/self/autogroup") && "the kernel has no autogroups" };

async function launch(t: TestContext): Promise<Chromium> {
  const executablePath = process.env.TEST_CHROMIUM ?? "";
  const sandbox = process.env.CHROMIUM_SANDBOX !== "false";
  const chromium = await launchChromium({ executablePath, sandbox, webgl: false }, "socks5://127.0.0.1:9", process.env, log);
  t.after(() => chromium.close());
  return chromium;
}

/** Running processes in the group. */
async function membersOf(group: number): Promise<string[]> {
  const states = await Promise.all(
    (await readdir("/proc"))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
        const [state, , ownGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return Number(ownGroup) === group && state !== "Z" ? [pid] : [];
      }),
  );
  return states.flat();
}

/** How often this process has killed the group. */
function killsOf(t: TestContext, group: number): () => number {
  const kill = t.mock.method(process, "kill");
  return () => kill.mock.calls.filter(({ arguments: [pid] }) => pid === -group).length;
}

test("every process of a browser has a lower CPU priority than the service", linuxOnly, async (t) => {
  const chromium = await launch(t);
  const members = await membersOf(chromium.pid);
  assert.ok(members.length > 1);
  for (const pid of members) assert.ok(getPriority(Number(pid)) > getPriority(process.pid), `process ${pid}`);
});

test("browsers that start together have a lower CPU priority where Linux schedules by session", autogroupsOnly, async (t) => {
  const browsers = await Promise.all([launch(t), launch(t), launch(t)]);
  for (const { pid } of browsers)
    await eventually("its session has a lower priority", async () => / nice 10$/m.test(await readFile(`/proc/${pid}/autogroup`, "utf8")));
});

test("when a browser dies, its process group is killed immediately, and only once", linuxOnly, async (t) => {
  const chromium = await launch(t);
  const kills = killsOf(t, chromium.pid);
  assert.ok((await membersOf(chromium.pid)).length > 1);
  process.kill(chromium.pid, "SIGKILL");
  await eventually("the group is gone and was killed", async () => (await membersOf(chromium.pid)).length === 0 && kills() === 1);
  // From here on, the id may belong to another program's group.
  await chromium.close();
  await chromium.close();
  assert.equal(kills(), 1);
});

test("a closed browser leaves no process behind, and closing it again kills nothing", linuxOnly, async (t) => {
  const chromium = await launch(t);
  const kills = killsOf(t, chromium.pid);
  await chromium.close();
  await eventually("the group is gone", async () => (await membersOf(chromium.pid)).length === 0);
  const before = kills();
  await chromium.close();
  assert.equal(kills(), before);
});
