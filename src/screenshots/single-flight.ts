/** Makes identical work that is wanted at the same time happen once. */

import { untilAborted } from "../deadline.ts";
import { ClientGone } from "../errors.ts";

export interface InFlight<T> {
  /**
   * The outcome of the work named `key`: of the one that runs already (`joined`), else of `work`, started now.
   * A caller whose `signal` aborts leaves alone and gets the signal's reason; the signal that `work` has been given
   * aborts only when every caller has left, with `ClientGone`. A failure reaches all callers.
   */
  join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<{ value: T; joined: boolean }>;
}

interface Flight<T> {
  outcome: Promise<T>;
  callers: number;
  abandon: AbortController;
}

export function createInFlight<T>(): InFlight<T> {
  const flights = new Map<string, Flight<T>>();

  function start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const abandon = new AbortController();
    const outcome = (async () => work(abandon.signal))();
    const flight: Flight<T> = { outcome, callers: 0, abandon };
    flights.set(key, flight);
    const land = () => flights.get(key) === flight && flights.delete(key);
    outcome.then(land, land);
    return flight;
  }

  return {
    async join(key, signal, work) {
      signal.throwIfAborted();
      const running = flights.get(key);
      const flight = running ?? start(key, work);
      flight.callers += 1;
      try {
        return { value: await untilAborted(flight.outcome, signal), joined: running !== undefined };
      } finally {
        flight.callers -= 1;
        const stillRuns = flights.get(key) === flight;
        if (stillRuns && flight.callers === 0) {
          flights.delete(key); // nobody may join a work that is being aborted
          flight.abandon.abort(new ClientGone());
        }
      }
    },
  };
}
