/** A clock that moves only when a test advances it. */

import type { Clock } from "../../src/shared/clock.ts";

export interface TestClock extends Clock {
  advance(ms: number): void;
  set(time: Date): void;
}

export function createTestClock(start = new Date("2026-05-20T12:00:00Z")): TestClock {
  let nowMs = start.getTime();
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
    set(time) {
      nowMs = time.getTime();
    },
  };
}
