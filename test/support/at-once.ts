/** Runs several tests of a file concurrently, if they mostly wait. */

import { test } from "node:test";

type Body = () => Promise<void>;

/**
 * A function like `test`, without the test's context: while a test runs, the bodies of the next ones do, too, `count` in all. The time that is
 * reported for a test is what it took after the one before. Bodies must not share what one of them changes.
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
