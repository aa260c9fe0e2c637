/** The queue before the browsers: bounded, fair in order, and left without a trace by whoever gives up. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createQueue, type Queue } from "../../src/browser/queue.ts";
import { AppError, ClientGone } from "../../src/errors.ts";

/** A queue that is closed, with whoever still waits in it, when the test ends. */
function queueOf(t: TestContext, bounds: Parameters<typeof createQueue>[0]) {
  const queue = createQueue(bounds);
  t.after(() => queue.close(new Error("the test is over")));
  return queue;
}

/** Somebody who waits, whatever comes of it. */
function joinLine(queue: Queue, owner: string): void {
  queue.enter(owner, never).catch(() => {});
}

const never = new AbortController().signal;
const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

test("as many run as may; the others wait and follow in their order", async (t) => {
  const queue = queueOf(t, { runningMax: 2, waitingMax: 10, waitMaxMs: 60_000 });
  const order: string[] = [];
  const enter = async (name: string) => {
    const leave = await queue.enter("a", never);
    order.push(name);
    return leave;
  };
  const first = await enter("a");
  const second = await enter("b");
  const waiting = [enter("c"), enter("d")];
  assert.deepEqual([queue.running(), queue.waiting()], [2, 2]);
  first();
  await waiting[0];
  second();
  await waiting[1];
  assert.deepEqual(order, ["a", "b", "c", "d"]);
});

test("a turn given back twice counts once", async (t) => {
  const queue = queueOf(t, { runningMax: 1, waitingMax: 1, waitMaxMs: 60_000 });
  const leave = await queue.enter("a", never);
  leave();
  leave();
  assert.equal(queue.running(), 0);
  await queue.enter("a", never);
  assert.equal(queue.running(), 1);
});

test("a full queue says so at once, with when to come back", async (t) => {
  const queue = queueOf(t, { runningMax: 1, waitingMax: 1, waitMaxMs: 60_000 });
  await queue.enter("a", never);
  joinLine(queue, "a");
  await assert.rejects(queue.enter("a", never), (error) => hasCode("queue_full")(error) && (error as AppError).retryAfterSeconds === 2);
});

test("a deadline in the queue is the queue's fault, not the target's", async (t) => {
  const queue = queueOf(t, { runningMax: 1, waitingMax: 5, waitMaxMs: 60_000 });
  await queue.enter("a", never);
  const deadline = new AbortController();
  const late = queue.enter("a", deadline.signal);
  deadline.abort(new AppError("target_timeout"));
  await assert.rejects(late, hasCode("queue_full"));
  assert.equal(queue.waiting(), 0);
});

test("who leaves makes room for who waits behind, and takes no turn with it", async (t) => {
  const queue = queueOf(t, { runningMax: 1, waitingMax: 5, waitMaxMs: 60_000 });
  const leave = await queue.enter("a", never);
  const gone = new AbortController();
  const leaver = queue.enter("a", gone.signal);
  const next = queue.enter("a", never);
  gone.abort(new ClientGone());
  await assert.rejects(leaver, ClientGone);
  leave();
  (await next)();
  assert.deepEqual([queue.running(), queue.waiting()], [0, 0]);
});

test("closing sends away who waits and who comes, and lets who runs end", async (t) => {
  const queue = queueOf(t, { runningMax: 1, waitingMax: 5, waitMaxMs: 60_000 });
  const leave = await queue.enter("a", never);
  const waiting = queue.enter("a", never);
  queue.close(new AppError("unavailable"));
  await assert.rejects(waiting, hasCode("unavailable"));
  await assert.rejects(queue.enter("a", never), hasCode("unavailable"));
  leave();
  assert.equal(queue.running(), 0);
});

test("turns go to the owner with the fewest running, not to whoever asked most", async (t) => {
  const queue = queueOf(t, { runningMax: 2, waitingMax: 100, waitMaxMs: 60_000 });
  const order: string[] = [];
  const enter = (owner: string) =>
    queue.enter(owner, never).then((leave) => {
      order.push(owner);
      return leave;
    });
  const held = [await enter("greedy"), await enter("greedy")];
  const waiting = [enter("greedy"), enter("greedy"), enter("modest")];
  held[0]?.();
  (await waiting[2])?.();
  assert.equal(order[2], "modest");
  held[1]?.();
  for (const turn of waiting.slice(0, 2)) (await turn)?.();
  assert.deepEqual([queue.running(), queue.waiting()], [0, 0]);
});

test("one owner alone gets neither every turn nor the whole queue", async (t) => {
  const queue = queueOf(t, { runningMax: 4, waitingMax: 4, waitMaxMs: 60_000 });
  for (let turn = 0; turn < 3; turn += 1) await queue.enter("greedy", never);
  for (let place = 0; place < 3; place += 1) joinLine(queue, "greedy");
  assert.deepEqual([queue.running(), queue.waiting()], [3, 3]);
  await assert.rejects(queue.enter("greedy", never), hasCode("queue_full"));
  await queue.enter("modest", never);
  joinLine(queue, "modest");
  assert.deepEqual([queue.running(), queue.waiting()], [4, 4]);
});

test("nobody waits longer than the longest wait", async (t) => {
  const queue = queueOf(t, { runningMax: 1, waitingMax: 4, waitMaxMs: 10 });
  await queue.enter("a", never);
  await assert.rejects(queue.enter("b", never), hasCode("queue_full"));
  assert.equal(queue.waiting(), 0);
});
