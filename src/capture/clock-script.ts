/** The script that installs a capture's clock in a document or worker, and the expressions that reach it there. */

import { randomBytes } from "node:crypto";
import { createTasks, createTimers, installClock, type PageClockParts, replaceTimers } from "./in-page/page-clock.ts";
import { createAnimations, replaceDates, seedRandom } from "./in-page/page-dates.ts";

/** The expressions evaluate to a promise of a number or a short string, or of undefined if there is no clock. */
export interface ClockScript {
  /** Installs the clock. */
  source: string;
  /** Advances page time, for at most `realMs`. Pass the result to `advancedFrom`. */
  advance(from: number, to: number, realMs: number): string;
  /** Makes `Date` return the instant at which page time began. */
  holdDate: string;
  /** Number of workers started so far, excluding workers whose script could not be loaded. */
  startedWorkers: string;
}

/** The result of advancing a realm's clock. */
export interface Advanced {
  /** Page time at which the next callback or animation is due; null if none is. */
  next: number | null;
  /** Whether any callback ran. */
  ran: boolean;
  /** Whether the time limit was exceeded, in which case some callbacks may still be due. */
  isLate: boolean;
  /** Number of workers started so far, excluding workers whose script could not be loaded. */
  workers: number;
}

/** @param epoch Unix time in milliseconds at which page time begins. */
export function createClockScript(epoch: number): ClockScript {
  const handle = `_${randomBytes(8).toString("hex")}`; // random, so that no page has a global with this name
  const parts: PageClockParts = { createTasks, createTimers, replaceTimers, replaceDates, seedRandom, createAnimations };
  const sources = Object.entries(parts).map(([name, part]) => `${name}: ${part}`);
  return {
    source: `(${installClock})({ ${sources.join(",\n")} }, ${epoch}, "${handle}")`,
    advance: (from, to, realMs) => bounded(handle, `advance(${from}, ${to}, ${realMs})`),
    holdDate: bounded(handle, "holdDate()"),
    startedWorkers: bounded(handle, "startedWorkers()"),
  };
}

const resultMax = 200;

/**
 * The clock runs among the page's scripts, which can replace any built-in function and, with `Object.prototype.then`, what a promise of an
 * object resolves with. So this uses only operators, and resolves with a primitive of limited size, or with undefined after an exception.
 */
function bounded(handle: string, call: string): string {
  return `(async () => {
    try {
      const value = typeof ${handle} === "undefined" ? undefined : await ${handle}.${call};
      if (typeof value === "number" || (typeof value === "string" && value.length <= ${resultMax})) return value;
    } catch {}
  })()`;
}

const answer = /^(null|-?\d{1,30}(?:\.\d{1,30})?(?:e[+-]\d{1,3})?) (true|false) (true|false) (-?\d{1,15})$/;

/** @param result what a realm answered, which the page may have chosen. @returns undefined unless it could be a clock's answer. */
export function advancedFrom(result: unknown): Advanced | undefined {
  const [, next, ran, isLate, workers] = answer.exec(typeof result === "string" ? result : "") ?? [];
  const at = next === "null" ? null : Number(next);
  if (at !== null && !Number.isFinite(at)) return undefined;
  return { next: at, ran: ran === "true", isLate: isLate === "true", workers: Number(workers) };
}
