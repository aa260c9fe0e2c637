/** The captures that callers request during a day. Every figure here is an assumption listed in docs/scaling.md. */

export interface Arrival {
  atMs: number;
  account: string;
  /** Duration of the capture in the browser, in milliseconds. */
  takesMs: number;
}

/** Load in each hour of the day, relative to the mean: a quiet night and two peaks. */
const hours = [0.4, 0.3, 0.3, 0.3, 0.3, 0.4, 0.6, 0.9, 1.2, 1.5, 1.6, 1.5, 1.3, 1.4, 1.6, 1.6, 1.5, 1.3, 1.2, 1.1, 1, 0.9, 0.7, 0.5];
/** Each hour starts with a burst: `times` the hour's rate, for `share` of the hour. */
const burst = { times: 4, share: 1 / 40 };
/** One page in ten is slow to load. */
const takes = { fastMs: 1_500, slowMs: 15_000, slowShare: 0.1 };
/** Number of accounts, not counting the greedy one. */
const accounts = 50;
export const greedy = "greedy";
/** Hours during which the greedy account keeps one request in flight for every slot of all workers. */
export const greedyHours = { from: 9, to: 11 };

export const meanTakesMs = takes.fastMs * (1 - takes.slowShare) + takes.slowMs * takes.slowShare;

/** A seeded pseudorandom generator of numbers in [0, 1). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Uniform between half and one and a half times the mean of a fast or slow page. */
export function takesMs(random: () => number): number {
  const mean = random() < takes.slowShare ? takes.slowMs : takes.fastMs;
  return mean * (0.5 + random());
}

interface Rate {
  /** Mean over the day, not counting bursts. */
  perSecond: number;
  /** Simulated length of an hour; shorter in a compressed day. */
  hourMs: number;
  hasBursts: boolean;
}

/** Arrivals from all accounts except the greedy one, in chronological order. */
export function* arrivalsOf({ perSecond, hourMs, hasBursts }: Rate, random: () => number): Generator<Arrival> {
  const times = hasBursts ? burst.times : 1;
  const most = perSecond * Math.max(...hours) * times;
  for (let atMs = 0; ; ) {
    atMs += (-Math.log(1 - random()) / most) * 1000;
    const hour = Math.floor(atMs / hourMs);
    if (hour >= hours.length) return;
    const isBurst = (atMs % hourMs) / hourMs < burst.share;
    const rate = perSecond * (hours[hour] ?? 0) * (isBurst ? times : 1);
    if (random() * most < rate) yield { atMs, account: `account ${Math.floor(random() * accounts)}`, takesMs: takesMs(random) };
  }
}
