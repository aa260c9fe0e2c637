/** Input and result of rendering an image. */

import type { Tab } from "../../browser/tab.ts";
import type { ImageFormat } from "../../shared/formats.ts";

/** The page in its tab, and the image of it to render. */
export interface ImageSource {
  readonly tab: Tab;
  /** Account of the capture. */
  readonly owner: string;
  readonly shot: ImageSpec;
  /** Deadline of the capture, by `performance.now()`. */
  readonly deadlineAt: number;
  /** Adds a warning for the caller: something was cut off or scaled down. */
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
   * Cuts the image into slices of about this height; height and overlap are in pixels. `countMax` is the number left of the request's
   * limit.
   */
  slices?: { height: number; overlap: number; countMax?: number };
  /** Part of the document, from its top left corner; by default, the viewport at its scroll position. */
  clip?: Region;
  /**
   * Whether the clip's size is determined by the page rather than the caller: if it is too large, it is cut off with a warning instead of
   * causing an error.
   */
  mayBeCut: boolean;
  /** Whether the clip may contain cross-origin frames outside the viewport. */
  hasForeignFrames?: boolean;
  /** Whether the clip shows the page or an element, and its height before it was cut off. */
  whole?: { what: "page" | "element"; height: number };
}

export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Image {
  /** The first slice, if there are several. */
  bytes: Buffer;
  /** Device pixels of the image, with all slices. */
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
