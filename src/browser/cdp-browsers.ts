/**
 * Lends a browser to each connection of the CDP endpoint. Lent browsers are separate from the browsers used for captures, and close when
 * their connection ends.
 */

import { randomUUID } from "node:crypto";
import { untilAborted } from "../shared/deadline.ts";
import { AppError } from "../shared/errors.ts";
import { type BrowserProxy, withoutConnections } from "./browser-proxy.ts";
import { type Chromium, type LaunchParts, launch } from "./chromium.ts";
import type { Guest, GuestListener } from "./guest.ts";
import { profileBytes } from "./profiles.ts";
import { createQueue } from "./queue.ts";
import { createSupervisor, type Supervisor } from "./supervisor.ts";
import { createTab, type Tab } from "./tab.ts";

/** Hooks through which the service itself acts on a lent browser's pages, alongside the client. */
export interface PageHooks {
  /** Called with each page before it loads anything. The page waits until the returned promise settles. */
  onPage(page: Tab): Promise<void>;
  /** Called before each screenshot. Takes a few seconds at most. */
  beforeImage(): Promise<void>;
}

export interface LentBrowser {
  /** Opens a blank page in the default context for `work`, and closes the page if `work` succeeds. Call before `admit`. */
  withPage(work: (page: Tab) => Promise<unknown>): Promise<void>;
  /** Call before `admit`. */
  hookPages(hooks: PageHooks): Promise<void>;
  /** Lets the client in. Call once; earlier events are lost. */
  admit(listener: Omit<GuestListener, "onEnd" | "onFlood">): Guest;
  /** Denies downloads in a context, because Chromium would otherwise store them. */
  denyDownloads(browserContextId?: string): Promise<void>;
  /** Aborts when the browser has exited or exceeded a limit; the reason is an `AppError`. */
  readonly signal: AbortSignal;
  /** Closes the browser and releases its permit. Takes a few seconds at most. Never throws. */
  close(): Promise<void>;
}

export interface LentBrowsers {
  /**
   * Starts a browser once a permit is free.
   * @param account account id; permits are shared fairly between accounts.
   * @throws {AppError} `queue_full` if too many are waiting or no permit becomes free in time; `unavailable` at shutdown, or if no browser
   *   can be started; the signal's reason if it aborts.
   */
  open(account: string, signal: AbortSignal): Promise<LentBrowser>;
  running(): number;
  /** Rejects new requests. */
  stop(): void;
  /** Closes the browsers that are still running. */
  close(): Promise<void>;
}

interface LentOptions extends LaunchParts {
  /** Maximum number of concurrent browsers. */
  browsersMax: number;
  /** Maximum per account; three quarters of `browsersMax` if undefined. */
  accountMax: number | undefined;
  waitMaxMs: number;
  /** Memory limit per browser, for all its processes together. */
  memoryMaxBytes: number;
  /** Disk limit per browser, for its pages' storage and caches; lower in tests. */
  profileMaxBytes?: number;
}

/** Default disk limit: ordinary sites store a few megabytes, and in a container, profiles are kept in memory that all browsers share. */
const defaultProfileMaxBytes = 256 * 1024 * 1024;
/** Short, because a page can store about 20 MB per second. */
const profileCheckEveryMs = 1_000;

const waitingPerBrowser = 8;

export function createLentBrowsers(options: LentOptions): LentBrowsers {
  const { browsersMax, accountMax, waitMaxMs, memoryMaxBytes, profileMaxBytes = defaultProfileMaxBytes, log } = options;
  const queue = createQueue({
    runningMax: browsersMax,
    queueMax: waitingPerBrowser * browsersMax,
    waitMaxMs,
    ...(accountMax === undefined ? {} : { ownRunningMax: accountMax }),
  });
  const supervisor = createSupervisor({ memoryMaxBytes });
  const running = new Set<LentBrowser>();

  const start = async (leave: () => void): Promise<LentBrowser> => {
    const { chromium, proxy } = await launch({ ...options, chromium: { ...options.chromium, isLent: true } }).catch((error) => {
      log.error({ err: error }, "failed to start a browser to lend");
      throw new AppError("unavailable", { message: "No browser could be started.", cause: error });
    });
    const browser = lent(chromium, proxy, { supervisor, profileMaxBytes }, () => {
      running.delete(browser);
      leave();
    });
    running.add(browser);
    try {
      await browser.denyDownloads();
      return browser;
    } catch (error) {
      await browser.close();
      throw new AppError("unavailable", { message: "No browser could be started.", cause: error });
    }
  };

  return {
    open: async (account, signal) => {
      const leave = await queue.enter(account, signal);
      const starting = start(leave);
      starting.catch(leave);
      return await untilAborted(starting, signal).catch((error) => {
        starting.then((browser) => browser.close()).catch(() => {}); // the caller is no longer waiting
        throw error;
      });
    },
    running: queue.running,
    stop: () => queue.close(new AppError("unavailable", { message: "The service is shutting down.", retryAfterSeconds: 5 })),
    close: async () => {
      await Promise.all([...running].map((browser) => browser.close()));
      supervisor.close();
    },
  };
}

interface Limits {
  supervisor: Supervisor;
  profileMaxBytes: number;
}

function lent(chromium: Chromium, proxy: BrowserProxy, { supervisor, profileMaxBytes }: Limits, onClosed: () => void): LentBrowser {
  const trouble = new AbortController();
  const tooMany = (what: string) => () =>
    trouble.abort(new AppError("page_too_heavy", { message: `The browser exceeded its limit on ${what}.` }));
  // There is no ping, because a late response doesn't mean that the browser has hung: a client that reads slowly pauses the pipe.
  const unwatch = supervisor.watch({ pid: chromium.pid, ping: async () => {}, onTrouble: tooMany("memory") });
  const unwatchProfile = watchProfile(chromium.profile, profileMaxBytes, tooMany("stored data"));
  proxy.begin(randomUUID(), (limit) => tooMany(limit)());
  let closing: Promise<void> | undefined;
  const close = async () => {
    unwatch();
    unwatchProfile();
    proxy.end();
    await chromium.close();
    await proxy.close();
    onClosed();
  };
  return {
    admit: (listener) =>
      chromium.admitGuest({
        ...listener,
        onEnd: () => trouble.abort(new AppError("page_crashed", { message: "The browser exited." })),
        onFlood: (limit) => tooMany(limit)(),
      }),
    withPage: async (work) => {
      const { targetId } = await chromium.session.send("Target.createTarget", { url: "about:blank" });
      const session = await chromium.attach(targetId);
      await session.send("Page.enable");
      await work(createTab(session, { frameId: targetId, signal: trouble.signal, ...withoutConnections }));
      await chromium.session.send("Target.closeTarget", { targetId });
    },
    hookPages: ({ onPage }) =>
      chromium.followPages((page, frameId) => onPage(createTab(page, { frameId, signal: trouble.signal, ...withoutConnections }))),
    denyDownloads: async (browserContextId) => {
      const context = browserContextId === undefined ? {} : { browserContextId };
      await chromium.session.send("Browser.setDownloadBehavior", { behavior: "deny", eventsEnabled: true, ...context });
    },
    signal: trouble.signal,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Measures the folder repeatedly until it exceeds the limit or the returned function is called. */
function watchProfile(profile: string, bytesMax: number, onExceeded: () => void): () => void {
  let isWatched = true;
  let timer: NodeJS.Timeout;
  const measure = async () => {
    const bytes = await profileBytes(profile);
    if (!isWatched) return;
    if (bytes > bytesMax) onExceeded();
    else timer = setTimeout(measure, profileCheckEveryMs).unref();
  };
  timer = setTimeout(measure, profileCheckEveryMs).unref();
  return () => {
    isWatched = false;
    clearTimeout(timer);
  };
}
