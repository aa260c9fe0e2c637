/** Follows what a page's scripts fetch: how much of it is under way that may still change the page. */

import type { Tab } from "../browser/tab.ts";
import type { RequestRule } from "./interception.ts";

export interface Fetches {
  /** How many are under way that are worth waiting for. */
  pending(): number;
  /** Resolves when none is pending any more. */
  idle(): Promise<void>;
}

/**
 * Chromium tells of every request's steps, which costs a tenth of a capture on a page of thirty requests. So it is asked to only
 * from the first fetch on, which this rule makes it stop for: pages that fetch nothing pay nothing.
 */
export const fetchTripwire: RequestRule = { pattern: { resourceType: "XHR" }, decide: () => undefined };

/** What a page asks its own site for is waited for as long as the capture waits; what it asks others for, so long. */
export const strangersPatienceMs = 1_500;
/** A page that asks for the same again and again only keeps itself up to date. */
const repetitionsMax = 3;
/** An answer whose end nobody reads has none: then the last of its data was it. */
const dataPauseMs = 300;
/** Answers that never end, and are used while they come. */
const streams = /event-stream|x-mixed-replace|ndjson|stream\+json/i;

interface Fetch {
  /** Chromium's, once they are known. */
  ids: Set<string>;
  since: number;
  /** When the answer, or more of it, came. */
  dataAt?: number;
}

/** Call before the navigation, with `fetchTripwire` among the rules for requests. `isForeign`: whether an address is of another site than the page. */
export function followFetches(tab: Tab, isForeign: (url: string) => boolean): Fetches {
  const underWay = new Map<string, Fetch>();
  const started = new Map<string, number>();
  let told = false;
  const waiting: (() => void)[] = [];

  const begin = (url: string, id?: string) => {
    const same = underWay.get(url);
    if (same) {
      if (id) same.ids.add(id);
      return;
    }
    const address = url.split(/[?#]/, 1)[0] ?? "";
    const times = (started.get(address) ?? 0) + 1;
    started.set(address, times);
    if (times > repetitionsMax) return;
    underWay.set(url, { ids: new Set(id ? [id] : []), since: performance.now() });
  };
  const end = (url: string) => {
    underWay.delete(url);
    if (pending() === 0) for (const resolve of waiting.splice(0)) resolve();
  };
  const urlOf = (id: string) => [...underWay].find(([, { ids }]) => ids.has(id))?.[0];
  const pending = () => {
    const now = performance.now();
    const counts = ([url, { since, dataAt = now }]: [string, Fetch]) =>
      now - dataAt < dataPauseMs && !(now - since > strangersPatienceMs && isForeign(url));
    return [...underWay].filter(counts).length;
  };

  tab.on("Fetch.requestPaused", ({ resourceType, request }) => {
    if (resourceType !== "XHR" && resourceType !== "Fetch") return;
    begin(request.url);
    if (told) return;
    told = true;
    tab.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }).catch(() => {}); // the tab is gone
  });
  tab.on("Network.requestWillBeSent", ({ type, request, requestId, redirectResponse }) => {
    if (type !== "XHR" && type !== "Fetch") return;
    if (redirectResponse) end(redirectResponse.url);
    begin(request.url, requestId);
  });
  tab.on("Network.responseReceived", ({ requestId, response }) => {
    const answered = underWay.get(response.url);
    answered?.ids.add(requestId);
    if (answered) answered.dataAt = performance.now();
    if (streams.test(response.mimeType)) end(response.url);
  });
  tab.on("Network.dataReceived", ({ requestId }) => {
    const fetch = underWay.get(urlOf(requestId) ?? "");
    if (fetch) fetch.dataAt = performance.now();
  });
  tab.on("Network.loadingFinished", ({ requestId }) => {
    const url = urlOf(requestId);
    if (url !== undefined) end(url);
  });
  tab.on("Network.loadingFailed", ({ requestId, type }) => {
    // What was begun before Chromium was asked to tell, and failed before its answer, is known by no id, and by no type.
    const nameless =
      type === "Other" || type === "XHR" || type === "Fetch" ? [...underWay].find(([, { ids }]) => ids.size === 0) : undefined;
    const url = urlOf(requestId) ?? nameless?.[0];
    if (url !== undefined) end(url);
  });
  tab.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id !== tab.frameId) return;
    underWay.clear();
    started.clear();
  });

  return {
    pending,
    idle: async () => {
      while (pending() > 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.push(resolve);
        await tab.within(checkEveryMs, promise); // patience ends without an event
      }
    },
  };
}

const checkEveryMs = 100;
