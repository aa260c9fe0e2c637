/** Records delivered captures, also when the database is away for a while. */

import { setTimeout as delay } from "node:timers/promises";
import type { BaseLogger } from "pino";
import type { Clock } from "../../clock.ts";
import type { Reservation, SettledImage } from "./quota.ts";

/**
 * Resolves when the capture is recorded. Nobody else can record it, so this tries until the reservation's lease is over: an outage
 * that ends before costs nobody anything. After a longer one, or when the process dies meanwhile, the sweeper has given the
 * reservation back: the picture was a gift, its history says `abandoned`, and its stored object stays without a record.
 * @throws what the last try threw.
 */
export type Settle = (reservation: Reservation, image: SettledImage) => Promise<void>;

const firstPauseMs = 500;
const pauseMaxMs = 5_000;

interface SettleParts {
  clock: Clock;
  log: BaseLogger;
  /** Pauses between tries. */
  pause?: (ms: number) => Promise<unknown>;
}

export function createSettle({ clock, log, pause = pauseFor }: SettleParts): Settle {
  return async (reservation, image) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await reservation.settle(image);
        if (attempt > 1) log.info({ id: reservation.id, attempt }, "a delivered capture is recorded now");
        return;
      } catch (error) {
        const pauseMs = Math.min(firstPauseMs * 2 ** (attempt - 1), pauseMaxMs);
        if (clock.now() + pauseMs >= reservation.endsAtMs) throw error;
        if (attempt === 1) log.warn({ err: error, id: reservation.id }, "a delivered capture could not be recorded yet");
        await pause(pauseMs);
      }
    }
  };
}

/** Does not keep a process alive that is about to end. */
function pauseFor(ms: number): Promise<unknown> {
  return delay(ms, undefined, { ref: false });
}
