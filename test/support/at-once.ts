/** Runs several tests of a file concurrently, for tests that mostly wait. */

import { test } from "node:test";

type Body = () => Promise<void>;

/**
 * Returns a function like `test`, but without the test context: while one test runs, so do the bodies of the following ones, `count` in
 * total. The reported duration of a test is the time since the previous one ended. Bodies must not depend on state that another one
 * changes.
 */
export function testsAtOnce(count: number): (title: string, body: Body) => void {
  const bodies: Body[] = [];
  const begun = new Map<number, Promise<void>>();
  const begin = (index: number) => {
    const body = bodies[index];
    if (!body || begun.has(index)) return;
    const running = body();
    running.catch(() => {}); // its own test awaits it
    begun.set(index, running);
  };
  return (title, body) => {
    const index = bodies.push(body) - 1;
    test(title, async () => {
      for (let next = index; next < index + count; next += 1) begin(next);
      await begun.get(index);
    });
  };
}
