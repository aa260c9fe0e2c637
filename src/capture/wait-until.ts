/** Waits for a condition by polling: it may hold in a later document only. */

import type { Work } from "./option-group.ts";

const everyMs = 50;

/** The page's own time passes with it. The capture's deadline ends the wait with an error that says what it was `for`. */
export async function waitUntil(work: Pick<Work, "tab" | "readiness">, isMet: () => Promise<boolean>): Promise<void> {
  const { tab, readiness } = work;
  while (!(await isMet())) {
    await readiness.clock()?.run(everyMs);
    await tab.pause(everyMs);
  }
  readiness.invalidate();
}
