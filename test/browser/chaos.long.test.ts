/**
 * Browsers killed and stopped at random during plain and hostile captures, and many plain captures in a row. `SOAK=1` runs the longest
 * version: 500 captures in the first test, 3,000 in the second.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { inParallel } from "../support/in-parallel.ts";
import { startPlainCaptures } from "./plain-captures.ts";
import { chromiumProcesses, growth, type Memory, memory, openFiles, profiles } from "./processes.ts";

const isSoak = process.env.SOAK === "1";
/** Timeout for one test. */
const timeout = isSoak ? 30 * 60_000 : 10 * 60_000;

const hostilePages: Record<string, string> = {
  "/spin": "<script>for (;;);</script>",
  "/bomb": "<script>const a = []; for (;;) a.push(new Uint8Array(1e8).fill(1));</script>",
  "/reload": "<script>location.reload()</script>",
  "/alerts": "<script>for (let i = 0; i < 500; i += 1) alert(i)</script>",
  "/frames":
    "<script>setInterval(() => { for (let i = 0; i < 20; i += 1) document.body.append(document.createElement('iframe')) }, 0)</script><body>",
};

/** Kills and stops processes at random until `end`, which resolves with the number of signals by kind. */
function signalAtRandom(): { end(): Promise<Record<string, number>> } {
  const sent: Record<string, number> = {};
  let running = true;
  const signals = (async () => {
    for (let turn = 0; running; turn += 1) {
      await delay(900);
      const targets = (await chromiumProcesses()).filter(({ kind }) => kind !== "zygote" && kind !== "utility");
      const target = targets[Math.floor(Math.random() * targets.length)];
      if (!target || !running) continue;
      const signal = turn % 3 === 2 ? "SIGSTOP" : "SIGKILL";
      try {
        process.kill(target.pid, signal);
        sent[`${signal} ${target.kind}`] = (sent[`${signal} ${target.kind}`] ?? 0) + 1;
      } catch {
        // it has ended meanwhile
      }
    }
  })();
  return {
    async end() {
      running = false;
      await signals;
      return sent;
    },
  };
}

test("with browsers killed and stopped at random, every plain capture succeeds and nothing is leaked", { timeout }, async (t) => {
  const count = isSoak ? 500 : 48;
  const settings = { MAX_CONCURRENT_SCREENSHOTS: "4", MAX_BROWSER_MEMORY_MB: "800", MAX_QUEUED_SCREENSHOTS: "100" };
  const { service, site, plainCapture } = await startPlainCaptures(t, settings, hostilePages);
  const { key: hostileKey } = await service.createAccount();
  // A new browser uses less memory than a working one, so both measurements follow the same work.
  const warm = async () => {
    for (let round = 0; round < 20; round += 1) {
      await inParallel(20, 8, (index) => plainCapture(-index - 20 * round));
      if (round >= 3 && service.services.slots.state().started === 4) break;
    }
    await until(async () => service.services.slots.state().running === 0);
  };
  await warm();
  const before = { files: await openFiles(), memory: await memory() };

  const signals = signalAtRandom();
  const ends: Record<string, number> = {};
  const failures: unknown[] = [];
  const paths = Object.keys(hostilePages);
  await inParallel(count, 8, async (index) => {
    if (index % 4 === 3) {
      const path = paths[Math.floor(index / 4) % paths.length];
      const url = `${site.origin}${path}?${index}`;
      const response = await service.take({ api_key: hostileKey, url, timeout: "4", wait_until_timeout: "1" });
      const body = await response.arrayBuffer();
      const end = response.status === 200 ? "picture" : JSON.parse(Buffer.from(body).toString()).code;
      ends[`${path} ${end}`] = (ends[`${path} ${end}`] ?? 0) + 1;
    } else await plainCapture(index).catch((error) => failures.push(error));
  });
  const sent = await signals.end();
  assert.deepEqual(failures, []);

  // A browser that was stopped while idle is detected by its next capture.
  await warm();
  const after = { files: await openFiles(), memory: await memory() };
  const state = service.services.slots.state();
  const alive = (await chromiumProcesses()).filter(({ kind }) => kind === "browser").length;
  t.diagnostic(`signals: ${JSON.stringify(sent)}`);
  t.diagnostic(`outcomes of hostile captures: ${JSON.stringify(ends)}`);
  t.diagnostic(`open files ${before.files} → ${after.files}, ${growth(before.memory, after.memory).description}`);
  assert.equal(alive, state.started, `${state.started} slots have a browser that is alive`);
  assert.equal((await profiles()).length, alive, "every profile has a browser");
  assert.equal(state.running + state.waiting, 0);
  assert.ok(after.files <= before.files + 8, `${before.files} → ${after.files} open files`);
  assert.ok(growth(before.memory, after.memory).all < 1.15);
  await service.stop();
  assert.deepEqual(await chromiumProcesses(), []);
  assert.deepEqual(await profiles(), []);
});

test("memory does not grow over many plain captures", { timeout }, async (t) => {
  const count = isSoak ? 3_000 : 250;
  const settled = isSoak ? 200 : 100;
  const { plainCapture } = await startPlainCaptures(t, { MAX_CONCURRENT_SCREENSHOTS: "2" });
  const times: number[] = [];
  let early: Memory | undefined;
  await inParallel(count, 2, async (index) => {
    const started = performance.now();
    await plainCapture(index);
    times.push(performance.now() - started);
    if (times.length === settled) early = await memory();
  });
  assert.ok(early);
  const grown = growth(early, await memory());
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const slower = median(times.slice(-settled)) / median(times.slice(settled, 2 * settled));
  t.diagnostic(`${count} captures: ${grown.description}, median time ${slower.toFixed(2)} × the time after the first ${settled}`);
  assert.ok(grown.all < 1.15);
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, "captures did not finish");
    await delay(50);
  }
}
