/** Virtual time that a test advances: timers fire in the order in which they are due. */

import type { Clock } from "../../src/shared/clock.ts";
import { eventually } from "./eventually.ts";

export interface VirtualTime {
  clock: Clock;
  /** Resolves when `ms` have passed; rejects with the signal's reason if it aborts first. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** Advances by `ms`. Before each step it waits until `pauses` pauses are pending, which means that all real work is done. */
  pass(ms: number, pauses: () => number): Promise<void>;
  /** Milliseconds that have passed. */
  passedMs(): number;
}

interface Pause {
  at: number;
  end(): void;
}

export function createVirtualTime(): VirtualTime {
  const start = Date.UTC(2026, 4, 20);
  let nowMs = start;
  const pending = new Set<Pause>();

  function pause(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry: Pause = { at: nowMs + ms, end: resolve };
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else {
      pending.add(entry);
      signal.addEventListener("abort", abort, { once: true });
    }
    return promise.finally(() => {
      pending.delete(entry);
      signal.removeEventListener("abort", abort);
    });
  }

  return {
    clock: { now: () => nowMs },
    pause,
    async pass(ms, pauses) {
      const end = nowMs + ms;
      for (;;) {
        await eventually("all work is paused", async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return pending.size === pauses();
        });
        const next = [...pending].sort((a, b) => a.at - b.at)[0];
        if (!next || next.at > end) break;
        nowMs = next.at;
        pending.delete(next);
        next.end();
      }
      nowMs = end;
    },
    passedMs: () => nowMs - start,
  };
}
