/** Waits for feeds that start loading some time after the end of the page comes into view. */

import type { Tab } from "../../browser/tab.ts";
import { pageSize } from "../in-page/page-size.ts";
import { awaitsMore } from "../in-page/unfinished.ts";
import type { PageTraffic } from "./traffic.ts";

/**
 * Maximum number of checks, which together take longer than the usual delay of a feed's request. Counted rather than timed, because
 * everything is slower on a busy machine.
 */
const checksMax = 35;
const checkEveryMs = 40;
const deferredMaxMs = 3_000;
/** Minimum growth in CSS pixels; a spinner at the end of a page changes its height by a few pixels. */
const growthMin = 20;
/** Maximum number of feed pages to wait for. */
const deferralsMax = 6;

export interface Deferrals {
  /**
   * If a feed seems to be about to load, waits until a request begins or the page grows beyond `height`. Resolves to true if either
   * happened.
   */
  follow(startedBefore: number, height: number): Promise<boolean>;
  /** Whether the feed would have continued after the last deferral. */
  isEndless(): boolean;
}

export function createDeferrals(tab: Tab, traffic: PageTraffic): Deferrals {
  let count = 0;
  let isEndless = false;
  return {
    isEndless: () => isEndless,
    follow: async (startedBefore, height) => {
      if (!(await tab.evaluate(awaitsMore))) return false;
      isEndless = count === deferralsMax;
      if (isEndless) return false;
      count += 1;
      const end = performance.now() + deferredMaxMs;
      for (let check = 0; check < checksMax && performance.now() < end; check += 1) {
        await tab.pause(checkEveryMs);
        if (traffic.startedCount() > startedBefore || (await tab.evaluate(pageSize)).height >= height + growthMin) return true;
      }
      return false;
    },
  };
}
