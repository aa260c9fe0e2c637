/** The script that gives a document or worker its own time, assembled from functions that are serialised into it. */

import { createAnimations } from "./in-page/page-animations.ts";
import { createTasks, createTimers, installClock, type PageClockParts, replaceTimers } from "./in-page/page-clock.ts";
import { replaceDates, seedRandom } from "./in-page/page-dates.ts";

/** Name of the global, not enumerable, by which the capture reaches a clock. */
const handle = "tintypeClock";

/** @param epoch milliseconds since 1970 at which page time begins. */
export function clockScript(epoch: number): string {
  const parts: PageClockParts = { createTasks, createTimers, replaceTimers, replaceDates, seedRandom, createAnimations };
  const sources = Object.entries(parts).map(([name, part]) => `${name}: ${part}`);
  return `(${installClock})({ ${sources.join(",\n")} }, ${epoch}, "${handle}")`;
}

/** Expression that lets time pass in a document or worker: its result is a promise of `Advanced`, or undefined without a clock. */
export function advanceExpression(from: number, to: number): string {
  return `globalThis.${handle}?.advance(${from}, ${to})`;
}

/** Expression that makes `Date` read the instant at which page time began. */
export const holdDateExpression = `globalThis.${handle}?.holdDate()`;
