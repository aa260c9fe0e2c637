/** Scrolls in steps, pausing at each one as a visitor would, so that a page reveals content that appears on scroll. */

import { hideArrivals } from "../in-page/arrivals.ts";
import { findDisplaced, findFarMoved } from "../in-page/displaced.ts";
import { findNeverShown, findUnshown, type Hold, type Stop, scrollToAndHold } from "../in-page/hold.ts";
import { awaitsImages } from "../in-page/lazy-images.ts";
import { findHidden, noteRevealed } from "../in-page/reveals.ts";
import { longestEmptyPart } from "../in-page/unreachable.ts";
import type { Work } from "../option-group.ts";

/** Time limit for scrolling through the page once, and for each stop; a page whose scroll handlers take longer is captured as is. */
export const passMs = 3_000;
/** Timeout for script-driven animations that scrolling has started. */
export const revealMs = 2_500;
/** Pause at each scroll stop: longer than the usual throttling or polling interval of scroll handlers. */
const holdMs = 120;
/** Pause at a stop where nothing changes, for slower handlers. */
export const patientMs = 320;
/** Maximum pause at a stop where content is revealed gradually. */
const revealingMs = 1_000;
/** How completely content must have appeared, 0 to 1: less at ordinary stops, where the last pixels may take time, than at return stops. */
const [nearlyShown, shown] = [0.9, 0.99];
/** Total time at all stops for scripts that move content into view. */
const playedTotalMs = 2_500;
/** Maximum pause at a return stop, which is for content that ordinary stops haven't shown completely, and at the top. */
const returnToMs = 3_000;
/** Maximum wait there for a timer that shows content. */
const lateMs = 1_700;
/** Time limits for all return stops: absolute, and as a share of the capture's remaining time. */
const [returnToTotalMs, returnToShare] = [10_000, 0.35];
/**
 * After this many fruitless waits for scripts that move content, later stops no longer wait for them. The same applies to waits for slow
 * handlers, unless the page needs patience (`isPatient`). Also the number of consecutive fruitless return stops after which the rest are
 * skipped.
 */
const inVainMax = 2;
/** Maximum total of the pauses at stops, which limits the number of stops: long pages are scrolled in steps larger than a viewport. */
const stopsMs = 3_000;
const patientStopsMs = 6_000;
/** Share of the capture's remaining time that all stops may take if that exceeds the fixed limit: a busy machine takes longer per stop. */
const stopsShare = 0.25;
/** Step as a share of the viewport's height: content at the edge at one stop is well inside the viewport at the next. */
const stepShare = 0.9;
/** Time for fixed elements to react to scrolling back to the top. */
export const returnMs = 1_000;

/**
 * Scrolls in steps, pausing at each one, if the page may reveal content: it has hidden content below the viewport, changes its content
 * during a scroll, or has images for a script to load. A page without scroll listeners may poll its scroll position instead; one stop tests
 * this. If only the test has hidden content, scrolls again.
 */
export async function revealByScrolling(work: Work, listens: boolean, heightMax: number): Promise<void> {
  if (await scrollInSteps(work, listens, heightMax)) return;
  work.shot.changesOnScroll = await work.tab.evaluate(noteRevealed, false); // finishes transitions that hide content
  const { below } = await work.tab.evaluate(findHidden);
  if (below > 0) await scrollInSteps(work, listens, heightMax);
}

/** Resolves to whether it has scrolled down, or had no reason to. */
async function scrollInSteps(work: Work, listens: boolean, heightMax: number): Promise<boolean> {
  const { tab, shot, readiness } = work;
  const { any, below, height, windowHeight } = await tab.evaluate(findHidden);
  shot.hidContent ||= any;
  const bottom = Math.min(height, heightMax) - windowHeight;
  if (bottom <= 0 || !(listens || below)) return true;
  const isPatient = !listens || (await tab.evaluate(awaitsImages));
  const [pauseMs, totalMs] = isPatient ? [patientMs, patientStopsMs] : [holdMs, stopsMs];
  const now = performance.now();
  const until = now + Math.max(totalMs + passMs, (work.deadlineAt - now) * stopsShare);
  const stops = createStops(work, isPatient);
  const trial = Math.min(bottom, below ? below - windowHeight / 2 : bottom / 2);
  const placesContent = async () => {
    const moved = listens ? await tab.evaluate(findFarMoved) : 0;
    return moved > 0 && (await stops.at(Math.min(bottom, moved)));
  };
  const reveals = (listens && (below > 0 || isPatient)) || (await stops.at(trial)) || (await placesContent());
  if (reveals) {
    const steps = Math.ceil(Math.min(bottom / (windowHeight * stepShare), totalMs / pauseMs));
    for (let step = 1; step <= steps; step += 1) {
      await stops.at(performance.now() < until ? (bottom * step) / steps : bottom);
      shot.changesOnScroll = await tab.evaluate(noteRevealed, false);
      if (performance.now() > until) break;
    }
    await tab.within(revealMs + passMs, readiness.untilStill(revealMs, !below));
    shot.changesOnScroll = await tab.evaluate(noteRevealed, false);
    await returnToUnshown(work, stops, bottom);
  }
  await stops.top();
  await tab.within(returnMs + passMs, readiness.untilStill(returnMs, !reveals));
  await tab.evaluate(hideArrivals);
  if (below && !shot.motion && (await tab.evaluate(findNeverShown))) work.warn(neverShown);
  if (shot.changesOnScroll && !shot.motion && (await tab.evaluate(findDisplaced))) work.warn(displaced);
  return reveals;
}

/** Whether content appears in an empty part of the page while its middle is in view. Scrolls back to the top. */
export async function showsInView(work: Work, { top, bottom }: { top: number; bottom: number }): Promise<boolean> {
  const middle = (top + bottom) / 2;
  const stops = createStops(work, true);
  await stops.at(middle - work.shot.viewport.height / 2);
  const empty = await work.tab.evaluate(longestEmptyPart);
  await stops.top();
  return !empty || empty.top > middle || empty.bottom < middle;
}

const neverShown =
  "content further down stayed hidden while the page was scrolled: if scripts show it only some time after loading, a delay can help";
const displaced =
  "scripts move content as the page scrolls, in parts that stay in the window: the screenshot shows it as it is at the top of the page, which may be far from its place; a recording with scroll=down shows what a visitor sees";

/**
 * Stops again where content has not been shown completely: a script may pause or reverse its animation when the content leaves the window,
 * or show it only near the middle.
 */
async function returnToUnshown({ tab, shot, deadlineAt }: Work, stops: ReturnType<typeof createStops>, bottom: number): Promise<void> {
  const until = performance.now() + Math.min(returnToTotalMs, (deadlineAt - performance.now()) * returnToShare);
  let positions = await tab.evaluate(findUnshown, bottom);
  for (let inVain = 0, at = -1; inVain < inVainMax && performance.now() < until; ) {
    const next = positions.find((position) => position > at);
    if (next === undefined) return;
    await stops.stay(next);
    shot.changesOnScroll = await tab.evaluate(noteRevealed, false);
    const left = await tab.evaluate(findUnshown, bottom);
    inVain = left.length < positions.length ? 0 : inVain + 1;
    [positions, at] = [left, next];
  }
}

/** Returns functions that scroll to a stop and wait there. */
function createStops({ tab, readiness }: Work, isPatient: boolean) {
  let inVain = 0;
  let endless = 0;
  let playedMs = 0;
  const hold = async (top: number, held: Hold): Promise<Stop> => {
    const stop = (await tab.resultWithin(passMs, tab.waitFor(scrollToAndHold, top, held))) ?? {
      changed: false,
      inVain: false,
      isPlaying: false,
      playedMs: 0,
    };
    const ran = await readiness.clock()?.run(held.patient);
    return { ...stop, changed: ran || stop.changed };
  };
  return {
    /**
     * Resolves to whether the page's content changed; false if that can't be determined in time. With a page clock, also true if
     * advancing it ran anything, such as a timer.
     */
    at: async (top: number) => {
      const patient = isPatient || inVain < inVainMax ? patientMs : holdMs;
      const stop = await hold(top, {
        least: holdMs,
        patient,
        late: patient,
        again: false,
        isPatient,
        most: revealingMs,
        played: endless < inVainMax && playedMs < playedTotalMs ? nearlyShown : 0,
      });
      if (stop.inVain) inVain += 1;
      if (stop.isPlaying) endless += 1;
      playedMs += stop.playedMs;
      return stop.changed;
    },
    /** Waits until the content at the stop is shown, for at most `returnToMs`. */
    stay: (top: number) =>
      hold(top, { least: holdMs, patient: patientMs, late: lateMs, again: false, isPatient: true, most: returnToMs, played: shown }),
    top: () => hold(0, { least: holdMs, patient: holdMs, late: lateMs, again: true, isPatient: false, most: returnToMs, played: 0 }),
  };
}
