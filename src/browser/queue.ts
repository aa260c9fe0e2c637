/**
 * Captures wait here for a permit from a bounded queue, which rejects those that would wait too long, and then for a browser from the pool.
 */

import { createPool } from "generic-pool";
import type { BaseLogger } from "pino";
import { onAbort } from "../shared/deadline.ts";
import { AppError, isFailure } from "../shared/errors.ts";
import { createOwnerSums } from "../shared/owner-sums.ts";
import type { WithTab } from "./browser-proxy.ts";
import { BrowserLost } from "./chromium-errors.ts";
import type { Slot } from "./slot.ts";

export interface Queue {
  /**
   * Waits for a permit; the returned function releases it.
   * @throws {AppError} `queue_full` if too many are waiting, in total or from this owner; if the wait exceeds its limit; or if the signal's
   *   deadline expires first.
   * @throws the signal's reason if it aborts otherwise, such as when the client disconnects.
   */
  enter(owner: string, signal: AbortSignal): Promise<() => void>;
  /** Rejects new captures with `reason`. Those already waiting are still admitted, within their limits. */
  close(reason: Error): void;
  waiting(): number;
  running(): number;
}

interface QueueBounds {
  runningMax: number;
  queueMax: number;
  /** Longest wait in milliseconds; a capture that starts later would have too little time left. */
  waitMaxMs: number;
  /** Maximum per owner; three quarters of `runningMax` by default. */
  ownRunningMax?: number;
}

interface Waiter {
  owner: string;
  admit: () => void;
}

const retryAfterSeconds = 2;

/**
 * Fair between owners: the next permit goes to the waiting owner with the fewest running captures; among equals, first come, first served.
 * An owner gets at most three quarters of the permits and of the queue, so that other owners' captures start soon.
 */
export function createQueue({ runningMax, queueMax, waitMaxMs, ownRunningMax = perOwnerMax(runningMax) }: QueueBounds): Queue {
  const waiters = new Set<Waiter>();
  const running = createOwnerSums();
  const isFree = (owner: string) => running.total() < runningMax && running.of(owner) < ownRunningMax;
  const ownQueueMax = perOwnerMax(queueMax);
  let closedWith: Error | undefined;

  const admitNext = () => {
    for (;;) {
      let next: Waiter | undefined;
      for (const waiter of waiters) {
        if (isFree(waiter.owner) && (!next || running.of(waiter.owner) < running.of(next.owner))) next = waiter;
      }
      if (!next) return;
      waiters.delete(next);
      running.add(next.owner, 1);
      next.admit();
    }
  };

  const waitForPermit = async (owner: string, signal: AbortSignal) => {
    const { promise: admitted, resolve: admit, reject } = Promise.withResolvers<void>();
    const waiter = { owner, admit };
    const fail = (reason: unknown) => {
      waiters.delete(waiter);
      reject(reason);
    };
    const onTimeout = () => fail(new AppError("queue_full", { message: "No browser became available in time.", retryAfterSeconds }));
    const timer = setTimeout(onTimeout, waitMaxMs);
    waiters.add(waiter);
    const stop = onAbort(signal, () => (isFailure(signal.reason, "target_timeout") ? onTimeout() : fail(signal.reason)));
    try {
      await admitted;
    } finally {
      clearTimeout(timer);
      stop();
    }
  };

  return {
    enter: async (owner, signal) => {
      signal.throwIfAborted();
      if (closedWith) throw closedWith;
      if (isFree(owner)) running.add(owner, 1);
      else {
        const own = [...waiters].filter((waiter) => waiter.owner === owner).length;
        if (waiters.size >= queueMax || own >= ownQueueMax) throw new AppError("queue_full", { retryAfterSeconds });
        await waitForPermit(owner, signal);
      }
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        running.add(owner, -1);
        admitNext();
      };
    },
    close: (reason) => {
      closedWith = reason;
    },
    waiting: () => waiters.size,
    running: running.total,
  };
}

/** An owner's share of `max` permits or queue positions: three quarters, rounded up. */
export function perOwnerMax(max: number): number {
  return max - Math.floor(max / 4);
}

/** Captures of an account that may wait for an encoder: the next page loads while an image is encoded. */
const encodingPerOwnerMax = 2;

interface TurnBounds {
  slotsMax: number;
  queuedMax: number;
  queueWaitMaxMs: number;
}

/**
 * Captures that may wait for an encoder do so before they take a browser; half of the browsers are left to other captures. `close` closes
 * `queue` as well.
 * @param queue that of all captures, used by `attempt`.
 */
export function withEncodingTurns(
  { slotsMax, queuedMax: queueMax, queueWaitMaxMs: waitMaxMs }: TurnBounds,
  queue: Queue,
  attempt: WithTab,
): { attempt: WithTab; close: Queue["close"] } {
  const runningMax = Math.ceil(slotsMax / 2);
  const encoding = createQueue({ runningMax, ownRunningMax: Math.min(encodingPerOwnerMax, runningMax), queueMax, waitMaxMs });
  return {
    async attempt(request, use) {
      if (!request.encodesInTurn) return await attempt(request, use);
      const queuedAt = performance.now();
      const leave = await encoding.enter(request.owner, request.signal);
      const waitedMs = performance.now() - queuedAt;
      return await attempt(request, (tab, queuedMs) => use(tab, waitedMs + queuedMs)).finally(leave);
    },
    close(reason) {
      encoding.close(reason);
      queue.close(reason);
    },
  };
}

/** Time after which idle slots are closed, except for the last one. */
const idleTimeoutMs = 5 * 60_000;
const launchRetryDelayMs = 500;

/**
 * The queue already limits concurrent captures, so an array of slots would almost be enough. generic-pool is a fixed part of the stack, and
 * adds starting on demand, validation on borrowing, and closing of idle slots.
 */
export function createSlotPool({ slotsMax, log }: { slotsMax: number; log: BaseLogger }, start: () => Promise<Slot>) {
  const waiting = new Set<(error: BrowserLost) => void>();
  const opened = new Set<Slot>();
  const create = async () => {
    try {
      const slot = await start();
      opened.add(slot);
      return slot;
    } catch (error) {
      log.error({ err: error }, "failed to start a browser");
      for (const reject of waiting) reject(new BrowserLost("No browser can be started", { cause: error }));
      // the pool would retry immediately while a request is pending
      await new Promise((resolve) => setTimeout(resolve, launchRetryDelayMs));
      throw error;
    }
  };
  const pool = createPool<Slot>(
    { create, destroy: (slot) => slot.close().finally(() => opened.delete(slot)), validate: async (slot) => slot.alive() },
    {
      max: slotsMax,
      min: 1,
      testOnBorrow: true,
      autostart: false,
      softIdleTimeoutMillis: idleTimeoutMs,
      evictionRunIntervalMillis: 60_000,
    },
  );

  /** Takes a slot from the pool. @throws {BrowserLost} once a browser has failed to start; the signal's reason if it aborts. */
  const acquire = async (signal: AbortSignal): Promise<Slot> => {
    signal.throwIfAborted();
    const { promise: failed, reject } = Promise.withResolvers<never>();
    waiting.add(reject);
    const stop = onAbort(signal, () => reject(signal.reason));
    const acquired = Promise.resolve(pool.acquire());
    try {
      return await Promise.race([acquired, failed]);
    } catch (error) {
      acquired.then((slot) => pool.release(slot)).catch(() => {}); // the caller is gone
      throw error;
    } finally {
      waiting.delete(reject);
      stop();
    }
  };
  /** Closes the slots that the pool has not destroyed. */
  const closeRest = async () => void (await Promise.all([...opened].map((slot) => slot.close())));
  return { pool, acquire, closeRest };
}
