/** The bounded pool of browser slots, and the queue before it. */

import { randomUUID } from "node:crypto";
import { createPool } from "generic-pool";
import type { BaseLogger } from "pino";
import { withDeadline } from "../deadline.ts";
import { AppError } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import { proveTab } from "./canary.ts";
import { launchChromium } from "./chromium.ts";
import { BrowserHung, BrowserLost, PageCrashed } from "./chromium-errors.ts";
import type { ChromiumOptions } from "./flags.ts";
import { wipeOrphanedProfiles } from "./profiles.ts";
import { createQueue } from "./queue.ts";
import { createSlot, type Lane, type Slot } from "./slot.ts";
import { createSupervisor } from "./supervisor.ts";
import type { Tab } from "./tab.ts";

export interface Slots {
  /** Starts the first browser and proves it. @throws with words that say what to do. */
  start(): Promise<void>;
  /**
   * Lends a tab to `use`, then destroys its context, also when `use` throws or `signal` aborts. Time spent queueing counts
   * towards the capture's deadline. `use` runs again, in another browser, when its own is lost, hangs or crashes under it.
   * @param asked.owner whose capture it is: turns are shared fairly between owners.
   * @throws {AppError} `queue_full` when no slot frees up in time; {BrowserLost | PageCrashed} when that happens again and again.
   */
  lend<T>(asked: { owner: string; signal: AbortSignal }, use: (tab: Tab, queuedMs: number) => Promise<T>): Promise<T>;
  /** Resolves when a browser works: a picture was taken just now, or a canary is taken now. */
  check(signal: AbortSignal): Promise<void>;
  state(): { running: number; waiting: number; idle: number; started: number; max: number };
  /** Refuses new captures with 503. Captures that run, and those that wait already, are still done: their deadlines bound the time. */
  stopQueue(): void;
  /** Waits for running captures to end, then closes every browser. */
  close(): Promise<void>;
}

interface SlotsOptions {
  chromium: ChromiumOptions;
  /** Environment of the service; only an allow-list of it reaches Chromium. */
  env: Record<string, string | undefined>;
  openLane: () => Promise<Lane>;
  /** Called whenever a browser's process has begun. */
  onSpawn?: (() => void) | undefined;
  slotsMax: number;
  queuedMax: number;
  queueWaitMaxMs: number;
  /** Of one browser, all its processes together. */
  memoryMaxBytes: number;
  log: BaseLogger;
  metrics: Metrics;
}

/** A slot that nobody needs gives its memory back after this time; the first one stays. */
const idleTimeoutMs = 5 * 60_000;
/** How long the health check trusts the last picture that was taken. */
const provenForMs = 5_000;
const launchPauseMs = 500;
const drainTimeoutMs = 5_000;
/** How many browsers a capture may lose: with several dying at once, one capture meets them all. */
const attemptsMax = 5;
/** A page that hangs or crashes its browser again and again would do so for ever. */
const blamedMax = 3;

export function createSlots(options: SlotsOptions): Slots {
  const { slotsMax, queuedMax, queueWaitMaxMs, memoryMaxBytes, log, metrics } = options;
  const queue = createQueue({ runningMax: slotsMax, waitingMax: queuedMax, waitMaxMs: queueWaitMaxMs });
  const supervisor = createSupervisor({ memoryMaxBytes });
  let first: Slot | undefined;
  const startSlot = () => createSlot(() => launch(options), supervisor);
  const { acquire, pool } = createSlotPool(options, async () => {
    const slot = first ?? (await startSlot());
    first = undefined;
    return slot;
  });
  const renewals = new Set<Promise<void>>();
  let provenAt = Number.NEGATIVE_INFINITY;
  let closing = false;

  /** Off the request's path: the turn is given back when the slot can serve again, or is gone. */
  const renew = (slot: Slot, leave: () => void) => {
    const renewal = slot
      .renew()
      .then(
        async (reason) => {
          if (reason) {
            log.info({ browserPid: slot.pid(), reason }, "browser replaced");
            metrics.browserEnds.inc({ reason });
          }
          await pool.release(slot);
        },
        async (error) => {
          log.error({ err: error }, "failed to replace a browser");
          await pool.destroy(slot);
        },
      )
      .finally(leave);
    renewals.add(renewal);
    renewal.finally(() => renewals.delete(renewal));
  };

  const lendOnce: Slots["lend"] = async ({ owner, signal }, use) => {
    const asked = performance.now();
    const leave = await queue.enter(owner, signal);
    const slot = await acquire(signal).catch((error) => {
      leave();
      throw error;
    });
    try {
      const result = await slot.lend(randomUUID(), signal, (tab) => use(tab, performance.now() - asked));
      provenAt = performance.now();
      return result;
    } finally {
      renew(slot, leave);
    }
  };

  const lend: Slots["lend"] = async (asked, use) => {
    for (let attempt = 1, blamed = 0; ; attempt += 1) {
      try {
        return await lendOnce(asked, use);
      } catch (error) {
        if (error instanceof BrowserHung || error instanceof PageCrashed) blamed += 1;
        const mayPass = error instanceof BrowserLost || error instanceof PageCrashed;
        if (!mayPass || blamed === blamedMax || attempt === attemptsMax || asked.signal.aborted || closing) throw error;
        log.warn({ err: error }, "lost the browser during a capture; retrying in another one");
        metrics.captureRetries.inc();
      }
    }
  };

  return {
    start: async () => {
      await wipeOrphanedProfiles();
      first = await startSlot(); // not by the pool, which would try for ever what can't work
      await pool.release(await acquire(AbortSignal.timeout(drainTimeoutMs)));
      provenAt = performance.now();
    },
    lend,
    check: async (signal) => {
      if (performance.now() - provenAt < provenForMs) return;
      if (queue.running() >= slotsMax) return; // busy with captures, each of which has a deadline of its own
      await lendOnce({ owner: "health", signal }, (tab) => proveTab(tab));
    },
    state: () => ({ running: queue.running(), waiting: queue.waiting(), idle: pool.available, started: pool.size, max: slotsMax }),
    stopQueue: () => {
      closing = true;
      queue.close(new AppError("unavailable", { message: "The service is shutting down.", retryAfterSeconds: 5 }));
    },
    close: async () => {
      closing = true;
      await Promise.all(renewals);
      // Whoever left while no browser would start still waits in the pool; nobody waits for that.
      await withDeadline(pool.drain(), drainTimeoutMs, () => {});
      await pool.clear();
      supervisor.close();
    },
  };
}

/** Starts a browser on a lane of its own. */
async function launch({ chromium, env, openLane, onSpawn, log, metrics }: SlotsOptions) {
  const lane = await openLane();
  try {
    const browser = await launchChromium(chromium, lane.proxyServer, env, log, onSpawn);
    metrics.browserLaunches.inc();
    log.info({ browserPid: browser.pid, version: browser.version }, "browser started");
    return { chromium: browser, lane };
  } catch (error) {
    await lane.close();
    throw error;
  }
}

/** The pool, and `acquire`: a slot from it, or the reason why there is none, as soon as that is known. */
function createSlotPool({ slotsMax, log }: SlotsOptions, start: () => Promise<Slot>) {
  const launchFailures = new EventTarget();
  const create = async () => {
    try {
      return await start();
    } catch (error) {
      log.error({ err: error }, "failed to start a browser");
      launchFailures.dispatchEvent(new CustomEvent("failure", { detail: error }));
      await new Promise((resolve) => setTimeout(resolve, launchPauseMs)); // the pool tries again at once for whoever still waits
      throw error;
    }
  };
  const pool = createPool<Slot>(
    { create, destroy: (slot) => slot.close(), validate: async (slot) => slot.alive() },
    {
      max: slotsMax,
      min: 1,
      testOnBorrow: true,
      autostart: false,
      softIdleTimeoutMillis: idleTimeoutMs,
      evictionRunIntervalMillis: 60_000,
    },
  );

  const acquire = async (signal: AbortSignal): Promise<Slot> => {
    const { promise: refused, reject } = Promise.withResolvers<never>();
    const onFailure = (event: Event) => reject(new BrowserLost("No browser starts", { cause: (event as CustomEvent).detail }));
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
  return { pool, acquire };
}
