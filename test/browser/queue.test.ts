/** The queue for browsers: bounded and fair; aborted waits leave nothing behind, and it isn't full while browsers are idle. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createQueue, type Queue } from "../../src/browser/queue.ts";
import { AppError, ClientGone } from "../../src/shared/errors.ts";
import { startCaptures } from "../support/captures.ts";
import { colouredPage } from "../support/site.ts";

/** Ends pending waits. */
const over = new AbortController();
after(() => over.abort(new Error("the tests are over")));
const never = over.signal;

/** Adds a waiter whose outcome doesn't matter. */
function addWaiter(queue: Queue, account: string): void {
  queue.enter(account, never).catch(() => {});
}

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

test("captures up to the limit run; the others wait and run in order", async () => {
  const queue = createQueue({ runningMax: 2, queueMax: 10, waitMaxMs: 60_000 });
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

test("releasing a permit twice counts once", async () => {
  const queue = createQueue({ runningMax: 1, queueMax: 1, waitMaxMs: 60_000 });
  const leave = await queue.enter("a", never);
  leave();
  leave();
  assert.equal(queue.running(), 0);
  await queue.enter("a", never);
  assert.equal(queue.running(), 1);
});

test("a browser that must be replaced counts toward its account's share until it is, but others may use the permit", async () => {
  const queue = createQueue({ runningMax: 4, queueMax: 10, waitMaxMs: 60_000 });
  const leaves = [await queue.enter("a", never), await queue.enter("a", never), await queue.enter("a", never)];
  const [replaced, failed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  leaves[0]?.(replaced.promise);
  leaves[1]?.(failed.promise);
  assert.equal(queue.running(), 1);
  const admitted: string[] = [];
  const waits = ["one", "two", "three"].map((name) => queue.enter("a", never).then(() => admitted.push(name)));
  for (let others = 3; others > 0; others -= 1) (await queue.enter("b", never))();
  assert.deepEqual(admitted, []);
  replaced.resolve();
  await waits[0];
  failed.reject(new Error("no browser can be started"));
  await waits[1];
  assert.deepEqual(admitted, ["one", "two"]);
  leaves[2]?.();
  await waits[2];
});

test("a full queue rejects immediately, with Retry-After", async () => {
  const queue = createQueue({ runningMax: 1, queueMax: 1, waitMaxMs: 60_000 });
  await queue.enter("a", never);
  addWaiter(queue, "a");
  await assert.rejects(queue.enter("a", never), (error) => hasCode("queue_full")(error) && (error as AppError).retryAfterSeconds === 2);
});

test("a deadline that expires in the queue is reported as queue_full, not target_timeout", async () => {
  const queue = createQueue({ runningMax: 1, queueMax: 5, waitMaxMs: 60_000 });
  await queue.enter("a", never);
  const deadline = new AbortController();
  const late = queue.enter("a", deadline.signal);
  deadline.abort(new AppError("target_timeout"));
  await assert.rejects(late, hasCode("queue_full"));
  assert.equal(queue.waiting(), 0);
});

test("an aborted wait leaves the queue and doesn't use a permit", async () => {
  const queue = createQueue({ runningMax: 1, queueMax: 5, waitMaxMs: 60_000 });
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

test("a closed queue rejects new captures, but still serves those already waiting", async () => {
  const queue = createQueue({ runningMax: 1, queueMax: 5, waitMaxMs: 60_000 });
  const leave = await queue.enter("a", never);
  const waiting = [queue.enter("a", never), queue.enter("b", never)];
  queue.close(new AppError("unavailable"));
  await assert.rejects(queue.enter("a", never), hasCode("unavailable"));
  leave();
  for (const turn of waiting) (await turn)();
  await assert.rejects(queue.enter("a", never), hasCode("unavailable"));
  assert.deepEqual([queue.running(), queue.waiting()], [0, 0]);
});

test("captures that may wait for an encoder leave half of the permits to others, and are served after a close if they were waiting", async () => {
  const queue = createQueue({ runningMax: 4, queueMax: 8, waitMaxMs: 60_000 });
  const encoding = [await queue.enter("a", never, true), await queue.enter("b", never, true)];
  const waiting = [queue.enter("a", never, true), queue.enter("c", never, true)];
  const others = [await queue.enter("a", never), await queue.enter("c", never)];
  assert.deepEqual([queue.running(), queue.waiting()], [4, 2]);
  queue.close(new AppError("unavailable"));
  for (const leave of others) leave();
  assert.deepEqual([queue.running(), queue.waiting()], [2, 2], "only others may take these");
  for (const leave of encoding) leave();
  for (const turn of waiting) (await turn)();
  assert.deepEqual([queue.running(), queue.waiting()], [0, 0]);
});

test("one account has at most two captures that may wait for an encoder", async () => {
  const queue = createQueue({ runningMax: 8, queueMax: 8, waitMaxMs: 60_000 });
  const leave = await queue.enter("a", never, true);
  await queue.enter("a", never, true);
  const third = queue.enter("a", never, true);
  await queue.enter("b", never, true);
  assert.deepEqual([queue.running(), queue.waiting()], [3, 1]);
  leave();
  await third;
  assert.deepEqual([queue.running(), queue.waiting()], [3, 0]);
});

test("the next permit goes to the account with the fewest running captures", async () => {
  const queue = createQueue({ runningMax: 2, queueMax: 100, waitMaxMs: 60_000 });
  const order: string[] = [];
  const enter = (account: string) =>
    queue.enter(account, never).then((leave) => {
      order.push(account);
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

test("one account can take neither all permits nor the whole queue", async () => {
  const queue = createQueue({ runningMax: 4, queueMax: 4, waitMaxMs: 60_000 });
  for (let turn = 0; turn < 3; turn += 1) await queue.enter("greedy", never);
  for (let place = 0; place < 3; place += 1) addWaiter(queue, "greedy");
  assert.deepEqual([queue.running(), queue.waiting()], [3, 3]);
  await assert.rejects(queue.enter("greedy", never), hasCode("queue_full"));
  await queue.enter("modest", never);
  addWaiter(queue, "modest");
  assert.deepEqual([queue.running(), queue.waiting()], [4, 4]);
});

test("a wait is limited by waitMaxMs", async () => {
  const queue = createQueue({ runningMax: 1, queueMax: 4, waitMaxMs: 10 });
  await queue.enter("a", never);
  await assert.rejects(queue.enter("b", never), hasCode("queue_full"));
  assert.equal(queue.waiting(), 0);
});

test("with one slot and no queue, consecutive captures are all served", async (t) => {
  const { capture } = await startCaptures(t, { MAX_CONCURRENT_SCREENSHOTS: "1", MAX_QUEUED_SCREENSHOTS: "0" });
  for (let turn = 0; turn < 4; turn += 1) assert.equal((await capture(colouredPage("#0f0", `<p>${turn}`))).status, 200);
});
