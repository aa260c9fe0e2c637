/** Follows what a page's scripts fetch: how much of it is under way that may still change the page. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../browser/tab.ts";
import { createFetchIndex, type Fetch } from "./fetch-index.ts";
import type { RequestRule } from "./interception.ts";

export interface Fetches {
  /**
   * Has every fetch known before the page's next answer. Without it a fetch is known when Chromium's network side pauses it, and a busy
   * machine may have the page answer first.
   */
  report(): Promise<void>;
  /** Whether any is under way that is worth waiting for. */
  arePending(): boolean;
  /** Resolves when none is pending any more. */
  idle(): Promise<void>;
}

/**
 * Chromium tells of every request's steps, which costs a tenth of a capture on a page of thirty requests. So it is asked to only
 * from the first fetch on, which this rule makes it stop for: pages that fetch nothing pay nothing.
 */
export const fetchTripwire: RequestRule = { pattern: { resourceType: "XHR" }, decide: () => undefined };

/** What a page asks its own site for is waited for as long as the capture waits; what it asks others for, so long. */
export const thirdPartyTimeoutMs = 1_500;
/** A page that asks for the same again and again only keeps itself up to date; what it asks for by bodies may be something else each time. */
const repetitionsMax = { without: 3, with: 12 };
/** An answer whose end nobody reads has none: then the last of its data was it. */
const dataPauseMs = 300;
/** Answers that never end, and are used while they come. */
const streams = /event-stream|x-mixed-replace|ndjson|stream\+json/i;

/**
 * Call before the navigation, with `fetchTripwire` among the rules for requests. `isForeign`: whether an address is of another site than
 * the page. A page can flood this with events, so none of them costs more with the number of fetches.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one state, and the handlers of the events that change it
export function followFetches(tab: Tab, isForeign: (url: string) => boolean): Fetches {
  const underWay = createFetchIndex();
  /** Of those under way, the ones that may still be worth waiting for. */
  const awaited = new Set<Fetch>();
  const started = new Map<string, number>();
  let reporting: Promise<void> | undefined;
  let isReported = false;
  let waiting: (() => void)[] = [];

  const isAwaited = (fetch: Fetch, now: number) => {
    if (fetch.dataAt !== undefined && now - fetch.dataAt >= dataPauseMs) return false;
    if (now - fetch.since <= thirdPartyTimeoutMs) return true;
    fetch.isForeign ??= isForeign(fetch.url);
    return !fetch.isForeign;
  };
  /** Each that is no longer worth the wait is looked at once: only more of its data brings it back. */
  const arePending = () => {
    const now = performance.now();
    for (const fetch of awaited) {
      if (isAwaited(fetch, now)) return true;
      awaited.delete(fetch);
    }
    return false;
  };

  /** Asks Chromium to report every request from its beginning on, in order with the answers of the page's main thread. */
  const report = () => {
    reporting ??= tab.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }).then(() => {
      isReported = true;
    });
    return reporting;
  };
  const begin = (
    { url, method, postData = "", hasPostData }: Protocol.Network.Request,
    { id, pausedId, redirectedId, redirectedFrom }: Ids,
  ) => {
    const what = method === "OPTIONS" && id === undefined ? `OPTIONS ${url}` : `${url} ${postData}`;
    // Redirected, allowed by its preflight, or paused again, as Chromium does with some.
    const known =
      (id && underWay.withId(id)) ||
      (redirectedId && underWay.pausedAs(redirectedId)) ||
      (redirectedFrom && underWay.withoutId(redirectedFrom)) ||
      underWay.withoutId(what) ||
      underWay.withoutId(`OPTIONS ${url}`);
    if (known) {
      underWay.update(known, { url, what, pausedId: pausedId ?? known.pausedId, id: id ?? known.id, isForeign: undefined });
      return;
    }
    const address = url.split(/[?#]/, 1)[0] ?? "";
    const times = (started.get(address) ?? 0) + 1;
    started.set(address, times);
    if (times > repetitionsMax[hasPostData ? "with" : "without"]) return;
    const fetch = { url, what, pausedId, id, since: performance.now() };
    underWay.add(fetch);
    awaited.add(fetch);
  };
  const end = (fetch?: Fetch) => {
    if (!fetch || !underWay.remove(fetch)) return;
    awaited.delete(fetch);
    if (waiting.length === 0 || arePending()) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const noteData = (fetch: Fetch) => {
    fetch.dataAt = performance.now();
    awaited.add(fetch);
  };

  tab.on("Fetch.requestPaused", ({ request, requestId, networkId, redirectedRequestId, resourceType }) => {
    if (!isByScript(resourceType)) return;
    const isPreflight = request.method === "OPTIONS";
    // Once Chromium reports requests as they begin, what a preflight is for is known before it.
    if (!isPreflight || !isReported)
      begin(request, { id: isPreflight ? undefined : networkId, pausedId: requestId, redirectedId: redirectedRequestId });
    report().catch(() => {}); // the tab is gone
  });
  tab.on("Network.requestWillBeSent", ({ request, requestId, type, redirectResponse }) => {
    if (isByScript(type)) begin(request, { id: requestId, redirectedFrom: redirectResponse?.url });
  });
  tab.on("Network.responseReceived", ({ requestId, type, response }) => {
    const answered = type === "Preflight" ? undefined : (underWay.withId(requestId) ?? underWay.withoutId(response.url));
    if (!answered) return;
    underWay.update(answered, { id: requestId });
    noteData(answered);
    if (streams.test(response.mimeType)) end(answered);
  });
  tab.on("Network.dataReceived", ({ requestId }) => {
    const fetch = underWay.withId(requestId);
    if (fetch) noteData(fetch);
  });
  tab.on("Network.loadingFinished", ({ requestId }) => end(underWay.withId(requestId)));
  tab.on("Network.loadingFailed", ({ requestId, type }) => {
    // What began before Network was enabled, and failed before its answer, is known by no id, and by no type.
    const mayBeWithoutId = type === "Other" || type === "XHR" || type === "Fetch";
    end(underWay.withId(requestId) ?? (mayBeWithoutId ? underWay.withoutId() : undefined));
  });
  tab.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id !== tab.frameId) return;
    underWay.clear();
    awaited.clear();
    started.clear();
  });

  return {
    report,
    arePending,
    idle: async () => {
      while (arePending()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.push(resolve);
        await tab.within(checkEveryMs, promise); // patience ends without an event
      }
    },
  };
}

interface Ids {
  id?: string | undefined;
  pausedId?: string | undefined;
  redirectedId?: string | undefined;
  /** URL that redirected here. */
  redirectedFrom?: string | undefined;
}

function isByScript(type?: Protocol.Network.ResourceType): boolean {
  return type === "XHR" || type === "Fetch";
}

const checkEveryMs = 100;
