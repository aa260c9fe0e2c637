/** The bounded pool of browser slots, and the queue before it. */

import { randomUUID } from "node:crypto";
import { createPool } from "generic-pool";
import type { BaseLogger } from "pino";
import { AppError } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import { proveTab } from "./canary.ts";
import { BrowserLost } from "./chrome-words.ts";
import { launchChromium } from "./chromium.ts";
import type { ChromiumOptions } from "./flags.ts";
import { createQueue } from "./queue.ts";
import { createSlot, type Lane, type Slot } from "./slot.ts";
import type { Tab } from "./tab.ts";

export interface Slots {
  /** Starts the first browser and proves it. @throws {LaunchFailed | NoText} with words that say what to do. */
  start(): Promise<void>;
  /**
   * Lends a tab to `use`, then destroys its context, also when `use` throws or `signal` aborts.
   * Time spent queueing counts towards the capture's deadline. `use` runs once more when its browser is lost under it.
   * @throws {AppError} `queue_full` when no slot frees up in time, `unavailable` when no browser starts.
   */
  lend<T>(signal: AbortSignal, use: (tab: Tab, queuedMs: number) => Promise<T>): Promise<T>;
  /** Resolves when a browser works: a picture was taken just now, or a canary is taken now. */
  check(signal: AbortSignal): Promise<void>;
  state(): { running: number; waiting: number; idle: number; started: number; max: number };
  /** Sends those who wait away with 503; captures that run go on. */
  stopQueue(): void;
  /** Waits for running captures to end, then closes every browser. */
  close(): Promise<void>;
}

interface SlotsOptions {
  chromium: ChromiumOptions;
  /** Environment of the service; only an allow-list of it reaches Chromium. */
  env: Record<string, string | undefined>;
  openLane: () => Promise<Lane>;
  slotsMax: number;
  queuedMax: number;
  /** Time for the proof of a new browser. */
  canaryTimeoutMs: number;
  log: BaseLogger;
  metrics: Metrics;
}

/** A slot that nobody needs gives its memory back after this time; the first one stays. */
const idleTimeoutMs = 5 * 60_000;
/** How long the health check trusts the last picture that was taken. */
const provenForMs = 5_000;

export function createSlots(options: SlotsOptions): Slots {
  const { chromium, env, openLane, slotsMax, queuedMax, canaryTimeoutMs, log, metrics } = options;
  const queue = createQueue({ runningMax: slotsMax, waitingMax: queuedMax });
  const renewals = new Set<Promise<void>>();
  let provenAt = Number.NEGATIVE_INFINITY;
  let closing = false;

  const startSlot = async (): Promise<Slot> => {
    const lane = await openLane();
    const browser = await launchChromium(chromium, lane.proxyServer, env, log).catch(async (error) => {
      await lane.close();
      throw error;
    });
    const slot = await createSlot(browser, lane);
    try {
      await slot.lend("canary", AbortSignal.timeout(canaryTimeoutMs), proveTab);
      if (!(await slot.renew())) throw new BrowserLost("The browser did not end its first context");
    } catch (error) {
      await slot.close();
      throw error;
    }
    provenAt = performance.now();
    metrics.browserLaunches.inc({ reason: "start" });
    log.info({ pid: slot.pid, version: browser.version }, "browser ready");
    return slot;
  };

  const launchFailures = new EventTarget();
  const pool = createPool<Slot>(
    {
      create: () =>
        startSlot().catch(async (error) => {
          log.error({ err: error }, "a browser could not be started");
          launchFailures.dispatchEvent(new CustomEvent("failure", { detail: error }));
          await new Promise((resolve) => setTimeout(resolve, 500)); // the pool tries again at once for whoever still waits
          throw error;
        }),
      destroy: (slot) => slot.close(),
      validate: async (slot) => slot.alive(),
    },
    {
      max: slotsMax,
      min: 0,
      testOnBorrow: true,
      autostart: false,
      idleTimeoutMillis: idleTimeoutMs,
      softIdleTimeoutMillis: -1,
      evictionRunIntervalMillis: 60_000,
    },
  );

  /** A slot from the pool, or the reason why there is none, in time. */
  const acquire = async (signal: AbortSignal): Promise<Slot> => {
    const { promise: refused, reject } = Promise.withResolvers<never>();
    const onFailure = (event: Event) => reject(new AppError("unavailable", { retryAfterSeconds: 5, cause: (event as CustomEvent).detail }));
    const onAbort = () => reject(signal.reason);
    launchFailures.addEventListener("failure", onFailure);
    signal.addEventListener("abort", onAbort);
    const acquired = Promise.resolve(pool.acquire());
    let taken = false;
    try {
      const slot = await Promise.race([acquired, refused]);
      taken = true;
      return slot;
    } finally {
      launchFailures.removeEventListener("failure", onFailure);
      signal.removeEventListener("abort", onAbort);
      if (!taken) acquired.then((slot) => pool.release(slot)).catch(() => {}); // it arrives after its caller left
    }
  };

  /** Off the request's path: ends the used context; the turn is given back when the slot can serve again. */
  const renew = (slot: Slot, leave: () => void) => {
    const renewal = slot
      .renew()
      .then(async (renewed) => {
        if (renewed && slot.alive()) return await pool.release(slot);
        log.warn({ pid: slot.pid }, "a browser is closed: it died or did not end a capture in time");
        metrics.browserLaunches.inc({ reason: "replace" });
        await pool.destroy(slot);
      })
      .catch((error) => log.error({ err: error }, "a slot could not be renewed"))
      .finally(leave);
    renewals.add(renewal);
    renewal.finally(() => renewals.delete(renewal));
  };

  const lendOnce = async <T>(signal: AbortSignal, use: (tab: Tab, queuedMs: number) => Promise<T>): Promise<T> => {
    const asked = performance.now();
    const leave = await queue.enter(signal);
    let slot: Slot;
    try {
      slot = await acquire(signal);
    } catch (error) {
      leave();
      throw error;
    }
    try {
      const result = await slot.lend(randomUUID(), signal, (tab) => use(tab, performance.now() - asked));
      provenAt = performance.now();
      return result;
    } finally {
      renew(slot, leave);
    }
  };

  const lend: Slots["lend"] = async (signal, use) => {
    try {
      return await lendOnce(signal, use);
    } catch (error) {
      if (!(error instanceof BrowserLost) || signal.aborted || closing) throw error;
      log.warn({ err: error }, "a browser was lost; the capture is tried again in another one");
      return await lendOnce(signal, use);
    }
  };

  return {
    start: async () => {
      await pool.release(await firstSlot(pool, launchFailures));
    },
    lend,
    check: async (signal) => {
      if (performance.now() - provenAt < provenForMs) return;
      if (queue.running() >= slotsMax) return; // busy with captures, each of which has a deadline of its own
      await lend(signal, (tab) => proveTab(tab));
    },
    state: () => ({ running: queue.running(), waiting: queue.waiting(), idle: pool.available, started: pool.size, max: slotsMax }),
    stopQueue: () => {
      closing = true;
      queue.close(new AppError("unavailable", { message: "The service is shutting down.", retryAfterSeconds: 5 }));
    },
    close: async () => {
      closing = true;
      await Promise.all(renewals);
      await pool.drain();
      await pool.clear();
    },
  };
}

function firstSlot(pool: { acquire(): PromiseLike<Slot> }, launchFailures: EventTarget): Promise<Slot> {
  return new Promise((resolve, reject) => {
    launchFailures.addEventListener("failure", (event) => reject((event as CustomEvent).detail), { once: true });
    Promise.resolve(pool.acquire()).then(resolve, reject);
  });
}
