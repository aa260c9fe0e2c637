/** Limits concurrent work that needs a lot of memory, sharing the permits between accounts. */

import { onAbort } from "./deadline.ts";
import { AppError } from "./errors.ts";

export interface Permits {
  /**
   * Runs `work` once its account has a permit. Accounts with the same `group` take turns within the group's turn.
   * @throws {AppError} `queue_full` if too much of the account's work is already waiting; the signal's reason if it aborts before `work`
   *   starts.
   */
  run<T>(
    account: string,
    work: () => Promise<T>,
    options?: { signal?: AbortSignal; accountWaitingMax?: number; group?: string },
  ): Promise<T>;
}

interface Waiter {
  account: string;
  group: string;
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
  /** By the time of their last permit, oldest first. Kept while work is waiting, so that leaving and returning gains nothing. */
  const served = { groups: new Set<string>(), accounts: new Set<string>() };

  const next = (): Waiter | undefined => {
    const able = waiters.filter(({ account }) => !running.has(account));
    const [groups, accounts] = [orderOf(served.groups), orderOf(served.accounts)];
    const groupRank = ({ group }: Waiter) => groups.get(group) ?? -1;
    const rank = ({ account }: Waiter) => accounts.get(account) ?? -1;
    const isBefore = (one: Waiter, other: Waiter) => (groupRank(one) - groupRank(other) || rank(one) - rank(other)) < 0;
    return able.reduce<Waiter | undefined>((best, one) => (best && !isBefore(one, best) ? best : one), undefined);
  };
  const admit = () => {
    while (running.size < runningMax) {
      const waiter = next();
      if (!waiter) return;
      waiters.splice(waiters.indexOf(waiter), 1);
      running.add(waiter.account);
      putLast(served.groups, waiter.group);
      putLast(served.accounts, waiter.account);
      waiter.begin();
    }
  };
  const end = (account: string) => {
    running.delete(account);
    admit();
    if (waiters.length > 0) return;
    for (const one of served.accounts) if (!running.has(one)) served.accounts.delete(one);
    if (running.size === 0) served.groups.clear();
  };

  return {
    run: async (account, work, { signal, accountWaitingMax = accountWaitingMaxDefault, group = account } = {}) => {
      signal?.throwIfAborted();
      const own = waiters.filter((waiter) => waiter.account === account).length;
      if (own >= accountWaitingMax)
        throw new AppError("queue_full", {
          message: `Too many of this account's ${what} are waiting to be read; try again later.`,
          retryAfterSeconds: 2,
        });
      const { promise: started, resolve: begin, reject } = Promise.withResolvers<void>();
      const waiter = { account, group, begin };
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

function orderOf(served: Set<string>): Map<string, number> {
  return new Map([...served].map((one, index) => [one, index]));
}

function putLast(served: Set<string>, one: string): void {
  served.delete(one);
  served.add(one);
}
