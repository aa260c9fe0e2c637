/** Aligns two sequences with patience diff, which anchors at members that are unique in both. */

import { assertInTime, createBudget } from "./effort.ts";

/** `length` members starting at `before` in one sequence equal those starting at `after` in the other. */
export interface EqualRun {
  before: number;
  after: number;
  length: number;
}

type Keys = ArrayLike<number | string>;
type Range = [b0: number, b1: number, a0: number, a1: number];

/** Maximum number of pairs compared in a range without unique members. */
const productMax = 250_000;

/**
 * Maximum number of passes in search of unique members. A hostile sequence could need as many passes as it has members; beyond the limit,
 * the rest is treated as different.
 */
const passesMax = 200;

/** Maximal runs of equal members, in ascending order. */
export function align(before: Keys, after: Keys): EqualRun[] {
  const mayScan = createBudget(passesMax * (before.length + after.length));
  const pairs: [number, number][] = [];
  const open: Range[] = [[0, before.length, 0, after.length]];
  for (let range = open.pop(); range; range = open.pop()) {
    let [b0, b1, a0, a1] = range;
    while (b0 < b1 && a0 < a1 && before[b0] === after[a0]) pairs.push([b0++, a0++]);
    while (b0 < b1 && a0 < a1 && before[b1 - 1] === after[a1 - 1]) pairs.push([--b1, --a1]);
    if (b0 === b1 || a0 === a1 || !mayScan(b1 - b0 + a1 - a0)) continue;
    assertInTime();
    const anchors = ascending(uniquePairs(before, after, [b0, b1, a0, a1]));
    if (anchors.length === 0) {
      if ((b1 - b0) * (a1 - a0) <= productMax) pairs.push(...commonSubsequence(before, after, [b0, b1, a0, a1]));
      continue;
    }
    let [b, a] = [b0, a0];
    for (const [nextB, nextA] of anchors) {
      open.push([b, nextB, a, nextA]);
      pairs.push([nextB, nextA]);
      [b, a] = [nextB + 1, nextA + 1];
    }
    open.push([b, b1, a, a1]);
  }
  return joined(pairs.sort(([one], [other]) => one - other));
}

/** Equal runs in a different order. Their members are unique in both sequences and aren't part of `runs`. */
export function reordered(before: Keys, after: Keys, runs: EqualRun[]): EqualRun[] {
  const isKnown = new Set(runs.flatMap((run) => Array.from({ length: run.length }, (_, at) => run.before + at)));
  const isTaken = new Set(runs.flatMap((run) => Array.from({ length: run.length }, (_, at) => run.after + at)));
  const pairs = uniquePairs(before, after, [0, before.length, 0, after.length]).filter(([b, a]) => !isKnown.has(b) && !isTaken.has(a));
  return joined(pairs);
}

function joined(pairs: [number, number][]): EqualRun[] {
  const runs: EqualRun[] = [];
  for (const [before, after] of pairs) {
    const last = runs.at(-1);
    if (last && last.before + last.length === before && last.after + last.length === after) last.length += 1;
    else runs.push({ before, after, length: 1 });
  }
  return runs;
}

/** Positions of members that occur once in each range, ordered by their position in the first range. */
function uniquePairs(before: Keys, after: Keys, [b0, b1, a0, a1]: Range): [number, number][] {
  const positions = (keys: Keys, from: number, to: number) => {
    const found = new Map<unknown, number>();
    for (let at = from; at < to; at++) found.set(keys[at], found.has(keys[at]) ? -1 : at);
    return found;
  };
  const others = positions(after, a0, a1);
  const pairs: [number, number][] = [];
  for (const [key, at] of positions(before, b0, b1)) {
    const other = others.get(key) ?? -1;
    if (at >= 0 && other >= 0) pairs.push([at, other]);
  }
  return pairs.sort(([one], [another]) => one - another);
}

/** The longest subsequence that increases in the second number; `pairs` are already sorted by the first. */
function ascending(pairs: [number, number][]): [number, number][] {
  const tails: number[] = []; // last pair of the best subsequence of each length
  const previous: number[] = [];
  for (const [at, [, value]] of pairs.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = tails[low - 1] ?? -1;
    tails[low] = at;
  }
  const part: [number, number][] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) part.push(pairs[at] as [number, number]);
  return part.reverse();
}

function commonSubsequence(before: Keys, after: Keys, [b0, b1, a0, a1]: Range): [number, number][] {
  const columns = a1 - a0 + 1;
  const lengths = new Uint16Array((b1 - b0 + 1) * columns);
  const lengthAt = (b: number, a: number) => lengths[(b - b0) * columns + a - a0] ?? 0;
  for (let b = b1 - 1; b >= b0; b--)
    for (let a = a1 - 1; a >= a0; a--)
      lengths[(b - b0) * columns + a - a0] =
        before[b] === after[a] ? lengthAt(b + 1, a + 1) + 1 : Math.max(lengthAt(b + 1, a), lengthAt(b, a + 1));
  const pairs: [number, number][] = [];
  for (let [b, a] = [b0, a0]; b < b1 && a < a1; ) {
    if (before[b] === after[a]) pairs.push([b++, a++]);
    else if (lengthAt(b + 1, a) >= lengthAt(b, a + 1)) b++;
    else a++;
  }
  return pairs;
}
