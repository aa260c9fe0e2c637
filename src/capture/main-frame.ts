/** Follows the main frame: which documents it shows, ending the capture at a forbidden one, and what each has reached. */

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

type Milestone = "DOMContentLoaded" | "load" | "networkAlmostIdle" | "networkIdle";

export interface Lifecycle {
  /** Says which document the navigation made. */
  begin(loaderId: string): void;
  /** Resolves when the current document has reached `milestone`; a document that replaces it starts anew. */
  reached(milestone: Milestone): Promise<void>;
  /** Resolves when the next document replaces the current one. */
  replaced(): Promise<void>;
}

/** Follows what the document of the main frame has reached, also when another one replaces it. Start before the navigation. */
export function followLifecycle(tab: Tab): Lifecycle {
  const seen = new Map<string, Set<string>>();
  let current: string | undefined;
  let next = Promise.withResolvers<void>();
  let waiting: { milestone: string; resolve: () => void }[] = [];
  const settle = () => {
    const reached = seen.get(current ?? "");
    waiting = waiting.filter(({ milestone, resolve }) => {
      if (!reached?.has(milestone)) return true;
      resolve();
      return false;
    });
  };
  tab.on("Page.lifecycleEvent", ({ frameId, loaderId, name }) => {
    if (frameId !== tab.frameId) return;
    if (name === "init") {
      current = loaderId;
      seen.clear(); // a page that reloads itself for ever must not fill the memory
      seen.set(loaderId, new Set());
      next.resolve();
      next = Promise.withResolvers();
    }
    seen.get(loaderId)?.add(name);
    settle();
  });
  return {
    begin: (loaderId) => {
      current ??= loaderId; // whatever began since is this document, or one that replaced it already
      settle();
    },
    reached: (milestone) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ milestone, resolve });
      settle();
      return promise;
    },
    replaced: () => next.promise,
  };
}
