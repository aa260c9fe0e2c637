/** Indexes a page's pending fetches, so that each can be found in constant time by any of its ids or by URL. */

export interface Fetch {
  url: string;
  /** URL and body; for a CORS preflight, `OPTIONS <url>` until the request itself follows. */
  what: string;
  /** Id in the Fetch domain, to which its redirects refer; undefined until it is paused. */
  pausedId?: string | undefined;
  /** Id in the Network domain; if the fetch began before that domain was enabled, undefined until the response. */
  id?: string | undefined;
  /** Whether the Network domain has reported it. */
  isReported?: boolean;
  /** When it began, as a `performance.now()` time. */
  since: number;
  /** When the response or its most recent data arrived, as a `performance.now()` time. */
  dataAt?: number;
  /** Whether its URL belongs to a different site than the page; computed on demand. */
  isForeign?: boolean | undefined;
}

/** Chromium's ids for a request. */
export interface Ids {
  id?: string | undefined;
  pausedId?: string | undefined;
  redirectedId?: string | undefined;
  /** URL that redirected here. */
  redirectedFrom?: string | undefined;
}

export interface FetchIndex {
  add(fetch: Fetch): void;
  update(fetch: Fetch, changes: Partial<Fetch>): void;
  /** Returns false if the fetch was not in the index. */
  remove(fetch: Fetch): boolean;
  clear(): void;
  /** The fetch that a request continues: as its redirect, as the request after its preflight, or because it was paused again. */
  known(ids: Ids, request: { url: string; what: string; method: string }): Fetch | undefined;
  withId(id: string): Fetch | undefined;
  /** The oldest fetch without an id; `key` is its `url` or its `what`. */
  withoutId(key?: string): Fetch | undefined;
}

export function createFetchIndex(): FetchIndex {
  const all = new Set<Fetch>();
  const byId = new Map<string, Fetch>();
  const byPausedId = new Map<string, Fetch>();
  const withoutId = new Set<Fetch>();
  /** Fetches without an id, by `url` and by `what`, which never collide: a URL contains no spaces. */
  const byKey = new Map<string, Set<Fetch>>();

  const enter = (fetch: Fetch) => {
    if (fetch.pausedId !== undefined) byPausedId.set(fetch.pausedId, fetch);
    if (fetch.id !== undefined) {
      byId.set(fetch.id, fetch);
      withoutId.delete(fetch);
      return;
    }
    withoutId.add(fetch);
    for (const key of [fetch.url, fetch.what]) byKey.set(key, (byKey.get(key) ?? new Set()).add(fetch));
  };
  const leave = (fetch: Fetch) => {
    if (fetch.pausedId !== undefined) byPausedId.delete(fetch.pausedId);
    if (fetch.id !== undefined) {
      byId.delete(fetch.id);
      return;
    }
    for (const key of [fetch.url, fetch.what]) {
      const same = byKey.get(key);
      same?.delete(fetch);
      if (same?.size === 0) byKey.delete(key);
    }
  };

  const oldest = (key?: string) => (key === undefined ? withoutId : byKey.get(key))?.values().next().value;

  return {
    add: (fetch) => {
      all.add(fetch);
      enter(fetch);
    },
    update: (fetch, changes) => {
      leave(fetch);
      enter(Object.assign(fetch, changes));
    },
    remove: (fetch) => {
      if (!all.delete(fetch)) return false;
      leave(fetch);
      withoutId.delete(fetch);
      return true;
    },
    clear: () => {
      for (const names of [all, byId, byPausedId, withoutId, byKey]) names.clear();
    },
    known: ({ id, pausedId, redirectedId, redirectedFrom }, { url, what, method }) =>
      byId.get(id ?? "") ??
      byPausedId.get(redirectedId ?? "") ??
      byPausedId.get(pausedId ?? "") ??
      // If the redirect has been paused already, the fetch has its new URL.
      (redirectedFrom === undefined ? undefined : (oldest(redirectedFrom) ?? oldest(what))) ??
      (method === "OPTIONS" ? undefined : oldest(`OPTIONS ${url}`)),
    withId: (id) => byId.get(id),
    withoutId: oldest,
  };
}
