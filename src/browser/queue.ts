/** Captures wait here for a permit in a bounded queue, and then for a browser from the pool. */

import { createPool } from "generic-pool";
import type { BaseLogger } from "pino";
import { onAbort } from "../shared/deadline.ts";
import { AppError, isFailure } from "../shared/errors.ts";
import { createOwnerSums } from "../shared/owner-sums.ts";
import { BrowserLost } from "./chromium-errors.ts";
import type { Slot } from "./slot.ts";

/** Releases a permit; the account's share of them only once `shareUntil` has settled. */
export type Leave = (shareUntil?: Promise<unknown>) => void;

export interface Queue {
  /**
   * Waits for a permit; the returned function releases it. Browsers that must be replaced count toward their account's share until they are:
   * otherwise an account whose pages crash them would keep more of them busy than its share.
   * @param encodesInTurn whether the capture may wait for an encoder while it has a permit.
   * @throws {AppError} `queue_full` if too many are waiting, in total or from this account; if the wait exceeds its limit; or if the
   *   signal's deadline expires first.
   * @throws the signal's reason on any other abort, for example when the client disconnects; after `close`, the reason passed to it.
   */
  enter(account: string, signal: AbortSignal, encodesInTurn?: boolean): Promise<Leave>;
  /** Rejects new captures with `reason`. Captures already waiting are still admitted, within their limits. */
  close(reason: Error): void;
  waiting(): number;
  running(): number;
}

interface QueueBounds {
  runningMax: number;
  queueMax: number;
  /** Longest wait in milliseconds; a capture that starts later would have too little time left. */
  waitMaxMs: number;
  /** Maximum per account; three quarters of `runningMax` by default. */
  ownRunningMax?: number;
}

interface Entrant {
  account: string;
  encodesInTurn: boolean;
}

interface Waiter extends Entrant {
  admit: () => void;
}

const retryAfterSeconds = 2;
/** Maximum number of an account's captures that may wait for an encoder: with two, one page loads while the other's image is encoded. */
const encodingPerAccountMax = 2;

/**
 * Fair between accounts: the next permit goes to the waiting account with the fewest running captures; among equals, first come, first
 * served. An account gets at most three quarters of the permits and of the queue, so that other accounts' captures start soon. Captures
 * that may wait for an encoder get at most half of the permits, and two per account; other captures overtake them.
 */
export function createQueue({ runningMax, queueMax, waitMaxMs, ownRunningMax = perAccountMax(runningMax) }: QueueBounds): Queue {
  const waiters = new Set<Waiter>();
  const permits = createPermits(runningMax, ownRunningMax);
  const ownQueueMax = perAccountMax(queueMax);
  let closedWith: Error | undefined;

  const admitNext = () => {
    for (;;) {
      let next: Waiter | undefined;
      for (const waiter of waiters) {
        if (permits.areFreeFor(waiter) && (!next || permits.shareOf(waiter.account) < permits.shareOf(next.account))) next = waiter;
      }
      if (!next) return;
      waiters.delete(next);
      permits.take(next);
      next.admit();
    }
  };

  const waitForPermit = async (entrant: Entrant, signal: AbortSignal) => {
    const { promise: admitted, resolve: admit, reject } = Promise.withResolvers<void>();
    const waiter = { ...entrant, admit };
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
    enter: async (account, signal, encodesInTurn = false) => {
      signal.throwIfAborted();
      if (closedWith) throw closedWith;
      const entrant = { account, encodesInTurn };
      if (permits.areFreeFor(entrant)) permits.take(entrant);
      else {
        const queued = [...waiters].filter((waiter) => waiter.account === account).length;
        if (waiters.size >= queueMax || queued >= ownQueueMax) throw new AppError("queue_full", { retryAfterSeconds });
        await waitForPermit(entrant, signal);
      }
      return createLeave(entrant, permits, admitNext);
    },
    close: (reason) => {
      closedWith = reason;
    },
    waiting: () => waiters.size,
    running: permits.total,
  };
}

function createLeave(entrant: Entrant, permits: ReturnType<typeof createPermits>, admitNext: () => void): Leave {
  let hasLeft = false;
  return (shareUntil) => {
    if (hasLeft) return;
    hasLeft = true;
    permits.release(entrant);
    const leaveShare = () => {
      permits.releaseShare(entrant);
      admitNext();
    };
    if (!shareUntil) return leaveShare();
    void shareUntil.then(leaveShare, leaveShare);
    admitNext();
  };
}

/** The permits in use, the accounts' shares of them, and whether another one may be taken. */
function createPermits(max: number, ownMax: number) {
  let total = 0;
  const shares = createOwnerSums();
  const encoding = createOwnerSums();
  const mayEncode = (account: string) => encoding.total() < Math.ceil(max / 2) && encoding.of(account) < encodingPerAccountMax;
  return {
    total: () => total,
    shareOf: shares.of,
    areFreeFor: ({ account, encodesInTurn }: Entrant) =>
      total < max && shares.of(account) < ownMax && (!encodesInTurn || mayEncode(account)),
    take: ({ account, encodesInTurn }: Entrant) => {
      total += 1;
      shares.add(account, 1);
      if (encodesInTurn) encoding.add(account, 1);
    },
    release: ({ account, encodesInTurn }: Entrant) => {
      total -= 1;
      if (encodesInTurn) encoding.add(account, -1);
    },
    releaseShare: ({ account }: Entrant) => shares.add(account, -1),
  };
}

/** An account's share of `max` permits or queue positions: three quarters, rounded up. */
export function perAccountMax(max: number): number {
  return max - Math.floor(max / 4);
}

/** Time after which idle slots are closed, except for the last slot. */
const idleTimeoutMs = 5 * 60_000;
const launchRetryDelayMs = 500;

/**
 * The queue already limits concurrent captures. The pool starts slots on demand, validates them when they are borrowed, and closes idle
 * slots.
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
      // without this pause, the pool would retry immediately while a request is pending
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
      acquired.then((slot) => pool.release(slot)).catch(() => {}); // the caller is no longer waiting
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
