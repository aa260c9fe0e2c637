/** Concurrent calls with the same key share one run, and its result is never older than the call. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCoalescer } from "../../src/shared/coalesce.ts";
import { forAccount, ownerOfWork, service } from "../../src/shared/work-owner.ts";

/** Runs that end when the test says so. */
function controlled() {
  const runs: { key: string; batchSize: number; result: PromiseWithResolvers<string> }[] = [];
  const call = createCoalescer((key, batchSize) => {
    const result = Promise.withResolvers<string>();
    runs.push({ key, batchSize, result });
    return result.promise;
  });
  return { runs, call };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("calls in the same turn of the event loop share one run, in which each has its position", async () => {
  const { runs, call } = controlled();
  const results = Promise.all([call("a"), call("a"), call("a")]);
  await turn();
  assert.deepEqual(
    runs.map(({ key, batchSize }) => [key, batchSize]),
    [["a", 3]],
  );
  runs[0]?.result.resolve("A");
  assert.deepEqual(await results, [
    { result: "A", batchSize: 3, position: 1 },
    { result: "A", batchSize: 3, position: 2 },
    { result: "A", batchSize: 3, position: 3 },
  ]);
});

test("calls during a run share the next run", async () => {
  const { runs, call } = controlled();
  const early = call("a");
  await turn();
  const late = Promise.all([call("a"), call("a")]);
  await turn();
  assert.equal(runs.length, 1);
  runs[0]?.result.resolve("old");
  await turn();
  runs[1]?.result.resolve("new");
  assert.equal((await early).result, "old");
  assert.deepEqual(await late, [
    { result: "new", batchSize: 2, position: 1 },
    { result: "new", batchSize: 2, position: 2 },
  ]);
});

test("different keys run independently, and a failure affects only the calls of its run", async () => {
  const { runs, call } = controlled();
  const failing = Promise.allSettled([call("a"), call("a")]);
  const other = call("b");
  await turn();
  assert.deepEqual(
    runs.map(({ key }) => key),
    ["a", "b"],
  );
  const next = call("a");
  runs[0]?.result.reject(new Error("away"));
  runs[1]?.result.resolve("B");
  assert.deepEqual(
    (await failing).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal((await other).result, "B");
  await turn();
  runs[2]?.result.resolve("A");
  assert.equal((await next).result, "A");
});

test("a run works for the service, not for the account that called first", async () => {
  const owners: string[] = [];
  const call = createCoalescer(async () => void owners.push(ownerOfWork()));
  await Promise.all([forAccount("one", () => call("a")), forAccount("other", () => call("a"))]);
  assert.deepEqual(owners, [service]);
});
