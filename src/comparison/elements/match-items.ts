/** Matches the items of two screenshots. */

import { align, type EqualRun, reordered } from "../align.ts";
import { assertInTime } from "../effort.ts";
import type { Item } from "./items.ts";

export interface ItemPair {
  before: Item;
  after: Item;
}

export interface Matches {
  /** Equal items in the same order. */
  same: ItemPair[];
  /** Equal items in a different order. */
  reordered: ItemPair[];
  /** Similar items: the text of an item, or the name or size of a picture, has changed. */
  changed: ItemPair[];
  added: Item[];
  removed: Item[];
}

export function matchItems(before: Item[], after: Item[]): Matches {
  const keys = [before.map(({ key }) => key), after.map(({ key }) => key)] as const;
  const runs = slid(align(...keys), before, after);
  const pairsOf = (found: typeof runs): ItemPair[] =>
    found.flatMap((run) =>
      Array.from({ length: run.length }, (_, at) => ({ before: before[run.before + at] as Item, after: after[run.after + at] as Item })),
    );
  const moved = reordered(...keys, runs).filter((run) => before[run.before]?.text || before[run.before]?.name || run.length > 1);
  const isMoved = new Set(pairsOf(moved).flatMap((pair) => [pair.before, pair.after]));
  const matches: Matches = { same: pairsOf(runs), reordered: pairsOf(moved), changed: [], added: [], removed: [] };
  let [b, a] = [0, 0];
  for (const run of [...runs, { before: before.length, after: after.length, length: 0 }]) {
    const old = before.slice(b, run.before).filter((item) => !isMoved.has(item));
    const fresh = after.slice(a, run.after).filter((item) => !isMoved.has(item));
    pairChanged(old, fresh, matches);
    [b, a] = [run.before + run.length, run.after + run.length];
  }
  return matches;
}

/**
 * Among consecutive equal items, the alignment alone can't tell which ones were added or removed. Of all possible gaps between two runs,
 * this chooses the one in which the most neighbors have the same parent.
 */
function slid(runs: EqualRun[], before: Item[], after: Item[]): EqualRun[] {
  const found = runs.map((run) => ({ ...run }));
  const [alikeBefore, alikeAfter] = [countAlike(before), countAlike(after)];
  for (const [at, run] of found.entries()) {
    const last = found[at - 1];
    if (!last) continue;
    const [old, fresh] = [run.before - last.before - last.length, run.after - last.after - last.length];
    if (old > 0 === fresh > 0) continue;
    const gap =
      old > 0
        ? { items: before, alike: alikeBefore, start: last.before + last.length, length: old }
        : { items: after, alike: alikeAfter, start: last.after + last.length, length: fresh };
    const steps = bestSlide(gap, last.length - 1);
    last.length -= steps;
    run.before -= steps;
    run.after -= steps;
    run.length += steps;
  }
  return found;
}

/** For each position, the number of items up to it that have the same parent as their predecessor. */
function countAlike(items: Item[]): Int32Array {
  const parents = items.map(({ selector }) => selector?.replace(/ > [^>]*$/, ""));
  const counts = new Int32Array(items.length);
  for (let at = 1; at < items.length; at++) counts[at] = (counts[at - 1] ?? 0) + Number(parents[at] === parents[at - 1]);
  return counts;
}

interface Gap {
  items: Item[];
  /** Counts from {@link countAlike}. */
  alike: Int32Array;
  start: number;
  length: number;
}

/** Distance by which to move a gap up, at most `max`. Each step takes constant time, regardless of the length of the gap. */
function bestSlide({ items, alike, start, length }: Gap, max: number): number {
  const inside = (from: number) => (alike[from + length - 1] ?? 0) - (alike[from] ?? 0);
  let best = { steps: 0, inside: inside(start) };
  for (let steps = 1; steps <= max && items[start - steps]?.key === items[start - steps + length]?.key; steps++)
    if (inside(start - steps) > best.inside) best = { steps, inside: inside(start - steps) };
  return best.steps;
}

/** Pairs similar items of a gap between runs, most similar first, among the first 200 on each side. The rest count as removed or added. */
function pairChanged(old: Item[], fresh: Item[], matches: Matches): void {
  assertInTime();
  const isPaired = new Set<Item>();
  const candidates = old
    .slice(0, 200)
    .flatMap((before) => fresh.slice(0, 200).map((after) => ({ before, after, score: likeness(before, after) })))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
  for (const { before, after } of candidates) {
    if (isPaired.has(before) || isPaired.has(after)) continue;
    isPaired.add(before).add(after);
    matches.changed.push({ before, after });
  }
  matches.removed.push(...old.filter((item) => !isPaired.has(item)));
  matches.added.push(...fresh.filter((item) => !isPaired.has(item)));
}

/** Similarity of two items; 0 if they don't belong together. */
function likeness(before: Item, after: Item): number {
  if (before.tag !== after.tag || before.isPicture !== after.isPicture) return 0;
  const selectorShare = before.selector !== null && before.selector === after.selector ? 0.5 : 0;
  const isThere = Math.abs(before.box.x - after.box.x) < 4 && Math.abs(before.box.y - after.box.y) < 4 ? 0.3 : 0;
  const words = before.isPicture ? (before.name === after.name ? 0.3 : 0) : commonWords(before.text, after.text);
  return words >= 0.3 || selectorShare + isThere >= 0.5 ? words + selectorShare + isThere : 0;
}

/** Share of words in common, 0 to 1. */
function commonWords(one: string, other: string): number {
  const [words, others] = [one.toLowerCase().split(/\s+/), other.toLowerCase().split(/\s+/)];
  const left = new Map<string, number>();
  for (const word of others) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of words) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    common += 1;
  }
  return (2 * common) / (words.length + others.length);
}
