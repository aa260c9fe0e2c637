/** Waits for captures to end on any process, with one query for all waiters. */

import { setTimeout as delay } from "node:timers/promises";
import { untilAborted } from "../../shared/deadline.ts";
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
      for (const id of ended) for (const resolve of waiting.get(id) ?? []) resolve();
      await delay(pollMs);
    }
    isPolling = false;
  }

  return async (id, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = waiting.get(id) ?? new Set();
    waiting.set(id, own.add(resolve));
    if (!isPolling) void poll();
    isPolling = true;
    try {
      await untilAborted(promise, signal);
    } finally {
      own.delete(resolve);
      if (own.size === 0 && waiting.get(id) === own) waiting.delete(id);
    }
  };
}
