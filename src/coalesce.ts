/** Asks once for all who want the same at the same moment. */

import { setImmediate as nextTurn } from "node:timers/promises";

export interface Gathered<T> {
  answer: T;
  /** How many asked together, and which of them this one is, in the order in which they came; from 1. */
  together: number;
  place: number;
}

interface Group<T> {
  size: number;
  answer: Promise<T>;
}

/**
 * Whoever names the same key in one turn of the event loop shares one `ask`. Whoever names it while it is being asked for waits until that
 * answer is there, and then shares the next one with all who came meanwhile. The one that is under way is not joined: its answer may be
 * older than the question. `ask` must end in time by itself.
 */
export function createGatherer<T>(ask: (key: string, together: number) => Promise<T>): (key: string) => Promise<Gathered<T>> {
  const waiting = new Map<string, Group<T>>();
  const underWay = new Map<string, Promise<void>>();

  function gather(key: string): Group<T> {
    const send = () => {
      waiting.delete(key);
      const answer = ask(key, group.size);
      const land = () => void underWay.delete(key);
      underWay.set(key, answer.then(land, land));
      return answer;
    };
    const group = { size: 0, answer: (underWay.get(key) ?? nextTurn()).then(send) };
    waiting.set(key, group);
    return group;
  }

  return async (key) => {
    const group = waiting.get(key) ?? gather(key);
    group.size += 1;
    const place = group.size;
    return { answer: await group.answer, together: group.size, place };
  };
}
