/** Geometry of boxes, and of pairs of boxes that belong to the same element in both images. */

import type { Box } from "./comparison.ts";
import { createBudget } from "./effort.ts";

export const area = ({ width, height }: Box): number => width * height;

export function overlap(one: Box, other: Box): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return width > 0 && height > 0 ? width * height : 0;
}

/** Bounding box. `boxes` must not be empty. */
export function union(boxes: Box[]): Box {
  let [x, y, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    [x, y] = [Math.min(x, box.x), Math.min(y, box.y)];
    [right, bottom] = [Math.max(right, box.x + box.width), Math.max(bottom, box.y + box.height)];
  }
  return { x, y, width: right - x, height: bottom - y };
}

export function distinct(boxes: Box[]): Box[] {
  return [...new Map(boxes.map((box) => [`${box.x} ${box.y} ${box.width} ${box.height}`, box])).values()];
}

/** The box grown by `by` pixels on all sides. */
export function grown({ x, y, width, height }: Box, by: number): Box {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

/** Whether at least `share` of `box` lies inside `outer` or within 12 pixels of it. */
export function isMostlyIn(box: Box, outer: Box | null, share = 0.6): boolean {
  return outer !== null && overlap(box, grown(outer, 12)) >= share * area(box);
}

/** The part of a box inside an image of this size; null if there is none. */
export function clipped(box: Box | null, size: { width: number; height: number }): Box | null {
  if (!box) return null;
  const [x, y] = [Math.max(0, box.x), Math.max(0, box.y)];
  const [width, height] = [Math.min(size.width, box.x + box.width) - x, Math.min(size.height, box.y + box.height) - y];
  return width > 0 && height > 0 ? { x, y, width, height } : null;
}

/** Boxes of the same element in both images. */
export interface BoxPair {
  before: Box;
  after: Box;
}

export type Side = "before" | "after";

/** The smallest pairs that together have at most `pixelsMax` pixels, in their original order. */
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

/** Returns a function that finds the pairs in a range of rows, and possibly some near it, in their original order. */
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
