/** Tracks fetches by a page's scripts, to determine whether a pending one may still change the page. */

import type { Protocol } from "devtools-protocol";
import type { Target } from "../../browser/children.ts";
import type { Tab } from "../../browser/tab.ts";
import { createFetchIndex, type Fetch, type Ids } from "./fetch-index.ts";
import type { RequestRule } from "./interception.ts";
import { reportRequests, withoutQuery } from "./traffic.ts";

export interface Fetches {
  /** Handles the event of the first fetch, which may precede the call of `followFetches`. Later events are handled automatically. */
  begin(paused: Protocol.Fetch.RequestPausedEvent): void;
  /**
   * Makes Chromium report each fetch as it begins, before any later response of the page's main thread. Otherwise a fetch becomes known
   * only when the network process pauses it, which can be later on a busy machine.
   */
  report(): Promise<void>;
  /**
   * Waits for the event of the page's first fetch, if one has begun: Chromium reads the fetch's cookies before reporting it, which can
   * take longer than loading the page on a busy machine. Does nothing once fetches are reported.
   */
  untilKnown(): Promise<void>;
  /** Whether there is a pending fetch that is worth waiting for. */
  arePending(): boolean;
  /** URLs of the pending fetches. */
  urls(): string[];
  /** Resolves when no fetch is pending. */
  idle(): Promise<void>;
  /** Whether the document is reading a response that never ends, such as an event stream. */
  hasStreams(): boolean;
}

/**
 * Pauses each fetch of a page; the first one causes network events to be enabled. These take a tenth of the capture time of a page with
 * thirty requests, so they aren't enabled for pages without fetches.
 */
export const fetchTripwire: RequestRule = { pattern: { resourceType: "XHR" }, decide: () => undefined };

/** Timeout for third-party fetches. First-party ones are awaited for as long as the capture waits. */
export const thirdPartyTimeoutMs = 1_500;
/**
 * Beyond this number, fetches of one URL, ignoring its query, are considered polling and aren't awaited. Fetches with a body may differ, so
 * their limit is higher.
 */
const repetitionsMax = { without: 3, with: 12 };
/**
 * A response that the page doesn't read to the end never finishes: it counts as complete once this time has passed since its most recent
 * data.
 */
const dataPauseMs = 300;
/** A fetch that only interception has reported after this time may be a worker's, or the page's first one with a slow response. */
const unreportedMs = 300;
/** Media types of responses that never end. */
const streams = /event-stream|x-mixed-replace|ndjson|stream\+json/i;

/**
 * Call once a fetch has been paused, or may have begun, with `fetchTripwire` among the request rules. A page can cause a flood of events,
 * so each is handled in constant time.
 * @param isForeign whether a URL belongs to a different site than the page.
 * @param documents number of documents shown so far.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one state, and the handlers of the events that change it
export function followFetches(tab: Tab, isForeign: (url: string) => boolean, documents: () => number): Fetches {
  const underWay = createFetchIndex();
  /** Pending fetches that may still be worth waiting for. */
  const awaited = new Set<Fetch>();
  const started = new Map<string, number>();
  let reporting: Promise<void> | undefined;
  let isReported = false;
  let hasStreams = false;
  let hasWorkers = false;
  let workers: Promise<void> | undefined;
  let waiting: (() => void)[] = [];

  /** Workers report their fetches themselves, so this attaches to them once a fetch seems to be a worker's. */
  const followWorkers = () => {
    workers ??= tab.attachChildren(async (child, type) => {
      if (!type.includes("worker")) return;
      hasWorkers = true;
      listen(child);
      await reportRequests(child);
    });
    workers.catch(() => {}); // the tab is gone
  };
  const note = (fetch?: Fetch) => {
    if (fetch) fetch.isReported = true;
  };
  const isAwaited = (fetch: Fetch, now: number) => {
    const age = now - fetch.since;
    if (!fetch.isReported && age >= unreportedMs) followWorkers();
    // It may belong to a worker that ended before it could be attached.
    if (!fetch.isReported && hasWorkers && age > thirdPartyTimeoutMs) return false;
    if (fetch.dataAt !== undefined && now - fetch.dataAt >= dataPauseMs) return false;
    if (age <= thirdPartyTimeoutMs) return true;
    fetch.isForeign ??= isForeign(fetch.url);
    return !fetch.isForeign;
  };
  /** Fetches no longer worth waiting for are removed until more of their data arrives. */
  const arePending = () => {
    const now = performance.now();
    for (const fetch of awaited) {
      if (isAwaited(fetch, now)) return true;
      awaited.delete(fetch);
    }
    return false;
  };

  /** Enables network events, which arrive in order with the responses of the page's main thread. */
  const report = () => {
    reporting ??= reportRequests(tab).then(() => {
      isReported = true;
    });
    return reporting;
  };
  const begin = (
    { url, method, postData = "", hasPostData }: Protocol.Network.Request,
    { id, pausedId, redirectedId, redirectedFrom }: Ids,
  ) => {
    const what = method === "OPTIONS" && id === undefined ? `OPTIONS ${url}` : `${url} ${postData}`;
    const known = underWay.known({ id, pausedId, redirectedId, redirectedFrom }, { url, what, method });
    if (known) {
      underWay.update(known, { url, what, pausedId: pausedId ?? known.pausedId, id: id ?? known.id, isForeign: undefined });
      return;
    }
    const address = withoutQuery(url);
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

  const onPaused = ({ request, requestId, networkId, redirectedRequestId, resourceType }: Protocol.Fetch.RequestPausedEvent) => {
    if (!isByScript(resourceType)) return;
    const isPreflight = request.method === "OPTIONS";
    // With network events enabled, the request itself is reported before its preflight.
    if (!isPreflight || !isReported)
      begin(request, { id: isPreflight ? undefined : networkId, pausedId: requestId, redirectedId: redirectedRequestId });
    report().catch(() => {}); // the tab is gone
  };
  tab.on("Fetch.requestPaused", onPaused);
  const listen = (target: Pick<Target, "on">) => {
    target.on("Network.requestWillBeSent", ({ request, requestId, type, redirectResponse }) => {
      if (!isByScript(type)) return;
      begin(request, { id: requestId, redirectedFrom: redirectResponse?.url });
      note(underWay.withId(requestId));
    });
    target.on("Network.responseReceived", ({ requestId, type, response }) => {
      const answered = type === "Preflight" ? undefined : (underWay.withId(requestId) ?? underWay.withoutId(response.url));
      if (!answered) return;
      underWay.update(answered, { id: requestId });
      note(answered);
      noteData(answered);
      if (!streams.test(response.mimeType)) return;
      hasStreams = true;
      end(answered);
    });
    target.on("Network.dataReceived", ({ requestId }) => {
      const fetch = underWay.withId(requestId);
      if (fetch) noteData(fetch);
    });
    target.on("Network.loadingFinished", ({ requestId }) => end(underWay.withId(requestId)));
    target.on("Network.loadingFailed", ({ requestId, type }) => {
      // A fetch that began before network events were enabled, and failed before its response, has neither a known id nor a type.
      const mayBeWithoutId = type === "Other" || type === "XHR" || type === "Fetch";
      end(underWay.withId(requestId) ?? (mayBeWithoutId ? underWay.withoutId() : undefined));
    });
  };
  listen(tab);
  tab.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id !== tab.frameId) return;
    if (documents() === 1) return; // the first document's fetches may be paused before this event on a busy machine; none can be older
    underWay.clear();
    awaited.clear();
    started.clear();
    hasStreams = false;
  });

  return {
    begin: onPaused,
    report,
    untilKnown: async () => {
      // This command also reads cookies (of a site that has none), so it completes after the fetch's cookies have been read.
      if (!reporting) await tab.send("Network.getCookies", { urls: ["http://cookies.invalid/"] });
    },
    arePending,
    hasStreams: () => hasStreams,
    urls: () => [...awaited].map(({ url }) => url),
    idle: async () => {
      while (arePending()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.push(resolve);
        await tab.within(checkEveryMs, promise); // the timeouts above expire without an event
      }
    },
  };
}

export function isByScript(type?: Protocol.Network.ResourceType): boolean {
  return type === "XHR" || type === "Fetch";
}

const checkEveryMs = 100;
