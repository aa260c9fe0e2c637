/** Coalesces concurrent calls with the same key. */

import { setImmediate as nextTurn } from "node:timers/promises";

export interface Coalesced<T> {
  result: T;
  batchSize: number;
  /** Position of this call in its batch, in the order of the calls; from 1. */
  position: number;
}

interface Batch<T> {
  size: number;
  result: Promise<T>;
}

/**
 * Calls with the same key in one turn of the event loop share one run. Calls during a run wait for its end and share the next one: they
 * don't join the current one, whose result may be older than the call. `run` must have a deadline.
 */
export function createCoalescer<T>(run: (key: string, batchSize: number) => Promise<T>): (key: string) => Promise<Coalesced<T>> {
  const waiting = new Map<string, Batch<T>>();
  const running = new Map<string, Promise<void>>();

  function createBatch(key: string): Batch<T> {
    const start = () => {
      waiting.delete(key);
      const result = run(key, batch.size);
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
