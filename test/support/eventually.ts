/** Waits for conditions, with a timeout that should never be reached. */

import { setTimeout as pause } from "node:timers/promises";

/** Grows: soon after a change where it comes at once, without keeping a core busy where it takes seconds. */
const pollMs = { first: 5, factor: 1.5, max: 100 };

/** Calls `isTrue` until it returns true. Between the calls others can run: what is waited for needs the processor itself. */
export async function eventually(what: string, isTrue: () => boolean | Promise<boolean>, waitMs = 30_000): Promise<void> {
  const deadline = AbortSignal.timeout(waitMs);
  for (let waitsMs = pollMs.first; !(await isTrue()); waitsMs = Math.min(waitsMs * pollMs.factor, pollMs.max)) {
    if (deadline.aborted) throw new Error(`timed out: ${what}`);
    await pause(waitsMs);
  }
}

/** `promise`, or an error if it takes longer than 30 s. */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`timed out: ${what}`)), 30_000);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
