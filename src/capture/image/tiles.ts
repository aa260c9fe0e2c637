/** Captures large images in tiles, and joins the tiles. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../../browser/tab.ts";
import { encodeImage } from "../../shared/encode-image.ts";
import { AppError } from "../../shared/errors.ts";
import { encodeInTurn } from "./encode-in-turn.ts";
import type { DrawPatches, Patch } from "./foreign-frames.ts";
import type { ImageSource, ImageSpec } from "./spec.ts";

/** An image as PNG tiles, from top to bottom. */
export interface Tiles {
  tiles: Buffer[];
  /** Rows of each tile except the last; irrelevant for a single tile. */
  tileHeight?: number;
  /** Images to draw over the tiles. */
  patches: Patch[];
  /** Size of the image in pixels. */
  width: number;
  height: number;
}

interface TiledSize {
  /** Device pixels. */
  width: number;
  height: number;
  /** CSS pixels. */
  shown: { width: number };
  scale: number;
}

/** Maximum size of a tile, in device pixels. Larger tiles aren't faster, but take several times as much memory in the browser. */
const tileHeightMax = 4_096;
const tilePixelsMax = 8_000_000;
/** Tiles of a narrow page may be taller: each tile has a fixed cost, plus a cost for every element on the page. */
const highTileHeightMax = 16_384;
const narrowTilePixelsMax = 4_000_000;
/** Pages with at least this many elements get larger tiles: up to as many pixels as an image captured in one call. */
const elementsManyMin = 10_000;
const denseTilePixelsMax = 12_000_000;
/** Maximum encoded bytes of all tiles; a page that exceeds this, such as one full of noise, is cut off. */
const tilesBytesMax = 200_000_000;
const stepsTried = 300;
/** Timeout for joining tiles or encoding an image once. */
export const encodeTimeoutMs = 20_000;
/** The same timeout, but also covering the wait for the encoder. AVIF has none: large images may wait until the capture's deadline. */
export const encodedWithinMs = ({ format }: ImageSpec) => (format === "avif" ? Number.POSITIVE_INFINITY : encodeTimeoutMs);

/**
 * Captures a part of the page, twice if it may contain layers outside the viewport: Chromium may only begin to draw them for the first
 * image, in which parts of them are then blank.
 * @throws {BrowserHung} if an image takes longer than `timeoutMs`.
 */
export async function drawPart(
  tab: Tab,
  shot: ImageSpec,
  part: Protocol.Page.CaptureScreenshotRequest,
  timeoutMs: number,
): Promise<Buffer> {
  if (part.clip && shot.hasLayers) await tab.captureScreenshot({ clip: part.clip, format: "jpeg", quality: 1 }, timeoutMs);
  return await tab.captureScreenshot(part, timeoutMs);
}

/**
 * Captures tiles without scrolling, so that fixed and sticky elements appear only once, where they belong; then captures cross-origin
 * frames, which are blank in tiles. The image may be shorter than `size`.
 * @throws {BrowserHung} if a tile takes longer than `timeoutMs`.
 */
export async function drawTiles(
  { tab }: Pick<ImageSource, "tab">,
  shot: ImageSpec,
  size: TiledSize,
  timeoutMs: number,
  frames?: DrawPatches,
): Promise<Tiles> {
  const { x, y } = shot.clip ?? { x: 0, y: 0 };
  const rowsOf = (pixelsMax: number) => Math.floor(pixelsMax / size.width);
  const elements = await tab.evaluate(() => document.getElementsByTagName("*").length);
  const highPixelsMax = elements >= elementsManyMin ? denseTilePixelsMax : narrowTilePixelsMax;
  const rowsMax = Math.max(Math.min(tileHeightMax, rowsOf(tilePixelsMax)), Math.min(highTileHeightMax, rowsOf(highPixelsMax)));
  const stepMax = rowsMax / size.scale;
  const step = stepOf(stepMax, size.scale);
  const tileHeight = Math.round(step * size.scale);
  const tiles: Buffer[] = [];
  let bytes = 0;
  let height = 0;
  while (height < size.height && bytes < tilesBytesMax) {
    const rows = Math.min(tileHeight, size.height - height);
    const shownRows = Math.min(step, Math.ceil(rows / size.scale - 1e-6));
    const clip = { x, y: y + tiles.length * step, width: size.shown.width, height: shownRows, scale: size.scale / shot.scale };
    const tile = await drawPart(tab, shot, { format: "png", clip }, timeoutMs);
    tiles.push(tile);
    bytes += tile.length;
    height += rows;
  }
  return { tiles, tileHeight, patches: (await frames?.(timeoutMs)) ?? [], width: size.width, height };
}

/**
 * The height of a tile in CSS pixels, chosen so that it scales to nearly a whole number of rows. It is an integer, because Chromium drops
 * fractions.
 * @param stepMax at least 1.
 */
function stepOf(stepMax: number, scale: number): number {
  const most = Math.max(1, Math.floor(stepMax));
  const candidates = Array.from({ length: Math.min(most, stepsTried) }, (_, index) => most - index);
  const offBy = (step: number) => Math.abs(step * scale - Math.round(step * scale));
  return candidates.reduce((best, step) => (offBy(step) < offBy(best) - 1e-6 ? step : best), most);
}

/** @throws {AppError} `image_too_large`. */
export async function joinInTime(source: Pick<ImageSource, "tab" | "account">, tiles: Tiles, shot: ImageSpec): Promise<Buffer> {
  const joined = await source.tab.resultWithin(encodedWithinMs(shot), join(source, tiles, shot).catch(ignoreTimeout));
  if (!joined) throw new AppError("image_too_large", { message: "The page is too large to be captured in time." });
  return joined;
}

/** Decodes, joins and encodes row by row: except for WebP and AVIF, the whole bitmap is never held in memory. */
async function join(
  source: Pick<ImageSource, "tab" | "account">,
  { tiles, patches, width, height }: Tiles,
  shot: ImageSpec,
): Promise<Buffer> {
  const { default: sharp } = await import("sharp"); // loaded on demand: most images only need Chromium
  sharp.cache(false);
  const [only, ...more] = tiles;
  const reading = { limitInputPixels: false, sequentialRead: true };
  const joined = (more.length > 0 ? sharp(tiles, { join: { across: 1 }, ...reading }) : sharp(only, reading))
    .extract({ left: 0, top: 0, width, height }) // `join` pads tiles to the height of the first
    .composite(patches.filter(({ left, top }) => left < width && top < height))
    .timeout({ seconds: encodeTimeoutMs / 1000 });
  const encoded = encodeImage(shot.isTransparent ? joined : joined.removeAlpha(), shot);
  return await encodeInTurn(source, { format: shot.format, pixels: width * height }, () => encoded.toBuffer());
}

export function ignoreTimeout(error: unknown): undefined {
  if (error instanceof Error && error.message.startsWith("timeout")) return undefined; // libvips's message
  throw error;
}
