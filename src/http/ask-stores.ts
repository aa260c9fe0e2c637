/** Asks the storage or the cache for a route that can't do without: their being away is nobody's fault who asks. */

import { abortAfter } from "../deadline.ts";
import { AppError } from "../errors.ts";

const timeoutMs = 10_000;

/** A stream that was opened in time may take longer. @throws {AppError} `unavailable`. */
export async function askStores<T>(question: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return await abortAfter(timeoutMs, question).catch((cause) => {
    throw new AppError("unavailable", { retryAfterSeconds: 5, cause });
  });
}
