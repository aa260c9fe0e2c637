/** Counts the events of one capture, so that a page that floods the service with them is stopped. */

export interface EventBudget {
  /** Counts one event of `bytes`; false when there were too many: in this second, or in all. */
  spend(bytes: number): boolean;
}

/**
 * A page of a thousand requests causes about 5,000 events of 1 to 2 kB each. Reading an event takes about 20 µs of this process, which
 * all captures share.
 */
const secondMax = { events: 10_000, bytes: 32 * 1024 * 1024 };
const captureMax = { events: 20_000, bytes: 128 * 1024 * 1024 };

/** `now` in milliseconds, of any origin. */
export function createEventBudget(now: () => number = () => performance.now()): EventBudget {
  const capture = { events: 0, bytes: 0 };
  let second = { since: now(), events: 0, bytes: 0 };
  return {
    spend: (bytes) => {
      if (now() - second.since >= 1_000) second = { since: now(), events: 0, bytes: 0 };
      for (const count of [capture, second]) {
        count.events += 1;
        count.bytes += bytes;
      }
      return isWithin(capture, captureMax) && isWithin(second, secondMax);
    },
  };
}

function isWithin(count: typeof captureMax, max: typeof captureMax): boolean {
  return count.events <= max.events && count.bytes <= max.bytes;
}
