/** Finds bounding boxes of marked pixels that are close together. */

import type { Box } from "./comparison.ts";
import { assertInTime } from "./effort.ts";

/** Side length of the smallest tiles, in pixels. */
const tileMin = 8;
/** Maximum number of boxes. A grid of dots would yield tens of thousands, each compared with all the others and with every element. */
const boxesMax = 1_000;

/**
 * Bounding boxes of groups of at least `pixelsMin` marked pixels. Pixels up to 16 pixels apart are in the same group; the distance grows if
 * there would be too many boxes. `mask` has one byte per pixel, 1 if marked.
 */
export function markedBoxes(mask: Uint8Array, width: number, height: number, pixelsMin: number): Box[] {
  for (let tile = tileMin; ; tile *= 2) {
    assertInTime();
    const boxes = boxesOf(mask, { width, height, tile }, pixelsMin);
    if (boxes) return boxes;
  }
}

interface Tiles {
  width: number;
  height: number;
  tile: number;
}

/** @returns undefined if there would be more than `boxesMax`. */
function boxesOf(mask: Uint8Array, { width, height, tile }: Tiles, pixelsMin: number): Box[] | undefined {
  const [columns, rows] = [Math.ceil(width / tile), Math.ceil(height / tile)];
  const counts = new Uint32Array(columns * rows);
  for (let at = mask.indexOf(1); at >= 0; at = mask.indexOf(1, at + 1)) {
    const cell = Math.floor(Math.floor(at / width) / tile) * columns + Math.floor((at % width) / tile);
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  const isSeen = new Uint8Array(counts.length);
  const boxes: Box[] = [];
  for (let start = 0; start < counts.length; start++) {
    if (!counts[start] || isSeen[start]) continue;
    const group = [start];
    isSeen[start] = 1;
    let marked = 0;
    for (let at = 0; at < group.length; at++) {
      const next = group[at] ?? 0;
      const [column, row] = [next % columns, Math.floor(next / columns)];
      marked += counts[next] ?? 0;
      for (let y = Math.max(0, row - 2); y <= Math.min(rows - 1, row + 2); y++)
        for (let x = Math.max(0, column - 2); x <= Math.min(columns - 1, column + 2); x++) {
          const near = y * columns + x;
          if (counts[near] && !isSeen[near]) {
            isSeen[near] = 1;
            group.push(near);
          }
        }
    }
    if (marked < pixelsMin) continue;
    if (boxes.length === boxesMax) return undefined;
    boxes.push(aroundMarked(mask, { width, height, tile }, group));
  }
  return boxes;
}

/** Bounding box of the marked pixels in these tiles. */
function aroundMarked(mask: Uint8Array, { width, height, tile }: Tiles, tiles: number[]): Box {
  const columns = Math.ceil(width / tile);
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (const at of tiles) {
    const [x0, y0] = [(at % columns) * tile, Math.floor(at / columns) * tile];
    const [x1, y1] = [Math.min(width, x0 + tile), Math.min(height, y0 + tile)];
    if (x0 >= left && y0 >= top && x1 <= right && y1 <= bottom) continue;
    for (let y = y0; y < y1; y++)
      for (let x = x0; x < x1; x++)
        if (mask[y * width + x])
          [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** Returns a function that tells whether any pixel of a box is marked. With a summed-area table, only the edges of the box are scanned. */
export function createIsMarked(mask: Uint8Array, width: number, height: number): (box: Box) => boolean {
  const tile = 16;
  const [columns, rows] = [Math.ceil(width / tile) + 1, Math.ceil(height / tile) + 1];
  const sums = new Uint32Array(columns * rows); // marked pixels above and to the left of each tile corner
  for (let at = mask.indexOf(1); at >= 0; at = mask.indexOf(1, at + 1)) {
    const corner = (Math.floor(Math.floor(at / width) / tile) + 1) * columns + Math.floor((at % width) / tile) + 1;
    sums[corner] = (sums[corner] ?? 0) + 1;
  }
  for (let row = 1; row < rows; row++)
    for (let column = 1; column < columns; column++) {
      const at = row * columns + column;
      sums[at] = (sums[at] ?? 0) + (sums[at - 1] ?? 0) + (sums[at - columns] ?? 0) - (sums[at - columns - 1] ?? 0);
    }
  const sumAt = (column: number, row: number) => sums[row * columns + column] ?? 0;
  const rowsMarked = (top: number, bottom: number, left: number, right: number) => {
    for (let y = top; y < bottom; y++) if (mask.subarray(y * width + left, y * width + right).includes(1)) return true;
    return false;
  };
  return (box) => {
    assertInTime();
    const [left, top] = [Math.max(0, box.x), Math.max(0, box.y)];
    const [right, bottom] = [Math.min(width, box.x + box.width), Math.min(height, box.y + box.height)];
    if (left >= right || top >= bottom) return false;
    const [c0, r0, c1, r1] = [Math.ceil(left / tile), Math.ceil(top / tile), Math.floor(right / tile), Math.floor(bottom / tile)];
    if (c0 >= c1 || r0 >= r1) return rowsMarked(top, bottom, left, right);
    if (sumAt(c1, r1) - sumAt(c0, r1) - sumAt(c1, r0) + sumAt(c0, r0) > 0) return true;
    const [insideTop, insideBottom] = [r0 * tile, r1 * tile];
    return (
      rowsMarked(top, insideTop, left, right) ||
      rowsMarked(insideBottom, bottom, left, right) ||
      rowsMarked(insideTop, insideBottom, left, c0 * tile) ||
      rowsMarked(insideTop, insideBottom, c1 * tile, right)
    );
  };
}
