/** Captures a long image as several slices, cut between blocks or lines of text. Each slice is encoded while the next is cut. */

import { setImmediate } from "node:timers/promises";
import { encodeImage } from "../../shared/encode-image.ts";
import { AppError } from "../../shared/errors.ts";
import { contentBoxes, type Extent } from "../in-page/content-boxes.ts";
import { encodeInTurn } from "./encode-in-turn.ts";
import { openRows, type Rows } from "./rows.ts";
import { formatLimits, type Image, type ImageSource, type ImageSpec, imageSize, type Slice } from "./spec.ts";
import type { Tiles } from "./tiles.ts";

/** Maximum deviation from the requested slice height, in percent. */
const tolerance = 15;
/** Number of rows that the pixel limit must allow in each slice; if it allows fewer, the image is scaled down first. */
const heightMin = 100;
/** Number of slices encoded concurrently. */
const atOnce = 2;
/** Maximum pixels of a slice: those being cut and encoded are in memory as raw pixels, each about 90 MB at this limit. */
const slicePixelsMax = 30_000_000;
/** Only a safety net: the capture's deadline comes earlier. */
const cutTimeoutMs = 100_000;

interface Heights {
  low: number;
  target: number;
  high: number;
  overlap: number;
}

/**
 * @param draw captures the whole image as PNG.
 * @throws {AppError} `image_too_large` if there would be too many slices, or cutting them takes too long; anything that `draw` throws.
 */
export async function renderSlices(source: ImageSource, draw: (uncut: ImageSpec) => Promise<Tiles & { scale: number }>): Promise<Image> {
  const { tab, shot } = source;
  const { pixels = Infinity, width = Infinity } = shot.fit;
  const uncut: ImageSpec = { ...shot, format: "png", fit: { width: Math.max(1, Math.min(width, Math.floor(pixels / heightMin))) } };
  const size = imageSize(uncut);
  const heights = heightsOf(source, size.width);
  const countMax = shot.slices?.countMax ?? Infinity;
  assertFew(size.height, heights, countMax);
  const { lines, blocks, scrolled } = await tab.evaluate(contentBoxes);
  const image = await draw(uncut);
  const top = shot.clip?.y ?? scrolled;
  const inRows = (boxes: Extent[]) => boxes.map(([from, until]): Extent => [(from - top) * image.scale, (until - top) * image.scale]);
  const costs = costsOfBoxes(image.height, inRows(lines), inRows(blocks));
  const slices = await tab.resultWithin(cutTimeoutMs, cut(source, image, { heights, costs, countMax }));
  const [first] = slices ?? [];
  if (!slices || !first) throw new AppError("image_too_large", { message: "The page is too large to be cut into slices in time." });
  return { bytes: first.bytes, width: size.width, height: image.height, slices };
}

/** Permitted heights, in rows, of a slice `width` pixels wide, within all bounds. */
function heightsOf({ shot, warn }: ImageSource, width: number): Heights {
  const { height: target = 0, overlap = 0 } = shot.slices ?? {};
  const { sideMax, pixelsMax } = formatLimits(shot.format);
  const { height = Infinity, pixels = Infinity } = shot.fit;
  const bound = Math.max(1, Math.min(height, Math.floor(Math.min(pixels, pixelsMax, slicePixelsMax) / width), sideMax));
  const high = Math.min(bound, Math.floor((target * (100 + tolerance)) / 100));
  if (high < target) warn(`slice_height was reduced to ${high}, because taller slices would exceed the image's size limits`);
  const low = Math.ceil((Math.min(target, high) * (100 - tolerance)) / 100);
  return { low, target: Math.min(target, high), high, overlap: Math.min(overlap, Math.floor(high / 2)) };
}

/** Maximum number of rows that `count` slices cover. */
function reachOf(count: number, { high, overlap }: Heights): number {
  return count * (high - overlap) + overlap;
}

function assertFew(height: number, heights: Heights, countMax: number): void {
  if (height <= reachOf(countMax, heights)) return;
  const needed = Math.ceil((height - heights.overlap) / (heights.high - heights.overlap));
  const message = `The image is ${height} pixels high, which requires at least ${needed} slices, but the request may produce only ${countMax} more ${countMax === 1 ? "image" : "images"}. Increase slice_height or set full_page_max_height.`;
  throw new AppError("image_too_large", { message });
}

interface Cutting {
  heights: Heights;
  /** Cost of cutting before each row of the image. */
  costs: Int32Array;
  countMax: number;
}

async function cut(source: ImageSource, image: Tiles, { heights, costs, countMax }: Cutting): Promise<Slice[]> {
  const rows = await openRows(image, source.shot.isTransparent);
  const { low, target, high, overlap } = heights;
  const encoding: Promise<Slice>[] = [];
  for (let y = 0; ; ) {
    const left = rows.height - y;
    const pixels = await rows.take(y, Math.min(left, high));
    // Enough rows for the remaining slices to be able to cover the rest.
    const least = Math.max(low, left + overlap - reachOf(countMax - encoding.length - 1, heights));
    const height =
      left <= high ? left : await cutWithin(rows, pixels, { low: Math.min(least, high), target, high, costs: costs.subarray(y) });
    const slice = encode(source, rows, { pixels, y, height });
    slice.catch(() => {}); // reported below
    encoding.push(slice);
    await encoding.at(-atOnce);
    if (y + height >= rows.height || performance.now() > source.deadlineAt) return await Promise.all(encoding);
    y += height - overlap;
  }
}

/** Pixels inspected per turn of the event loop. Each takes a few nanoseconds. */
const pixelsPerTurn = 1_000_000;

interface Cuttable extends Omit<Heights, "overlap"> {
  /** Costs of cutting, starting at the first row of the slice. */
  costs: Int32Array;
}

async function cutWithin(rows: Rows, pixels: Buffer, { low, target, high, costs }: Cuttable): Promise<number> {
  const rowsPerTurn = Math.ceil(pixelsPerTurn / rows.width);
  const edges: number[] = [];
  for (let row = low - 1; row < high; row += 1) {
    if (edges.length % rowsPerTurn === rowsPerTurn - 1) await setImmediate();
    edges.push(edgesOfRow(pixels, row, rows));
  }
  const all = Array.from(
    { length: high - low + 1 },
    (_, index) => (costs[low + index] ?? 0) + Math.max(edges[index] ?? 0, edges[index + 1] ?? 0),
  );
  return chooseCut(all, low, target);
}

async function encode(
  source: ImageSource,
  rows: Rows,
  { pixels, y, height }: { pixels: Buffer; y: number; height: number },
): Promise<Slice> {
  const { default: sharp } = await import("sharp");
  const { width, channels } = rows;
  const { format, quality, fit } = source.shot;
  // Not `clone()`, which copies all pixels.
  const open = () => sharp(pixels.subarray(0, height * width * channels), { raw: { width, height, channels }, limitInputPixels: false });
  const encoded = encodeImage(open(), { format, quality });
  const bytes = await encodeInTurn(source, { format, pixels: width * height }, () => encoded.toBuffer());
  if (bytes.length <= (fit.bytes ?? Infinity)) return { bytes, y, width, height };
  const { fitBytes } = await import("./fit-bytes.ts");
  return { ...(await fitBytes(await open().png({ compressionLevel: 0 }).toBuffer(), { width, height }, source)), y };
}

// Slices are cut in empty space if there is any, near their target height.

/** Cost of cutting above a row. A line of text always costs more than color changes do; its middle costs the most. */
const costOf = { insideLine: 1_000, line: 200, block: 60, pixelsMax: 50 };
/** Share of a line's height, at both its top and its bottom, that glyphs seldom reach. */
const outerShare = 0.18;
/** Minimum difference between neighboring pixels, summed over all channels, that counts as an edge. */
const edgeMin = 24;

/** @param lines extents in image rows, like `blocks`. @returns the cost of cutting before each row, not counting the pixels. */
function costsOfBoxes(height: number, lines: Extent[], blocks: Extent[]): Int32Array {
  const costs = new Int32Array(height + 1);
  const add = (top: number, bottom: number, cost: number) => {
    const from = Math.max(0, Math.floor(top) + 1);
    const until = Math.min(height, Math.ceil(bottom));
    if (from >= until) return;
    costs[from] = (costs[from] ?? 0) + cost;
    costs[until] = (costs[until] ?? 0) - cost;
  };
  for (const [top, bottom] of lines) {
    const outer = (bottom - top) * outerShare;
    add(top, bottom, costOf.line);
    add(top + outer, bottom - outer, costOf.insideLine);
  }
  for (const [top, bottom] of blocks) add(top, bottom, costOf.block);
  for (let row = 1; row <= height; row += 1) costs[row] = (costs[row] ?? 0) + (costs[row - 1] ?? 0);
  return costs;
}

/** Number of color changes along a row of raw pixels, at most `costOf.pixelsMax`. */
function edgesOfRow(pixels: Uint8Array, row: number, { width, channels }: { width: number; channels: number }): number {
  const start = row * width * channels;
  const end = start + width * channels;
  let edges = 0;
  for (let at = start + channels; at < end && edges < costOf.pixelsMax; at += channels) {
    let difference = 0;
    for (let channel = 0; channel < channels; channel += 1)
      difference += Math.abs((pixels[at + channel] ?? 0) - (pixels[at + channel - channels] ?? 0));
    if (difference > edgeMin) edges += 1;
  }
  return edges;
}

/** Cost difference to ignore, since a few of the edges may be vertical borders. */
const slack = 3;
/** Gaps larger than this are considered equally good. */
const gapMax = 48;
/** Maximum number of rows left above and below a cut in a large gap. */
const marginMax = 8;

/**
 * @param costs costs of cutting before each row, starting at `low`.
 * @returns a row from `low` to `low + costs.length - 1`, in the largest of the gaps with the lowest cost, unless a smaller gap is much
 *   nearer to `target`.
 */
function chooseCut(costs: readonly number[], low: number, target: number): number {
  const limit = costs.reduce((least, cost) => Math.min(least, cost), Infinity) + slack;
  const reach = Math.max(1, costs.length);
  let best = { cut: low, score: Number.NEGATIVE_INFINITY };
  for (let from = 0; from < costs.length; from += 1) {
    if ((costs[from] ?? Infinity) > limit) continue;
    let until = from;
    while (until + 1 < costs.length && (costs[until + 1] ?? Infinity) <= limit) until += 1;
    const margin = Math.min(marginMax, Math.floor((until - from) / 2));
    const cut = Math.min(low + until - margin, Math.max(low + from + margin, target));
    const score = Math.min(gapMax, until - from + 1) / gapMax - Math.abs(cut - target) / reach;
    if (score > best.score) best = { cut, score };
    from = until;
  }
  return best.cut;
}
