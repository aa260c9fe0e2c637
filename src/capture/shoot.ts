/** Takes the picture. */

import type { Tab } from "../browser/tab.ts";
import type { Shot, Work } from "./option-group.ts";
import { type Picture, type PictureSize, pictureSize, surfaceSideMax } from "./picture-size.ts";
import { shootTiles } from "./tiles.ts";

/** Device pixels of a part of a page that are drawn and encoded in one call; beyond, tiles are as fast and take less memory. */
const atOncePixelsMax = 12_000_000;

/** @throws {AppError} `image_too_large` before any of it is drawn; {BrowserHung} when nothing was drawn within `timeoutMs`. */
export async function shoot(work: Work, timeoutMs: number): Promise<Picture> {
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
