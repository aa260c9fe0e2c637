/** Limits the work of one comparison, so that it ends in time for any input. */

/** Time limit in the worker thread; the thread itself is terminated 5 s later. */
export const comparisonMs = 30_000;

export class TooMuchEffort extends Error {
  override readonly name = "TooMuchEffort";
}

let endsAt = Number.POSITIVE_INFINITY;

/** Starts the time limit of this thread's comparison. */
export function beginEffort(ms: number): void {
  endsAt = performance.now() + ms;
}

/** Call about once per millisecond of work. @throws {TooMuchEffort} once the time is up. */
export function assertInTime(): void {
  if (performance.now() > endsAt) throw new TooMuchEffort();
}

/** Takes steps from a budget. Returns false once the budget is exhausted: the rest should then be compared more coarsely. */
export type Budget = (steps: number) => boolean;

export function createBudget(stepsMax: number): Budget {
  let left = stepsMax;
  return (steps) => {
    left -= steps;
    return left >= 0;
  };
}
