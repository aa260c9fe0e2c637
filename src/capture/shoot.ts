/** Takes the screenshot: its size, the drawing, and the tiles of one that is too large to be drawn at once. */

import type { Sharp } from "sharp";
import type { Tab } from "../browser/tab.ts";
import { AppError } from "../errors.ts";
import type { Shot, Work } from "./option-group.ts";

/** Device pixels of a part of a page that are drawn and encoded in one call; beyond, tiles are as fast and take less memory. */
const atOncePixelsMax = 12_000_000;

/** @throws {AppError} `image_too_large` before any of it is drawn; {BrowserHung} when nothing was drawn within `timeoutMs`. */
export async function shoot(work: Work, timeoutMs: number): Promise<Picture> {
  work.waitsFor = "the screenshot";
  const { tab, shot, warn } = work;
  const size = pictureSize(shot);
  const isLarge = size.height > surfaceSideMax || size.width * size.height > atOncePixelsMax;
  if (shot.clip && isLarge) return await shootTiles(work, size, timeoutMs);
  for (const words of size.cut) warn(words);
  const bytes = await tab.captureScreenshot(
    {
      format: shot.format,
      ...(shot.format === "png" ? {} : { quality: shot.quality }),
      ...(await clipped(tab, shot, size)),
      optimizeForSpeed: true,
    },
    timeoutMs,
  );
  return { bytes, width: size.width, height: size.height };
}

async function clipped(tab: Tab, { clip, scale }: Shot, size: PictureSize) {
  const shrunk = size.scale / scale;
  if (clip) return { clip: { x: clip.x, y: clip.y, ...size.shown, scale: shrunk }, captureBeyondViewport: true };
  if (shrunk === 1) return {};
  const { cssLayoutViewport } = await tab.send("Page.getLayoutMetrics"); // a clip counts from the document's corner
  return { clip: { x: cssLayoutViewport.pageX, y: cssLayoutViewport.pageY, ...size.shown, scale: shrunk } };
}

/** Device pixels; larger tiles take as long, and a browser several times the memory. */
const tileHeightMax = 4_096;
const tilePixelsMax = 8_000_000;
/** All tiles, as they came. What a page of noise goes beyond is cut. */
const tilesBytesMax = 200_000_000;
const joinTimeoutMs = 20_000;

/**
 * Every tile is drawn from where the page is scrolled to, so what is fixed or sticky is where it belongs, once.
 * @throws {BrowserHung} when a tile was not drawn within `timeoutMs`.
 */
async function shootTiles({ tab, shot, warn }: Work, size: PictureSize, timeoutMs: number): Promise<Picture> {
  const { x, y } = shot.clip ?? { x: 0, y: 0 };
  const tileHeight = Math.min(tileHeightMax, Math.floor(tilePixelsMax / size.width));
  const tiles: Buffer[] = [];
  let bytes = 0;
  let height = 0;
  while (height < size.height && bytes < tilesBytesMax) {
    const rows = Math.min(tileHeight, size.height - height);
    const clip = { x, y: y + height / size.scale, width: size.shown.width, height: rows / size.scale, scale: size.scale / shot.scale };
    const tile = await tab.captureScreenshot({ format: "png", clip, captureBeyondViewport: true, optimizeForSpeed: true }, timeoutMs);
    tiles.push(tile);
    bytes += tile.length;
    height += rows;
  }
  const shownHeight = height < size.height ? Math.floor(height / size.scale) : size.shown.height;
  for (const words of cutWords(shot, { width: size.shown.width, height: shownHeight })) warn(words);
  const joined = await tab.resultWithin(joinTimeoutMs, join(tiles, { width: size.width, height }, shot));
  if (!joined) throw new AppError("image_too_large", { message: "The page is too large to be captured in time." });
  return { bytes: joined, width: size.width, height };
}

/** Decoded, joined and encoded row by row: but for WebP, the whole is never in memory unless encoded. */
async function join(tiles: Buffer[], { width, height }: { width: number; height: number }, shot: Shot): Promise<Buffer> {
  const { default: sharp } = await import("sharp"); // only here: most pictures need no more than Chromium
  sharp.cache(false);
  const joined = sharp(tiles, { join: { across: 1 }, limitInputPixels: false, sequentialRead: true })
    .extract({ left: 0, top: 0, width, height }) // tiles are made as high as the first
    .timeout({ seconds: joinTimeoutMs / 1000 });
  return await encode(shot.isTransparent ? joined : joined.removeAlpha(), shot).toBuffer();
}

function encode(joined: Sharp, { format, quality }: Shot): Sharp {
  // Optimised coding would keep all of a picture's coefficients in memory, a gigabyte of the largest.
  if (format === "jpeg") return joined.jpeg({ quality, optimizeCoding: false });
  if (format === "webp") return joined.webp({ quality, effort: 2 }); // more takes twice as long for the same size
  return joined.png({ compressionLevel: 3 });
}

/** Longest side in pixels that an encoder takes. Chromium and libvips both encode JPEG with libjpeg, which stops short of the format's 65,535. */
const sideMax = { jpeg: 65_500, webp: 16_383, png: 250_000 };

/** Longest side of what Chromium draws at once, in device pixels: with a GPU, what lies past it repeats itself. */
const surfaceSideMax = 16_384;
/** Device pixels of a picture whose size the caller gave: a browser needs some 20 bytes for each. */
const askedPixelsMax = 50_000_000;
/** Device pixels of a page; WebP alone is encoded from the whole bitmap. */
const pagePixelsMax = { jpeg: 160_000_000, webp: 50_000_000, png: 160_000_000 };

/** A finished image. */
export interface Picture {
  bytes: Buffer;
  /** Device pixels. */
  width: number;
  height: number;
}

interface PictureSize {
  /** Device pixels. */
  width: number;
  height: number;
  /** CSS pixels of the document that are shown. */
  shown: { width: number; height: number };
  /** Device pixels for each CSS pixel. */
  scale: number;
  /** In words, when not all of the page is shown. */
  cut: string[];
}

/** @throws {AppError} `image_too_large` when the caller asked for more than is drawn. */
export function pictureSize(shot: Shot): PictureSize {
  const { viewport, clip, scale, fit, format, mayBeCut } = shot;
  const { width, height } = clip ?? viewport;
  if (!mayBeCut) refuseTooLarge(Math.round(width * scale), Math.round(height * scale), format);
  const shrunk = scale * Math.min(1, (fit.width ?? Infinity) / (width * scale), (fit.height ?? Infinity) / (height * scale));
  const whole = { width: pixels(width * shrunk), height: pixels(height * shrunk) };
  if (!mayBeCut) return { ...whole, shown: { width, height }, scale: shrunk, cut: [] };

  const widthMax = Math.min(sideMax[format], surfaceSideMax);
  const kept = { width: Math.min(whole.width, widthMax), height: whole.height };
  kept.height = Math.min(whole.height, sideMax[format], Math.floor(pagePixelsMax[format] / kept.width));
  const shown = {
    width: kept.width < whole.width ? Math.floor(kept.width / shrunk) : width,
    height: kept.height < whole.height ? Math.floor(kept.height / shrunk) : height,
  };
  return { width: pixels(shown.width * shrunk), height: pixels(shown.height * shrunk), shown, scale: shrunk, cut: cutWords(shot, shown) };
}

/** For `X-Warnings`: what of the page, or of the element, is not among the `shown` CSS pixels. */
function cutWords({ clip, viewport, whole }: Shot, shown: { width: number; height: number }): string[] {
  const { width, height } = { ...(clip ?? viewport), ...whole };
  const words = (side: "high" | "wide", length: number, kept: number) =>
    `the ${whole?.what ?? "page"} is ${length} CSS pixels ${side} and was cut at ${kept}`;
  return [
    ...(shown.height < height ? [words("high", height, shown.height)] : []),
    ...(shown.width < width ? [words("wide", width, shown.width)] : []),
  ];
}

function pixels(length: number): number {
  return Math.max(1, Math.round(length));
}

function refuseTooLarge(width: number, height: number, format: Shot["format"]): void {
  const would = `The image would have ${width} × ${height} pixels`;
  if (width * height > askedPixelsMax)
    throw new AppError("image_too_large", { message: `${would}; at most ${askedPixelsMax / 1e6} million are allowed.` });
  const widthMax = Math.min(sideMax[format], surfaceSideMax);
  if (width > widthMax || height > sideMax[format])
    throw new AppError("image_too_large", { message: `${would}; ${format} may have at most ${widthMax} × ${sideMax[format]}.` });
}

/** Before any group has set its part. */
export function initialShot(): Shot {
  return {
    viewport: { width: 0, height: 0 },
    scale: 1,
    format: "jpeg",
    quality: 80,
    isTransparent: false,
    fit: {},
    isMeasured: false,
    mayBeCut: false,
  };
}

/**
 * Chromium's images of one colour have a size that follows from their width and height, whatever the colour and quality (measured from
 * 200 × 100 to 1280 × 5000); one line of text adds a thousand bytes.
 */
const uniformBytesMax = {
  jpeg: (pixels: number) => 850 + pixels * 0.0061,
  png: (pixels: number, rows: number) => 800 + pixels * 0.0155 + rows * 3.7,
  webp: (pixels: number) => 700 + pixels * 0.0019,
};
/** Past this, to look would cost more memory than the answer is worth. */
const pixelsMax = 16_000_000;

/** Whether an image is small enough to be of one color, so that looking at it costs others nothing. */
export function mayBeBlank({ bytes, width, height }: Picture, { format }: Shot): boolean {
  const pixels = width * height;
  return pixels <= pixelsMax && bytes.length <= uniformBytesMax[format](pixels, height);
}
