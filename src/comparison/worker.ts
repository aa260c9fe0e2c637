/** The thread of one comparison. */

import { parentPort, workerData } from "node:worker_threads";
import { compareShots } from "./compare-shots.ts";
import type { CompareOptions, Shot } from "./comparison.ts";

const { before, after, options }: { before: Shot; after: Shot; options: CompareOptions } = workerData;
const asBuffer = (shot: Shot): Shot => ({ ...shot, image: Buffer.from(shot.image) }); // a copied Buffer is a plain Uint8Array
parentPort?.postMessage(await compareShots(asBuffer(before), asBuffer(after), options));
