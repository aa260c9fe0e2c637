/** Closes resources when a test, or a whole file of tests, ends. */

import { after } from "node:test";

export interface Scope {
  after(close: () => unknown): void;
}

/** For a whole file: closes after its last test. Must be called at the top of the file. */
export function fileScope(): Scope {
  return lastFirst({ after: (close) => after(close) });
}

/** Closes in reverse order, unlike a test's own hooks. All are closed, even if one fails. */
export function lastFirst(outer: Scope): Scope {
  const closers: (() => unknown)[] = [];
  outer.after(async () => {
    const failures: unknown[] = [];
    for (const close of closers.reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 1) throw new AggregateError(failures);
    if (failures.length === 1) throw failures[0];
  });
  return { after: (close) => void closers.push(close) };
}
