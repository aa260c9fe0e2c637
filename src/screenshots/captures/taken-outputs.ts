/** Outputs that a request asks for, and their results. */

import type { Compared } from "../compare/compared.ts";
import type { CachedImage } from "../take/cache.ts";
import type { Screenshot } from "../take/capture-and-store.ts";
import type { TakeRequest } from "../take/take-request.ts";
import type { KeptSlice } from "./keep-slices.ts";

/** A requested output. Its name is unique within the request. */
export interface OutputRequest {
  name: string;
  request: TakeRequest;
}

/** If there are `slices`, `screenshot` is the first of them. */
export type TakenOutput = ((TakenScreenshot | { cached: CachedImage }) & WithComparison) | { failure: unknown };

interface WithComparison {
  /** Set if the request has `compare_to`. */
  compared?: Compared | undefined;
}

interface TakenScreenshot {
  screenshot: Screenshot;
  loadedAgain: boolean;
  /** Whether another process found it in the cache. */
  wasCached?: boolean;
  slices?: KeptSlice[];
  /** Size of all slices together. */
  whole?: { width: number | null; height: number | null };
}

export interface TakenOutputs {
  /** In the order of the outputs. */
  outputs: TakenOutput[];
  /** How many times the page was loaded. */
  loads: number;
  /** See {@link Screenshot.onAnswered}. */
  onAnswered?: () => void;
}

export function isFromCache(taken: TakenOutput): boolean {
  return "cached" in taken || ("screenshot" in taken && taken.wasCached === true);
}
