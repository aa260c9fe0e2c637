/** Waits for feeds that begin to load a while after the end of the page has come into view. */

import type { Tab } from "../browser/tab.ts";
import { awaitsMore } from "./in-page/awaits-more.ts";
import { pageSize } from "./in-page/unroll.ts";
import type { Traffic } from "./traffic.ts";

/** Longer than feeds usually put their request off. */
const deferredMs = 1_000;
const lookEveryMs = 40;
/** CSS pixels that a page grows by at least; what turns at its end changes its height by a few. */
const growthMin = 20;
/** Pages of a feed that are waited for in addition to the duration of scrolling. */
const deferralsMax = 6;

export interface Deferrals {
  /** Whether a request has begun or the page has grown beyond `height`, if a feed seems to be about to load. */
  follow(begun: number, height: number): Promise<boolean>;
  /** Whether the feed would have gone on after the last of them. */
  isEndless(): boolean;
}

export function createDeferrals(tab: Tab, traffic: Traffic): Deferrals {
  let count = 0;
  let isEndless = false;
  return {
    isEndless: () => isEndless,
    follow: async (begun, height) => {
      if (!(await tab.evaluate(awaitsMore))) return false;
      isEndless = count === deferralsMax;
      if (isEndless) return false;
      count += 1;
      for (const end = performance.now() + deferredMs; performance.now() < end; ) {
        await tab.pause(lookEveryMs);
        if (traffic.begun() > begun || (await tab.evaluate(pageSize)).height >= height + growthMin) return true;
      }
      return false;
    },
  };
}
