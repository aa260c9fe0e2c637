/** What is wanted by many at the same moment is asked for once, and never answered with something older than the question. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatherer } from "../src/coalesce.ts";

/** Questions that are answered when the test says so. */
function controlled() {
  const asked: { key: string; together: number; answer: PromiseWithResolvers<string> }[] = [];
  const gather = createGatherer((key, together) => {
    const answer = Promise.withResolvers<string>();
    asked.push({ key, together, answer });
    return answer.promise;
  });
  return { asked, gather };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("who asks at the same moment is asked for once, and knows the place in which it came", async () => {
  const { asked, gather } = controlled();
  const answers = Promise.all([gather("a"), gather("a"), gather("a")]);
  await turn();
  assert.deepEqual(
    asked.map(({ key, together }) => [key, together]),
    [["a", 3]],
  );
  asked[0]?.answer.resolve("A");
  assert.deepEqual(
    (await answers).map(({ answer, together, place }) => [answer, together, place]),
    [
      ["A", 3, 1],
      ["A", 3, 2],
      ["A", 3, 3],
    ],
  );
});

test("who comes while an answer is on its way is not given that one, but shares the next", async () => {
  const { asked, gather } = controlled();
  const early = gather("a");
  await turn();
  const late = Promise.all([gather("a"), gather("a")]);
  await turn();
  assert.equal(asked.length, 1);
  asked[0]?.answer.resolve("old");
  await turn();
  asked[1]?.answer.resolve("new");
  assert.equal((await early).answer, "old");
  assert.deepEqual(
    (await late).map(({ answer, place }) => [answer, place]),
    [
      ["new", 1],
      ["new", 2],
    ],
  );
});

test("other keys don't wait, and a failure reaches those who shared it and nobody else", async () => {
  const { asked, gather } = controlled();
  const failing = Promise.allSettled([gather("a"), gather("a")]);
  const other = gather("b");
  await turn();
  assert.deepEqual(
    asked.map(({ key }) => key),
    ["a", "b"],
  );
  const next = gather("a");
  asked[0]?.answer.reject(new Error("away"));
  asked[1]?.answer.resolve("B");
  assert.deepEqual(
    (await failing).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal((await other).answer, "B");
  await turn();
  asked[2]?.answer.resolve("A");
  assert.equal((await next).answer, "A");
});
