/** The script that gives a document or worker its own time, assembled from functions that are serialized into it. */

import { randomBytes } from "node:crypto";
import { createTasks, createTimers, installClock, type PageClockParts, replaceTimers } from "./in-page/page-clock.ts";
import { createAnimations, replaceDates, seedRandom } from "./in-page/page-dates.ts";

/** JavaScript that installs a capture's clock in a document or worker, and gives access to it there. */
export interface ClockScript {
  /** Installs the clock. */
  source: string;
  /** Advances page time, for at most `realMs`: evaluates to a promise of `Advanced`, or to undefined if there is no clock. */
  advance(from: number, to: number, realMs: number): string;
  /** Makes `Date` return the instant at which page time began. */
  holdDate: string;
  /** Number of workers that its scripts have started; undefined without a clock. */
  startedWorkers: string;
}

/** @param epoch milliseconds since 1970 at which page time begins. */
export function createClockScript(epoch: number): ClockScript {
  const handle = `_${randomBytes(8).toString("hex")}`; // unique for each capture, so that pages can't know it
  const parts: PageClockParts = { createTasks, createTimers, replaceTimers, replaceDates, seedRandom, createAnimations };
  const sources = Object.entries(parts).map(([name, part]) => `${name}: ${part}`);
  return {
    source: `(${installClock})({ ${sources.join(",\n")} }, ${epoch}, "${handle}")`,
    advance: (from, to, realMs) => `globalThis.${handle}?.advance(${from}, ${to}, ${realMs})`,
    holdDate: `globalThis.${handle}?.holdDate()`,
    startedWorkers: `globalThis.${handle}?.startedWorkers()`,
  };
}
