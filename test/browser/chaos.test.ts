/**
 * Browsers die and hang at random under a mix of plain and hostile captures; and many plain ones in a row leave nothing behind.
 * `SOAK=1` runs the long version: 500 captures in the first, 3,000 in the second.
 */

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pixelAt } from "../support/picture.ts";
import { startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";

/** What nobody holds is no growth. */
setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const isSoak = process.env.SOAK === "1";
/** The whole of one test here. */
const timeout = isSoak ? 30 * 60_000 : 5 * 60_000;

/**
 * Chromium's processes below this one, with what each is: `browser`, `renderer`, `gpu-process`, `utility`, `zygote`.
 * One that has just been forked, or has ended and is not yet collected, has no type to tell, and is left out.
 */
async function chromiumProcesses(): Promise<{ pid: number; kind: string }[]> {
  const own = `--user-data-dir=${tmpdir()}/tintype-profile-${process.pid}-`;
  const groups = new Set<number>();
  const all: { pid: number; group: number; kind: string }[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, "latin1").catch(() => "");
    const command = await readFile(`/proc/${entry}/cmdline`, "latin1").catch(() => "");
    const group = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
    if (command.includes(own) && !command.includes("--type=")) groups.add(Number(entry));
    const kind = group === Number(entry) ? "browser" : /--type=([\w-]+)/.exec(command)?.[1];
    if (kind) all.push({ pid: Number(entry), group, kind });
  }
  return all.filter(({ group }) => groups.has(group));
}

async function profiles(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith(`tintype-profile-${process.pid}-`));
}

async function openSockets(): Promise<number> {
  const links = await readdir("/proc/self/fd");
  return links.length;
}

interface Memory {
  own: number;
  browsers: number;
  /** How many browsers there are: as many as work came at once, so not always the same. */
  count: number;
}

/** Memory of this process and of its browsers in bytes: what they hold themselves, not the programs' files, which others on the machine share. */
async function memory(): Promise<Memory> {
  collectGarbage();
  const processes = await chromiumProcesses();
  const sizes = await Promise.all(processes.map(({ pid }) => shareOf(pid)));
  return {
    own: await shareOf(process.pid),
    browsers: sizes.reduce((sum, size) => sum + size, 0),
    count: processes.filter(({ kind }) => kind === "browser").length,
  };
}

async function shareOf(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
  return Number(/^Pss_Anon:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024;
}

/** Of this process and of as many browsers as there were before. */
function growth(before: Memory, after: Memory): { all: number; words: string } {
  const ratio = (a: number, b: number) => Number((a / b).toFixed(2));
  const browsers = (after.browsers / after.count) * before.count;
  const all = ratio(after.own + browsers, before.own + before.browsers);
  return {
    all,
    words: `memory ${all} × (this process ${ratio(after.own, before.own)} ×, each browser ${ratio(browsers, before.browsers)} ×, ${Math.round((after.own + after.browsers) / 1e6)} MB with ${after.count} browsers)`,
  };
}

/** Runs `work` for 0 … count-1, `width` at a time. */
async function inParallel(count: number, width: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: width }, one));
}

async function plainCapture(service: TestService, site: Site, key: string, index: number): Promise<void> {
  const response = await service.take({ api_key: key, url: `${site.origin}/plain?${index}`, format: "png", width: "200", height: "100" });
  const body = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, response.status === 200 ? "" : body.toString());
  assert.equal(pixelAt(body, 150, 90), "#00ff00");
}

const hostilePages: Record<string, string> = {
  "/spin": "<script>for (;;);</script>",
  "/bomb": "<script>const a = []; for (;;) a.push(new Uint8Array(1e8).fill(1));</script>",
  "/reload": "<script>location.reload()</script>",
  "/alerts": "<script>for (let i = 0; i < 500; i += 1) alert(i)</script>",
  "/frames":
    "<script>setInterval(() => { for (let i = 0; i < 20; i += 1) document.body.append(document.createElement('iframe')) }, 0)</script><body>",
};

test("with browsers killed and stopped at random every plain capture succeeds, and nothing is left behind", { timeout }, async (t) => {
  const count = isSoak ? 500 : 48;
  const site = await createSite(t, { "/plain": colouredPage("#00ff00", "<p>plain"), ...hostilePages });
  const service = await startService(t, {
    EGRESS_ALLOWED_HOSTS: site.host,
    MAX_CONCURRENT_SCREENSHOTS: "4",
    MAX_BROWSER_MEMORY_MB: "800",
    MAX_QUEUED_SCREENSHOTS: "100",
  });
  const { key } = await service.createAccount();
  const { key: hostileKey } = await service.createAccount();
  // A browser that has just started is smaller than one at work, so both weighings come after the same work.
  const warm = async () => {
    for (let round = 0; round < 20; round += 1) {
      await inParallel(20, 8, (index) => plainCapture(service, site, key, -index - 20 * round));
      if (round >= 3 && service.services.slots.state().started === 4) break;
    }
    await until(async () => service.services.slots.state().running === 0);
  };
  await warm();
  const before = { sockets: await openSockets(), memory: await memory() };

  let running = true;
  const struck: Record<string, number> = {};
  const strikes = (async () => {
    for (let turn = 0; running; turn += 1) {
      await delay(900);
      const targets = (await chromiumProcesses()).filter(({ kind }) => kind !== "zygote" && kind !== "utility");
      const target = targets[Math.floor(Math.random() * targets.length)];
      if (!target || !running) continue;
      const signal = turn % 3 === 2 ? "SIGSTOP" : "SIGKILL";
      try {
        process.kill(target.pid, signal);
        struck[`${signal} ${target.kind}`] = (struck[`${signal} ${target.kind}`] ?? 0) + 1;
      } catch {
        // gone in the meantime
      }
    }
  })();

  const ends: Record<string, number> = {};
  const failures: unknown[] = [];
  const paths = Object.keys(hostilePages);
  await inParallel(count, 8, async (index) => {
    if (index % 4 === 3) {
      const path = paths[Math.floor(index / 4) % paths.length];
      const response = await service.take({
        api_key: hostileKey,
        url: `${site.origin}${path}?${index}`,
        timeout: "4",
        wait_until_timeout: "1",
      });
      const body = await response.arrayBuffer();
      const end = response.status === 200 ? "picture" : JSON.parse(Buffer.from(body).toString()).code;
      ends[`${path} ${end}`] = (ends[`${path} ${end}`] ?? 0) + 1;
    } else await plainCapture(service, site, key, index).catch((error) => failures.push(error));
  });
  running = false;
  await strikes;
  assert.deepEqual(failures, []);

  // A browser that was stopped while idle is found out by its next capture.
  await warm();
  const after = { sockets: await openSockets(), memory: await memory() };
  const state = service.services.slots.state();
  const alive = (await chromiumProcesses()).filter(({ kind }) => kind === "browser").length;
  console.log(
    `struck: ${JSON.stringify(struck)}\nhostile ends: ${JSON.stringify(ends)}\nfiles and sockets ${before.sockets} → ${after.sockets}, ${growth(before.memory, after.memory).words}`,
  );
  assert.equal(alive, state.started, `browsers alive for ${state.started} slots`);
  assert.equal((await profiles()).length, alive, "profiles without a browser");
  assert.equal(state.running + state.waiting, 0);
  assert.ok(after.sockets <= before.sockets + 8, `${before.sockets} → ${after.sockets} open files`);
  assert.ok(growth(before.memory, after.memory).all < 1.15);
  await service.stop();
  assert.deepEqual(await chromiumProcesses(), []);
  assert.deepEqual(await profiles(), []);
});

test("a good capture (9): many plain captures leave the memory as it was; their speed is printed", { timeout }, async (t) => {
  const count = isSoak ? 3_000 : 250;
  const settled = isSoak ? 200 : 100;
  const site = await createSite(t, { "/plain": colouredPage("#00ff00", "<p>plain") });
  const service = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_SCREENSHOTS: "2" });
  const { key } = await service.createAccount();
  const times: number[] = [];
  let early: Memory | undefined;
  await inParallel(count, 2, async (index) => {
    const started = performance.now();
    await plainCapture(service, site, key, index);
    times.push(performance.now() - started);
    if (times.length === settled) early = await memory();
  });
  assert.ok(early);
  const grown = growth(early, await memory());
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const slower = median(times.slice(-settled)) / median(times.slice(settled, 2 * settled));
  console.log(`${count} captures: ${grown.words}, median time ${slower.toFixed(2)} × that after the first ${settled}`);
  assert.ok(grown.all < 1.15);
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, "it never came to rest");
    await delay(50);
  }
}
