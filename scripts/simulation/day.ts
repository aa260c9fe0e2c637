/** The captures that callers ask for during a day. Every figure here is an assumption, which docs/scaling.md names. */

export interface Arrival {
  atMs: number;
  account: string;
  /** Milliseconds that its page and image take in a browser. */
  takesMs: number;
}

/** Of the hour, as a share of the mean: a quiet night, two peaks. */
const hours = [0.4, 0.3, 0.3, 0.3, 0.3, 0.4, 0.6, 0.9, 1.2, 1.5, 1.6, 1.5, 1.3, 1.4, 1.6, 1.6, 1.5, 1.3, 1.2, 1.1, 1, 0.9, 0.7, 0.5];
/** Once an hour, this many times the hour's rate for a fortieth of the hour. */
const burst = { times: 4, share: 1 / 40 };
/** One in ten pages is slow to answer. */
const takes = { fastMs: 1_500, slowMs: 15_000, slowShare: 0.1 };
/** Beside the greedy one. */
const accounts = 50;
export const greedy = "greedy";
/** Hours in which one account keeps as many requests under way as all places have. */
export const greedyHours = { from: 9, to: 11 };

export const meanTakesMs = takes.fastMs * (1 - takes.slowShare) + takes.slowMs * takes.slowShare;

/** The same numbers in [0, 1) each time. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** From half to one and a half times the mean. */
export function takesMs(random: () => number): number {
  const mean = random() < takes.slowShare ? takes.slowMs : takes.fastMs;
  return mean * (0.5 + random());
}

interface Rate {
  /** Mean of the day without bursts. */
  perSecond: number;
  /** Length of an hour, which may be compressed. */
  hourMs: number;
  hasBursts: boolean;
}

/** Of all accounts but the greedy one, in order. */
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
