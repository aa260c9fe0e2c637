/** Waits for the document that a page is about to lead to by itself. */

import type { Tab } from "../browser/tab.ts";

export interface NextDocument {
  /** Number of documents so far. */
  documents(): number;
  /** If another document is due within two seconds, waits for it. Resolves with whether it came. */
  arrival(): Promise<boolean>;
}

/** Longer refreshes leave time to read the page. */
const refreshMaxMs = 2_000;
/** For the response of the next document. */
const responseMs = 1_500;
/** Pages that lead to each other are not followed for ever. */
const followedMax = 3;

/**
 * Knows refreshes, of meta elements and headers, as soon as they are scheduled, and navigations of scripts once they are requested. Pages
 * that reload themselves are not waited for. Call before the navigation.
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
