/** Lends whole browsers: one to each connection, apart from those of captures, and ended with it. */

import { randomUUID } from "node:crypto";
import { untilAborted } from "../deadline.ts";
import { AppError } from "../errors.ts";
import type { Chromium } from "./chromium.ts";
import type { Guest, GuestListener } from "./guest.ts";
import type { Lane } from "./lane.ts";
import { type LaunchParts, launch } from "./launch.ts";
import { profileBytes } from "./profiles.ts";
import { createQueue } from "./queue.ts";
import { createSupervisor, type Supervisor } from "./supervisor.ts";
import { createTab, type Tab } from "./tab.ts";

/** What is done in the pages of a lent browser beside its program. */
export interface PageHooks {
  /** Called with each page before it loads anything; it waits until this has ended. */
  onPage(page: Tab): Promise<void>;
  /** Called before each image. Takes a few seconds at most. */
  beforeImage(): Promise<void>;
}

export interface LentBrowser {
  /** To be called before `admit`. */
  hookPages(hooks: PageHooks): Promise<void>;
  /** To be called once, at once: events before it are lost. */
  admit(listener: Omit<GuestListener, "onEnd" | "onFlood">): Guest;
  /** Denies downloads in a context: Chromium itself would store them. */
  denyDownloads(browserContextId?: string): Promise<void>;
  /** Aborts when the browser has ended or exceeded a limit; an `AppError` says which. */
  readonly trouble: AbortSignal;
  /** Ends the browser and gives its place to the next. Takes a few seconds at most, never throws. */
  close(): Promise<void>;
}

export interface LentBrowsers {
  /**
   * Starts a browser once one more may run.
   * @param owner its account: places are shared fairly.
   * @throws {AppError} `queue_full` when no place becomes free in time; `unavailable` at shutdown, and when no browser starts; the
   * signal's reason when it aborts.
   */
  lend(owner: string, signal: AbortSignal): Promise<LentBrowser>;
  running(): number;
  /** Refuses further ones. */
  stop(): void;
  /** Ends those that still run. */
  close(): Promise<void>;
}

interface LentOptions extends LaunchParts {
  /** At once. */
  browsersMax: number;
  /** Of one account; undefined: three quarters. */
  accountMax: number | undefined;
  waitMaxMs: number;
  /** Of one browser, all its processes together. */
  memoryMaxBytes: number;
  /** Of one browser, on the disk: storage and caches of its pages. Less in tests. */
  profileMaxBytes?: number;
}

/** Pages of ordinary sites store a few megabytes. In a container, profiles are in memory that all browsers share. */
const defaultProfileMaxBytes = 256 * 1024 * 1024;
/** A page stores some 20 MB in a second. */
const profileCheckEveryMs = 1_000;

const waitingPerBrowser = 8;

export function createLentBrowsers(options: LentOptions): LentBrowsers {
  const { browsersMax, accountMax, waitMaxMs, memoryMaxBytes, profileMaxBytes = defaultProfileMaxBytes, log } = options;
  const queue = createQueue({
    runningMax: browsersMax,
    waitingMax: waitingPerBrowser * browsersMax,
    waitMaxMs,
    ...(accountMax === undefined ? {} : { ownRunningMax: accountMax }),
  });
  const supervisor = createSupervisor({ memoryMaxBytes });
  const running = new Set<LentBrowser>();

  const start = async (leave: () => void): Promise<LentBrowser> => {
    const { chromium, lane } = await launch(options).catch((error) => {
      log.error({ err: error }, "failed to start a browser to lend");
      throw new AppError("unavailable", { message: "No browser starts.", cause: error });
    });
    const browser = lent(chromium, lane, { supervisor, profileMaxBytes }, () => {
      running.delete(browser);
      leave();
    });
    running.add(browser);
    try {
      await browser.denyDownloads();
      return browser;
    } catch (error) {
      await browser.close();
      throw new AppError("unavailable", { message: "No browser starts.", cause: error });
    }
  };

  return {
    lend: async (owner, signal) => {
      const leave = await queue.enter(owner, signal);
      const starting = start(leave);
      starting.catch(leave);
      return await untilAborted(starting, signal).catch((error) => {
        starting.then((browser) => browser.close()).catch(() => {}); // its caller has gone
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

/** The lane knows a browser's connections, not those of one of its pages. */
const withoutConnections = {
  refusals: () => [],
  hasConnected: () => false,
  closeConnections: () => {},
  replace: () => Promise.reject(new Error("A lent page is not replaced")),
};

interface Limits {
  supervisor: Supervisor;
  profileMaxBytes: number;
}

function lent(chromium: Chromium, lane: Lane, { supervisor, profileMaxBytes }: Limits, onClosed: () => void): LentBrowser {
  const trouble = new AbortController();
  const tooMany = (what: string) => () =>
    trouble.abort(new AppError("page_too_heavy", { message: `The browser exceeds its limit of ${what}.` }));
  // A client that reads slowly pauses the pipe, so a late response says nothing about the browser.
  const unwatch = supervisor.watch({ pid: chromium.pid, ping: async () => {}, onTrouble: tooMany("memory") });
  const unwatchProfile = watchProfile(chromium.profile, profileMaxBytes, tooMany("stored data"));
  lane.begin(randomUUID(), tooMany("data or failed connections"));
  let closing: Promise<void> | undefined;
  const close = async () => {
    unwatch();
    unwatchProfile();
    lane.end();
    await chromium.close();
    await lane.close();
    onClosed();
  };
  return {
    admit: (listener) =>
      chromium.admitGuest({
        ...listener,
        onEnd: () => trouble.abort(new AppError("page_crashed", { message: "The browser has ended." })),
        onFlood: tooMany("events"),
      }),
    hookPages: ({ onPage }) =>
      chromium.followPages((page, frameId) => onPage(createTab(page, { frameId, signal: trouble.signal, ...withoutConnections }))),
    denyDownloads: async (browserContextId) => {
      const context = browserContextId === undefined ? {} : { browserContextId };
      await chromium.session.send("Browser.setDownloadBehavior", { behavior: "deny", eventsEnabled: true, ...context });
    },
    trouble: trouble.signal,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Measures the folder until the returned function is called. */
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
