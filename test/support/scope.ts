/** What closes things when a test, or a whole file of tests, ends. */

import { after } from "node:test";

export interface Scope {
  after(close: () => unknown): void;
}

/** For a whole file: closes after its last test. Call at the file's top. */
export function fileScope(): Scope {
  return lastFirst({ after: (close) => after(close) });
}

/** Closes what was opened last first; a test's own hooks run in the other order. */
export function lastFirst(outer: Scope): Scope {
  const closers: (() => unknown)[] = [];
  outer.after(async () => {
    for (const close of closers.reverse()) await close();
  });
  return { after: (close) => void closers.push(close) };
}
