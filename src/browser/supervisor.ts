/** Watches over browsers while they capture: one that stops answering or outgrows its memory loses its capture. */

import { AppError } from "../errors.ts";
import { BrowserHung } from "./chromium-errors.ts";
import { createMemoryMeter } from "./memory.ts";

interface Watched {
  pid: number;
  /** Any call that a working browser answers at once. */
  ping: () => Promise<unknown>;
  /** Called once, when something is wrong. */
  onTrouble: (error: Error) => void;
}

export interface Supervisor {
  /** Watches until the returned function is called. */
  watch(browser: Watched): () => void;
  close(): void;
}

/** A page can fill a gigabyte in a second; looking costs a few milliseconds for all browsers together. */
const lookEveryMs = 500;
const pingEveryMs = 2_000;
const pingTimeoutMs = 5_000;

/** `memoryMaxBytes` is of one browser, all its processes together. */
export function createSupervisor({ memoryMaxBytes }: { memoryMaxBytes: number }): Supervisor {
  const watched = new Set<Watched>();
  const measure = createMemoryMeter();
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    const memory = measure(new Set([...watched].map(({ pid }) => pid)));
    for (const browser of watched) {
      if ((memory.get(browser.pid) ?? 0) > memoryMaxBytes)
        browser.onTrouble(new AppError("page_too_heavy", { message: "The page exceeds the memory limit of a capture." }));
    }
    timer = watched.size > 0 ? setTimeout(look, lookEveryMs).unref() : undefined;
  };

  return {
    watch: (browser) => {
      let pingTimer: NodeJS.Timeout | undefined;
      const ping = async () => {
        const late = setTimeout(() => browser.onTrouble(new BrowserHung("The browser does not answer")), pingTimeoutMs);
        await browser.ping().catch(() => {}); // whoever waits for a page of a lost browser learns of it there
        clearTimeout(late);
        if (watched.has(browser)) pingTimer = setTimeout(ping, pingEveryMs).unref();
      };
      watched.add(browser);
      pingTimer = setTimeout(ping, pingEveryMs).unref();
      timer ??= setTimeout(look, lookEveryMs).unref();
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
