/** Boxes around marked pixels that are close to each other. */

import type { Box } from "./comparison.ts";

const tile = 8;

/**
 * Boxes around groups of marked pixels: those less than 24 pixels apart are one. `mask` has a byte for each pixel, 1 if marked.
 */
export function markedBoxes(mask: Uint8Array, width: number, height: number, pixelsMin: number): Box[] {
  const [columns, rows] = [Math.ceil(width / tile), Math.ceil(height / tile)];
  const counts = new Uint16Array(columns * rows);
  for (let at = mask.indexOf(1); at >= 0; at = mask.indexOf(1, at + 1)) {
    const place = Math.floor(Math.floor(at / width) / tile) * columns + Math.floor((at % width) / tile);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  const isSeen = new Uint8Array(counts.length);
  const boxes: Box[] = [];
  for (let start = 0; start < counts.length; start++) {
    if (!counts[start] || isSeen[start]) continue;
    const group = [start];
    isSeen[start] = 1;
    let [left, top, right, bottom, marked] = [columns, rows, 0, 0, 0];
    for (let next = group.pop(); next !== undefined; next = group.pop()) {
      const [column, row] = [next % columns, Math.floor(next / columns)];
      [left, right, top, bottom] = [Math.min(left, column), Math.max(right, column), Math.min(top, row), Math.max(bottom, row)];
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
    const [x, y] = [left * tile, top * tile];
    boxes.push(
      shrunk(mask, width, { x, y, width: Math.min((right + 1) * tile, width) - x, height: Math.min((bottom + 1) * tile, height) - y }),
    );
  }
  return boxes;
}

/** The box around the marked pixels in `box`. */
function shrunk(mask: Uint8Array, stride: number, box: Box): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (let y = box.y; y < box.y + box.height; y++)
    for (let x = box.x; x < box.x + box.width; x++)
      if (mask[y * stride + x]) [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), y];
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}
