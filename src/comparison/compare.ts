/** Compares two screenshots in a worker, so that the main thread goes on. */

import { Worker } from "node:worker_threads";
import { onAbort } from "../deadline.ts";
import { AppError } from "../errors.ts";
import type { CompareOptions, Comparison, Shot } from "./comparison.ts";
import { comparisonMs } from "./effort.ts";

/** When the worker is ended if it hasn't ended by itself: while an image is decoded, it can't look at the time. */
const graceMs = 5_000;

/**
 * Images of different sizes are compared too. Regions are named if both have elements. To be called with a permit (`permits.ts`): settles once
 * the worker, and so its memory, is gone.
 * @throws {AppError} `page_too_heavy` if it takes longer than {@link comparisonMs}; {Error} if an image can't be decoded; the reason of `signal`.
 */
export async function compare(
  before: Shot,
  after: Shot,
  options: CompareOptions,
  signal?: AbortSignal,
  timeoutMs = comparisonMs,
): Promise<Comparison> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: { before, after, options, timeoutMs } });
  let result: Comparison | "late" | undefined;
  let failure: unknown = new Error("The comparison ended without a result.");
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  worker.once("message", (message) => {
    result = message;
  });
  worker.once("error", (error) => {
    failure = error;
  });
  worker.once("exit", () => resolve());
  const deadline = setTimeout(() => {
    result = "late";
    void worker.terminate();
  }, timeoutMs + graceMs);
  const stop = signal && onAbort(signal, () => void worker.terminate());
  await ended;
  clearTimeout(deadline);
  stop?.();
  if (result && result !== "late") return result;
  signal?.throwIfAborted();
  const seconds = Math.ceil(timeoutMs / 1_000);
  if (result === "late")
    throw new AppError("page_too_heavy", {
      message: `The comparison took more than ${seconds} s, and was given up: compare smaller screenshots.`,
    });
  throw failure;
}
