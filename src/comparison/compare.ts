/** Compares two screenshots in a worker thread, so that the main thread stays responsive. */

import { Worker } from "node:worker_threads";
import { onAbort } from "../shared/deadline.ts";
import { AppError } from "../shared/errors.ts";
import { createPermits } from "../shared/permits.ts";
import { copyInChunks } from "../shared/turns.ts";
import type { CompareOptions, Comparison, ReadShot } from "./comparison.ts";
import { comparisonMs } from "./effort.ts";

/** Permits for comparisons, and for drawing their results. Each holds hundreds of megabytes of pixels, so only one runs at a time. */
export const comparisonPermits = createPermits(1, 4);
/** Permits for scaling images down to the size that models accept. Scaling works row by row, so two at a time take little memory. */
export const scalingPermits = createPermits(2, 4);

/** How late a worker may be before it is terminated: while decoding an image, it can't check the time. */
const graceMs = 5_000;

/**
 * The images may differ in size. Regions have specific names only if both screenshots have elements. The caller must hold one
 * of `comparisonPermits`: the promise settles only once the worker has exited and its memory is freed.
 * @throws {AppError} `page_too_heavy` if the comparison takes longer than `timeoutMs`; {Error} if an image can't be decoded; the signal's
 *   reason if it aborts.
 */
export async function compare(
  before: ReadShot,
  after: ReadShot,
  options: CompareOptions,
  signal?: AbortSignal,
  timeoutMs = comparisonMs,
): Promise<Comparison> {
  signal?.throwIfAborted();
  const transferList: ArrayBuffer[] = [];
  const [own, other] = [await copyOf(before, transferList), await copyOf(after, transferList)];
  signal?.throwIfAborted();
  const workerData = { before: own, after: other, options, timeoutMs };
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData, transferList });
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
      message: `The comparison was aborted after ${seconds} s: compare smaller screenshots.`,
    });
  throw failure;
}

/** Adds the copied files to `transferList`. Without a transfer, starting the worker would copy them in a single turn of the event loop. */
async function copyOf({ image, elements, ...shot }: ReadShot, transferList: ArrayBuffer[]): Promise<ReadShot> {
  const copied = async (file: Uint8Array) => {
    const copy = await copyInChunks(file);
    transferList.push(copy.buffer);
    return copy;
  };
  const list = elements instanceof Uint8Array ? await copied(elements) : elements;
  return { ...shot, image: await copied(image), ...(list ? { elements: list } : {}) };
}
