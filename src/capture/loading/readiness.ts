/** Determines when a page is visually complete: it has loaded with its fonts and visible images, and no pending request will change it. */

import type { Tab } from "../../browser/tab.ts";
import { parseUrl } from "../../shared/urls.ts";
import { signOfMore, untilTextIsStill, untilUnchanged } from "../changes.ts";
import { type Settled, settle } from "../in-page/settle.ts";
import { untilStill } from "../in-page/still.ts";
import type { PageClock } from "../page-clock.ts";
import { type Fetches, followFetches, isByScript } from "./fetches.ts";
import type { MainFrame } from "./main-frame.ts";
import { onTheirWay, untilArrived } from "./missing-requests.ts";

/** The outcome of waiting for a page: the condition was met, or the wait timed out. */
export type WaitEnd = "ready" | "timeout";

export interface Readiness {
  /** Makes waits include fetches by the page's scripts. Call before the navigation, with `fetchTripwire` among the request rules. */
  followFetches(): void;
  /** Makes Chromium report fetches as they begin. Call before running the caller's scripts; does nothing unless fetches are followed. */
  reportFetches(): Promise<void> | undefined;
  /** Whether the page became ready, and `alsoReady` resolved, within `ms`; with a page clock, up to a second later. */
  within(ms: number, alsoReady?: Promise<unknown>): Promise<boolean>;
  /** Call this after changing the page or giving it time to change: earlier results are no longer valid. */
  invalidate(): void;
  /** Whether earlier results have been invalidated since the last call to `within` or `restart`. */
  needsRecheck(): boolean;
  /** Whether results have been invalidated since the last `restart`, in which case work on the whole page has to be repeated. */
  wasInvalidated(): boolean;
  /** Number of documents that the page has shown since the latest call to `within` ended; 0 before the first. */
  documentsSince(): number;
  /** If text has changed since the page was ready, waits up to two seconds for it to stop. Resolves to true if any text changed. */
  untilTextIsStill(): Promise<boolean>;
  /** Sets the clock that controls the page's time. It is advanced wherever the capture would wait for the page to change. */
  useClock(clock: PageClock): void;
  clock(): PageClock | undefined;
  /**
   * Waits, at most `ms`, until the page has stopped changing on its own.
   * @param isBrief whether a page that requests neither frame callbacks nor timers during two frames is immediately considered still.
   */
  untilStill(ms: number, isBrief: boolean): Promise<unknown>;
  /** Whether the page had running animations, SMIL animations or a video at the last check; false before the first, and after `restart`. */
  moves(): boolean;
  /** Whether the page was inert (see `Settled`) at the last check; false before the first, and after `invalidate`. */
  isInert(): boolean;
  /** Whether the page was still (see `Settled`) at the last check; false before the first, and after `invalidate` or `restart`. */
  isStill(): boolean;
  /** URLs of images, fonts, style sheets, scripts and fetches that the page is still waiting for. */
  pendingUrls(): Promise<string[]>;
  /** Discards all results except `isInert`. Call before another output of the load, or after another document has replaced the page. */
  restart(): void;
  /** Records that a wait timed out. */
  markTimedOut(): void;
  ended(): WaitEnd;
}

export function createReadiness(tab: Tab, target: URL, mainFrame: MainFrame): Readiness {
  // The document may have been redirected.
  const isForeign = foreignTo(() => mainFrame.url() ?? target.href);
  const following = createFollowing(tab, isForeign, mainFrame);
  let clock: PageClock | undefined;
  let needsRecheck = false;
  let wasInvalidated = false;
  let documents: number | undefined;
  let last = { moves: false, isInert: false, isStill: false };
  let ended: WaitEnd = "ready";
  return {
    followFetches: following.start,
    reportFetches: () => following.followed()?.report(),
    within: async (ms, alsoReady) => {
      needsRecheck = false;
      const end = performance.now() + ms;
      const isReady = async (leftMs: number) => {
        const over = new AbortController();
        const waited = { tab, isForeign, followed: following.followed, mainFrame, hasClock: clock !== undefined };
        const onSettled = (page: Settled) => {
          last = page;
        };
        const ready = untilReady(waited, onSettled, over.signal);
        return await tab.within(leftMs, Promise.all([ready, alsoReady])).finally(() => over.abort());
      };
      let inTime = await isReady(ms);
      if (await clock?.runLoaded(end - performance.now())) inTime = await isReady(Math.max(recheckLeastMs, end - performance.now()));
      documents = mainFrame.documents();
      return inTime;
    },
    invalidate: () => {
      needsRecheck = true;
      wasInvalidated = true;
    },
    needsRecheck: () => needsRecheck,
    wasInvalidated: () => wasInvalidated,
    documentsSince: () => mainFrame.documents() - (documents ?? mainFrame.documents()),
    untilTextIsStill: async () => !last.isInert && (await untilTextIsStill(tab)),
    useClock: (own) => {
      clock = own;
    },
    clock: () => clock,
    untilStill: (ms, isBrief) => clock?.run(ms) ?? tab.waitFor(untilStill, ms, isBrief),
    moves: () => last.moves,
    isInert: () => last.isInert && !wasInvalidated,
    isStill: () => last.isStill && !wasInvalidated,
    pendingUrls: () => pendingUrls(tab, following.fetches()),
    restart: () => {
      needsRecheck = false;
      wasInvalidated = false;
      ended = "ready";
      last = { ...last, moves: false, isStill: false };
    },
    markTimedOut: () => {
      ended = "timeout";
    },
    ended: () => ended,
  };
}

/** Follows the page's fetches and workers. This takes time, so it begins only with the first event that requires it. */
function createFollowing(tab: Tab, isForeign: (url: string) => boolean, mainFrame: MainFrame) {
  let mayFollow = false;
  let fetches: Fetches | undefined;
  /** Call when a fetch or a worker starts, or once the page has scripts, which may have started a fetch. */
  const followed = (isInert = false) => {
    if (mayFollow && !isInert) fetches ??= followFetches(tab, isForeign, mainFrame.documents);
    return fetches;
  };
  return {
    followed,
    fetches: () => fetches,
    start: () => {
      if (mayFollow) return;
      mayFollow = true;
      const first = tab.once("Fetch.requestPaused", ({ resourceType }) => isByScript(resourceType));
      first.then((paused) => followed()?.begin(paused)).catch(() => {}); // the capture has ended without a fetch
      tab.onBrowserEvent("Target.targetCreated", ({ targetInfo }) => followed()?.workers.start(targetInfo.targetId, targetInfo.parentId));
      tab.onBrowserEvent("Target.targetDestroyed", ({ targetId }) => fetches?.workers.end(targetId));
    },
  };
}

interface Waited {
  tab: Tab;
  /** Whether a URL belongs to a different site than the document. */
  isForeign: (url: string) => boolean;
  followed: (isInert: boolean) => Fetches | undefined;
  mainFrame: MainFrame;
  /** Whether the page changes on its own only while the page clock is running. */
  hasClock: boolean;
}

/**
 * In each round, lets the page settle and waits for its pending requests. Returns after a round in which nothing was pending or changed.
 * A page that is already complete when it has loaded needs only two short calls to the browser.
 */
async function untilReady(
  { tab, isForeign, followed, mainFrame, hasClock }: Waited,
  onSettled: (page: Settled) => void,
  signal: AbortSignal,
): Promise<void> {
  const awaited = new Set<string>();
  let document: number | undefined;
  let loadedAt = 0;
  let first: Settled | undefined;
  while (!signal.aborted) {
    const page = await tab.waitFor(settle);
    onSettled(page);
    if (document !== mainFrame.documents()) [document, loadedAt, first] = [mainFrame.documents(), performance.now(), page];
    const ignored = new Set(page.elsewhere);
    const fetches = followed(page.isInert);
    if (fetches?.arePending()) {
      await fetches.idle();
      continue;
    }
    const checksForMore = !page.isInert && !hasClock;
    const isWritten = page.isInert && mainFrame.url() === undefined; // such a document requests nothing
    const [pending, sign] = await Promise.all([
      isWritten ? [] : onTheirWay(tab),
      checksForMore ? signOfMore(tab) : undefined,
      page.isInert ? undefined : fetches?.untilKnown(),
    ]);
    if (fetches?.arePending()) continue;
    const noted = pending.filter(({ url }) => !ignored.has(url)).slice(0, pendingMax);
    const missing = noted.filter(({ url }) => !awaited.has(url));
    if (missing.length === 0) {
      const mayChange = checksForMore && (page.mayChange || sign !== undefined);
      const changed = mayChange && (await untilUnchanged(tab, { fetches, loadedAt, first: first ?? page, sign }));
      if (!changed && document === mainFrame.documents() && !(await mainFrame.nextDocument())) return;
      continue;
    }
    for (const { url } of missing) awaited.add(url); // wait only once per URL, regardless of the outcome
    await untilArrived(tab, missing, { isForeign, signal });
  }
}

async function pendingUrls(tab: Tab, fetches?: Fetches): Promise<string[]> {
  const missing = await onTheirWay(tab).catch(() => []); // the page is being replaced
  return [...new Set([...missing.map(({ url }) => url), ...(fetches?.urls() ?? [])])];
}

/** Maximum number of pending requests to wait for at a time; when they have responses, the next ones are waited for. */
const pendingMax = 2_000;

/** Minimum time for a page to become ready again after its page clock has run. */
const recheckLeastMs = 1_000;

/** @param page its URL may have megabytes: it is parsed once, rather than for each URL that is compared with it. */
function foreignTo(page: () => string): (url: string) => boolean {
  let last = { page: "", site: "" };
  return (url) => {
    const current = page();
    if (last.page !== current) last = { page: current, site: siteOf(current) };
    return siteOf(url) !== last.site;
  };
}

/** An approximate registrable domain. If it is wrong, waits take longer but are still bounded. */
function siteOf(url: string): string {
  return parseUrl(url)?.hostname.split(".").slice(-2).join(".") ?? "";
}
