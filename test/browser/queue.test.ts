/** The queue before the browsers: bounded, fair in order, and left without a trace by whoever gives up. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createQueue } from "../../src/browser/queue.ts";
import { AppError, ClientGone } from "../../src/errors.ts";

const never = new AbortController().signal;
const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

test("as many run as may; the others wait and follow in their order", async () => {
  const queue = createQueue({ runningMax: 2, waitingMax: 10 });
  const order: string[] = [];
  const enter = async (name: string) => {
    const leave = await queue.enter(never);
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

test("a turn given back twice counts once", async () => {
  const queue = createQueue({ runningMax: 1, waitingMax: 1 });
  const leave = await queue.enter(never);
  leave();
  leave();
  assert.equal(queue.running(), 0);
  await queue.enter(never);
  assert.equal(queue.running(), 1);
});

test("a full queue says so at once, with when to come back", async () => {
  const queue = createQueue({ runningMax: 1, waitingMax: 1 });
  await queue.enter(never);
  queue.enter(never);
  await assert.rejects(queue.enter(never), (error) => hasCode("queue_full")(error) && (error as AppError).retryAfterSeconds === 2);
});

test("a deadline in the queue is the queue's fault, not the target's", async () => {
  const queue = createQueue({ runningMax: 1, waitingMax: 5 });
  await queue.enter(never);
  const deadline = new AbortController();
  const late = queue.enter(deadline.signal);
  deadline.abort(new AppError("target_timeout"));
  await assert.rejects(late, hasCode("queue_full"));
  assert.equal(queue.waiting(), 0);
});

test("who leaves makes room for who waits behind, and takes no turn with it", async () => {
  const queue = createQueue({ runningMax: 1, waitingMax: 5 });
  const leave = await queue.enter(never);
  const gone = new AbortController();
  const leaver = queue.enter(gone.signal);
  const next = queue.enter(never);
  gone.abort(new ClientGone());
  await assert.rejects(leaver, ClientGone);
  leave();
  (await next)();
  assert.deepEqual([queue.running(), queue.waiting()], [0, 0]);
});

test("closing sends away who waits and who comes, and lets who runs end", async () => {
  const queue = createQueue({ runningMax: 1, waitingMax: 5 });
  const leave = await queue.enter(never);
  const waiting = queue.enter(never);
  queue.close(new AppError("unavailable"));
  await assert.rejects(waiting, hasCode("unavailable"));
  await assert.rejects(queue.enter(never), hasCode("unavailable"));
  leave();
  assert.equal(queue.running(), 0);
});
