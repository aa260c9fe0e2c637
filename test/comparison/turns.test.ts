/** Comparisons take turns. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurns } from "../../src/comparison/turns.ts";

test("comparisons run one after the other, and an account that sends many leaves places to others", async () => {
  const inTurn = createTurns(4, 2);
  const opened = Promise.withResolvers<void>();
  const order: string[] = [];
  const work = (name: string) => async () => {
    await opened.promise;
    order.push(name);
  };
  const full = { code: "queue_full", retryAfterSeconds: 2 };
  const running = [inTurn(work("a1"), "a"), inTurn(work("a2"), "a")];
  await assert.rejects(inTurn(work("a3"), "a"), full);
  running.push(inTurn(work("b1"), "b"), inTurn(work("b2"), "b"));
  await assert.rejects(inTurn(work("c1"), "c"), full, "four wait");
  opened.resolve();
  await Promise.all(running);
  assert.deepEqual(order, ["a1", "a2", "b1", "b2"]);
  await inTurn(work("a4"), "a");
  await assert.rejects(
    inTurn(async () => {
      throw new Error("broken");
    }, "a"),
    /broken/,
  );
  await Promise.all([inTurn(work("a5"), "a"), inTurn(work("a6"), "a")]);
  assert.deepEqual(order.slice(4), ["a4", "a5", "a6"]);
});
