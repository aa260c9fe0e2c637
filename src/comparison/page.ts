/** Reads one of the two screenshots to compare. */

import { distinct, isMostlyIn } from "./boxes.ts";
import type { Box, CompareOptions, Shot, TreeNode } from "./comparison.ts";
import { assertInTime } from "./effort.ts";
import { type Item, itemsOf } from "./elements/items.ts";
import { createOutline, type Outline } from "./elements/outline.ts";
import { findNodes } from "./elements/selector-match.ts";
import { decode, measure, type Pixels } from "./pixels.ts";

export interface ComparablePage {
  pixels: Pixels;
  /** Excludes ignored items. */
  items: Item[];
  tree: TreeNode[];
  outline: Outline;
  ignored: Box[];
}

/** @param hasPixels whether to decode the image. @throws {Error} if libvips can't read it. */
export async function readComparablePage(
  { image, elements }: Shot,
  { boxes, selectors }: CompareOptions["ignore"],
  hasPixels = true,
): Promise<ComparablePage> {
  const tree = elements?.tree ?? [];
  const nodes = new Set(selectors.flatMap((selector) => findNodes(tree, selector)));
  const ignored = [...boxes, ...[...nodes].map((node) => tree[node]?.box).filter((box) => box !== undefined)];
  const ignoredBoxes = distinct(ignored);
  const isInside: boolean[] = [];
  for (const [at, { parent }] of tree.entries()) isInside[at] = nodes.has(at) || (parent !== null && isInside[parent] === true);
  const isIgnored = ({ node, box }: Item) => {
    assertInTime();
    return (node !== null && isInside[node] === true) || ignoredBoxes.some((other) => isMostlyIn(box, other));
  };
  const items = elements ? itemsOf(elements).filter((item) => !isIgnored(item)) : [];
  return { pixels: await (hasPixels ? decode(image) : measure(image)), items, tree, outline: createOutline(tree), ignored };
}

/** Clears the ignored parts of a mask, which has one byte per pixel. */
export function clearIgnored(mask: Uint8Array, { pixels: { width, height }, ignored }: ComparablePage): void {
  const boxes = distinct(ignored)
    .map((box) => ({
      left: Math.max(0, Math.floor(box.x)),
      right: Math.min(width, Math.ceil(box.x + box.width)),
      top: Math.max(0, Math.floor(box.y)),
      bottom: Math.min(height, Math.ceil(box.y + box.height)),
    }))
    .sort((one, other) => one.left - other.left);
  // All rows between adjacent edges cross the same boxes, so each pixel is cleared only once.
  const edges = [...new Set(boxes.flatMap(({ top, bottom }) => [top, bottom]))].sort((one, other) => one - other);
  for (const [at, from] of edges.entries()) {
    assertInTime();
    const to = edges[at + 1] ?? from;
    const here = boxes.filter(({ top, bottom }) => top <= from && bottom >= to);
    let cleared = 0;
    for (const { left, right } of here) {
      const start = Math.max(left, cleared);
      cleared = Math.max(cleared, right);
      if (start < right) for (let y = from; y < to; y++) mask.fill(0, y * width + start, y * width + right);
    }
  }
}
