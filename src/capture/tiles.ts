/** Takes a picture that is too large to be drawn at once: in tiles from top to bottom, which are then joined. */

import type { Sharp } from "sharp";
import { AppError } from "../errors.ts";
import type { Shot, Work } from "./option-group.ts";
import { cutWords, type Picture, type PictureSize } from "./picture-size.ts";

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
export async function shootTiles({ tab, shot, warn }: Work, size: PictureSize, timeoutMs: number): Promise<Picture> {
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
