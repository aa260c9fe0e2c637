/** What a request for several outputs asks for, and what came of each. */

import type { CachedImage } from "./cache.ts";
import type { Screenshot } from "./capture-and-store.ts";
import type { Compared } from "./compared.ts";
import type { KeptSlice } from "./keep-slices.ts";
import type { TakeRequest } from "./take-request.ts";

/** One of the outputs. Its name is unique among them. */
export interface OutputRequest {
  name: string;
  request: TakeRequest;
}

/** Of several `slices`, `screenshot` is the first. */
export type TakenOutput = ((TakenScreenshot | { cached: CachedImage }) & WithComparison) | { failure: unknown };

interface WithComparison {
  /** With `compare_to`. */
  compared?: Compared | undefined;
}

interface TakenScreenshot {
  screenshot: Screenshot;
  loadedAgain: boolean;
  /** By another process, which found it in the cache. */
  wasCached?: boolean;
  slices?: KeptSlice[];
  /** Pixels of all slices together. */
  whole?: { width: number | null; height: number | null };
}

export interface TakenOutputs {
  /** In the order of the outputs. */
  outputs: TakenOutput[];
  /** How often the page was loaded. */
  loads: number;
  /** As that of a screenshot. */
  onAnswered?: () => void;
}

export function isFromCache(taken: TakenOutput): boolean {
  return "cached" in taken || ("screenshot" in taken && taken.wasCached === true);
}
