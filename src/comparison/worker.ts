/** Worker thread of one comparison. */

import { parentPort, workerData } from "node:worker_threads";
import { compareShots } from "./compare-shots.ts";
import type { CompareOptions, Comparison, ReadShot, Shot } from "./comparison.ts";
import { beginEffort, TooMuchEffort } from "./effort.ts";
import { hashRegions } from "./region-hash.ts";

interface Task {
  before: ReadShot;
  after: ReadShot;
  options: CompareOptions;
  timeoutMs: number;
}

/** A transferred Buffer is a plain Uint8Array. */
const read = ({ image, elements, ...shot }: ReadShot): Shot => ({
  ...shot,
  image: Buffer.from(image.buffer, image.byteOffset, image.length),
  ...(elements ? { elements: elements instanceof Uint8Array ? JSON.parse(Buffer.from(elements).toString()) : elements } : {}),
});

async function compareInTime({ options, timeoutMs, ...shots }: Task): Promise<Comparison | "late"> {
  beginEffort(timeoutMs);
  try {
    const [before, after] = [read(shots.before), read(shots.after)];
    const comparison = await compareShots(before, after, options);
    return options.hasHashes ? { ...comparison, hashes: await hashRegions(comparison, after.image) } : comparison;
  } catch (error) {
    if (error instanceof TooMuchEffort) return "late";
    throw error;
  }
}

// When the container image is built, every module is loaded on the main thread to compile it.
if (parentPort) parentPort.postMessage(await compareInTime(workerData));
