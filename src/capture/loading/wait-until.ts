/** Waits for a condition by polling, because it may be met only in a later document. */

import type { Work } from "../option-group.ts";

const everyMs = 50;

/** Also advances the page clock, if any. Rejects at the deadline, with an error that says what the capture was waiting for. */
export async function waitUntil(work: Pick<Work, "tab" | "readiness">, isMet: () => Promise<boolean>): Promise<void> {
  const { tab, readiness } = work;
  while (!(await isMet())) {
    await readiness.clock()?.run(everyMs);
    await tab.pause(everyMs);
  }
  readiness.invalidate();
}
