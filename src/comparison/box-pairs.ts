/** Selects and looks up the elements whose pixels are compared. */

import { area } from "./boxes.ts";
import type { Box } from "./comparison.ts";
import { createBudget } from "./effort.ts";

/** Boxes of the same element in both images. */
export interface BoxPair {
  before: Box;
  after: Box;
}

export type Side = "before" | "after";

/** The smallest pairs with at most `pixelsMax` pixels in total, in their original order. */
export function smallestPairs(pairs: BoxPair[], side: Side, pixelsMax: number): BoxPair[] {
  const areas = pairs.map((pair) => Math.max(0, area(pair[side])));
  let sum = 0;
  for (const one of areas) sum += one;
  if (sum <= pixelsMax) return pairs;
  const mayAdd = createBudget(pixelsMax);
  const kept = new Set<number>();
  for (const at of [...areas.keys()].sort((one, another) => (areas[one] ?? 0) - (areas[another] ?? 0)))
    if (mayAdd(areas[at] ?? 0)) kept.add(at);
  return pairs.filter((_, at) => kept.has(at));
}

const rowsTogether = 512;

/** Returns a function that finds the pairs within a range of rows, in their original order. */
export function pairsByRows(pairs: BoxPair[], side: Side, height: number): (from: number, to: number) => Iterable<BoxPair> {
  const groups: number[][] = Array.from({ length: Math.ceil(height / rowsTogether) }, () => []);
  for (const [at, { [side]: box }] of pairs.entries())
    for (let row = Math.max(0, Math.floor(box.y / rowsTogether)); row < groups.length && row * rowsTogether < box.y + box.height; row++)
      groups[row]?.push(at);
  return (from, to) => {
    const found = groups.slice(Math.floor(from / rowsTogether), Math.ceil(to / rowsTogether)).flat();
    return [...new Set(found)].sort((one, another) => one - another).flatMap((at) => pairs[at] ?? []);
  };
}
