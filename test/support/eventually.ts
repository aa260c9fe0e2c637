/** Waits for conditions, with a timeout that should never be reached. */

import { setTimeout as pause } from "node:timers/promises";

/** The interval grows, so that a quick change is noticed soon, and waiting for seconds doesn't keep a core busy. */
const pollMs = { first: 5, factor: 1.5, max: 100 };

/** Calls `isTrue` until it returns true. Other code can run between the calls, because what the test waits for needs CPU time itself. */
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
