/** Compares two screenshots in a worker, one comparison at a time: large pages need hundreds of megabytes. */

import { Worker } from "node:worker_threads";
import type { CompareOptions, Comparison, Shot } from "./comparison.ts";

/** Far more than the largest pages take: others are waiting. */
const timeoutMs = 120_000;

let last: Promise<unknown> = Promise.resolve();

/**
 * Images of different sizes are compared too. Regions are named if both have elements.
 * @throws {Error} If an image can't be decoded, or it takes more than two minutes.
 */
export function compare(before: Shot, after: Shot, options: CompareOptions): Promise<Comparison> {
  const comparison = last.then(() => compareInWorker(before, after, options));
  last = comparison.catch(() => undefined);
  return comparison;
}

function compareInWorker(before: Shot, after: Shot, options: CompareOptions): Promise<Comparison> {
  const { promise, resolve, reject } = Promise.withResolvers<Comparison>();
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: { before, after, options } });
  worker.once("message", resolve).once("error", reject);
  const deadline = setTimeout(() => {
    reject(new Error("The comparison took too long."));
    void worker.terminate();
  }, timeoutMs);
  worker.once("exit", () => {
    clearTimeout(deadline);
    reject(new Error("The comparison ended without a result."));
  });
  return promise;
}
