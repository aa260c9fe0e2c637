/** Bounds what one comparison does, so that it ends in time whatever is compared. */

/** How long a comparison may take in its thread, and another 5 s until the thread itself is ended. */
export const comparisonMs = 30_000;

export class TooMuchEffort extends Error {
  override readonly name = "TooMuchEffort";
}

let endsAt = Number.POSITIVE_INFINITY;

/** Begins the time of this thread's comparison. */
export function beginEffort(ms: number): void {
  endsAt = performance.now() + ms;
}

/** To be called about every millisecond of work. @throws {TooMuchEffort} once the time is over. */
export function assertInTime(): void {
  if (performance.now() > endsAt) throw new TooMuchEffort();
}

/** A number of steps: false once they are used up, when the rest is compared more coarsely. */
export type Budget = (steps: number) => boolean;

export function createBudget(stepsMax: number): Budget {
  let left = stepsMax;
  return (steps) => {
    left -= steps;
    return left >= 0;
  };
}
