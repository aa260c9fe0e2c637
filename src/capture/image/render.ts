/**
 * Renders the image of a ready page: in a single Chromium call, or in tiles if it is too large or has cross-origin frames outside the
 * viewport.
 */

import type { Tab } from "../../browser/tab.ts";
import { AppError } from "../../shared/errors.ts";
import type { DrawPatches } from "./foreign-frames.ts";
import {
  cutWarnings,
  type Image,
  type ImageSize,
  type ImageSource,
  type ImageSpec,
  imageSize,
  type Region,
  surfaceSideMax,
} from "./spec.ts";
import { drawPart, drawTiles, encodedWithinMs, ignoreTimeout, joinInTime, type Tiles } from "./tiles.ts";

/**
 * Draws and encodes the image that `shot` describes, in slices if requested. The page must not change until this resolves.
 * @param timeoutMs timeout for each call that makes Chromium draw.
 * @throws {AppError} `image_too_large`, if possible before anything is drawn; {BrowserHung} if Chromium doesn't draw within `timeoutMs`.
 */
export async function renderImage(source: ImageSource, timeoutMs: number): Promise<Image> {
  const { tab, shot } = source;
  if (shot.slices) {
    const { renderSlices } = await import("./slices.ts"); // loaded on demand, since few images are cut
    return await renderSlices(source, (uncut) => drawLossless(source, uncut, timeoutMs));
  }
  const image = await drawImage(source, shot, timeoutMs);
  if (image.bytes.length <= (shot.fit.bytes ?? Infinity)) return image;
  const { fitBytes } = await import("./fit-bytes.ts"); // loaded on demand, since few images exceed such a limit
  const lossless = shot.format === "png" ? image : await drawImage(source, { ...shot, format: "png" }, timeoutMs);
  const fitted = await tab.resultWithin(encodedWithinMs(shot), fitBytes(lossless.bytes, lossless, source).catch(ignoreTimeout));
  if (!fitted) throw new AppError("image_too_large", { message: "The image could not be reduced to max_bytes in time." });
  return fitted;
}

/** Maximum device pixels to capture in one call. Larger clips are just as fast in tiles, and take less memory. */
const singleCallPixelsMax = 12_000_000;

async function drawImage(source: ImageSource, shot: ImageSpec, timeoutMs: number): Promise<Image> {
  const size = imageSize(shot);
  const tiles = await drawLarge(source, shot, size, timeoutMs);
  if (tiles) return { bytes: await joinInTime(source, tiles, shot), width: tiles.width, height: tiles.height };
  const bytes = await drawWhole(source, shot, size, timeoutMs);
  const encoded = shot.format === "avif" ? await joinInTime(source, { tiles: [bytes], patches: [], ...size }, shot) : bytes;
  return { bytes: encoded, width: size.width, height: size.height };
}

/** Captures the image as PNG, in one or more tiles from top to bottom. */
async function drawLossless(source: ImageSource, shot: ImageSpec, timeoutMs: number): Promise<Tiles & { scale: number }> {
  const size = imageSize({ ...shot, format: "png" });
  const tiles = await drawLarge(source, shot, size, timeoutMs);
  if (tiles) return { ...tiles, scale: size.scale };
  return { tiles: [await drawWhole(source, { ...shot, format: "png" }, size, timeoutMs)], patches: [], ...size };
}

/** Returns undefined if a single call is enough. An image of the viewport, which has no clip, never needs more. */
async function drawLarge(source: ImageSource, shot: ImageSpec, size: ImageSize, timeoutMs: number): Promise<Tiles | undefined> {
  if (!shot.clip) return undefined;
  const isLarge = size.height > surfaceSideMax || size.width * size.height > singleCallPixelsMax;
  const frames = shot.hasForeignFrames ? await foreignFrames(source, shot.clip, size) : undefined;
  if (!isLarge && !frames) return undefined;
  const tiled = { width: size.width, height: size.height, shown: size.shown, scale: size.scale };
  const tiles = await drawTiles(source, shot, tiled, timeoutMs, frames);
  const shownHeight = tiles.height < size.height ? Math.floor(tiles.height / size.scale) : size.shown.height;
  for (const warning of cutWarnings(shot, { width: size.shown.width, height: shownHeight })) source.warn(warning);
  return tiles;
}

/** AVIF, which Chromium doesn't encode, is drawn as PNG. */
async function drawWhole({ tab, warn }: ImageSource, shot: ImageSpec, size: ImageSize, timeoutMs: number): Promise<Buffer> {
  for (const warning of size.cutWarnings) warn(warning);
  const format = shot.format === "avif" ? "png" : shot.format;
  const encoding = { format, ...(format === "png" ? {} : { quality: shot.quality }) };
  const scale = size.scale / shot.scale;
  const part = shot.clip ?? (scale === 1 ? undefined : await viewportPart(tab));
  const clip = part && { x: part.x, y: part.y, ...size.shown, scale };
  return await drawPart(tab, shot, { ...encoding, ...(clip && { clip }) }, timeoutMs);
}

async function foreignFrames(source: ImageSource, clip: Region, { shown, scale }: ImageSize): Promise<DrawPatches | undefined> {
  const { findForeignFrames } = await import("./foreign-frames.ts"); // loaded on demand, since few pages have such frames
  return await findForeignFrames(source, { ...clip, ...shown }, scale);
}

/** The position of the viewport in the document. */
async function viewportPart(tab: Tab): Promise<{ x: number; y: number }> {
  const { cssLayoutViewport } = await tab.send("Page.getLayoutMetrics");
  return { x: cssLayoutViewport.pageX, y: cssLayoutViewport.pageY };
}
