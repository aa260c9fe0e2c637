/** Compares images by blocks of 16 pixels: which blocks of the reference show something, and which look the same in the screenshot. */

import type { Image } from "./images.ts";

export const blockSize = 16;

/** Visible difference in a color channel, 0 to 255. */
const channelTolerance = 32;
/** Pixels in a block that may differ: antialiasing, a hairline. */
const differentPixelsMax = 12;
/** Range of a channel within a block that still counts as a single flat color. */
const flatRange = 24;

/** Blocks by number, counted row by row. */
export type Blocks = Set<number>;

export interface Comparison {
  /** Number of blocks in the reference that show something and count. */
  counted: number;
  /** Those blocks that look different in the screenshot. */
  wrong: Blocks;
  /** Blocks that show something in the screenshot where the reference shows nothing. */
  extra: Blocks;
  /** Share of the counted blocks that look the same in the screenshot, 0 to 1. */
  share: number;
  /** Share of the unstable blocks that show something in the reference and nothing in the screenshot, 0 to 1. */
  holes: number;
  /** Pixels by which the screenshot is taller and wider than the reference. */
  tallerBy: number;
  widerBy: number;
}

/** @param unsure unstable blocks, which have no single correct rendering: they count only for holes. */
export function compare(reference: Image, unsure: Blocks, answer: Image): Comparison {
  const columns = columnsOf(reference.width);
  const rows = Math.ceil(Math.max(reference.height, answer.height) / blockSize);
  const wrong: Blocks = new Set();
  const extra: Blocks = new Set();
  let counted = 0;
  let moving = 0;
  let holes = 0;
  for (let block = 0; block < rows * columns; block += 1) {
    const isShown = showsSomething(reference, block);
    if (unsure.has(block)) {
      if (!isShown) continue;
      moving += 1;
      if (!showsSomething(answer, block, columns)) holes += 1;
    } else if (isShown) {
      counted += 1;
      if (!looksSame(reference, answer, block)) wrong.add(block);
    } else if (!looksSame(reference, answer, block) && showsSomething(answer, block, columns)) extra.add(block);
  }
  const share = counted === 0 ? 1 : (counted - wrong.size) / counted;
  return {
    counted,
    wrong,
    extra,
    share,
    holes: moving === 0 ? 0 : holes / moving,
    tallerBy: answer.height - reference.height,
    widerBy: answer.width - reference.width,
  };
}

/** Blocks that differ between two images of a page. */
export function differingBlocks(one: Image, other: Image): Blocks {
  const blocks = Math.ceil(Math.min(one.height, other.height) / blockSize) * columnsOf(one.width);
  return new Set(Array.from({ length: blocks }, (_, block) => block).filter((block) => !looksSame(one, other, block)));
}

/** Blocks that a rectangle (in pixels) touches, in an image of `width`. */
export function blocksIn(width: number, area: { x: number; y: number; width: number; height: number }): Blocks {
  const columns = columnsOf(width);
  const blocks: Blocks = new Set();
  if (area.width <= 0 || area.height <= 0) return blocks;
  const [left, right] = [Math.max(0, Math.floor(area.x / blockSize)), Math.min(columns, Math.ceil((area.x + area.width) / blockSize))];
  for (let row = Math.max(0, Math.floor(area.y / blockSize)); row * blockSize < area.y + area.height; row += 1)
    for (let column = left; column < right; column += 1) blocks.add(row * columns + column);
  return blocks;
}

/** A block's position in pixels of an image of `width`. */
export function positionOf(width: number, block: number): { x: number; y: number } {
  return placeOf(columnsOf(width), block);
}

function placeOf(columns: number, block: number): { x: number; y: number } {
  return { x: (block % columns) * blockSize, y: Math.floor(block / columns) * blockSize };
}

function columnsOf(width: number): number {
  return Math.ceil(width / blockSize);
}

/** @param columns the number of columns by which blocks are numbered; by default, the image's own. */
function showsSomething(image: Image, block: number, columns = columnsOf(image.width)): boolean {
  const { x: left, y: top } = placeOf(columns, block);
  const [right, bottom] = [Math.min(left + blockSize, image.width), Math.min(top + blockSize, image.height)];
  for (let channel = 0; channel < 3; channel += 1) {
    let least = 255;
    let most = 0;
    for (let y = top; y < bottom; y += 1)
      for (let x = left; x < right; x += 1) {
        const value = image.pixels[(y * image.width + x) * 4 + channel] ?? 0;
        if (value < least) least = value;
        if (value > most) most = value;
      }
    if (most - least > flatRange) return true;
  }
  return false;
}

/** Pixels in a block of `one` that `other` lacks count as different. */
function looksSame(one: Image, other: Image, block: number): boolean {
  const { x: left, y: top } = positionOf(one.width, block);
  const [right, bottom] = [Math.min(left + blockSize, one.width), Math.min(top + blockSize, Math.max(one.height, other.height))];
  let different = 0;
  for (let y = top; y < bottom; y += 1)
    for (let x = left; x < right; x += 1) {
      if (y >= one.height || y >= other.height || x >= other.width || differ(one, other, x, y)) different += 1;
      if (different > differentPixelsMax) return false;
    }
  return true;
}

function differ(one: Image, other: Image, x: number, y: number): boolean {
  const [first, second] = [(y * one.width + x) * 4, (y * other.width + x) * 4];
  for (let channel = 0; channel < 3; channel += 1)
    if (Math.abs((one.pixels[first + channel] ?? 0) - (other.pixels[second + channel] ?? 0)) > channelTolerance) return true;
  return false;
}
