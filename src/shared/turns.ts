/** Spreads work over several turns of the event loop. */

import { setImmediate } from "node:timers/promises";

/**
 * The returned function's calls resolve in order, at most `perTurn` of them per turn of the event loop. For work that many requests would
 * otherwise do in the same turn, for example when their bodies arrive together or a shared wait ends.
 */
export function createTurns(perTurn: number): () => Promise<void> {
  let waiting: (() => void)[] = [];
  const goOn = () => {
    for (const resolve of waiting.slice(0, perTurn)) resolve();
    waiting = waiting.slice(perTurn);
    if (waiting.length > 0) setImmediate().then(goOn);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate().then(goOn);
    });
}

/** Runs all `steps`, each in a separate turn. */
export async function runInTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}

/** Loads modules one after another, each in a separate turn: together, large libraries take 0.2 s. @returns the last module. */
export async function loadInTurns<T>(last: () => Promise<T>, ...before: (() => Promise<unknown>)[]): Promise<T> {
  for (const load of before) {
    await load();
    await setImmediate();
  }
  return await last();
}
