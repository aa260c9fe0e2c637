/** The image to render: its input, its size within all limits, and its result. Pure. */

import type { Tab } from "../../browser/tab.ts";
import { AppError } from "../../shared/errors.ts";
import type { ImageFormat } from "../../shared/formats.ts";

/** A page in its tab, and the image to render from it. */
export interface ImageSource {
  readonly tab: Tab;
  /** Account that requested the capture. */
  readonly account: string;
  readonly shot: ImageSpec;
  /** The capture's deadline, as a `performance.now()` time. */
  readonly deadlineAt: number;
  /** Adds a warning for the caller, for example that the page was cut off or scaled down. */
  warn(message: string): void;
}

/** Lengths are in CSS pixels. */
export interface ImageSpec {
  viewport: { width: number; height: number };
  scale: number;
  format: ImageFormat;
  quality: number;
  /** Whether the page is transparent rather than white where it has no background. */
  isTransparent: boolean;
  /** Maximum size of the image, with sides in device pixels; the image is scaled down, never enlarged. */
  fit: { width?: number; height?: number; pixels?: number; bytes?: number };
  /**
   * Cuts the image into slices of about this height; height and overlap are in pixels. `countMax` is the number of images that the
   * request may still produce.
   */
  slices?: { height: number; overlap: number; countMax?: number };
  /** Part of the document, relative to the document's top left corner; by default, the viewport at its scroll position. */
  clip?: Region;
  /**
   * Whether the clip's size is determined by the page rather than the caller: if it is too large, it is cut off with a warning instead of
   * causing an error.
   */
  mayBeCut: boolean;
  /** Whether the clip may contain cross-origin frames outside the viewport. */
  hasForeignFrames?: boolean;
  /** Whether the clip may contain elements with layers of their own outside the viewport. */
  hasLayers?: boolean;
  /** The kind of part that the clip shows, and the part's height before it was cut off. */
  whole?: { what: "page" | "element"; height: number };
}

export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Image {
  /** Only the first slice if the image has several. */
  bytes: Buffer;
  /** Device pixels of the whole image, with all its slices. */
  width: number;
  height: number;
  /** Slices of the image, from top to bottom. */
  slices?: Slice[];
}

export interface Slice {
  bytes: Buffer;
  /** Row of the whole image at which the slice starts. */
  y: number;
  /** Device pixels. */
  width: number;
  height: number;
}

/** Maximum side in each format, in pixels. Chromium and libvips encode JPEG with libjpeg, whose limit is below the format's 65,535. */
const sideMax = { jpeg: 65_500, webp: 16_383, png: 250_000, avif: 16_384 };

/** Maximum side of Chromium's drawing surface, in device pixels: with a GPU, content repeats beyond it. */
export const surfaceSideMax = 16_384;
/** Maximum device pixels of an image whose size the caller chose; the browser needs about 20 bytes for each. */
export const requestedPixelsMax = 50_000_000;
/**
 * Maximum device pixels of a page or element, which is cut off beyond that. WebP and AVIF are encoded from the whole bitmap; AVIF takes up
 * to 50 bytes per pixel.
 */
const pagePixelsMax = { jpeg: 160_000_000, webp: 50_000_000, png: 160_000_000, avif: 20_000_000 };

/** Limits for an image in `format` whose size is determined by the page. */
export function formatLimits(format: ImageSpec["format"]): { sideMax: number; pixelsMax: number } {
  return { sideMax: sideMax[format], pixelsMax: pagePixelsMax[format] };
}

export interface ImageSize {
  /** Device pixels. */
  width: number;
  height: number;
  /** CSS pixels of the document that the image shows. */
  shown: { width: number; height: number };
  /** Device pixels per CSS pixel. */
  scale: number;
  /** For `X-Warnings`, if part of the page or element is cut off. */
  cutWarnings: string[];
}

/** @throws {AppError} `image_too_large` if the size that the caller chose exceeds a limit. */
export function imageSize(shot: ImageSpec): ImageSize {
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
export function cutWarnings({ clip, viewport, whole }: ImageSpec, shown: { width: number; height: number }): string[] {
  const { width, height } = { ...(clip ?? viewport), ...whole };
  const warning = (side: "high" | "wide", length: number, kept: number) =>
    `the ${whole?.what ?? "page"} is ${length} CSS pixels ${side} and was cut off at ${kept}`;
  return [
    ...(shown.height < height ? [warning("high", height, shown.height)] : []),
    ...(shown.width < width ? [warning("wide", width, shown.width)] : []),
  ];
}

function pixels(length: number): number {
  return Math.max(1, Math.round(length));
}

function refuseTooLarge(width: number, height: number, format: ImageSpec["format"]): void {
  const would = `The image would be ${width} × ${height} pixels`;
  const pixelsMax = Math.min(requestedPixelsMax, pagePixelsMax[format]);
  if (width * height > pixelsMax)
    throw new AppError("image_too_large", { message: `${would}; at most ${pixelsMax / 1e6} million are allowed.` });
  const widthMax = Math.min(sideMax[format], surfaceSideMax);
  if (width > widthMax || height > sideMax[format])
    throw new AppError("image_too_large", { message: `${would}; ${format} may have at most ${widthMax} × ${sideMax[format]}.` });
}
