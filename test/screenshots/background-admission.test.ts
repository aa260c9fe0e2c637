/** When captures that nobody awaits may start alongside requests. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createBackgroundAdmission } from "../../src/screenshots/take/background-admission.ts";
import { eventually } from "../support/eventually.ts";

/** Four browsers on a machine with `cores`, with a clock that the test sets. */
function machine(t: TestContext, cores: number | undefined) {
  const over = new AbortController();
  t.after(() => over.abort());
  const slots = { running: 0, waiting: 0, max: 4 };
  const clock = { ms: 10_000 };
  let looks = 0;
  const begin = createBackgroundAdmission(
    () => {
      looks += 1;
      return slots;
    },
    cores,
    () => clock.ms,
  );
  let begun = 0;
  const ends: (() => void)[] = [];
  return {
    slots,
    clock,
    begun: () => begun,
    /** Resolves once each waiting capture (at most three) has checked whether it may start. */
    looked: async () => {
      const until = looks + 2 * 3;
      await eventually("the waiting captures have checked", () => looks >= until);
    },
    start: async () => {
      void begin(over.signal).then(
        (leave) => {
          begun += 1;
          slots.running += 1;
          ends.push(() => {
            slots.running -= 1;
            leave(true);
          });
        },
        () => {},
      ); // it is still waiting when the test ends
      await setImmediate(); // if it has started, it has its browser
    },
    end: () => ends.shift()?.(),
  };
}

test("without requests, as many captures start as there are browsers", async (t) => {
  const { start, begun, end } = machine(t, 2);
  for (let count = 0; count < 5; count++) await start();
  await eventually("four have started", () => begun() === 4);
  end();
  await eventually("the fifth has started", () => begun() === 5);
});

test("no capture starts while a request waits for a browser", async (t) => {
  const { looked, start, begun, slots, clock } = machine(t, 2);
  slots.waiting = 1;
  await start();
  clock.ms += 60_000;
  await looked();
  assert.equal(begun(), 0);
  slots.waiting = 0;
  clock.ms += 1_000;
  await eventually("it has started", () => begun() === 1);
});

test("while a request needs all cores, one capture starts every two seconds; afterwards all do", async (t) => {
  const { looked, start, begun, end, slots, clock } = machine(t, 2);
  slots.running = 1;
  for (let count = 0; count < 4; count++) await start();
  await eventually("the first has started", () => begun() === 1);
  end();
  await looked();
  assert.equal(begun(), 1);
  clock.ms += 1_001;
  await looked();
  assert.equal(begun(), 1);
  clock.ms += 1_000;
  await eventually("the second has started", () => begun() === 2);
  slots.running -= 1; // the request ends
  clock.ms += 251;
  await eventually("all have started", () => begun() === 4);
});

test("while a request needs all cores, a longer capture is followed by a longer pause", async (t) => {
  const { looked, start, begun, end, slots, clock } = machine(t, 2);
  slots.running = 1;
  for (let count = 0; count < 3; count++) await start();
  await eventually("the first has started", () => begun() === 1);
  clock.ms += 3_000; // it is still running
  await looked();
  assert.equal(begun(), 1, "two run concurrently");
  end();
  clock.ms += 11_999; // 15 s after it started
  await looked();
  assert.equal(begun(), 1);
  clock.ms += 2;
  await eventually("the second has started", () => begun() === 2);
  clock.ms += 30_001; // it never ends
  await eventually("the third has started", () => begun() === 3);
});

test("between consecutive requests, no capture starts on the cores they use", async (t) => {
  const { looked, start, begun, end, slots, clock } = machine(t, 2);
  slots.running = 1;
  await start();
  await eventually("the first has started", () => begun() === 1);
  end();
  await start();
  await looked();
  slots.running -= 1; // the request ends, and the next one has not arrived yet
  clock.ms += 200;
  await looked();
  assert.equal(begun(), 1);
  slots.running += 1;
  await looked();
  assert.equal(begun(), 1);
});

test("captures start on cores that requests leave idle", async (t) => {
  const { looked, start, begun, slots } = machine(t, 4);
  slots.running = 1;
  for (let count = 0; count < 3; count++) await start();
  await eventually("two have started", () => begun() === 2);
  await looked();
  assert.equal(begun(), 2);
});

test("in a process that runs only jobs, only the number of browsers counts", async (t) => {
  const { start, begun, slots } = machine(t, undefined);
  slots.running = 1;
  for (let count = 0; count < 3; count++) await start();
  await eventually("three have started", () => begun() === 3);
});
