/** Interface of encoders, which turn the frames of a recording into a file. */

import type { Timing } from "./options.ts";

export interface Recording extends Timing {
  /** Times of the frames, in milliseconds. */
  times: readonly number[];
  /** Pixels. */
  width: number;
  height: number;
  /** 1 to 100. */
  quality: number;
}

export interface Encoder {
  /** @param image PNG of the next frame; undefined if it equals the previous one. */
  add(image: Buffer | undefined): Promise<void>;
  finish(): Promise<Buffer>;
}
