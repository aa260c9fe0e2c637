/** Limits the protocol events of one capture. */

export interface EventBudget {
  /** Counts one event of `bytes`; false when there are too many, in this second or in total. */
  spend(bytes: number): boolean;
}

/**
 * A page with a thousand requests causes about 5,000 events of 1 to 2 kB each. An event costs this process about 20 µs, and all
 * captures share it.
 */
const secondMax = { events: 10_000, bytes: 32 * 1024 * 1024 };
const captureMax = { events: 20_000, bytes: 128 * 1024 * 1024 };

/** @param now in milliseconds, with any origin. */
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
