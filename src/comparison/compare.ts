/** Compares two screenshots in a worker, so that the main thread goes on. */

import { Worker } from "node:worker_threads";
import { AppError } from "../errors.ts";
import type { CompareOptions, Comparison, Shot } from "./comparison.ts";

/** Far more than the largest pages take: others are waiting. */
const timeoutMs = 120_000;
const tooSlow = "The comparison took more than two minutes, and was given up: compare smaller screenshots.";

/**
 * Images of different sizes are compared too. Regions are named if both have elements. To be called in a turn (`turns.ts`).
 * @throws {AppError} `page_too_heavy` if it takes more than two minutes; {Error} if an image can't be decoded; the reason of `signal`.
 */
export function compare(before: Shot, after: Shot, options: CompareOptions, signal?: AbortSignal): Promise<Comparison> {
  const { promise, resolve, reject } = Promise.withResolvers<Comparison>();
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: { before, after, options } });
  worker.once("message", resolve).once("error", reject);
  const end = (reason: unknown) => {
    reject(reason);
    void worker.terminate();
  };
  const deadline = setTimeout(() => end(new AppError("page_too_heavy", { message: tooSlow })), timeoutMs);
  const onAbort = () => end(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  worker.once("exit", () => {
    clearTimeout(deadline);
    signal?.removeEventListener("abort", onAbort);
    reject(new Error("The comparison ended without a result."));
  });
  if (signal?.aborted) onAbort();
  return promise;
}
