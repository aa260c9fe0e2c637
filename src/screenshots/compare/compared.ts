/** Result of a comparison with a stored screenshot, as plain data. */

import type { Comparison } from "../../comparison/comparison.ts";
import type { ImageFormat } from "../../shared/formats.ts";

export interface ComparedSide {
  id: string;
  format: ImageFormat;
  width: number;
  height: number;
}

export interface ComparedShots extends Comparison {
  before: ComparedSide;
  after: ComparedSide;
}

/** A screenshot that can't be compared is still returned, with a warning. */
export type Compared = ComparedShots | { warning: string };
