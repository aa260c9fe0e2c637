/** Interface of the encoders that turn a recording's frames into a file. */

import type { Step } from "../steps.ts";
import type { Timing } from "./options.ts";

export interface Recording extends Timing {
  /** Frame times in milliseconds. */
  times: readonly number[];
  /** In pixels, like `height`. */
  width: number;
  height: number;
  /** Whether the page is scrolled down during the recording. */
  scrolls: boolean;
  steps: readonly Step[];
  /** Counts bytes that stay in memory until the file is complete. @throws {AppError} `image_too_large`, `queue_full`. */
  hold(bytes: number): void;
  /** 1 to 100. */
  quality: number;
}

export interface Encoder {
  /** @param image PNG of the next frame; undefined if it equals the previous one. */
  add(image: Buffer | undefined): Promise<void>;
  finish(): Promise<Buffer>;
}

export interface EncodedVideo {
  width: number;
  height: number;
  fps: number;
  durationMs: number;
  frames: { bytes: Buffer; isKey: boolean; atMs: number }[];
  /** Code points from ITU-T H.273. */
  color: { primaries: number; transfer: number; matrix: number; isFullRange: boolean };
  /** H.264 parameter sets in the format of an `avcC` box; undefined for other codecs. */
  description: Buffer | undefined;
}
