/** A page's pending fetches, and which of them are worth waiting for. */

import type { Protocol } from "devtools-protocol";
import { createFetchIndex, type Fetch, type FetchIndex, type Ids } from "./fetch-index.ts";
import { withoutQuery } from "./traffic.ts";

export interface PendingFetches extends Pick<FetchIndex, "withId" | "withoutId"> {
  /** Call when Chromium pauses or reports a request. */
  begin(request: Protocol.Network.Request, ids: Ids): void;
  /** Call when the fetch's response has arrived, with its id in the Network domain. */
  noteResponse(fetch: Fetch, id: string): void;
  /** Call when more of the response has arrived. */
  noteData(fetch: Fetch | undefined): void;
  end(fetch: Fetch | undefined): void;
  /** Forgets all fetches, since another document has replaced the page. */
  clear(): void;
  /** Whether any fetch is worth waiting for. */
  areAwaited(): boolean;
  /** URLs of the fetches that may be worth waiting for. */
  urls(): string[];
}

/** Timeout for third-party fetches. First-party ones are awaited for as long as the capture waits. */
export const thirdPartyTimeoutMs = 1_500;
/**
 * Beyond this number, fetches of one URL, ignoring its query, are considered polling and aren't awaited. Fetches with a body may differ, so
 * their limit is higher.
 */
const repetitionsMax = { without: 3, with: 12 };
/**
 * A response that the page doesn't read to the end never finishes: it is considered complete once this time has passed since its most
 * recent data arrived.
 */
const dataPauseMs = 300;

interface Surroundings {
  /** Whether a URL belongs to a different site than the page. */
  isForeign: (url: string) => boolean;
  hasEndedWorkers: () => boolean;
  /** Called when a tracked fetch has ended. */
  onEnd: () => void;
}

export function createPendingFetches(surroundings: Surroundings): PendingFetches {
  const underWay = createFetchIndex();
  /** Fetches that may still be worth waiting for. */
  const awaited = new Set<Fetch>();
  const started = new Map<string, number>();

  const noteData = (fetch: Fetch | undefined) => {
    if (!fetch) return;
    fetch.dataAt = performance.now();
    awaited.add(fetch);
  };

  return {
    withId: underWay.withId,
    withoutId: underWay.withoutId,
    begin: ({ url, method, postData = "", hasPostData }, { id, pausedId, redirectedId, redirectedFrom }) => {
      const what = method === "OPTIONS" && id === undefined ? `OPTIONS ${url}` : `${url} ${postData}`;
      const isReported = pausedId === undefined; // by the Network domain
      const known = underWay.known({ id, pausedId, redirectedId, redirectedFrom }, { url, what, method });
      if (known) {
        const ids = { pausedId: pausedId ?? known.pausedId, id: id ?? known.id };
        underWay.update(known, { url, what, ...ids, isForeign: undefined, isReported: known.isReported || isReported });
        return;
      }
      const address = withoutQuery(url);
      const times = (started.get(address) ?? 0) + 1;
      started.set(address, times);
      if (times > repetitionsMax[hasPostData ? "with" : "without"]) return;
      const fetch = { url, what, pausedId, id, isReported, since: performance.now() };
      underWay.add(fetch);
      awaited.add(fetch);
    },
    noteResponse: (fetch, id) => {
      underWay.update(fetch, { id, isReported: true });
      noteData(fetch);
    },
    noteData,
    end: (fetch) => {
      if (!fetch || !underWay.remove(fetch)) return;
      awaited.delete(fetch);
      surroundings.onEnd();
    },
    clear: () => {
      for (const all of [underWay, awaited, started]) all.clear();
    },
    areAwaited: () => {
      const now = performance.now();
      for (const fetch of awaited) {
        if (isAwaited(fetch, now, surroundings)) return true;
        awaited.delete(fetch); // until more of its data arrives
      }
      return false;
    },
    urls: () => [...awaited].map(({ url }) => url),
  };
}

function isAwaited(fetch: Fetch, now: number, { isForeign, hasEndedWorkers }: Surroundings): boolean {
  const age = now - fetch.since;
  // The fetch may belong to a worker that ended before we could attach to it.
  if (!fetch.isReported && hasEndedWorkers() && age > thirdPartyTimeoutMs) return false;
  if (fetch.dataAt !== undefined && now - fetch.dataAt >= dataPauseMs) return false;
  if (age <= thirdPartyTimeoutMs) return true;
  fetch.isForeign ??= isForeign(fetch.url);
  return !fetch.isForeign;
}
