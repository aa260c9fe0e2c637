/** Renders the image of a ready page: the entry point of this folder. */

import { AppError } from "../../shared/errors.ts";
import { drawImage } from "./draw.ts";
import type { Image, ImageSource } from "./spec.ts";
import { joinTimeoutMs } from "./tiles.ts";

/**
 * Draws, joins, cuts and encodes the image that `shot` describes; cuts it into slices if requested. The page must not change until this
 * resolves.
 * @param timeoutMs for each call of Chromium that draws.
 * @throws {AppError} `image_too_large`, if possible before anything is drawn; {BrowserHung} when Chromium doesn't draw within `timeoutMs`.
 */
export async function renderImage(source: ImageSource, timeoutMs: number): Promise<Image> {
  const { tab, shot } = source;
  if (shot.slices) return await (await import("./slices.ts")).renderSlices(source, timeoutMs); // few images are cut
  const image = await drawImage(source, shot, timeoutMs);
  if (image.bytes.length <= (shot.fit.bytes ?? Infinity)) return image;
  const { fitBytes } = await import("./fit-bytes.ts"); // few images have such a limit and exceed it
  const lossless = shot.format === "png" ? image : await drawImage(source, { ...shot, format: "png" }, timeoutMs);
  const fitted = await tab.resultWithin(joinTimeoutMs, fitBytes(lossless.bytes, lossless, source));
  if (!fitted) throw new AppError("image_too_large", { message: "The image could not be made to fit max_bytes in time." });
  return fitted;
}
