/** Lets concurrent calls with the same key share work: a coalescer batches calls; in a single flight, later calls join the first. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { untilAborted } from "./deadline.ts";
import { ClientGone } from "./errors.ts";
import { createTurns } from "./turns.ts";
import { forService } from "./work-owner.ts";

export interface Coalesced<T> {
  result: T;
  batchSize: number;
  /** Position of this call in its batch, from 1. */
  position: number;
}

interface Batch<T> {
  size: number;
  result: Promise<T>;
}

/**
 * Calls with the same key in one turn of the event loop share one run. Calls made during a run share the next one rather than join the
 * current one, whose result may be older than the call. `run` must have a deadline. It works for the service: not for the owner who called
 * first, behind whose other work it would wait.
 */
export function createCoalescer<T>(run: (key: string, batchSize: number) => Promise<T>): (key: string) => Promise<Coalesced<T>> {
  const waiting = new Map<string, Batch<T>>();
  const running = new Map<string, Promise<void>>();

  function createBatch(key: string): Batch<T> {
    const start = () => {
      waiting.delete(key);
      const result: Promise<T> = forService(() => run(key, batch.size));
      const end = () => void running.delete(key);
      running.set(key, result.then(end, end));
      return result;
    };
    const batch = { size: 0, result: (running.get(key) ?? nextTurn()).then(start) };
    waiting.set(key, batch);
    return batch;
  }

  return async (key) => {
    const batch = waiting.get(key) ?? createBatch(key);
    batch.size += 1;
    const position = batch.size;
    return { result: await batch.result, batchSize: batch.size, position };
  };
}

/** Maximum number of waiters that continue per turn of the event loop. A response takes 0.3 ms to send, and thousands may be waiting. */
export const waitersPerTurn = 20;

export interface SingleFlight<T> {
  /**
   * Joins the running flight named `key` (`joined`), or starts `work`. If a waiter's `signal` aborts, its call rejects with the reason; the
   * signal passed to `work` aborts with `ClientGone` when the last waiter has left. A failure reaches all waiters.
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
  const turn = createTurns(waitersPerTurn);

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
        if (flight.waiters > waitersPerTurn && !signal.aborted) await turn();
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
