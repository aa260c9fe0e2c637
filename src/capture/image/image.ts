/** Captures the image and computes its size. */

import type { Tab } from "../../browser/tab.ts";
import { AppError } from "../../shared/errors.ts";
import type { CapturePatches } from "../foreign-frames.ts";
import type { ShotSettings, Work } from "../option-group.ts";
import type { Output } from "../request.ts";
import { captureBeyondViewport } from "./beyond-viewport.ts";
import { captureTiles, joinInTime, joinTimeoutMs, type Tiles } from "./tiles.ts";

/** Maximum device pixels to capture in one call. Larger clips are just as fast in tiles, and take less memory. */
const singleCallPixelsMax = 12_000_000;

/** @throws {AppError} `image_too_large`, before anything is captured; {BrowserHung} when Chromium doesn't respond within `timeoutMs`. */
export async function captureImage(work: Work, timeoutMs: number): Promise<CapturedImage> {
  work.waitsFor = "the screenshot";
  const image = await captureOnce(work, work.shot, timeoutMs);
  if (image.bytes.length <= (work.shot.fit.bytes ?? Infinity)) return image;
  const { fitBytes } = await import("./fit-bytes.ts"); // few images have such a limit and exceed it
  const lossless = work.shot.format === "png" ? image : await captureOnce(work, { ...work.shot, format: "png" }, timeoutMs);
  const fitted = await work.tab.resultWithin(joinTimeoutMs, fitBytes(lossless.bytes, lossless, work));
  if (!fitted) throw new AppError("image_too_large", { message: "The image could not be made to fit max_bytes in time." });
  return fitted;
}

async function captureOnce(work: Work, shot: ShotSettings, timeoutMs: number): Promise<CapturedImage> {
  const size = imageSize(shot);
  const tiles = await captureLarge(work, shot, size, timeoutMs);
  if (tiles) return { bytes: await joinInTime(work.tab, tiles, shot), width: tiles.width, height: tiles.height };
  const format = shot.format === "avif" ? "png" : shot.format; // Chromium doesn't encode AVIF
  const bytes = await captureWhole(work, { ...shot, format }, size, timeoutMs);
  const encoded = format === shot.format ? bytes : await joinInTime(work.tab, { tiles: [bytes], patches: [], ...size }, shot);
  return { bytes: encoded, width: size.width, height: size.height };
}

/** Captures the image as PNG, in one or several tiles from top to bottom. @throws as `captureImage`. */
export async function captureLossless(work: Work, shot: ShotSettings, timeoutMs: number): Promise<Tiles & { scale: number }> {
  const size = imageSize({ ...shot, format: "png" });
  const tiles = await captureLarge(work, shot, size, timeoutMs);
  if (tiles) return { ...tiles, scale: size.scale };
  return { tiles: [await captureWhole(work, { ...shot, format: "png" }, size, timeoutMs)], patches: [], ...size };
}

/** Returns undefined if a single call is enough. */
async function captureLarge(work: Work, shot: ShotSettings, size: ImageSize, timeoutMs: number): Promise<Tiles | undefined> {
  const isLarge = size.height > surfaceSideMax || size.width * size.height > singleCallPixelsMax;
  const frames = shot.hasForeignFrames ? await foreignFrames(work, size) : undefined;
  if (!shot.clip || !(isLarge || frames)) return undefined;
  const tiled = { width: size.width, height: size.height, shown: size.shown, scale: size.scale };
  const tiles = await captureTiles(work, shot, tiled, timeoutMs, frames);
  const shownHeight = tiles.height < size.height ? Math.floor(tiles.height / size.scale) : size.shown.height;
  for (const warning of cutWarnings(shot, { width: size.shown.width, height: shownHeight })) work.warn(warning);
  return tiles;
}

async function captureWhole(
  { tab, warn }: Work,
  { format, quality, ...shot }: ShotSettings,
  size: ImageSize,
  timeoutMs: number,
): Promise<Buffer> {
  for (const warning of size.cutWarnings) warn(warning);
  const encoding = { format: format === "avif" ? ("png" as const) : format, ...(format === "png" ? {} : { quality }) };
  const downscale = size.scale / shot.scale;
  if (shot.clip) {
    const clip = { x: shot.clip.x, y: shot.clip.y, ...size.shown, scale: downscale };
    return await captureBeyondViewport(tab, { ...encoding, clip }, timeoutMs);
  }
  const scaled = downscale === 1 ? {} : { clip: await viewportClip(tab, size, downscale) };
  return await tab.captureScreenshot({ ...encoding, ...scaled, optimizeForSpeed: true }, timeoutMs);
}

async function foreignFrames(work: Work, { shown, scale }: ImageSize): Promise<CapturePatches | undefined> {
  if (!work.shot.clip) return undefined;
  const { findForeignFrames } = await import("../foreign-frames.ts"); // few pages have any
  return await findForeignFrames(work, { ...work.shot.clip, ...shown }, scale);
}

async function viewportClip(tab: Tab, { shown }: ImageSize, scale: number) {
  const { cssLayoutViewport } = await tab.send("Page.getLayoutMetrics"); // clips are relative to the document
  return { x: cssLayoutViewport.pageX, y: cssLayoutViewport.pageY, ...shown, scale };
}

/** Maximum side in pixels of each encoder. Chromium and libvips encode JPEG with libjpeg, whose limit is below the format's 65,535. */
const sideMax = { jpeg: 65_500, webp: 16_383, png: 250_000, avif: 16_384 };

/** Maximum side of Chromium's drawing surface, in device pixels: with a GPU, content beyond it is repeated. */
const surfaceSideMax = 16_384;
/** Maximum device pixels of an image whose size the caller chose; the browser needs about 20 bytes for each. */
const requestedPixelsMax = 50_000_000;
/**
 * Maximum device pixels of a page or element, beyond which it is cut off. WebP and AVIF are encoded from the whole bitmap; AVIF takes 50
 * bytes per pixel.
 */
const pagePixelsMax = { jpeg: 160_000_000, webp: 50_000_000, png: 160_000_000, avif: 20_000_000 };

/** Limits for an image in `format` whose size is determined by the page. */
export function formatLimits(format: ShotSettings["format"]): { sideMax: number; pixelsMax: number } {
  return { sideMax: sideMax[format], pixelsMax: pagePixelsMax[format] };
}

interface CapturedImage extends Output {
  width: number;
  height: number;
}

interface ImageSize {
  /** Device pixels. */
  width: number;
  height: number;
  /** CSS pixels of the document that the image shows. */
  shown: { width: number; height: number };
  /** Device pixels for each CSS pixel. */
  scale: number;
  /** For `X-Warnings`, if part of the page or element is cut off. */
  cutWarnings: string[];
}

/** @throws {AppError} `image_too_large` when the size that the caller chose exceeds a limit. */
export function imageSize(shot: ShotSettings): ImageSize {
  const { viewport, clip, scale, fit, format, mayBeCut } = shot;
  const { width, height } = clip ?? viewport;
  if (!mayBeCut) refuseTooLarge(Math.round(width * scale), Math.round(height * scale), format);
  let finalScale = scale * Math.min(1, (fit.width ?? Infinity) / (width * scale), (fit.height ?? Infinity) / (height * scale));
  finalScale = Math.min(finalScale, Math.sqrt((fit.pixels ?? Infinity) / (width * height)));
  // Both sides are rounded, which may add a row or a column.
  while (pixels(width * finalScale) * pixels(height * finalScale) > (fit.pixels ?? Infinity) && finalScale > 1e-5) finalScale *= 0.999;
  const whole = { width: pixels(width * finalScale), height: pixels(height * finalScale) };
  if (!mayBeCut) return { ...whole, shown: { width, height }, scale: finalScale, cutWarnings: [] };

  const widthMax = Math.min(sideMax[format], surfaceSideMax);
  const kept = { width: Math.min(whole.width, widthMax), height: whole.height };
  kept.height = Math.min(whole.height, sideMax[format], Math.floor(pagePixelsMax[format] / kept.width));
  const shown = {
    width: kept.width < whole.width ? Math.floor(kept.width / finalScale) : width,
    height: kept.height < whole.height ? Math.floor(kept.height / finalScale) : height,
  };
  const size = { width: pixels(shown.width * finalScale), height: pixels(shown.height * finalScale) };
  return { ...size, shown, scale: finalScale, cutWarnings: cutWarnings(shot, shown) };
}

/** Warnings about the part of the page or element beyond the `shown` CSS pixels. */
function cutWarnings({ clip, viewport, whole }: ShotSettings, shown: { width: number; height: number }): string[] {
  const { width, height } = { ...(clip ?? viewport), ...whole };
  const warning = (side: "high" | "wide", length: number, kept: number) =>
    `the ${whole?.what ?? "page"} is ${length} CSS pixels ${side} and was cut at ${kept}`;
  return [
    ...(shown.height < height ? [warning("high", height, shown.height)] : []),
    ...(shown.width < width ? [warning("wide", width, shown.width)] : []),
  ];
}

function pixels(length: number): number {
  return Math.max(1, Math.round(length));
}

function refuseTooLarge(width: number, height: number, format: ShotSettings["format"]): void {
  const would = `The image would have ${width} × ${height} pixels`;
  const pixelsMax = Math.min(requestedPixelsMax, pagePixelsMax[format]);
  if (width * height > pixelsMax)
    throw new AppError("image_too_large", { message: `${would}; at most ${pixelsMax / 1e6} million are allowed.` });
  const widthMax = Math.min(sideMax[format], surfaceSideMax);
  if (width > widthMax || height > sideMax[format])
    throw new AppError("image_too_large", { message: `${would}; ${format} may have at most ${widthMax} × ${sideMax[format]}.` });
}

/** The initial shot, before any group has contributed to it. */
export function initialShot(): ShotSettings {
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
 * Maximum bytes of a single-colour image from Chromium. Depends on its width and height only, not on colour and quality (measured from
 * 200 × 100 to 1280 × 5000); one line of text adds a thousand bytes.
 */
const uniformBytesMax = {
  jpeg: (pixels: number) => 850 + pixels * 0.0061,
  png: (pixels: number, rows: number) => 800 + pixels * 0.0155 + rows * 3.7,
  webp: (pixels: number) => 700 + pixels * 0.0019,
  avif: (pixels: number) => 700 + pixels * 0.0002,
};
/** Larger images are not inspected, to save memory. */
const inspectedPixelsMax = 16_000_000;

/** Whether an image is small enough in bytes to have a single colour; others are not inspected. */
export function mayBeBlank({ bytes, width, height, slices }: Output, { format }: ShotSettings): boolean {
  if (slices && slices.length > 1) return false;
  if (width === null || height === null) return false;
  const pixels = width * height;
  return pixels <= inspectedPixelsMax && bytes.length <= uniformBytesMax[format](pixels, height);
}
