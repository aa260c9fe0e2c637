/** Scrolls through a page so that it loads lazy content and reveals content that appears on scroll. */

import type { Tab } from "../../browser/tab.ts";
import { notePresent } from "../in-page/arrivals.ts";
import { holdAtBottom, scrollToTop } from "../in-page/at-bottom.ts";
import { expandMainScroller } from "../in-page/expand-scroller.ts";
import { pageSize } from "../in-page/page-size.ts";
import { finishPass, leavePass, nextFrame, passOver } from "../in-page/pass-over.ts";
import { findHidden, type HiddenElements, noteRevealed } from "../in-page/reveals.ts";
import { longestEmptyPart } from "../in-page/unreachable.ts";
import { createDeferrals } from "../loading/deferred-content.ts";
import { type PageTraffic, watchTraffic } from "../loading/traffic.ts";
import type { Work } from "../option-group.ts";
import { revealScript } from "../reveal-script.ts";
import { listensToScroll } from "./listeners.ts";
import { endScrolling } from "./on-wheel.ts";
import { passMs, patientMs, returnMs, revealByScrolling, revealMs, showsInView } from "./stops.ts";

/** CSS pixels from the document's top left corner. */
export interface ScrolledRegion {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Time limit for requests caused by scrolling, not counting the scrolling itself. */
const loadingMs = 5_000;
interface Extent {
  /** Whether an element's content has been expanded; its scroll listeners are then treated like the window's. */
  isExpanded: boolean;
  durationMs: number;
  heightMax: number;
}

/**
 * Loads and reveals the whole page, and leaves it scrolled to the top. A growing page is followed for `durationMs` or down to `heightMax`
 * CSS pixels, whichever comes first.
 * @returns the height in CSS pixels down to which the page has loaded if it kept growing, otherwise undefined.
 */
export async function scrollThrough(work: Work, extent: Extent): Promise<number | undefined> {
  const { tab, shot, warn } = work;
  const [traffic, listens] = await prepare(work, extent.isExpanded);
  const until = performance.now() + extent.durationMs + loadingMs;
  const complete = await loadAll({ work, traffic, until, listens }, extent);
  const isCutOff = (shot.scrolledHeight ?? 0) >= extent.heightMax; // a list of that length may exist only in view, without a listener
  if ((listens || shot.hidContent || isCutOff) && extent.durationMs > 0) {
    const startedBefore = traffic.startedCount();
    await revealByScrolling(work, listens, Math.min(extent.heightMax, complete ?? Number.POSITIVE_INFINITY));
    const left = Math.max(loadingMs / 2, until - performance.now());
    if (traffic.startedCount() > startedBefore && (await tab.resultWithin(left, settle(tab, traffic.none))) === undefined)
      warn(stillLoading);
    const empty = await tab.evaluate(longestEmptyPart);
    if (empty && (await showsInView(work, empty)))
      warn(`the page is empty from ${empty.top} to ${empty.bottom} CSS pixels: rows that exist only while they are in view are missing`);
  }
  await endScrolling(work);
  return complete;
}

async function prepare({ tab, readiness }: Work, isExpanded: boolean): Promise<[PageTraffic, boolean]> {
  const isInert = readiness.isInert();
  const [traffic, listens] = await Promise.all([
    watchTraffic(tab),
    !isInert && listensToScroll(tab, isExpanded),
    !isInert && tab.evaluateSource(revealScript),
  ]);
  if (listens) await tab.evaluate(notePresent);
  return [traffic, listens];
}

const keptGrowing = (height: number) => `the page kept growing while it was scrolled and was captured down to ${height} CSS pixels`;
const stillLoading = "lazy content was still loading when the page was captured";

interface Loading {
  work: Work;
  traffic: PageTraffic;
  until: number;
  listens: boolean;
}

/** Repeats passes over the page until one causes neither requests nor growth, or a limit is reached. */
async function loadAll(loading: Loading, extent: Extent): Promise<number | undefined> {
  const { work, traffic, until, listens } = loading;
  const { tab, warn } = work;
  const { durationMs, heightMax } = extent;
  const started = performance.now();
  const leftMs = () => Math.max(0, until - performance.now());
  const settled = () => tab.resultWithin(leftMs(), settle(tab, traffic.none));
  let [height, follows, isEndless] = [0, listens && durationMs > 0, false];
  const deferrals = createDeferrals(tab, traffic);
  let deferredMs = 0;
  let arrival: (() => Promise<unknown>) | undefined;
  for (let pass = 1; ; pass += 1) {
    const [startedBefore, canceled, since] = [traffic.startedCount(), traffic.canceledCount(), performance.now()];
    const over = () => goOver(work, Math.min(passMs, leftMs()), null, arrival && { ms: leftMs(), arrival });
    const seen = await over();
    if (!seen) return void warn("the page could not be scrolled to its end");
    seen.after = Math.max(seen.after, await expandAgain(tab, extent));
    work.shot.scrolledHeight = seen.after;
    const mayGrow: boolean = seen.beganTimers || isEndless; // an endless list's next part may be under way, so that no timer is started
    const followed: Awaited<ReturnType<typeof followBottom>> | undefined =
      follows && mayGrow ? await followBottom(loading, extent, seen.after) : undefined;
    if (followed) [follows, isEndless] = [followed.height > 0, followed.isEndless];
    const grew = seen.after > (height || seen.before) || (followed?.height ?? 0) > seen.after;
    const isQuiet = traffic.startedCount() === startedBefore;
    const isDeferred = isQuiet && durationMs > 0 && seen.mayAwaitTimers && (await deferrals.follow(startedBefore, seen.after));
    if (deferrals.isEndless()) warn(keptGrowing(seen.after));
    if (isQuiet && !grew && !isDeferred) return undefined;
    const settledAt = await settled();
    const now = settledAt && Math.max(settledAt, await expandAgain(tab, extent));
    if (isDeferred) deferredMs += performance.now() - since;
    if (now === undefined) return void warn(stillLoading);
    work.shot.scrolledHeight = now;
    if (now === heightMax && isEndless) warn(keptGrowing(now)); // a page beyond it is said to be cut off
    if (now >= heightMax) return undefined;
    // If the page cancels requests for content that leaves the viewport, they can complete only while the content stays in view.
    if (traffic.canceledCount() > canceled) arrival = settled;
    // At least two passes: content added by the first may itself be lazy.
    if (pass > 1 && performance.now() > started + durationMs + deferredMs) {
      if (now <= seen.after && !grew && !isEndless) return undefined;
      warn(keptGrowing(now));
      await over(); // loads the images in the part added last; further growth is ignored
      await settled();
      return now;
    }
    height = Math.max(seen.after, followed?.height ?? 0);
  }
}

/** Expands the main scroller by what its content has grown. @returns the document's height if it had to grow, otherwise 0. */
async function expandAgain(tab: Tab, { isExpanded, heightMax }: Extent): Promise<number> {
  const expands = isExpanded && (await tab.resultWithin(passMs, tab.waitFor(expandMainScroller, heightMax, false)));
  return expands ? await tab.waitFor(nextFrame) : 0;
}

/** Maximum number of times that a wait for throttled handlers extends the scrolling duration. */
const handlersMax = 5;

/**
 * Stays at the bottom while the page grows there: a pass is too short for a throttled handler.
 * @param known the page's height so far. What was added since counts as growth.
 * @returns the page's height (0 if it hasn't grown), and whether it was still growing.
 */
async function followBottom({ work: { tab }, traffic, until }: Loading, extent: Extent, known: number) {
  const { durationMs, heightMax } = extent;
  let [height, grows] = [0, true];
  const leftMs = () => Math.max(0, until - performance.now());
  for (let end = performance.now() + durationMs, round = 1; grows && performance.now() < end && height < heightMax; round += 1) {
    const startedBefore = traffic.startedCount();
    const held = await tab.resultWithin(passMs, tab.waitFor(holdAtBottom, height || known, patientMs));
    if (round <= handlersMax) end += patientMs;
    let reached = held?.after ?? 0;
    if (held && reached <= held.before && traffic.startedCount() > startedBefore)
      reached = (await tab.resultWithin(leftMs(), settle(tab, traffic.none))) ?? 0;
    reached = Math.max(reached, await expandAgain(tab, extent));
    grows = held !== undefined && reached > held.before;
    if (grows) height = reached;
  }
  await tab.within(passMs, tab.waitFor(scrollToTop));
  return { height, isEndless: grows };
}

/** Whether the page has added content since it was scrolled through, which hasn't been loaded or revealed yet. */
export async function hasGrown({ tab, shot, readiness }: Work): Promise<boolean> {
  if (!readiness.wasInvalidated() || shot.scrolledHeight === undefined || shot.completeHeight !== undefined) return false;
  return (await tab.evaluate(pageSize)).height > shot.scrolledHeight;
}

/** Loads and reveals the content of `region`, and scrolls back. */
export async function showRegion(work: Work, region: ScrolledRegion): Promise<void> {
  const { tab, warn } = work;
  const [traffic, listens] = await prepare(work, false);
  const until = performance.now() + loadingMs;
  if (!(await goOver(work, passMs, region))) return;
  if (listens) await revealByScrolling(work, true, region.y + region.height);
  const left = Math.max(0, until - performance.now());
  if (traffic.startedCount() > 0 && (await tab.resultWithin(left, settle(tab, traffic.none))) === undefined)
    warn("lazy content in the captured area was still loading");
}

/**
 * Passes over the page once. If the page is too slow, restores its styles and returns undefined.
 * @param held keeps the whole region in view until `held.arrival` resolves, for at most `held.ms`.
 */
async function goOver(
  { tab, shot, readiness }: Work,
  ms: number,
  region: ScrolledRegion | null,
  held?: { ms: number; arrival(): Promise<unknown> },
) {
  const until = performance.now() + ms + (held?.ms ?? 0);
  const over = async () => {
    const hidden: HiddenElements = await tab.waitFor(findHidden);
    shot.hidContent ||= hidden.any;
    const passed = await tab.waitFor(passOver, region, hidden.any || held !== undefined);
    if (passed) return passed;
    await held?.arrival();
    // Script-driven animations continue while the whole page is in view.
    await readiness.untilStill(Math.min(revealMs, Math.max(0, until - performance.now())), hidden.below === 0);
    await tab.waitFor(noteRevealed, true);
    const finished = await tab.waitFor(finishPass);
    await readiness.untilStill(returnMs, true);
    return finished;
  };
  const seen = await tab.resultWithin(until - performance.now() + revealMs + returnMs, over());
  if (!seen) await tab.within(passMs, tab.waitFor(leavePass));
  shot.changesOnScroll ||= seen?.hasChanged ?? false;
  shot.movesLayers ||= seen?.movesLayers ?? false;
  return seen;
}

/** Waits for all requests, including those caused by responses. Resolves with the page's height. */
async function settle(tab: Tab, noneUnderWay: () => Promise<void>): Promise<number> {
  for (;;) {
    await noneUnderWay();
    const height = await tab.waitFor(nextFrame);
    if (await tab.within(1, noneUnderWay())) return height;
  }
}
