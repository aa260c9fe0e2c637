/** Single flight: concurrent identical work runs once. */

import { untilAborted } from "../deadline.ts";
import { ClientGone } from "../errors.ts";

export interface SingleFlight<T> {
  /**
   * The outcome of the running flight named `key` (`joined`), else of `work`, started now. A waiter whose `signal` aborts leaves
   * with the signal's reason; the signal passed to `work` aborts with `ClientGone` when the last waiter has left. A failure reaches all waiters.
   */
  join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<{ value: T; joined: boolean }>;
}

interface Flight<T> {
  outcome: Promise<T>;
  waiters: number;
  abandon: AbortController;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  function start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const abandon = new AbortController();
    const outcome = (async () => work(abandon.signal))();
    const flight: Flight<T> = { outcome, waiters: 0, abandon };
    flights.set(key, flight);
    const remove = () => flights.get(key) === flight && flights.delete(key);
    outcome.then(remove, remove);
    return flight;
  }

  return {
    async join(key, signal, work) {
      signal.throwIfAborted();
      const running = flights.get(key);
      const flight = running ?? start(key, work);
      flight.waiters += 1;
      try {
        return { value: await untilAborted(flight.outcome, signal), joined: running !== undefined };
      } finally {
        flight.waiters -= 1;
        const stillRuns = flights.get(key) === flight;
        if (stillRuns && flight.waiters === 0) {
          flights.delete(key); // aborted work must not be joined
          flight.abandon.abort(new ClientGone());
        }
      }
    },
  };
}
