/** Finds the pixels of one image that don't appear in the other, allowing for moved content. */

import { diff } from "@blazediff/core";
import type { EqualRun } from "./align.ts";
import { type BoxPair, pairsByRows, type Side, smallestPairs } from "./boxes.ts";
import type { Box } from "./comparison.ts";
import { assertInTime, type Budget, createBudget } from "./effort.ts";
import type { Pixels } from "./pixels.ts";
import type { Shift } from "./shifts.ts";

const blockSize = 16;
const bandRows = 2_048;
/** Extra rows around a band, needed to detect antialiasing. */
const context = 2;
/** Perceptible color difference, on the scale of `diff`; higher for lossy formats, which add noise. */
const [exact, lossy] = [0.02, 0.22];
/** Thin glyphs look entirely like antialiasing, so differences this large always count. */
const certain = 0.5;
/** Maximum sum of the red, green and blue differences that counts as noise. */
const noiseMax = 60;
/**
 * Budget for finding the sources of blocks, in compared pixels: a number per image pixel, and a minimum total. An image of pure noise would
 * need 108 per pixel: 9 nudges of each of 12 shifts.
 */
const [comparedPerPixel, comparedMin] = [24, 500_000_000];
/** Budget for elements, which may overlap, in compared pixels: a number per image pixel, and a minimum total. */
const [elementsPerPixel, elementPixelsMin] = [4, 40_000_000];
/** Maximum number of pixels to check for resampling; each is compared with the pixels around its source. */
const resampledPixelsMax = 5_000_000;
/** How far each channel of an interpolated color may lie outside the range of its neighbors. */
const resampledMax = 40;

interface Known {
  /** Rows to skip because the other image has the same rows. */
  equal: { from: number; to: number }[];
  /** The shifts to subtract from a point to find it in the other image. Of equally good shifts, the first is used. */
  candidates: (x: number, y: number) => Shift[];
  pairs: BoxPair[];
  /** Which of the two images this is. */
  side: Side;
}

/**
 * @returns one byte per pixel of `image`: 1 if the pixel is not in `other`. Lossy noise doesn't count, nor does antialiasing unless the
 *   difference is large.
 */
export function unexplained(image: Pixels, other: Pixels, { equal, candidates, pairs, side }: Known): Uint8Array {
  const mask = new Uint8Array(image.width * image.height);
  const threshold = image.isLossy || other.isLossy ? lossy : exact;
  const pixels = image.width * image.height;
  const elements = smallestPairs(pairs, side, Math.max(elementPixelsMin, elementsPerPixel * pixels));
  const elementsIn = pairsByRows(elements, side, image.height);
  const mayCompare = createBudget(Math.max(comparedMin, comparedPerPixel * pixels));
  for (const [top, bottom] of bands(image.height, equal)) {
    const [from, to] = [Math.max(0, top - context), Math.min(image.height, bottom + context)];
    const expected = new Uint32Array((to - from) * image.width);
    for (let y = from; y < to; y += blockSize) {
      assertInTime();
      for (let x = 0; x < image.width; x += blockSize)
        fillBlock(image, other, expected, { x, y, from, to }, { shifts: candidates(x, y), mayCompare });
    }
    for (const pair of elementsIn(from, to))
      fillElement(image, other, expected, { box: pair[side], source: pair[side === "after" ? "before" : "after"], from, to });
    const actual = image.data.subarray(from * image.width * 4, to * image.width * 4);
    for (const options of [{ threshold }, { threshold: certain, includeAA: true }]) {
      const marked = new Uint8Array(actual.length);
      diff(new Uint8Array(expected.buffer), actual, marked, image.width, to - from, { diffMask: true, ...options });
      for (let at = (top - from) * image.width; at < (bottom - from) * image.width; at++)
        if (marked[at * 4 + 3]) mask[from * image.width + at] = 1;
    }
  }
  const mayResample = createBudget(resampledPixelsMax);
  for (const pair of elements) clearResampled({ mask, image, other, mayResample }, pair[side], pair[side === "after" ? "before" : "after"]);
  return mask;
}

/** Unmarks content that was resampled because it moved by a fraction of a pixel: its colors lie between the colors around its source. */
function clearResampled(
  { mask, image, other, mayResample }: { mask: Uint8Array; image: Pixels; other: Pixels; mayResample: Budget },
  box: Box,
  source: Box,
): void {
  assertInTime();
  const [dx, dy] = [box.x - source.x, box.y - source.y];
  const isMoved = dx !== 0 || dy !== 0;
  if (!isMoved || Math.abs(box.width - source.width) > 1 || Math.abs(box.height - source.height) > 1) return;
  const [left, right] = [Math.max(0, box.x), Math.min(image.width, box.x + box.width)];
  for (let y = Math.max(0, box.y); y < Math.min(image.height, box.y + box.height); y++)
    for (let x = left; x < right; x++)
      if (mask[y * image.width + x] && mayResample(1) && isAmong(image, x, y, other, { dx, dy })) mask[y * image.width + x] = 0;
}

/** Whether a pixel's color lies between the colors around its source in the other image. */
function isAmong(image: Pixels, x: number, y: number, other: Pixels, { dx, dy }: Shift): boolean {
  const [left, top] = [x - dx, y - dy];
  const [across, down] = [dx === 0 ? 1 : 2, dy === 0 ? 1 : 2]; // because boxes are rounded
  for (let channel = 0; channel < 3; channel++) {
    let [low, high] = [255, 0];
    for (let row = Math.max(0, top - down); row <= Math.min(other.height - 1, top + down); row++)
      for (let column = Math.max(0, left - across); column <= Math.min(other.width - 1, left + across); column++) {
        const value = other.data[(row * other.width + column) * 4 + channel] ?? 0;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    const value = image.data[(y * image.width + x) * 4 + channel] ?? 0;
    if (value < low - resampledMax || value > high + resampledMax) return false;
  }
  return true;
}

/** Corrects `expected` within an element wherever its own shift fits better than the block's: blocks ignore the edges of elements. */
function fillElement(
  image: Pixels,
  other: Pixels,
  expected: Uint32Array,
  { box, source, from, to }: { box: Box; source: Box; from: number; to: number },
): void {
  const [dx, dy] = [box.x - source.x, box.y - source.y];
  const [left, right] = [Math.max(0, box.x, dx), Math.min(image.width, box.x + Math.min(box.width, source.width), other.width + dx)];
  const [top, bottom] = [Math.max(from, box.y, dy), Math.min(to, box.y + Math.min(box.height, source.height), other.height + dy)];
  const fill = (x0: number, x1: number, y0: number, y1: number) => {
    let better = 0;
    for (let y = y0; y < y1; y++)
      for (let x = x0; x < x1; x++) {
        const actual = image.words[y * image.width + x];
        if (expected[(y - from) * image.width + x] === actual) better -= 1;
        if (other.words[(y - dy) * other.width + x - dx] === actual) better += 1;
      }
    for (let y = y0; better > 0 && y < y1; y++)
      for (let x = x0; x < x1; x++) expected[(y - from) * image.width + x] = other.words[(y - dy) * other.width + x - dx] ?? 0;
  };
  const endOf = (at: number, origin: number, end: number) => Math.min(end, at + blockSize - ((at - origin) % blockSize));
  for (let y = top; y < bottom; y = endOf(y, from, bottom))
    for (let x = left; x < right; x = endOf(x, 0, right)) fill(x, endOf(x, 0, right), y, endOf(y, from, bottom));
}

/** Splits the rows not in `equal` into bands. */
function bands(height: number, equal: { from: number; to: number }[]): [top: number, bottom: number][] {
  const found: [number, number][] = [];
  let top = 0;
  for (const { from, to } of [...equal, { from: height, to: height }].sort((one, another) => one.from - another.from)) {
    for (let row = top; row < from; row += bandRows) found.push([row, Math.min(from, row + bandRows)]);
    top = Math.max(top, to);
  }
  return found;
}

interface Block {
  x: number;
  y: number;
  /** Rows of the band. */
  from: number;
  to: number;
}

/** Content at a fractional position may be drawn one pixel off, even though its rounded box is the same. */
const nudges = [0, 1, -1].flatMap((dx) => [0, 1, -1].map((dy): Shift => ({ dx, dy })));

function fillBlock(
  image: Pixels,
  other: Pixels,
  expected: Uint32Array,
  block: Block,
  { shifts, mayCompare }: { shifts: Shift[]; mayCompare: Budget },
): void {
  let [best, least] = [{ dx: 0, dy: 0 }, Infinity];
  for (const nudge of nudges)
    for (const { dx, dy } of shifts) {
      if (least === 0 || (least < Infinity && !mayCompare(blockSize * blockSize))) break;
      const shift = { dx: dx + nudge.dx, dy: dy + nudge.dy };
      const differing = countDiffering(image, other, block, shift, least);
      if (differing < least) [best, least] = [shift, differing];
    }
  const [right, bottom] = [Math.min(image.width, block.x + blockSize), Math.min(block.to, block.y + blockSize)];
  for (let y = block.y; y < bottom; y++) {
    const row = Math.min(Math.max(y - best.dy, 0), other.height - 1) * other.width;
    const to = (y - block.from) * image.width;
    for (let x = block.x; x < right; x++) expected[to + x] = other.words[row + Math.min(Math.max(x - best.dx, 0), other.width - 1)] ?? 0;
  }
}

/** Stops counting at `enough`. Pixels outside `other` count as differing. */
function countDiffering(image: Pixels, other: Pixels, { x: left, y: top, to }: Block, { dx, dy }: Shift, enough: number): number {
  const [right, bottom] = [Math.min(image.width, left + blockSize), Math.min(to, top + blockSize)];
  const isNoisy = image.isLossy || other.isLossy;
  let count = 0;
  for (let y = top; y < bottom && count < enough; y++) {
    const row = y - dy;
    if (row < 0 || row >= other.height) {
      count += right - left;
      continue;
    }
    for (let x = left; x < right; x++) {
      const column = x - dx;
      const [one, two] = [image.words[y * image.width + x] ?? 0, other.words[row * other.width + column] ?? 0];
      if (column < 0 || column >= other.width || (one !== two && !(isNoisy && isNoise(one, two)))) count += 1;
    }
  }
  return count;
}

/** Whether lossy compression could account for the difference between two colors. */
function isNoise(one: number, other: number): boolean {
  let difference = 0;
  for (let shift = 0; shift < 24; shift += 8) difference += Math.abs(((one >>> shift) & 255) - ((other >>> shift) & 255));
  return difference <= noiseMax;
}

/** Row ranges, on the given side, of the runs that are equal byte for byte. */
export function equalRows(before: Pixels, after: Pixels, runs: EqualRun[], side: "before" | "after"): { from: number; to: number }[] {
  if (before.width !== after.width || before.isLossy || after.isLossy) return [];
  const rows = ({ data, width }: Pixels, from: number, count: number) => data.subarray(from * width * 4, (from + count) * width * 4);
  return runs
    .filter((run) => Buffer.compare(rows(before, run.before, run.length), rows(after, run.after, run.length)) === 0)
    .map((run) => ({ from: run[side], to: run[side] + run.length }));
}
