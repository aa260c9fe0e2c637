/** Admits captures for which no caller is waiting: interactive requests go first, and keep the cores they need. */

import { setTimeout as delay } from "node:timers/promises";

interface Occupancy {
  /** Number of captures that have a browser. */
  running: number;
  /** Number of requests that are waiting for a browser. */
  waiting: number;
  /** Number of browsers. */
  max: number;
}

/** Cores used by a request for a page that responds immediately: one to render it, one to encode its image. */
const coresOfRequest = 2;
/** Longest gap between consecutive requests during which their cores stay reserved. */
const quietMs = 250;
/**
 * While requests need every core, background captures run for at most a fifth of the time. But one may start every 30 s, however
 * long the previous one took.
 */
const restFactor = 5;
const patienceMs = { min: 2_000, max: 30_000 };
const pollMs = 25;

/**
 * Waits until a browser is free and no request is waiting for one. While there are requests, also waits until enough cores are idle, or
 * until background captures have rested long enough. The capture counts as running until the returned function is called;
 * pass false if nothing ran. @throws the signal's reason.
 */
export type AdmitBackground = (signal: AbortSignal) => Promise<(hasRun: boolean) => void>;

/** @param cores undefined if this process serves only queued captures, which are then limited only by the number of browsers. */
export function createBackgroundAdmission(
  occupancy: () => Occupancy,
  cores: number | undefined,
  now = () => performance.now(),
): AdmitBackground {
  let own = 0;
  /** Peak number of concurrent requests within the last `quietMs`. */
  let recent = { requests: 0, at: Number.NEGATIVE_INFINITY };
  let startedAt = Number.NEGATIVE_INFINITY;
  let ranMs = 0;

  const hasRested = () => {
    const sinceStartMs = now() - startedAt;
    const restMs = restFactor * (own > 0 ? sinceStartMs : ranMs);
    return sinceStartMs > Math.min(Math.max(restMs, patienceMs.min), patienceMs.max);
  };

  const mayAdmit = () => {
    const { running, waiting, max } = occupancy();
    const requests = Math.max(0, running - own) + waiting;
    if (requests >= recent.requests || now() - recent.at > quietMs) recent = { requests, at: now() };
    if (waiting > 0 || running >= max) return false;
    if (cores === undefined || recent.requests === 0) return true;
    return own + 1 + coresOfRequest * recent.requests <= cores || hasRested();
  };

  return async (signal) => {
    while (!mayAdmit()) await delay(pollMs, undefined, { signal });
    const before = startedAt;
    own += 1;
    const began = now();
    startedAt = began;
    return (hasRun) => {
      own -= 1;
      if (hasRun) ranMs = now() - began;
      else startedAt = before; // nothing ran, so the next capture need not wait
    };
  };
}
