/** Calls a store with a deadline; a failure becomes a 503. */

import { abortAfter } from "./deadline.ts";
import { AppError } from "./errors.ts";

const timeoutMs = 10_000;

/** The deadline applies to obtaining the result; reading a stream in it may take longer. @throws {AppError} `unavailable`. */
export async function callStore<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return await abortAfter(timeoutMs, call).catch((cause) => {
    throw new AppError("unavailable", { retryAfterSeconds: 5, cause });
  });
}
