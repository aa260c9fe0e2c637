/** Parts of the local stack that start and stop at the same time. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { stopAll, together } from "../../scripts/stack/together.ts";

const forever = new AbortController().signal;

test("two parts start and stop at the same time", async () => {
  const [left, right] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // Each part waits for the other: one after the other, neither would get further.
  const meeting = (own: PromiseWithResolvers<void>, other: PromiseWithResolvers<void>) => async () => {
    own.resolve();
    await other.promise;
    const stop = { stopping: Promise.withResolvers<void>(), [Symbol.asyncDispose]: async () => {} };
    return stop;
  };
  const both = await together([meeting(left, right), meeting(right, left)], forever);
  const [a, b] = both.parts;
  a[Symbol.asyncDispose] = async () => {
    a.stopping.resolve();
    await b.stopping.promise;
  };
  b[Symbol.asyncDispose] = async () => {
    b.stopping.resolve();
    await a.stopping.promise;
  };
  await both[Symbol.asyncDispose]();
});

test("if a part fails to start, the other is told, and stopped if it had started", async () => {
  const events: string[] = [];
  const started = async () => ({ [Symbol.asyncDispose]: async () => void events.push("stopped") });
  const fails = async (): Promise<AsyncDisposable> => {
    throw new Error("no port");
  };
  await assert.rejects(together([started, fails], forever), /no port/);
  assert.deepEqual(events, ["stopped"]);

  const waits = (signal: AbortSignal) =>
    new Promise<AsyncDisposable>((_, reject) => signal.addEventListener("abort", () => reject(new Error("told"))));
  await assert.rejects(together([waits, fails], forever), /no port/);
});

test("all parts are stopped, even if one can't be", async () => {
  const events: string[] = [];
  const parts = [
    { [Symbol.asyncDispose]: () => Promise.reject(new Error("stuck")) },
    { [Symbol.asyncDispose]: async () => void events.push("stopped") },
  ];
  await assert.rejects(stopAll(parts), /stuck/);
  assert.deepEqual(events, ["stopped"]);
});
