/** Watches browsers during captures. If a browser stops responding or exceeds its memory limit, its capture fails. */

import { AppError } from "../shared/errors.ts";
import { BrowserHung } from "./chromium-errors.ts";
import { createMemoryMeter } from "./memory.ts";

interface Watched {
  pid: number;
  /** Any call to which a working browser responds immediately. */
  ping: () => Promise<unknown>;
  /** May be called more than once. */
  onTrouble: (error: Error) => void;
}

export interface Supervisor {
  /** Watches until the returned function is called. */
  watch(browser: Watched): () => void;
  close(): void;
}

/** Short, because a page can fill a gigabyte in a second; measuring all browsers takes a few milliseconds. */
const measureEveryMs = 500;
const pingEveryMs = 2_000;
const pingTimeoutMs = 5_000;

/** @param memoryMaxBytes limit per browser, for all its processes together. */
export function createSupervisor({ memoryMaxBytes }: { memoryMaxBytes: number }): Supervisor {
  const watched = new Set<Watched>();
  const memoryOf = createMemoryMeter();
  let timer: NodeJS.Timeout | undefined;

  const measure = () => {
    const memory = memoryOf(new Set([...watched].map(({ pid }) => pid)));
    for (const browser of watched) {
      if ((memory.get(browser.pid) ?? 0) > memoryMaxBytes)
        browser.onTrouble(new AppError("page_too_heavy", { message: "The page exceeds the memory limit of a capture." }));
    }
    timer = watched.size > 0 ? setTimeout(measure, measureEveryMs).unref() : undefined;
  };

  return {
    watch: (browser) => {
      let pingTimer: NodeJS.Timeout | undefined;
      const ping = async () => {
        const late = setTimeout(() => browser.onTrouble(new BrowserHung("The browser does not respond")), pingTimeoutMs);
        await browser.ping().catch(() => {}); // if the browser is lost, the capture's own calls fail
        clearTimeout(late);
        if (watched.has(browser)) pingTimer = setTimeout(ping, pingEveryMs).unref();
      };
      watched.add(browser);
      pingTimer = setTimeout(ping, pingEveryMs).unref();
      timer ??= setTimeout(measure, measureEveryMs).unref();
      return () => {
        watched.delete(browser);
        clearTimeout(pingTimer);
      };
    },
    close: () => {
      watched.clear();
      clearTimeout(timer);
    },
  };
}
