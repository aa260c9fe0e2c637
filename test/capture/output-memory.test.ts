/** Memory for the outputs of running captures: limits per account and in total. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createOutputMemory } from "../../src/capture/output-memory.ts";

test("outputs of running captures: an account may hold its share, and others the rest; a capture that ends makes room", () => {
  const hold = createOutputMemory({ all: 200, perAccount: 100 });
  const [first, second, other, third] = [hold("a"), hold("a"), hold("b"), hold("c")];
  assert.throws(() => hold("a").add(101), { code: "image_too_large" });
  first.add(60);
  assert.throws(() => first.add(41), { code: "image_too_large" });
  assert.throws(() => second.add(41), { code: "queue_full", message: /of the account/ });
  second.add(40);
  other.add(90);
  assert.throws(() => third.add(11), { code: "queue_full", retryAfterSeconds: 5 });
  third.add(10);
  first.release();
  first.release();
  third.add(20);
  second.add(40);
  assert.throws(() => second.add(1), { code: "queue_full" });
});
