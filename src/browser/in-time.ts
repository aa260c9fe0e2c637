/** Gives what is asked of Chromium a time limit: a browser that hangs never answers by itself. */

import { BrowserHung } from "./chromium-errors.ts";

/** @throws {BrowserHung} naming `what` when `answer` is not there within `timeoutMs`; infinity waits for ever. */
export async function inTime<T>(what: string, timeoutMs: number, answer: Promise<T>): Promise<T> {
  if (timeoutMs === Number.POSITIVE_INFINITY) return await answer;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new BrowserHung(`${what} had no answer after ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
