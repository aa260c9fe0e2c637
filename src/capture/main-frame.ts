/** Follows which documents the main frame shows, and ends the capture at one that may not be captured. */

import type { Tab } from "../browser/tab.ts";
import { AppError } from "../errors.ts";
import type { RequestRule } from "./interception.ts";

export interface MainFrame {
  /** Aborts navigations to forbidden addresses before anything is sent to them; none where every address is allowed. */
  rules: RequestRule[];
  /** Rejects with `target_not_allowed` as soon as the frame goes, or is about to go, where it may not. Never resolves. */
  forbidden: Promise<never>;
  /** How often a document of another origin than the previous one's has been shown. */
  originChanges(): number;
  /**
   * Compares the address that is shown now with the allowed ones. The browser answers it, so a busy page can't delay it.
   * @throws {AppError} `target_not_allowed`.
   */
  check(): Promise<void>;
}

/**
 * Interception alone is not enough: a page that was prefetched, or that has a `blob:` address, is shown without a request that could
 * be paused. So every document that is shown is checked, too. Call before the navigation.
 * @param isAllowed is given an origin as a URL; every document is allowed unless given.
 */
export function followMainFrame(tab: Tab, isAllowed: ((origin: URL) => boolean) | undefined): MainFrame {
  const { promise: forbidden, reject } = Promise.withResolvers<never>();
  forbidden.catch(() => {}); // nobody waits for it once the capture has ended
  const refuse = () => reject(new AppError("target_not_allowed"));
  const mayShow = (url: string) => {
    const origin = URL.parse(originOf(url));
    return !isAllowed || (origin !== null && isAllowed(origin));
  };
  let shown: string | undefined;
  let originChanges = 0;

  tab.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id !== tab.frameId) return;
    const isErrorPage = frame.unreachableUrl !== undefined;
    if (!isErrorPage && !mayShow(frame.url)) refuse();
    const origin = originOf(frame.url);
    if (origin !== shown) originChanges += 1;
    shown = origin;
  });

  const rule: RequestRule = {
    pattern: { resourceType: "Document" },
    decide: ({ url, isMainDocument }) => {
      if (!isMainDocument || mayShow(url)) return undefined;
      refuse();
      return { abort: true };
    },
  };

  return {
    rules: isAllowed ? [rule] : [],
    forbidden,
    originChanges: () => originChanges,
    check: async () => {
      if (!isAllowed) return;
      const { entries, currentIndex } = await tab.send("Page.getNavigationHistory");
      if (!mayShow(entries[currentIndex]?.url ?? "")) throw new AppError("target_not_allowed");
    },
  };
}

/** A `blob:` address has the origin of the page that made it; `about:blank`, `data:` and the like have none: `null`. */
function originOf(url: string): string {
  return URL.parse(url)?.origin ?? "null";
}
