/** Geometry of boxes. */

import type { Box } from "./comparison.ts";

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

/** Removes duplicates. */
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
