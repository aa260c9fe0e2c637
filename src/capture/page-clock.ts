/** Advances a page's own time step by step, in a reproducible order. */

import type { Tab } from "../browser/tab.ts";
import { nextPaint, twoPaints } from "./in-page/still.ts";
import { followRealms, type Progress } from "./page-realms.ts";

export interface PageClock {
  /**
   * Advances page time by `ms`, or until nothing more is due. Between steps, the page draws a frame and its requests complete. If that
   * takes longer than `realMs` (by default five seconds, or `ms` if longer), page time ends for good, with a warning.
   * @returns whether anything ran.
   */
  run(ms: number, realMs?: number): Promise<boolean>;
  /** Like `run`, for the page time that a loaded page gets to become ready. */
  runLoaded(realMs: number): Promise<boolean>;
  /** Page time in milliseconds. */
  now(): number;
  /**
   * Advances page time to exactly `ms`, even if nothing is due, and lets the page draw. Stops waiting for the page after five seconds.
   * @param change changes the page at exactly `ms`, before it draws.
   */
  advanceTo(ms: number, change?: () => Promise<unknown>): Promise<void>;
  /**
   * Call before the image is captured. With `holdsDate`, resets `Date` to the instant at which page time began.
   * @param isScrolled whether the page may have been scrolled; if so, runs page time for the effects of scrolling first.
   */
  finish(isScrolled: boolean): Promise<void>;
}

/** Page time for the effects of scrolling. */
const effectsMs = 2_000;
/** Page time that runs after `Date` is reset, enough for clocks that redraw every second. */
const tickMs = 1_000;
/** Share of a capture's time that page time may not use. A page whose timers and frames take longer is captured as is. */
const reservedShare = 0.3;
/** Maximum repetitions of a step that keeps causing requests; without a limit, a page that polls continuously would never finish. */
const roundsMax = 10;
/** Default real-time limit for running page time. */
const patienceMs = 5_000;
/** Minimum real-time limit, for callers that have no time left. */
const patienceLeastMs = 1_000;
/** Minimum page time between frames. */
const stepMs = 200;

/**
 * Call before the navigation.
 * @param epoch Unix time in milliseconds at which page time begins.
 * @param given.holdsDate whether `Date` is reset to that instant for the image.
 * @param given.loadedMs page time that a loaded page gets to become ready.
 */
export async function installPageClock(
  { tab, deadlineAt, warnAll }: { tab: Tab; deadlineAt: number; warnAll(message: string): void },
  epoch: number,
  { holdsDate, loadedMs }: { holdsDate: boolean; loadedMs: number },
): Promise<PageClock> {
  const realms = await followRealms(tab, epoch);
  const realEnd = deadlineAt - reservedShare * (deadlineAt - performance.now());
  const warnSlow = () => warnAll("the page is slow: its clock was stopped before all its timers had run");
  let now = 0;
  let isOver = false;

  /** Advances page time to `to` and lets the page handle the effects, until the real time `until` at the latest. */
  const step = async (to: number, until: number, paint = () => tab.waitFor(nextPaint)): Promise<Progress> => {
    const left = () => Math.max(0, until - performance.now());
    let ran = false;
    for (let round = 1; ; round += 1) {
      const before = realms.activity();
      const advanced = await realms.advance(now, to, until);
      if (advanced.isLate) warnSlow();
      now = to;
      ran ||= advanced.ran;
      await realms.settled(left());
      await tab.within(left(), paint());
      if (realms.activity() === before || round === roundsMax || left() === 0) return { ...advanced, ran };
    }
  };
  const runOnce = async (ms: number, realMs: number): Promise<boolean> => {
    if (isOver) return false;
    const until = Math.min(realEnd, performance.now() + Math.max(patienceLeastMs, realMs));
    const end = now + ms;
    let { next, ran } = await step(now, until);
    while (now < end && performance.now() < until) {
      const isIdle = next === null || next > end;
      const stepped = await step(isIdle ? now : Math.min(end, Math.max(next ?? 0, now + stepMs)), until);
      next = stepped.next;
      ran ||= stepped.ran;
      if (isIdle && (next === null || next > end)) break; // nothing was due, even after one more frame
    }
    isOver = performance.now() >= until;
    if (isOver) warnSlow();
    else if (next !== null) now = end;
    return ran;
  };
  const inTurn = createSerialQueue(); // a partial screenshot may be captured concurrently
  const run = (ms: number, realMs = Math.max(ms, patienceMs)) => inTurn(() => runOnce(ms, realMs));
  return {
    run,
    runLoaded: (realMs) => run(loadedMs, realMs),
    now: () => now,
    advanceTo: (ms, change) => inTurn(async () => void (await step(ms, performance.now() + patienceMs, () => paintTwice(tab, change)))),
    finish: async (isScrolled) => {
      if (isScrolled) await run(effectsMs);
      if (!holdsDate) return;
      await realms.holdDate();
      await run(tickMs);
    },
  };
}

async function paintTwice(tab: Tab, change?: () => Promise<unknown>): Promise<void> {
  await change?.();
  await tab.waitFor(twoPaints);
}

/** Calls each `work` once the previous one has settled. */
function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {}); // reported by `result`, whose caller may have stopped waiting
    return result;
  };
}
