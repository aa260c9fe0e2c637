/** Worker thread of one comparison. */

import { parentPort, workerData } from "node:worker_threads";
import { compareShots } from "./compare-shots.ts";
import type { CompareOptions, Comparison, Shot } from "./comparison.ts";
import { beginEffort, TooMuchEffort } from "./effort.ts";
import { hashRegions } from "./region-hash.ts";

interface Task {
  before: Shot;
  after: Shot;
  options: CompareOptions;
  timeoutMs: number;
}

const asBuffer = (shot: Shot): Shot => ({ ...shot, image: Buffer.from(shot.image) }); // a copied Buffer is a plain Uint8Array

async function compareInTime({ before, after, options, timeoutMs }: Task): Promise<Comparison | "late"> {
  beginEffort(timeoutMs);
  try {
    const comparison = await compareShots(asBuffer(before), asBuffer(after), options);
    return options.hasHashes ? { ...comparison, hashes: await hashRegions(comparison, asBuffer(after).image) } : comparison;
  } catch (error) {
    if (error instanceof TooMuchEffort) return "late";
    throw error;
  }
}

// The build of the container image loads every module on the main thread to compile it.
if (parentPort) parentPort.postMessage(await compareInTime(workerData));
