/** Takes the picture. */

import { AppError } from "../errors.ts";
import type { Work } from "./option-group.ts";

/** Device pixels of the largest picture: a page of 100,000 pixels costs a browser 2 GB. */
const pixelsMax = 50_000_000;

export interface Picture {
  bytes: Buffer;
  /** Device pixels. */
  width: number;
  height: number;
}

/** @throws {AppError} `image_too_large` before any of it is drawn; {BrowserHung} when nothing was drawn within `timeoutMs`. */
export async function shoot({ tab, shot }: Work, timeoutMs: number): Promise<Picture> {
  const { width, height } = shot.clip ?? shot.viewport;
  const size = { width: Math.round(width * shot.scale), height: Math.round(height * shot.scale) };
  if (size.width * size.height > pixelsMax) {
    throw new AppError("image_too_large", {
      message: `The picture would have ${size.width} × ${size.height} pixels; at most ${pixelsMax / 1e6} million are allowed.`,
    });
  }
  const { data } = await tab.send(
    "Page.captureScreenshot",
    {
      format: shot.format,
      ...(shot.format === "png" ? {} : { quality: shot.quality }),
      ...(shot.clip ? { clip: { ...shot.clip, scale: 1 }, captureBeyondViewport: true } : {}),
      optimizeForSpeed: true,
    },
    timeoutMs,
  );
  return { bytes: Buffer.from(data, "base64"), ...size };
}
