/** Limits concurrent work that needs a lot of memory, sharing the permits between accounts. */

import { onAbort } from "./deadline.ts";
import { AppError } from "./errors.ts";

export interface Permits {
  /**
   * Runs `work` once its account has a permit.
   * @throws {AppError} `queue_full` if too much of the account's work is already waiting; the signal's reason if it aborts before `work`
   *   starts.
   */
  run<T>(account: string, work: () => Promise<T>, options?: { signal?: AbortSignal; accountWaitingMax?: number }): Promise<T>;
}

interface Waiter {
  account: string;
  begin: () => void;
}

/**
 * An account has at most one permit at a time. The next permit goes to an account that has had none since work began to wait, otherwise to
 * the account whose last permit is oldest. The total number of waiters is not limited: a waiter holds no image, and a few accounts could
 * exhaust a common limit.
 * @param what the work is about, for the error.
 */
export function createPermits(runningMax: number, accountWaitingMaxDefault: number, what = "stored images"): Permits {
  const waiters: Waiter[] = [];
  const running = new Set<string>();
  /** Accounts by the time of their last permit, oldest first. Kept while work is waiting, so that leaving and returning gains nothing. */
  const served = new Set<string>();

  const next = (): Waiter | undefined => {
    const able = waiters.filter(({ account }) => !running.has(account));
    const order = new Map([...served].map((account, index) => [account, index]));
    const rank = ({ account }: Waiter) => order.get(account) ?? -1;
    return able.reduce<Waiter | undefined>((best, one) => (best && rank(best) <= rank(one) ? best : one), undefined);
  };
  const admit = () => {
    while (running.size < runningMax) {
      const waiter = next();
      if (!waiter) return;
      waiters.splice(waiters.indexOf(waiter), 1);
      running.add(waiter.account);
      served.delete(waiter.account);
      served.add(waiter.account);
      waiter.begin();
    }
  };
  const end = (account: string) => {
    running.delete(account);
    admit();
    if (waiters.length === 0) for (const one of served) if (!running.has(one)) served.delete(one);
  };

  return {
    run: async (account, work, { signal, accountWaitingMax = accountWaitingMaxDefault } = {}) => {
      signal?.throwIfAborted();
      const own = waiters.filter((waiter) => waiter.account === account).length;
      if (own >= accountWaitingMax)
        throw new AppError("queue_full", {
          message: `Too many of this account's ${what} are waiting to be read; try again later.`,
          retryAfterSeconds: 2,
        });
      const { promise: started, resolve: begin, reject } = Promise.withResolvers<void>();
      const waiter = { account, begin };
      waiters.push(waiter);
      const leave = () => {
        if (waiters.includes(waiter)) waiters.splice(waiters.indexOf(waiter), 1);
        reject(signal?.reason);
      };
      const stop = signal && onAbort(signal, leave);
      admit();
      await started.finally(() => stop?.());
      try {
        return await work();
      } finally {
        end(account);
      }
    },
  };
}
