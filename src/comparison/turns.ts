/** Comparisons and other work on stored images take turns: each has hundreds of megabytes of pixels in memory. */

import { AppError } from "../errors.ts";

/** @param account whose work it is. */
export type InTurn = <T>(work: () => Promise<T>, account?: string) => Promise<T>;

let last: Promise<unknown> = Promise.resolve();

/**
 * The returned function runs `work` after all that was given to any such function of this process before.
 * It throws {@link AppError} `queue_full` if `waitingMax` of its calls are already waiting, or `ofAccountMax` of one account.
 */
export function createTurns(waitingMax = Number.POSITIVE_INFINITY, ofAccountMax = waitingMax): InTurn {
  const waiting: (string | undefined)[] = [];
  return async (work, account) => {
    if (waiting.length >= waitingMax || waiting.filter((one) => one === account).length >= ofAccountMax)
      throw new AppError("queue_full", {
        message: "Too many stored images are waiting to be read; try again later.",
        retryAfterSeconds: 2,
      });
    waiting.push(account);
    const result = last.then(work).finally(() => void waiting.splice(waiting.indexOf(account), 1));
    last = result.catch(() => {});
    return await result;
  };
}

/** Of requests: an account leaves half of the places to others, as a comparison may take long. */
export const turnsOfRequests = createTurns(8, 4);
