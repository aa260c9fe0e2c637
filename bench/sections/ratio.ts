/** Ratios to raw Chromium, turn by turn. */

import { median } from "../measure/statistics.ts";

interface Place {
  contender: string;
  page: string;
  network: string;
  round: number;
}

/** The median of each turn's value divided by that of `raw` in the same round with the same page. NaN if there are no such turns. */
export function ratioToRaw<Turn extends Place>(turns: Turn[], contender: string, value: (turn: Turn) => number): number {
  const ratios = turns
    .filter((turn) => turn.contender === contender)
    .flatMap((turn) => {
      const same = (other: Turn) => other.page === turn.page && other.network === turn.network && other.round === turn.round;
      const raw = turns.find((other) => other.contender === "raw" && same(other));
      const quotient = raw ? value(turn) / value(raw) : Number.NaN;
      return Number.isFinite(quotient) ? [quotient] : [];
    });
  return median(ratios);
}
