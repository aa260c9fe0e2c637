/** Waits for captures to end in any process, with one query for all waiters. */

import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { waitersPerTurn } from "../../shared/coalesce.ts";
import { untilAborted } from "../../shared/deadline.ts";
import { forService } from "../../shared/work-owner.ts";
import type { CaptureRecords } from "./records.ts";

/** Resolves when the capture has ended or its record is gone. @throws the signal's reason. */
export type UntilEnded = (id: string, signal: AbortSignal) => Promise<void>;

const pollMs = 200;

export function createUntilEnded(records: Pick<CaptureRecords, "ended">): UntilEnded {
  const waiting = new Map<string, Set<() => void>>();
  let isPolling = false;

  async function poll(): Promise<void> {
    while (waiting.size > 0) {
      const ended = await records.ended([...waiting.keys()]).catch(() => []); // database unavailable: try again
      let woken = 0;
      for (const resolve of ended.flatMap((id) => [...(waiting.get(id) ?? [])])) {
        if (woken % waitersPerTurn === 0) await nextTurn();
        woken += 1;
        resolve();
      }
      await delay(pollMs);
    }
    isPolling = false;
  }

  return async (id, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = waiting.get(id) ?? new Set();
    waiting.set(id, own.add(resolve));
    if (!isPolling) void forService(poll);
    isPolling = true;
    try {
      await untilAborted(promise, signal);
    } finally {
      own.delete(resolve);
      if (own.size === 0 && waiting.get(id) === own) waiting.delete(id);
    }
  };
}
