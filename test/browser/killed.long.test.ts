/** Chromium processes that die or hang during captures. chaos.long.test.ts does this at random, with hostile pages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { inParallel } from "../support/in-parallel.ts";
import { fileScope } from "../support/scope.ts";
import { startPlainCaptures } from "./plain-captures.ts";
import { chromiumProcesses, profiles } from "./processes.ts";

const scope = fileScope();
const { service, plainCapture } = await startPlainCaptures(scope, { MAX_CONCURRENT_SCREENSHOTS: "2" });

for (const [signal, kind] of [
  ["SIGKILL", "browser"],
  ["SIGKILL", "renderer"],
  ["SIGKILL", "gpu-process"],
  ["SIGSTOP", "browser"],
  ["SIGSTOP", "renderer"],
] as const)
  test(`${signal} to a ${kind}: running and subsequent captures succeed`, async () => {
    await inParallel(2, 2, plainCapture);
    const captures = inParallel(4, 2, plainCapture);
    await eventually(`a ${kind} gets the signal`, async () => {
      const target = (await chromiumProcesses()).find((one) => one.kind === kind);
      try {
        return target !== undefined && process.kill(target.pid, signal);
      } catch {
        return false; // it has exited since it was found
      }
    });
    await captures;
    await inParallel(2, 2, plainCapture);
  });

test("work that ignores its abort signal doesn't keep its slot", async () => {
  const { slots } = service.services;
  const ended = new AbortController();
  const lent = Array.from({ length: slots.state().max }, () =>
    slots.withTab({ account: "test", signal: ended.signal }, () => {
      ended.abort(new Error("it has timed out"));
      return new Promise(() => {});
    }),
  );
  for (const outcome of await Promise.allSettled(lent)) assert.equal(outcome.status, "rejected");
  await inParallel(2, 2, plainCapture);
  await eventually("no slot is in use", () => slots.state().running === 0);
});

test("there is one browser and one profile per started slot, and none after the service has stopped", async () => {
  // While its browser is being replaced, a slot briefly has none.
  await eventually("each started slot has one browser and one profile", async () => {
    const browsers = (await chromiumProcesses()).filter(({ kind }) => kind === "browser").length;
    return browsers === service.services.slots.state().started && (await profiles()).length === browsers;
  });
  await service.stop();
  assert.deepEqual(await chromiumProcesses(), []);
  assert.deepEqual(await profiles(), []);
});
