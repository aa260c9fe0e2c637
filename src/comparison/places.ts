/** Selects and looks up the elements whose pixels are compared. */

import { area } from "./boxes.ts";
import type { Box } from "./comparison.ts";
import { createBudget } from "./effort.ts";

/** Boxes of the same element in both images. */
export interface Place {
  before: Box;
  after: Box;
}

export type Side = "before" | "after";

/** The smallest places with at most `pixelsMax` pixels in total, in their original order. */
export function smallest(places: Place[], side: Side, pixelsMax: number): Place[] {
  const areas = places.map((place) => Math.max(0, area(place[side])));
  let sum = 0;
  for (const one of areas) sum += one;
  if (sum <= pixelsMax) return places;
  const mayAdd = createBudget(pixelsMax);
  const kept = new Set<number>();
  for (const at of [...areas.keys()].sort((one, another) => (areas[one] ?? 0) - (areas[another] ?? 0)))
    if (mayAdd(areas[at] ?? 0)) kept.add(at);
  return places.filter((_, at) => kept.has(at));
}

const rowsTogether = 512;

/** Returns a function that finds the places within a range of rows, in their original order. */
export function byRows(places: Place[], side: Side, height: number): (from: number, to: number) => Iterable<Place> {
  const groups: number[][] = Array.from({ length: Math.ceil(height / rowsTogether) }, () => []);
  for (const [at, { [side]: box }] of places.entries())
    for (let row = Math.max(0, Math.floor(box.y / rowsTogether)); row < groups.length && row * rowsTogether < box.y + box.height; row++)
      groups[row]?.push(at);
  return (from, to) => {
    const found = groups.slice(Math.floor(from / rowsTogether), Math.ceil(to / rowsTogether)).flat();
    return [...new Set(found)].sort((one, another) => one - another).flatMap((at) => places[at] ?? []);
  };
}
