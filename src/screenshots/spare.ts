/** When captures for which no one waits may begin: requests go first, and keep the cores that they need. */

import { setTimeout as delay } from "node:timers/promises";

interface Occupancy {
  /** Captures that have a browser, and requests that wait for one. */
  running: number;
  waiting: number;
  max: number;
}

/** A capture of a page that responds at once: its page, and the encoding of its image. */
const coresOfRequest = 2;
/** Requests that follow each other leave shorter gaps, in which the cores are theirs. */
const quietMs = 250;
/**
 * Beside requests that need all cores: one runs for a fifth of the time at most, of two cores a tenth, but one begins in 30 s however long
 * the last one takes.
 */
const begunToRan = 5;
const patienceMs = { min: 2_000, max: 30_000 };
const pollMs = 25;

/**
 * Waits until a browser is free, no request waits for one, and the cores suffice, and then counts as running until the returned function is
 * called, with false if nothing ran. Without requests only the browsers count. @throws the signal's reason.
 */
export type BeginSpare = (signal: AbortSignal) => Promise<(hasRun: boolean) => void>;

/** @param cores undefined: there are no requests but those that are queued, too, so only the browsers count. */
export function createSpare(occupancy: () => Occupancy, cores: number | undefined, now = () => performance.now()): BeginSpare {
  let own = 0;
  /** The most requests at a time of the last `quietMs`. */
  let recent = { requests: 0, at: Number.NEGATIVE_INFINITY };
  let begunAt = Number.NEGATIVE_INFINITY;
  let ranMs = 0;

  const hasRested = () => {
    const sinceBegun = now() - begunAt;
    const restMs = begunToRan * (own > 0 ? sinceBegun : ranMs);
    return sinceBegun > Math.min(Math.max(restMs, patienceMs.min), patienceMs.max);
  };

  const maySpare = () => {
    const { running, waiting, max } = occupancy();
    const requests = Math.max(0, running - own) + waiting;
    if (requests >= recent.requests || now() - recent.at > quietMs) recent = { requests, at: now() };
    if (waiting > 0 || running >= max) return false;
    if (cores === undefined || recent.requests === 0) return true;
    return own + 1 + coresOfRequest * recent.requests <= cores || hasRested();
  };

  return async (signal) => {
    while (!maySpare()) await delay(pollMs, undefined, { signal });
    const before = begunAt;
    own += 1;
    const began = now();
    begunAt = began;
    return (hasRun) => {
      own -= 1;
      if (hasRun) ranMs = now() - began;
      else begunAt = before; // the next one need not wait for it
    };
  };
}
