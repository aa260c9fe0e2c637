/** How large a picture becomes, and what of a page is left out because it would be too large. */

import { AppError } from "../errors.ts";
import type { Shot } from "./option-group.ts";

/** Longest side in pixels that an encoder takes. Chromium and libvips both encode JPEG with libjpeg, which stops short of the format's 65,535. */
const sideMax = { jpeg: 65_500, webp: 16_383, png: 250_000 };

/** Longest side of what Chromium draws at once, in device pixels: with a GPU, what lies past it repeats itself. */
export const surfaceSideMax = 16_384;
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

export interface PictureSize {
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
export function cutWords({ clip, viewport, whole }: Shot, shown: { width: number; height: number }): string[] {
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
