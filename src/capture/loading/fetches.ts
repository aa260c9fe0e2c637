/** Tracks fetches by a page's scripts, to determine whether a pending one may still change the page. */

import type { Protocol } from "devtools-protocol";
import type { Target } from "../../browser/children.ts";
import type { Tab } from "../../browser/tab.ts";
import type { RequestRule } from "./interception.ts";
import { createPendingFetches, type PendingFetches } from "./pending-fetches.ts";
import { reportRequests } from "./traffic.ts";
import { followWorkers, type Workers } from "./workers.ts";

export interface Fetches {
  workers: Pick<Workers, "start" | "end">;
  /** Handles the event for the first fetch, which may precede the call to `followFetches`. Later events are handled automatically. */
  begin(paused: Protocol.Fetch.RequestPausedEvent): void;
  /**
   * Makes Chromium report each fetch as it begins: the event precedes all later responses from the page's main thread. Otherwise, a fetch
   * becomes known only when the network process pauses it, which can be later on a busy machine.
   */
  report(): Promise<void>;
  /**
   * Waits for the event for the page's first fetch, if one has begun: Chromium reads the fetch's cookies before reporting it, which can
   * take longer than loading the page on a busy machine. Also waits briefly for workers. Once fetches are reported, waits only for workers.
   */
  untilKnown(): Promise<void>;
  /** Whether there is a pending fetch that is worth waiting for, or a worker whose script is still loading. */
  arePending(): boolean;
  /** URLs of the pending fetches. */
  urls(): string[];
  /** Resolves when nothing is pending. */
  idle(): Promise<void>;
  /** Whether the document is reading a response that never ends, such as an event stream. */
  hasStreams(): boolean;
}

/**
 * Pauses each of a page's fetches; the first one causes network events to be enabled. On a page with thirty requests, these events take a
 * tenth of the capture time, so they aren't enabled for pages without fetches.
 */
export const fetchTripwire: RequestRule = { pattern: { resourceType: "XHR" }, decide: () => undefined };

/** Media types of responses that never end. */
const endlessTypes = /event-stream|x-mixed-replace|ndjson|stream\+json/i;

/**
 * Call once a fetch has been paused, a worker has started, or either may have happened, with `fetchTripwire` among the request rules. A
 * page can cause a flood of events, so each is handled in constant time.
 * @param isForeign whether a URL belongs to a different site than the page.
 * @param documents returns the number of documents shown so far.
 */
export function followFetches(tab: Tab, isForeign: (url: string) => boolean, documents: () => number): Fetches {
  let reporting: Promise<void> | undefined;
  let isReported = false;
  const streams = { areOpen: false };
  let ended = Promise.withResolvers<void>();
  const wake = () => {
    if (arePending()) return;
    ended.resolve();
    ended = Promise.withResolvers();
  };
  const fetches = createPendingFetches({ isForeign, hasEndedWorkers: () => workers.haveEnded(), onEnd: wake });
  // Workers themselves report their requests, including those for imports.
  const workers = followWorkers(tab, (worker) => listenUntilEnd(worker, fetches, streams), wake);
  const arePending = () => workers.areLoading() || fetches.areAwaited();

  /** Enables network events, which arrive in order with the responses from the page's main thread. */
  const report = () => {
    reporting ??= reportRequests(tab).then(() => {
      isReported = true;
    });
    return reporting;
  };
  const onPaused = ({ request, requestId, networkId, redirectedRequestId, resourceType }: Protocol.Fetch.RequestPausedEvent) => {
    if (!isByScript(resourceType)) return;
    const isPreflight = request.method === "OPTIONS";
    // With network events enabled, the request itself is reported before its preflight.
    if (!isPreflight || !isReported)
      fetches.begin(request, { id: isPreflight ? undefined : networkId, pausedId: requestId, redirectedId: redirectedRequestId });
    report().catch(() => {}); // the tab is gone
  };
  tab.on("Fetch.requestPaused", onPaused);
  listen(tab, fetches, streams, isByScript);
  tab.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id !== tab.frameId) return;
    if (documents() === 1) return; // its fetches may have been paused before this event, and there are no older ones
    fetches.clear();
    streams.areOpen = false;
  });

  return {
    begin: onPaused,
    workers,
    report,
    untilKnown: async () => {
      // The network process reads cookies in order, so it answers this request, for a site that has none, after the fetch's own.
      const paused = reporting ? undefined : tab.send("Network.getCookies", { urls: ["http://cookies.invalid/"] });
      await Promise.all([paused, workers.untilHandled()]);
    },
    arePending,
    hasStreams: () => streams.areOpen,
    urls: fetches.urls,
    idle: async () => {
      while (arePending()) await tab.within(checkEveryMs, ended.promise); // timeouts expire without an event
    },
  };
}

type IsFollowed = (type?: Protocol.Network.ResourceType) => boolean;

/** Follows the requests that the page or a worker reports. @param isFollowed selects requests by type. */
function listen(target: Pick<Target, "on">, fetches: PendingFetches, streams: { areOpen: boolean }, isFollowed: IsFollowed) {
  target.on("Network.requestWillBeSent", ({ request, requestId, type, redirectResponse }) => {
    if (!isFollowed(type)) return;
    fetches.begin(request, { id: requestId, redirectedFrom: redirectResponse?.url });
  });
  target.on("Network.responseReceived", ({ requestId, type, response }) => {
    const answered = type === "Preflight" ? undefined : (fetches.withId(requestId) ?? fetches.withoutId(response.url));
    if (!answered) return;
    fetches.noteResponse(answered, requestId);
    if (!endlessTypes.test(response.mimeType)) return;
    streams.areOpen = true;
    fetches.end(answered);
  });
  target.on("Network.dataReceived", ({ requestId }) => fetches.noteData(fetches.withId(requestId)));
  target.on("Network.loadingFinished", ({ requestId }) => fetches.end(fetches.withId(requestId)));
  target.on("Network.loadingFailed", ({ requestId, type }) => {
    // A fetch that began before network events were enabled, and failed before its response, has neither a known id nor a type.
    const mayBeWithoutId = type === "Other" || isByScript(type);
    fetches.end(fetches.withId(requestId) ?? (mayBeWithoutId ? fetches.withoutId() : undefined));
  });
}

/** Returns a function that ends the worker's pending requests, because Chromium doesn't report that they end with the worker. */
function listenUntilEnd(worker: Target, fetches: PendingFetches, streams: { areOpen: boolean }): () => void {
  const begun = new Set<string>();
  worker.on("Network.requestWillBeSent", ({ requestId }) => void begun.add(requestId));
  listen(worker, fetches, streams, isByWorker);
  return () => {
    for (const id of begun) fetches.end(fetches.withId(id));
  };
}

export function isByScript(type?: Protocol.Network.ResourceType): boolean {
  return type === "XHR" || type === "Fetch";
}

/** Imported scripts have the type `Script` or, with `importScripts`, `Other`. */
function isByWorker(type?: Protocol.Network.ResourceType): boolean {
  return isByScript(type) || type === "Script" || type === "Other";
}

const checkEveryMs = 100;
