/** Follows what a page's scripts fetch: how much of it is under way that may still change the page. */

import type { Protocol } from "devtools-protocol";
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
/** A page that asks for the same again and again only keeps itself up to date; what it asks for by bodies may be something else each time. */
const repetitionsMax = { without: 3, with: 12 };
/** An answer whose end nobody reads has none: then the last of its data was it. */
const dataPauseMs = 300;
/** Answers that never end, and are used while they come. */
const streams = /event-stream|x-mixed-replace|ndjson|stream\+json/i;

interface Fetch {
  url: string;
  /** Address and body; of a request for leave only that it is one, until what it is for follows. */
  what: string;
  /** By which its redirects are known. */
  pausedId: string;
  /** What began before Chromium was asked to tell has none until its answer. */
  id?: string | undefined;
  since: number;
  /** When the answer, or more of it, came. */
  dataAt?: number;
}

/** Call before the navigation, with `fetchTripwire` among the rules for requests. `isForeign`: whether an address is of another site than the page. */
export function followFetches(tab: Tab, isForeign: (url: string) => boolean): Fetches {
  const underWay = new Set<Fetch>();
  const started = new Map<string, number>();
  let told = false;
  const waiting: (() => void)[] = [];

  const find = (test: (fetch: Fetch) => boolean) => [...underWay].find(test);
  const withId = (id: string) => find((fetch) => fetch.id === id);
  const begin = ({ request, requestId: pausedId, networkId, redirectedRequestId }: Protocol.Fetch.RequestPausedEvent) => {
    const { url, method, postData = "", hasPostData } = request;
    const isPreflight = method === "OPTIONS";
    const id = isPreflight ? undefined : networkId;
    const what = isPreflight ? `OPTIONS ${url}` : `${url} ${postData}`;
    const isNameless = (fetch: Fetch) => !fetch.id && (fetch.what === what || fetch.what === `OPTIONS ${url}`);
    // Redirected, given leave, or paused anew, as Chromium does with some.
    const known = (id && withId(id)) || find((fetch) => fetch.pausedId === redirectedRequestId || isNameless(fetch));
    if (known) {
      Object.assign(known, { url, what, pausedId, id });
      return;
    }
    const address = url.split(/[?#]/, 1)[0] ?? "";
    const times = (started.get(address) ?? 0) + 1;
    started.set(address, times);
    if (times <= repetitionsMax[hasPostData ? "with" : "without"]) underWay.add({ url, what, pausedId, id, since: performance.now() });
  };
  const end = (fetch?: Fetch) => {
    if (fetch && underWay.delete(fetch) && pending() === 0) for (const resolve of waiting.splice(0)) resolve();
  };
  const pending = () => {
    const now = performance.now();
    const counts = ({ url, since, dataAt = now }: Fetch) =>
      now - dataAt < dataPauseMs && !(now - since > strangersPatienceMs && isForeign(url));
    return [...underWay].filter(counts).length;
  };

  tab.on("Fetch.requestPaused", (paused) => {
    if (paused.resourceType !== "XHR" && paused.resourceType !== "Fetch") return;
    begin(paused);
    if (told) return;
    told = true;
    tab.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }).catch(() => {}); // the tab is gone
  });
  tab.on("Network.responseReceived", ({ requestId, type, response }) => {
    const answered = type === "Preflight" ? undefined : (withId(requestId) ?? find(({ id, url }) => !id && url === response.url));
    if (!answered) return;
    Object.assign(answered, { id: requestId, dataAt: performance.now() });
    if (streams.test(response.mimeType)) end(answered);
  });
  tab.on("Network.dataReceived", ({ requestId }) => {
    const fetch = withId(requestId);
    if (fetch) fetch.dataAt = performance.now();
  });
  tab.on("Network.loadingFinished", ({ requestId }) => end(withId(requestId)));
  tab.on("Network.loadingFailed", ({ requestId, type }) => {
    // What began before Chromium was asked to tell, and failed before its answer, is known by no id, and by no type.
    const mayBeNameless = type === "Other" || type === "XHR" || type === "Fetch";
    end(withId(requestId) ?? (mayBeNameless ? find(({ id }) => !id) : undefined));
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
