/** Permits for work on stored images: shared fairly and never leaked. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientGone } from "../../src/shared/errors.ts";
import { createPermits } from "../../src/shared/permits.ts";

/** Work that ends when it is told to. */
function steps() {
  const begun: string[] = [];
  const open = new Map<string, () => void>();
  return {
    begun,
    work: (name: string) => () => {
      begun.push(name);
      return new Promise<string>((resolve) => open.set(name, () => resolve(name)));
    },
    end: async (name: string) => {
      await new Promise(setImmediate);
      open.get(name)?.();
      await new Promise(setImmediate);
    },
  };
}

test("an account with many comparisons delays each other account by at most one of them", async () => {
  const permits = createPermits(1, 4);
  const { begun, work, end } = steps();
  const all = ["a1", "a2", "a3", "a4", "a5"].map((name) => permits.run("a", work(name)));
  await assert.rejects(permits.run("a", work("a6")), { code: "queue_full", retryAfterSeconds: 2 });
  all.push(permits.run("b", work("b1")), permits.run("b", work("b2")), permits.run("c", work("c1")));
  for (const name of ["a1", "b1", "c1", "a2", "b2", "a3", "a4", "a5"]) await end(name);
  assert.deepEqual(begun, ["a1", "b1", "c1", "a2", "b2", "a3", "a4", "a5"]);
  assert.deepEqual(await Promise.all(all), ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1"]);
});

test("accounts that come and go don't overtake one that waits", async () => {
  const permits = createPermits(1, 4);
  const { begun, work, end } = steps();
  const all = [permits.run("a", work("a1")), permits.run("a", work("a2")), permits.run("b", work("b1"))];
  await end("a1");
  for (const [ended, next] of [
    ["b1", "c1"],
    ["c1", "b2"],
    ["b2", "c2"],
  ] as const) {
    all.push(permits.run(next.charAt(0), work(next)));
    await end(ended);
  }
  for (const name of ["a2", "c2", "b2"]) await end(name);
  assert.deepEqual(begun.slice(0, 4), ["a1", "b1", "c1", "a2"]);
  for (const name of ["b2", "c2"]) await end(name);
  await Promise.all(all);
});

test("even with several permits, an account has only one at a time", async () => {
  const permits = createPermits(2, 4);
  const { begun, work, end } = steps();
  const all = [permits.run("a", work("a1")), permits.run("a", work("a2")), permits.run("b", work("b1"))];
  assert.deepEqual(begun, []);
  await new Promise(setImmediate);
  assert.deepEqual(begun, ["a1", "b1"]);
  for (const name of ["a1", "a2", "b1"]) await end(name);
  await Promise.all(all);
});

test("a waiter that aborts takes no permit, and failed work releases its permit", async () => {
  const permits = createPermits(1, 1);
  const { begun, work, end } = steps();
  const gone = new AbortController();
  const first = permits.run("a", work("a1"));
  const left = permits.run("b", work("b1"), { signal: gone.signal });
  gone.abort(new ClientGone());
  await assert.rejects(left, ClientGone);
  await assert.rejects(permits.run("b", work("b2"), { signal: gone.signal }), ClientGone);
  const failing = assert.rejects(
    permits.run("b", () => Promise.reject(new Error("broken"))),
    /broken/,
  );
  await end("a1");
  await failing;
  await Promise.all([first, permits.run("b", async () => "b4")]);
  assert.deepEqual(begun, ["a1"]);
});
