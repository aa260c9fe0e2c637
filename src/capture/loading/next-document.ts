/** Waits for the next document of a page that is about to navigate by itself. */

import type { Tab } from "../../browser/tab.ts";

export interface NextDocument {
  /** Number of documents so far. */
  documents(): number;
  /** If another document is due within two seconds, waits for it. Resolves with whether it arrived. */
  arrival(): Promise<boolean>;
}

/** Longer refreshes leave time to read the page. */
const refreshMaxMs = 2_000;
/** Time limit for the response of the next document. */
const responseMs = 1_500;
/** Limits how far pages that redirect to one another are followed. */
const followedMax = 3;

/**
 * Detects refreshes by meta elements and headers as soon as they are scheduled, and script navigations once they are requested. Pages that
 * reload themselves are not waited for. Call before the navigation.
 */
export function followNextDocument(tab: Tab): NextDocument {
  let documents = 0;
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
  tab.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id !== tab.frameId) return;
    documents += 1;
    shown = frame.url;
    dueAt = undefined;
    next.resolve();
    next = Promise.withResolvers();
  });
  return {
    documents: () => documents,
    arrival: async () => {
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
