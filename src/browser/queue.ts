/** A bounded queue before the browsers: which captures may start, which wait, and which are refused. */

import { AppError } from "../errors.ts";

export interface Queue {
  /**
   * Waits for a turn of `owner`; the returned function gives it back.
   * @throws {AppError} `queue_full` when too many wait already, all together or of this owner, when the longest wait is over,
   *   or when the signal aborts by its deadline before the turn comes.
   * @throws the signal's reason when it aborts otherwise, e.g. because the caller left.
   */
  enter(owner: string, signal: AbortSignal): Promise<() => void>;
  /** Refuses new captures with `reason`. Those that wait still get their turn, within their longest wait and their deadline. */
  close(reason: Error): void;
  waiting(): number;
  running(): number;
}

interface QueueBounds {
  runningMax: number;
  waitingMax: number;
  /** Longest wait in milliseconds: what begins later would have too little time left. */
  waitMaxMs: number;
}

interface Waiting {
  owner: string;
  admit: () => void;
}

const retryAfterSeconds = 2;

/**
 * Fair between owners: a turn goes to whoever waits and has the fewest running, first come first served among equals. One owner
 * alone never gets every turn where there are four or more, nor the whole queue, so that another one who comes is served soon.
 */
export function createQueue({ runningMax, waitingMax, waitMaxMs }: QueueBounds): Queue {
  const line = new Set<Waiting>();
  const runningOf = new Map<string, number>();
  const ownRunningMax = runningMax - Math.floor(runningMax / 4);
  const ownWaitingMax = waitingMax - Math.floor(waitingMax / 4);
  let running = 0;
  let closed: Error | undefined;

  const countOf = (owner: string) => runningOf.get(owner) ?? 0;
  const mayRun = (owner: string) => running < runningMax && countOf(owner) < ownRunningMax;

  const begin = (owner: string) => {
    running += 1;
    runningOf.set(owner, countOf(owner) + 1);
  };
  const end = (owner: string) => {
    running -= 1;
    const left = countOf(owner) - 1;
    if (left > 0) runningOf.set(owner, left);
    else runningOf.delete(owner);
  };

  /** Turns that are free go to who may have them. */
  const admitNext = () => {
    for (;;) {
      let next: Waiting | undefined;
      for (const waiting of line) if (mayRun(waiting.owner) && (!next || countOf(waiting.owner) < countOf(next.owner))) next = waiting;
      if (!next) return;
      line.delete(next);
      begin(next.owner);
      next.admit();
    }
  };

  /** A turn can be given back once. */
  const turnOf = (owner: string) => {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      end(owner);
      admitNext();
    };
  };

  const wait = async (owner: string, signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { owner, admit: resolve };
    const giveUp = (reason: unknown) => {
      line.delete(waiting);
      reject(reason);
    };
    const tooLong = () => giveUp(new AppError("queue_full", { message: "No browser became available in time.", retryAfterSeconds }));
    const onAbort = () =>
      signal.reason instanceof AppError && signal.reason.code === "target_timeout" ? tooLong() : giveUp(signal.reason);
    const timer = setTimeout(tooLong, waitMaxMs);
    signal.addEventListener("abort", onAbort, { once: true });
    line.add(waiting);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  };

  return {
    enter: async (owner, signal) => {
      signal.throwIfAborted();
      if (closed) throw closed;
      if (mayRun(owner)) begin(owner);
      else {
        const own = [...line].filter((waiting) => waiting.owner === owner).length;
        if (line.size >= waitingMax || own >= ownWaitingMax) throw new AppError("queue_full", { retryAfterSeconds });
        await wait(owner, signal);
      }
      return turnOf(owner);
    },
    close: (reason) => {
      closed = reason;
    },
    waiting: () => line.size,
    running: () => running,
  };
}
