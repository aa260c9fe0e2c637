/** One of the two screenshots, read. */

import { isMostlyIn } from "./boxes.ts";
import type { Box, CompareOptions, Shot, TreeNode } from "./comparison.ts";
import { type Item, itemsOf, upwards } from "./items.ts";
import { decode, measure, type Pixels } from "./pixels.ts";
import { findNodes } from "./selector-match.ts";

export interface Page {
  pixels: Pixels;
  /** Without ignored ones. */
  items: Item[];
  tree: TreeNode[];
  ignored: Box[];
}

/** @param hasPixels whether they are needed. @throws {Error} If the image can't be decoded. */
export async function readPage({ image, elements }: Shot, { boxes, selectors }: CompareOptions["ignore"], hasPixels = true): Promise<Page> {
  const tree = elements?.tree ?? [];
  const nodes = new Set(selectors.flatMap((selector) => findNodes(tree, selector)));
  const ignored = [...boxes, ...[...nodes].map((node) => tree[node]?.box).filter((box) => box !== undefined)];
  const isIgnored = ({ node, box }: Item) =>
    [...upwards(tree, node)].some((at) => nodes.has(at)) || ignored.some((other) => isMostlyIn(box, other));
  const items = elements ? itemsOf(elements).filter((item) => !isIgnored(item)) : [];
  return { pixels: await (hasPixels ? decode(image) : measure(image)), items, tree, ignored };
}

/** Clears the ignored parts of a mask with a byte for each pixel. */
export function clearIgnored(mask: Uint8Array, { pixels: { width, height }, ignored }: Page): void {
  for (const box of ignored) {
    const [left, right] = [Math.max(0, Math.floor(box.x)), Math.min(width, Math.ceil(box.x + box.width))];
    for (let y = Math.max(0, Math.floor(box.y)); y < Math.min(height, box.y + box.height); y++)
      if (left < right) mask.fill(0, y * width + left, y * width + right);
  }
}
