/** The thread of one comparison. */

import { parentPort, workerData } from "node:worker_threads";
import { compareShots } from "./compare-shots.ts";
import type { CompareOptions, Shot } from "./comparison.ts";

const asBuffer = (shot: Shot): Shot => ({ ...shot, image: Buffer.from(shot.image) }); // a copied Buffer is a plain Uint8Array
// The image's build loads every module on the main thread, to compile it.
if (parentPort) {
  const { before, after, options }: { before: Shot; after: Shot; options: CompareOptions } = workerData;
  parentPort.postMessage(await compareShots(asBuffer(before), asBuffer(after), options));
}
