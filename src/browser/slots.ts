/** Runs captures in browser tabs, through a queue and a bounded pool of browsers. */

import { randomUUID } from "node:crypto";
import { timeoutSignal, withDeadline } from "../shared/deadline.ts";
import { AppError, isFailure } from "../shared/errors.ts";
import { forAccount } from "../shared/work-owner.ts";
import type { WithTab } from "./browser-proxy.ts";
import { checkRendering } from "./canary.ts";
import { type LaunchParts, launch } from "./chromium.ts";
import { BrowserHung, BrowserLost, noFirstImage, PageCrashed } from "./chromium-errors.ts";
import { removeOrphanedProfiles } from "./profiles.ts";
import { createQueue, createSlotPool, type Queue } from "./queue.ts";
import { createSlot, type Slot } from "./slot.ts";
import { createSupervisor } from "./supervisor.ts";

export interface Slots {
  /** Starts the first browser and checks that it renders. @throws an error whose message gives the cause and the remedy, if known. */
  start(): Promise<void>;
  /**
   * Runs `use` in a tab, then destroys its context, even if `use` throws or the signal aborts. Time spent queueing counts toward the
   * capture's deadline. If the browser is lost or hangs, or the page crashes, `use` runs again in another browser.
   * @throws {AppError} `queue_full` if too many captures are waiting or no slot becomes free in time; `unavailable` at shutdown;
   *   {BrowserLost | PageCrashed} if the retries also fail; the signal's reason if it aborts; errors from `use`.
   */
  withTab: WithTab;
  /** Resolves if a capture succeeded in the last few seconds, if all browsers are busy, or if a test page renders now. */
  check(signal: AbortSignal): Promise<void>;
  state(): { running: number; waiting: number; idle: number; started: number; max: number };
  /** Rejects new captures with 503. Running and queued captures are still served, within their deadlines. */
  stopQueue(): void;
  /** Waits a few seconds for running captures to end, then closes every browser. */
  close(): Promise<void>;
}

interface SlotsOptions extends LaunchParts {
  slotsMax: number;
  queuedMax: number;
  queueWaitMaxMs: number;
  /** Memory limit per browser, for all its processes together. */
  memoryMaxBytes: number;
  /** Timeout for each step of starting the first browser: its first response and its first image. */
  startTimeoutMs?: number;
}

/**
 * Long, because machines are busiest while all services are starting. Both steps together take less than the 100 s that the Helm chart's
 * startup probe allows.
 */
const startTimeoutDefaultMs = 45_000;

/** How long the health check relies on the last successful capture. */
const checkedForMs = 5_000;
const drainTimeoutMs = 5_000;
/** Maximum attempts per capture. If several browsers die at the same time, a single capture may run into all of them. */
const attemptsMax = 5;
/** Maximum number of attempts in which the browser hangs or the page crashes, since the page may cause this every time. */
const harmfulAttemptsMax = 3;

export function createSlots(options: SlotsOptions): Slots {
  const { slotsMax, queuedMax, queueWaitMaxMs, memoryMaxBytes, startTimeoutMs = startTimeoutDefaultMs, log, metrics } = options;
  const queue = createQueue({ runningMax: slotsMax, queueMax: queuedMax, waitMaxMs: queueWaitMaxMs });
  const supervisor = createSupervisor({ memoryMaxBytes });
  let first: Slot | undefined;
  const { acquire, pool, closeRest } = createSlotPool(options, async () => {
    const slot = first ?? (await createSlot(() => launch(options), supervisor));
    first = undefined;
    return slot;
  });
  let workedAt = Number.NEGATIVE_INFINITY;
  let isClosing = false;
  const renew = createRenewal(options, pool, () => !isClosing || queue.waiting() + pool.pending > 0);

  const attempt = createAttempt(queue, acquire, renew.start, () => {
    workedAt = performance.now();
  });

  return {
    start: async () => {
      await removeOrphanedProfiles();
      // Bypasses the pool, which would retry forever. The pool's first `create` then uses this slot.
      first = await createSlot(() => launch(options, startTimeoutMs), supervisor, startTimeoutMs);
      await pool.release(await acquire(timeoutSignal(startTimeoutMs, () => noFirstImage(startTimeoutMs))));
      workedAt = performance.now();
    },
    withTab: (request, use) =>
      withRetries(
        () => attempt(request, use),
        request.signal,
        () => isClosing,
        (error) => {
          log.warn({ err: error }, "lost the browser or its page during a capture; retrying in another browser");
          metrics.captureRetries.inc();
        },
      ),
    check: async (signal) => {
      if (performance.now() - workedAt < checkedForMs) return;
      if (queue.running() >= slotsMax) return; // fully busy; each capture has its own deadline
      await attempt({ account: "health", signal }, (tab) => checkRendering(tab));
    },
    state: () => ({ running: queue.running(), waiting: queue.waiting(), idle: pool.available, started: pool.size, max: slotsMax }),
    stopQueue: () => {
      isClosing = true;
      queue.close(new AppError("unavailable", { message: "The service is shutting down.", retryAfterSeconds: 5 }));
    },
    close: async () => {
      isClosing = true;
      const drained = pool.drain(); // from now on the pool doesn't replace closed browsers
      await renew.finished();
      // Requests aborted while no browser could be started are still queued in the pool; they have already been rejected.
      await withDeadline(drained, drainTimeoutMs, () => {});
      await renew.finished();
      await pool.clear();
      await closeRest(); // slots whose captures did not end in time
      supervisor.close();
    },
  };
}

/** Runs `use` once: waits for a permit, then for a slot. */
function createAttempt(
  queue: Queue,
  acquire: (signal: AbortSignal) => Promise<Slot>,
  renew: (slot: Slot) => Promise<void>,
  onSuccess: () => void,
): WithTab {
  return async ({ account, signal, deadlineAt, proxy, encodesInTurn }, use) => {
    const queuedAt = performance.now();
    const leave = await queue.enter(account, signal, encodesInTurn);
    const slot = await acquire(signal).catch((error) => {
      leave();
      throw error;
    });
    try {
      const result = await slot.run({ captureId: randomUUID(), signal, deadlineAt, proxy }, (tab) =>
        forAccount(account, () => use(tab, performance.now() - queuedAt)),
      );
      onSuccess();
      return result;
    } finally {
      const isSpoiled = slot.isSpoiled();
      const renewal = renew(slot);
      // Releases the permit before the renewal has ended, so that the next capture waits for the slot instead of being rejected.
      leave(isSpoiled ? renewal : undefined);
    }
  };
}

/** Repeats `attempt` while browsers are lost or pages crash, up to the limits above. */
async function withRetries<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  isClosing: () => boolean,
  onRetry: (error: Error) => void,
): Promise<T> {
  for (let attempts = 1, harmful = 0; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      // The capture lost its permit with its browser, so a deadline that expires during another wait isn't due to a full queue.
      if (attempts > 1 && signal.aborted && isFailure(error, "queue_full")) throw signal.reason;
      if (error instanceof BrowserHung || error instanceof PageCrashed) harmful += 1;
      if (!(error instanceof BrowserLost || error instanceof PageCrashed)) throw error;
      if (harmful === harmfulAttemptsMax || attempts === attemptsMax || signal.aborted || isClosing()) throw error;
      onRetry(error);
    }
  }
}

/** Prepares slots for their next capture in the background, or closes them if no capture will follow. */
function createRenewal({ log, metrics }: SlotsOptions, pool: ReturnType<typeof createSlotPool>["pool"], mayBeNeeded: () => boolean) {
  const pending = new Set<Promise<void>>();
  const renew = async (slot: Slot) => {
    if (!mayBeNeeded()) return void (await pool.destroy(slot));
    try {
      const browserPid = slot.pid();
      const reason = await slot.renew();
      if (reason) {
        log.info({ browserPid, reason }, "browser replaced");
        metrics.browserEnds.inc({ reason });
      }
    } catch (error) {
      log.error({ err: error }, "failed to replace a browser");
      await pool.destroy(slot);
      return;
    }
    await pool.release(slot);
  };
  return {
    start: (slot: Slot): Promise<void> => {
      const renewal = renew(slot);
      pending.add(renewal);
      renewal.finally(() => pending.delete(renewal));
      return renewal;
    },
    finished: async () => void (await Promise.all(pending)),
  };
}
