/** Loops: one run at a time, stopped by the service, and not flooding the log while runs fail. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { createLoop } from "../../src/shared/loop.ts";

/** Timers that advance only with `tick`. */
function setUp(t: TestContext, run: (closing: AbortSignal) => Promise<void>) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const failures: unknown[] = [];
  const loop = createLoop(run, (error) => failures.push(error));
  const tick = async (times: number) => {
    for (let count = 0; count < times; count += 1) {
      t.mock.timers.tick(10);
      await new Promise(setImmediate);
    }
  };
  loop.start(10);
  return { loop, failures, tick };
}

test("a run that takes longer than the interval doesn't overlap with the next", async (t) => {
  let runs = 0;
  let end = () => {};
  const { tick, loop } = setUp(t, async () => {
    runs += 1;
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  await tick(12);
  assert.equal(runs, 1);
  end();
  await tick(2);
  assert.equal(runs, 2);
  end();
  await loop.close();
});

test("close aborts the current run, waits for it, and doesn't report its failure", async (t) => {
  let isOver = false;
  const { tick, loop, failures } = setUp(t, async (closing) => {
    await once(closing, "abort");
    isOver = true;
    throw closing.reason;
  });
  await tick(1);
  await loop.close();
  assert.ok(isOver);
  await tick(3);
  assert.deepEqual(failures, []);
});

test("consecutive failures are reported once, and again after a success", async (t) => {
  let state = "away";
  const { tick, loop, failures } = setUp(t, async () => {
    if (state !== "fine") throw new Error(state);
  });
  await tick(20);
  state = "fine";
  await tick(1);
  state = "away again";
  await tick(20);
  await loop.close();
  assert.deepEqual(
    failures.map((error) => (error as Error).message),
    ["away", "away again"],
  );
});

test("a loop can start immediately, and vary its pauses so that replicas don't run in step", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const random = t.mock.method(Math, "random", () => 0);
  let runs = 0;
  const loop = createLoop(
    async () => {
      runs += 1;
    },
    () => {},
  );
  const runsAfter = async (ms: number) => {
    t.mock.timers.tick(ms);
    await new Promise(setImmediate);
    return runs;
  };
  loop.start(100, { immediately: true, spread: 1 });
  loop.start(1, { immediately: true });
  assert.equal(await runsAfter(0), 1);
  random.mock.mockImplementation(() => 0.999);
  assert.deepEqual([await runsAfter(49), await runsAfter(1)], [1, 2]);
  assert.deepEqual([await runsAfter(149), await runsAfter(1)], [2, 3]);
  await loop.close();
  assert.equal(await runsAfter(1_000), 3);
});
