/** A bounded queue before the browsers: who may capture now, who waits, and who is told to come back. */

import { AppError } from "../errors.ts";

export interface Queue {
  /**
   * Waits for a turn; the returned function gives it back.
   * @throws {AppError} `queue_full` when too many wait already, or when the signal aborts by its deadline before the turn comes.
   * @throws the signal's reason when it aborts otherwise, e.g. because the caller left.
   */
  enter(signal: AbortSignal): Promise<() => void>;
  /** Sends everybody away who waits, and whoever comes later, with `reason`. */
  close(reason: Error): void;
  waiting(): number;
  running(): number;
}

interface Waiting {
  admit: () => void;
  refuse: (reason: unknown) => void;
}

/** First come, first served. */
export function createQueue({ runningMax, waitingMax }: { runningMax: number; waitingMax: number }): Queue {
  const line = new Set<Waiting>();
  let running = 0;
  let closed: Error | undefined;

  const leave = () => {
    const [next] = line;
    if (next) {
      line.delete(next);
      next.admit();
    } else running -= 1;
  };
  /** A turn can be given back once. */
  const turn = () => {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      leave();
    };
  };

  return {
    enter: async (signal) => {
      signal.throwIfAborted();
      if (closed) throw closed;
      if (running < runningMax) {
        running += 1;
        return turn();
      }
      if (line.size >= waitingMax) throw new AppError("queue_full", { retryAfterSeconds: 2 });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiting = { admit: resolve, refuse: reject };
      const onAbort = () => {
        line.delete(waiting);
        const late = signal.reason instanceof AppError && signal.reason.code === "target_timeout";
        reject(late ? new AppError("queue_full", { message: "No browser became free in time.", retryAfterSeconds: 2 }) : signal.reason);
      };
      line.add(waiting);
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        await promise;
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
      return turn();
    },
    close: (reason) => {
      closed = reason;
      for (const waiting of line) waiting.refuse(reason);
      line.clear();
    },
    waiting: () => line.size,
    running: () => running,
  };
}
