/** Concurrent identical work runs once. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createUntilEnded } from "../../src/screenshots/queued/until-ended.ts";
import { createSingleFlight } from "../../src/shared/coalesce.ts";
import { forAccount, ownerOfWork, service } from "../../src/shared/work-owner.ts";
import { longestTurn } from "../support/longest-turn.ts";

const never = new AbortController().signal;

/** Work that ends when the test says so, and that records its signals. */
function controlledWork() {
  const outcome = Promise.withResolvers<string>();
  const signals: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    signals.push(signal);
    return outcome.promise;
  };
  return { ...outcome, signals, work };
}

test("concurrent identical work runs once, and every waiter gets its result", async () => {
  const flights = createSingleFlight<string>();
  const { resolve, signals, work } = controlledWork();
  const callers = [flights.join("a", never, work), flights.join("a", never, work), flights.join("a", never, work)];
  resolve("image");
  assert.deepEqual(await Promise.all(callers), [
    { value: "image", joined: false },
    { value: "image", joined: true },
    { value: "image", joined: true },
  ]);
  assert.equal(signals.length, 1);
  assert.equal(signals[0]?.aborted, false);
});

test("work with different keys is independent", async () => {
  const flights = createSingleFlight<string>();
  const both = await Promise.all([flights.join("a", never, async () => "A"), flights.join("b", never, async () => "B")]);
  assert.deepEqual(both, [
    { value: "A", joined: false },
    { value: "B", joined: false },
  ]);
});

test("finished work is not joined", async () => {
  const flights = createSingleFlight<string>();
  await flights.join("a", never, async () => "first");
  assert.deepEqual(await flights.join("a", never, async () => "second"), { value: "second", joined: false });
});

test("only the waiter that aborts leaves, even if it started the work", async () => {
  const flights = createSingleFlight<string>();
  const { resolve, signals, work } = controlledWork();
  const gone = new AbortController();
  const reason = new Error("the client has disconnected");
  const first = flights.join("a", gone.signal, work);
  const second = flights.join("a", never, work);
  gone.abort(reason);
  await assert.rejects(first, reason);
  assert.equal(signals[0]?.aborted, false);
  resolve("image");
  assert.deepEqual(await second, { value: "image", joined: true });
});

test("the work is aborted when the last waiter has left, and is not joined afterwards", async () => {
  const flights = createSingleFlight<string>();
  const abandoned = controlledWork();
  const leavers = [new AbortController(), new AbortController()];
  const callers = leavers.map(({ signal }) => flights.join("a", signal, abandoned.work));
  for (const leaver of leavers) leaver.abort();
  await Promise.allSettled(callers);
  assert.equal(abandoned.signals[0]?.aborted, true);

  const fresh = controlledWork();
  const next = flights.join("a", never, fresh.work);
  abandoned.reject(new Error("aborted")); // when the old work fails later, no one is affected
  await nextTurn();
  const alongside = flights.join("a", never, fresh.work);
  fresh.resolve("image");
  assert.deepEqual(await next, { value: "image", joined: false });
  assert.deepEqual(await alongside, { value: "image", joined: true });
  assert.equal(fresh.signals.length, 1);
});

test("a failure reaches every waiter and is not cached", async () => {
  const flights = createSingleFlight<string>();
  const { reject, work } = controlledWork();
  const callers = [flights.join("a", never, work), flights.join("a", never, work)];
  const failure = new Error("page crashed");
  reject(failure);
  for (const caller of callers) await assert.rejects(caller, failure);
  assert.deepEqual(await flights.join("a", never, async () => "image"), { value: "image", joined: false });
});

test("work that throws synchronously fails like any other", async () => {
  const flights = createSingleFlight<string>();
  const failure = new Error("thrown");
  const thrower = () => {
    throw failure;
  };
  await assert.rejects(flights.join("a", never, thrower), failure);
  assert.deepEqual(await flights.join("a", never, async () => "image"), { value: "image", joined: false });
});

test("a waiter that is already aborted doesn't start any work", async () => {
  const flights = createSingleFlight<string>();
  const { signals, work } = controlledWork();
  await assert.rejects(flights.join("a", AbortSignal.abort(), work), { name: "AbortError" });
  assert.equal(signals.length, 0);
});

/** Blocks the thread as sending a response does. */
function workFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const assertInTurns = async (outcome: Promise<unknown>[], end: () => void) => {
  const answers = outcome.map((one) => one.catch(() => {}).then(() => workFor(0.3)));
  await nextTurn();
  const { ms } = await longestTurn(async () => {
    end();
    await Promise.all(answers);
  });
  assert.ok(ms < 60, `a turn of the event loop took ${ms} ms`);
};

test("1,500 waiters continue over several turns of the event loop, even when the work fails", async () => {
  for (const end of ["resolve", "reject"] as const) {
    const flights = createSingleFlight<string>();
    const { work, ...outcome } = controlledWork();
    const waiters = Array.from({ length: 1_500 }, () => flights.join("a", never, work));
    await assertInTurns(waiters, () => outcome[end]("done"));
  }
});

test("1,500 requests waiting for captures continue over several turns of the event loop", async () => {
  let ended: string[] = [];
  const untilEnded = createUntilEnded({ ended: async () => ended });
  const waiters = Array.from({ length: 1_500 }, (_, index) => untilEnded(`capture ${index % 3}`, never));
  await assertInTurns(waiters, () => {
    ended = ["capture 0", "capture 1", "capture 2"];
  });
});

test("the query for all waiting requests is the service's, whoever waits first", async () => {
  const owners: string[] = [];
  const ended = async (ids: string[]) => {
    owners.push(ownerOfWork());
    return ids;
  };
  await forAccount("one", () => createUntilEnded({ ended })("capture", never));
  assert.deepEqual(owners, [service]);
});
