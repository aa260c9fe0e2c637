/** Brings into being what a page loads only when it is scrolled to. */

import type { Tab } from "../browser/tab.ts";
import { leavePass, nextFrame, passOver } from "./in-page/pass-over.ts";
import type { Work } from "./option-group.ts";
import { watchTraffic } from "./traffic.ts";

/** CSS pixels from the document's top left corner. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** For what scrolling made the page ask for to arrive, on top of the time for scrolling. */
const loadingMs = 5_000;
/** A page whose scroll handlers take longer is taken as it is. */
const passMs = 3_000;

/**
 * Goes through the whole page until nothing new comes of it: no request, no growth. A page that grows is followed for `durationMs`
 * or down to `heightMax` CSS pixels, whichever ends first.
 */
export async function scrollThrough({ tab, warn }: Work, { durationMs, heightMax }: { durationMs: number; heightMax: number }) {
  const traffic = await watchTraffic(tab);
  const started = performance.now();
  const leftMs = () => Math.max(0, started + durationMs + loadingMs - performance.now());
  let height = 0;
  for (let pass = 1; ; pass += 1) {
    const begun = traffic.begun();
    const seen = await goOver(tab, Math.min(passMs, leftMs()), null);
    if (!seen) return warn("the page could not be scrolled to its end");
    const grew = seen.after > (height || seen.before);
    if (traffic.begun() === begun && !grew) return undefined;
    const settled = await tab.resultWithin(leftMs(), settle(tab, traffic.none));
    if (settled === undefined) return warn("lazy content of the page was still loading when it was captured");
    if (settled >= heightMax) return undefined;
    // Twice at least: what the first pass brought may itself load only when it is seen.
    if (pass > 1 && performance.now() > started + durationMs) {
      if (settled > seen.after || grew) warn(`the page kept growing while it was scrolled and was captured at ${settled} CSS pixels`);
      return undefined;
    }
    height = seen.after;
  }
}

/** Lets the page load what belongs into `region`, and leaves it scrolled as it was. */
export async function showRegion({ tab, warn }: Work, region: Region): Promise<void> {
  const traffic = await watchTraffic(tab);
  const started = performance.now();
  if (!(await goOver(tab, passMs, region))) return;
  const left = loadingMs - (performance.now() - started);
  if (traffic.begun() > 0 && (await tab.resultWithin(left, settle(tab, traffic.none))) === undefined)
    warn("lazy content in the captured area was still loading");
}

/** One pass; a page that is too slow for it has its own look again before anything else is done. */
async function goOver(tab: Tab, ms: number, region: Region | null) {
  const seen = await tab.resultWithin(ms, tab.waitFor(passOver, region));
  if (!seen) await tab.within(passMs, tab.waitFor(leavePass));
  return seen;
}

/** What the answers bring may ask for more. Resolves with the page's height. */
async function settle(tab: Tab, noneUnderWay: () => Promise<void>): Promise<number> {
  for (;;) {
    await noneUnderWay();
    const height = await tab.waitFor(nextFrame);
    if (await tab.within(1, noneUnderWay())) return height;
  }
}
