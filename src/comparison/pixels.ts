/** Decoded images. */

import sharp from "sharp";
import { grown } from "./boxes.ts";
import type { Box } from "./comparison.ts";
import { assertInTime } from "./effort.ts";

/** RGBA, composited on white, four bytes per pixel. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array;
  /** View of `data` with one number per pixel. */
  words: Uint32Array;
  /** Whether the format may be lossy (anything but PNG), in which case equal content can have different pixels. */
  isLossy: boolean;
}

/** Reads only the size. @throws {Error} if libvips can't read the image. */
export async function measure(image: Buffer): Promise<Pixels> {
  const { width, height, format } = await sharp(image, { limitInputPixels: false }).metadata();
  return { width, height, data: new Uint8Array(), words: new Uint32Array(), isLossy: format !== "png" };
}

/** @throws {Error} if libvips can't read the image. */
export async function decode(image: Buffer): Promise<Pixels> {
  const source = sharp(image, { limitInputPixels: false });
  const { format } = await source.metadata();
  const { data, info } = await source
    .flatten({ background: "#fff" })
    .toColourspace("srgb")
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const words = new Uint32Array(data.buffer, data.byteOffset, info.width * info.height);
  return { width: info.width, height: info.height, data, words, isLossy: format !== "png" };
}

/** Whether a box and its immediate surroundings have a single color. */
export function isBlank(pixels: Pixels, box: Box): boolean {
  assertInTime();
  const { data, width, left, top, right, bottom, tolerance } = within(pixels, grown(box, 3));
  const first = (top * width + left) * 4;
  for (let y = top; y < bottom; y++)
    for (let at = (y * width + left) * 4, end = (y * width + right) * 4; at < end; at++)
      if (Math.abs((data[at] ?? 0) - (data[first + (at & 3)] ?? 0)) > tolerance) return false;
  return true;
}

/** Whether all rows of a box are equal, as in empty space, possibly with a vertical border. */
export function hasEqualRows(pixels: Pixels, box: Box): boolean {
  assertInTime();
  const { data, width, left, top, right, bottom, tolerance } = within(pixels, box);
  const [from, count] = [(top * width + left) * 4, (right - left) * 4];
  for (let y = top + 1; y < bottom; y++)
    for (let at = 0; at < count; at++)
      if (Math.abs((data[(y * width + left) * 4 + at] ?? 0) - (data[from + at] ?? 0)) > tolerance) return false;
  return true;
}

function within({ data, width, height, isLossy }: Pixels, box: Box) {
  const [left, top] = [Math.max(0, box.x), Math.max(0, box.y)];
  const [right, bottom] = [Math.min(width, box.x + box.width), Math.min(height, box.y + box.height)];
  return { data, width, left, top, right, bottom, tolerance: isLossy ? 12 : 3 };
}
