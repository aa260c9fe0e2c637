/** Computes the scroll position at any time in a recording with `scroll=down`. Pure. */

/** The scrolling element, in CSS pixels. */
interface Scrollable {
  /** Scroll positions of the sections' tops, in ascending order. */
  sections: readonly number[];
  /** The last scroll position. */
  bottom: number;
  windowHeight: number;
}

/** Minimum duration of a pause. A page that would need too many stops is scrolled through with pauses only at its top and bottom. */
const pauseMinMs = 400;
/** Share of the recording that the pauses take up. */
const pausesShare = 0.4;
/** Minimum and maximum distance between stops, in window heights; the last stop may be closer or farther. */
const stepShares = { least: 0.4, most: 0.95 };

/** Returns a function from time to scroll position. The movement is eased, and pauses at each stop (see `stopsOf`). */
export function scrollPath(page: Scrollable, durationMs: number): (atMs: number) => number {
  const stops = stopsOf(page, (durationMs * pausesShare) / pauseMinMs) ?? [0, page.bottom];
  const pauseMs = (durationMs * pausesShare) / stops.length;
  const legs = stops.slice(1).map((to, index) => ({ from: stops[index] ?? 0, to }));
  // Longer legs take longer, but not proportionally, so that short legs aren't abrupt.
  const weights = legs.map(({ from, to }) => Math.sqrt(to - from));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return (atMs) => {
    let left = atMs - pauseMs;
    for (const [index, { from, to }] of legs.entries()) {
      if (left <= 0) return from;
      const legMs = ((weights[index] ?? 0) / total) * durationMs * (1 - pausesShare);
      if (left < legMs) return from + (to - from) * eased(left / legMs);
      left -= legMs + pauseMs;
    }
    return stops.at(-1) ?? 0;
  };
}

/**
 * Stops from top to bottom, each at the last section within reach of the previous stop or, if there is none, as far down as
 * possible. Undefined if there are more than `countMax` stops.
 */
function stopsOf({ sections, bottom, windowHeight }: Scrollable, countMax: number): number[] | undefined {
  const stops = [0];
  const [least, most] = [stepShares.least * windowHeight, stepShares.most * windowHeight];
  for (let at = 0; at < bottom && stops.length <= countMax; ) {
    const next = sections.findLast((top) => top >= at + least && top <= at + most) ?? at + most;
    at = bottom - next < least ? bottom : next;
    stops.push(at);
  }
  return stops.length <= countMax ? stops : undefined;
}

/** Cubic ease-in-out. */
function eased(share: number): number {
  return share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2;
}
