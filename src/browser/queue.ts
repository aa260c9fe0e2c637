/** A bounded queue in front of the browsers: decides which captures start, wait or are rejected. */

import { onAbort } from "../shared/deadline.ts";
import { AppError } from "../shared/errors.ts";
import { createOwnerSums } from "../shared/owner-sums.ts";

export interface Queue {
  /**
   * Waits for a permit; the returned function releases it.
   * @throws {AppError} `queue_full` if too many are waiting, in total or of this owner; if the wait exceeds its limit; or if the signal
   * aborts because of its deadline first.
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
  /** Per owner; three quarters of `runningMax` by default. */
  ownRunningMax?: number;
}

interface Waiter {
  owner: string;
  admit: () => void;
}

const retryAfterSeconds = 2;

/**
 * Fair between owners: the next permit goes to the waiting owner with the fewest running captures, first come, first served among equals.
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
    const stop = onAbort(signal, () => (isDeadline(signal.reason) ? onTimeout() : fail(signal.reason)));
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
      return once(() => {
        running.add(owner, -1);
        admitNext();
      });
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

function isDeadline(reason: unknown): boolean {
  return reason instanceof AppError && reason.code === "target_timeout";
}

/** Returns a function that calls `work` on its first call only. */
function once(work: () => void): () => void {
  let isCalled = false;
  return () => {
    if (isCalled) return;
    isCalled = true;
    work();
  };
}
