/** Comparisons and difference images take turns: each has hundreds of megabytes of pixels in memory. */

import { AppError } from "../errors.ts";

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

let last: Promise<unknown> = Promise.resolve();

/**
 * The returned function runs `work` after all that was given to any such function of this process before.
 * It throws {@link AppError} `queue_full` if `waitingMax` of its own wait already.
 */
export function createTurns(waitingMax = Number.POSITIVE_INFINITY): InTurn {
  let waiting = 0;
  return async (work) => {
    if (waiting >= waitingMax)
      throw new AppError("queue_full", { message: "Too many comparisons are waiting; try again later.", retryAfterSeconds: 2 });
    waiting += 1;
    const result = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = result.catch(() => {});
    return await result;
  };
}

/** Of requests, each with its images in memory. */
export const turnsOfRequests = createTurns(8);
