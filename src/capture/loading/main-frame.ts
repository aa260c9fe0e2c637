/** Tracks the main frame: ends the capture at a forbidden document, waits for upcoming documents, and follows each document's lifecycle. */

import type { Tab } from "../../browser/tab.ts";
import { AppError } from "../../shared/errors.ts";
import { parseUrl } from "../../shared/urls.ts";
import type { RequestRule } from "./interception.ts";

export interface MainFrame {
  /** Aborts navigations to forbidden URLs before anything is sent; empty if every URL is allowed. */
  rules: RequestRule[];
  /** Rejects with `target_not_allowed` when the page navigates, or tries to navigate, to a forbidden URL. Never resolves. */
  forbidden: Promise<never>;
  /** Number of documents shown so far. */
  documents(): number;
  /** URL of the shown document; undefined before the first. */
  url(): string | undefined;
  /** If the page is about to navigate on its own within two seconds, waits for the new document. Resolves to true if it arrived. */
  nextDocument(): Promise<boolean>;
  /** Number of times the origin of the shown document has changed, counting the first document. */
  originChanges(): number;
  /**
   * Checks the current URL. The URL is read from the browser process, so that a busy page can't delay the check.
   * @throws {AppError} `target_not_allowed`.
   */
  check(): Promise<void>;
}

/**
 * Interception alone is not enough: prefetched pages and `blob:` URLs are shown without a request that can be paused. Therefore, every
 * shown document is also checked. Call before the navigation.
 * @param isAllowed receives an origin as a URL; if undefined, every document is allowed.
 */
export function followMainFrame(tab: Tab, isAllowed: ((origin: URL) => boolean) | undefined): MainFrame {
  const { promise: forbidden, reject } = Promise.withResolvers<never>();
  forbidden.catch(() => {}); // it may reject after the capture has ended
  const refuse = () => reject(new AppError("target_not_allowed"));
  const mayShow = (url: string) => {
    const origin = parseUrl(originOf(url));
    return !isAllowed || (origin !== null && isAllowed(origin));
  };
  const next = expectNextDocument(tab);
  let shown: string | undefined;
  let originChanges = 0;
  let documents = 0;

  tab.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id !== tab.frameId) return;
    documents += 1;
    const isErrorPage = frame.unreachableUrl !== undefined;
    if (!isErrorPage && !mayShow(frame.url)) refuse();
    if (shown === undefined || originOf(frame.url) !== originOf(shown)) originChanges += 1;
    shown = frame.url;
    next.arrived(shown);
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
    documents: () => documents,
    url: () => shown,
    nextDocument: next.wait,
    originChanges: () => originChanges,
    check: async () => {
      if (!isAllowed) return;
      const { entries, currentIndex } = await tab.send("Page.getNavigationHistory");
      if (!mayShow(entries[currentIndex]?.url ?? "")) throw new AppError("target_not_allowed");
    },
  };
}

/** A `blob:` URL has the origin of the page that created it; `about:blank`, `data:` and the like have the origin `null`. */
function originOf(url: string): string {
  return parseUrl(url)?.origin ?? "null";
}

/** Maximum delay of a refresh that is followed; longer delays give visitors time to read the page. */
const refreshMaxMs = 2_000;
/** Time limit for the next document's response. */
const responseMs = 1_500;
/** Maximum number of navigations by pages themselves to wait for. */
const followedMax = 3;

/**
 * Detects refreshes by meta elements and headers as soon as they are scheduled, and script navigations once they are requested. Doesn't
 * wait for pages that reload themselves.
 */
function expectNextDocument(tab: Tab) {
  let followed = 0;
  let shown = "";
  let dueAt: number | undefined;
  let next = Promise.withResolvers<void>();
  const expect = (frameId: string, url: string, delayMs: number) => {
    if (frameId !== tab.frameId || delayMs > refreshMaxMs || !/^https?:/i.test(url)) return;
    if (withoutFragment(url) !== withoutFragment(shown)) dueAt = performance.now() + delayMs;
  };
  tab.on("Page.frameScheduledNavigation", ({ frameId, url, delay }) => expect(frameId, url, delay * 1000));
  tab.on("Page.frameRequestedNavigation", ({ frameId, url, disposition }) => {
    if (disposition === "currentTab") expect(frameId, url, 0);
  });
  return {
    arrived: (url: string) => {
      shown = url;
      dueAt = undefined;
      next.resolve();
      next = Promise.withResolvers();
    },
    wait: async () => {
      const leftMs = dueAt === undefined ? 0 : dueAt + responseMs - performance.now();
      dueAt = undefined;
      if (leftMs <= 0 || followed === followedMax) return false;
      followed += 1;
      return await tab.within(leftMs, next.promise);
    },
  };
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? "";
}

type Milestone = "DOMContentLoaded" | "load" | "networkAlmostIdle" | "networkIdle";

export interface Lifecycle {
  /** Call once the navigation has created its document. */
  begin(loaderId: string): void;
  /** Marks the document that was written into the blank page as loaded. */
  beginLoaded(): void;
  /** Resolves when the current document, or the one that replaces it, reaches `milestone`. */
  reached(milestone: Milestone): Promise<void>;
  /** Resolves when the next document replaces the current one. */
  replaced(): Promise<void>;
}

/** Maximum size of `earlier`. More is never needed, because the navigation's response and its document arrive almost together. */
const earlierMax = 10;

/**
 * Tracks the main frame's documents. Call before the navigation. Chromium reports networkIdle and networkAlmostIdle only after
 * `reportNetworkIdle`, which triples the number of events for a small page.
 */
export function followLifecycle(tab: Tab): Lifecycle {
  /** Loader ids of the documents so far, possibly including the blank page; undefined once the navigation's own document is known. */
  let earlier: Set<string> | undefined = new Set();
  let current: string | undefined;
  let shown: string | undefined;
  let seen = new Set<string>();
  let next = Promise.withResolvers<void>();
  let waiting: { milestone: string; resolve: () => void }[] = [];
  const settle = () => {
    waiting = waiting.filter(({ milestone, resolve }) => {
      if (!seen.has(milestone)) return true;
      resolve();
      return false;
    });
  };
  const become = (loaderId: string) => {
    if (loaderId !== current) seen = new Set();
    current = loaderId;
  };
  const note = (milestone: string) => {
    if (shown !== current) return; // the event may be for the blank page
    seen.add(milestone);
    settle();
  };
  const complete = () => {
    for (const milestone of ["DOMContentLoaded", "load"]) seen.add(milestone);
    settle();
  };
  tab.on("Page.frameNavigated", ({ frame, type }) => {
    if (frame.id !== tab.frameId) return;
    if (earlier && earlier.size < earlierMax) earlier.add(frame.loaderId);
    shown = frame.loaderId;
    become(shown);
    if (type === "BackForwardCacheRestore") complete();
    next.resolve();
    next = Promise.withResolvers();
  });
  tab.on("Page.domContentEventFired", () => note("DOMContentLoaded"));
  tab.on("Page.loadEventFired", () => note("load"));
  tab.on("Page.lifecycleEvent", ({ frameId, loaderId, name }) => {
    if (frameId === tab.frameId && loaderId === shown) note(name);
  });
  return {
    begin: (loaderId) => {
      // If `earlier` contains this document, it has already been shown, and perhaps replaced.
      if (!earlier?.has(loaderId)) become(loaderId);
      earlier = undefined;
    },
    beginLoaded: complete,
    reached: (milestone) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ milestone, resolve });
      settle();
      return promise;
    },
    replaced: () => next.promise,
  };
}

/** Makes Chromium report when the network is idle. Call before the navigation. */
export async function reportNetworkIdle(tab: Tab): Promise<void> {
  await tab.send("Page.setLifecycleEventsEnabled", { enabled: true });
}
