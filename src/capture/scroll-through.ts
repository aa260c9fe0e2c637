/** Scrolls through a page, so that it loads lazy content and reveals what appears on scroll. */

import type { Tab } from "../browser/tab.ts";
import { longestEmptyPart } from "./in-page/emptiness.ts";
import { finishPass, leavePass, nextFrame, passOver, scrollToAndHold } from "./in-page/pass-over.ts";
import {
  awaitsImages,
  findHidden,
  findUnreachable,
  type Hidden,
  hideArrivals,
  notePresent,
  noteRevealed,
  showUnreachable,
} from "./in-page/reveals.ts";
import type { Work } from "./option-group.ts";
import { listensToScroll, listensToWheel } from "./scroll-listeners.ts";
import { type Traffic, watchTraffic } from "./traffic.ts";

/** CSS pixels from the document's top left corner. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Timeout for requests caused by scrolling, in addition to the scrolling itself. */
const loadingMs = 5_000;
/** A page whose scroll handlers take longer is captured as it is. */
const passMs = 3_000;
/** Timeout for script-driven animations that scrolling has started. */
const revealMs = 2_500;
/** Pause at each scroll stop: longer than the usual throttling or polling interval of scroll handlers. */
const holdMs = 120;
/** Pause at a stop where nothing changes, on pages that may have slower handlers: those that load images, or reveal content by a timer. */
const patientMs = 320;
/** Time for scrolling by viewport heights; longer pages are scrolled in larger steps. */
const stopsMs = 3_000;
const patientStopsMs = 6_000;
/** Step as a share of the viewport's height: what is at the edge at one stop is well inside at the next. */
const stepShare = 0.9;
/** Time for fixed elements to react to the return to the top. */
const returnMs = 1_000;

interface Extent {
  /** Whether an element's content has been expanded, whose scroll listeners count like the window's. */
  isExpanded: boolean;
  durationMs: number;
  heightMax: number;
}

/**
 * Loads and reveals the whole page, and leaves it scrolled to its top. A page that grows is followed for `durationMs` or down to `heightMax`
 * CSS pixels, whichever ends first.
 * @returns height in CSS pixels down to which the page has loaded, if the page kept growing; otherwise undefined.
 */
export async function scrollThrough(work: Work, extent: Extent): Promise<number | undefined> {
  const { tab, warn } = work;
  const [traffic, listens] = await prepare(work, extent.isExpanded);
  const until = performance.now() + extent.durationMs + loadingMs;
  const complete = await loadAll({ work, traffic, until }, extent);
  if ((listens || work.shot.hidContent) && extent.durationMs > 0) {
    const begun = traffic.begun();
    await revealByScrolling(work, listens, Math.min(extent.heightMax, complete ?? Number.POSITIVE_INFINITY));
    const left = Math.max(loadingMs / 2, until - performance.now());
    if (traffic.begun() > begun && (await tab.resultWithin(left, settle(tab, traffic.none))) === undefined) warn(stillLoading);
    const empty = await tab.evaluate(longestEmptyPart);
    if (empty)
      warn(`the page is empty from ${empty.top} to ${empty.bottom} CSS pixels: rows that exist only while they are in view are missing`);
  }
  // Content that a script moves itself: the window's scrolling doesn't show it.
  if (work.shot.hidContent && (await tab.evaluate(findUnreachable)) && (await listensToWheel(tab))) await tab.evaluate(showUnreachable);
  return complete;
}

async function prepare({ tab, readiness }: Work, isExpanded: boolean): Promise<[Traffic, boolean]> {
  const [traffic, listens] = await Promise.all([watchTraffic(tab), !readiness.isInert() && listensToScroll(tab, isExpanded)]);
  if (listens) await tab.evaluate(notePresent);
  return [traffic, listens];
}

const stillLoading = "lazy content of the page was still loading when it was captured";

interface Loading {
  work: Work;
  traffic: Traffic;
  until: number;
}

/** Repeats passes over the page until one causes no request and no growth. */
async function loadAll({ work, traffic, until }: Loading, { durationMs, heightMax }: Extent): Promise<number | undefined> {
  const { tab, warn } = work;
  const started = performance.now();
  const leftMs = () => Math.max(0, until - performance.now());
  let height = 0;
  for (let pass = 1; ; pass += 1) {
    const begun = traffic.begun();
    const seen = await goOver(work, Math.min(passMs, leftMs()), null);
    if (!seen) return void warn("the page could not be scrolled to its end");
    const grew = seen.after > (height || seen.before);
    if (traffic.begun() === begun && !grew) return undefined;
    const settled = await tab.resultWithin(leftMs(), settle(tab, traffic.none));
    if (settled === undefined) return void warn(stillLoading);
    if (settled >= heightMax) return undefined;
    // At least twice: content added by the first pass may be lazy itself.
    if (pass > 1 && performance.now() > started + durationMs) {
      if (settled <= seen.after && !grew) return undefined;
      warn(`the page kept growing while it was scrolled and was captured at ${settled} CSS pixels`);
      // One more pass for the images of the latest growth; further growth is ignored.
      await goOver(work, Math.min(passMs, leftMs()), null);
      await tab.resultWithin(leftMs(), settle(tab, traffic.none));
      return settled;
    }
    height = seen.after;
  }
}

/**
 * Scrolls with stops, like a visitor, if the page may reveal content: it has hidden content below the viewport, or changes its content
 * during a scroll, or has images for a script to load. A page that doesn't listen to scroll events may poll; that is tried at one stop.
 */
async function revealByScrolling(work: Work, listens: boolean, heightMax: number): Promise<void> {
  const { tab, shot, readiness } = work;
  const { any, below, height, windowHeight } = await tab.evaluate(findHidden);
  shot.hidContent ||= any;
  const bottom = Math.min(height, heightMax) - windowHeight;
  if (bottom <= 0 || !(listens || below)) return;
  const isPatient = !listens || (await tab.evaluate(awaitsImages));
  const [pauseMs, totalMs] = isPatient ? [patientMs, patientStopsMs] : [holdMs, stopsMs];
  const until = performance.now() + totalMs + passMs;
  const trial = Math.min(bottom, below ? below - windowHeight / 2 : bottom / 2);
  if ((listens && (below || isPatient)) || (await scrollTo(work, trial, pauseMs))) {
    const steps = Math.ceil(Math.min(bottom / (windowHeight * stepShare), totalMs / pauseMs));
    for (let step = 1; step <= steps; step += 1) {
      await scrollTo(work, performance.now() < until ? (bottom * step) / steps : bottom, pauseMs);
      await tab.evaluate(noteRevealed);
      if (performance.now() > until) break;
    }
    await tab.within(revealMs + passMs, readiness.untilStill(revealMs, !below));
    await tab.evaluate(noteRevealed);
  }
  await scrollTo(work, 0, holdMs);
  await tab.within(returnMs + passMs, readiness.untilStill(returnMs, true));
  await tab.evaluate(hideArrivals);
}

/** Whether the page's content changed; false if that takes too long to find out. @param pauseMs at most, at least `holdMs`. */
async function scrollTo({ tab, readiness }: Work, top: number, pauseMs: number): Promise<boolean> {
  const changed = (await tab.resultWithin(passMs, tab.waitFor(scrollToAndHold, top, holdMs, pauseMs))) ?? false;
  return (await readiness.clock()?.run(pauseMs)) || changed;
}

/** Loads and reveals the content of `region`, and restores the scroll position. */
export async function showRegion(work: Work, region: Region): Promise<void> {
  const { tab, warn } = work;
  const [traffic, listens] = await prepare(work, false);
  const until = performance.now() + loadingMs;
  if (!(await goOver(work, passMs, region))) return;
  if (listens) await revealByScrolling(work, true, region.y + region.height);
  const left = Math.max(0, until - performance.now());
  if (traffic.begun() > 0 && (await tab.resultWithin(left, settle(tab, traffic.none))) === undefined)
    warn("lazy content in the captured area was still loading");
}

/** One pass; undefined if the page is too slow for it, after its own styles have been restored. */
async function goOver({ tab, shot, readiness }: Work, ms: number, region: Region | null) {
  const until = performance.now() + ms;
  const over = async () => {
    const hidden: Hidden = await tab.waitFor(findHidden);
    shot.hidContent ||= hidden.any;
    if (!hidden.any) return await tab.waitFor(passOver, region, false);
    await tab.waitFor(passOver, region, true);
    // Script-driven animations continue while the whole page is in view.
    await readiness.untilStill(Math.min(revealMs, Math.max(0, until - performance.now())), hidden.below === 0);
    await tab.waitFor(noteRevealed);
    const passed = await tab.waitFor(finishPass);
    await readiness.untilStill(returnMs, true);
    return passed;
  };
  const seen = await tab.resultWithin(ms + revealMs + returnMs, over());
  if (!seen) await tab.within(passMs, tab.waitFor(leavePass));
  return seen;
}

/** Waits for all requests, including those that responses cause. Resolves with the page's height. */
async function settle(tab: Tab, noneUnderWay: () => Promise<void>): Promise<number> {
  for (;;) {
    await noneUnderWay();
    const height = await tab.waitFor(nextFrame);
    if (await tab.within(1, noneUnderWay())) return height;
  }
}
