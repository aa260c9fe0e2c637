/** Requested outputs and their results: files, and comparisons with stored screenshots. */

import type { Comparison } from "../../comparison/comparison.ts";
import type { ImageFormat } from "../../shared/formats.ts";
import type { IndexedEntry } from "../take/cache.ts";
import type { Screenshot } from "../take/capture-and-store.ts";
import type { TakeRequest } from "../take/take-options.ts";
import type { KeptSlice } from "./keep-slices.ts";

/** A requested output. Its name is unique within the request. */
export interface OutputRequest {
  name: string;
  request: TakeRequest;
}

/** If there are `slices`, `screenshot` is the first slice. */
export type TakenOutput = ((ScreenshotOutput | StoredOutput) & WithComparison) | { failure: unknown };

interface WithComparison {
  /** Set if the request has `compare_to`. */
  compared?: Compared | undefined;
}

interface ScreenshotOutput {
  screenshot: Screenshot;
  loadedAgain: boolean;
  slices?: KeptSlice[];
  /** Size of all slices together. */
  whole?: { width: number | null; height: number | null };
}

/** An output whose files are in storage: from the cache, or captured for this request by another process. */
interface StoredOutput {
  entry: IndexedEntry;
  /** Undefined for an output from the cache. */
  captured?: (Pick<Screenshot, "timings" | "waitEnded" | "explanation"> & { loadedAgain: boolean }) | undefined;
}

export interface TakenOutputs {
  /** In the same order as the requested outputs. */
  outputs: TakenOutput[];
  /** Number of times the page was loaded. */
  loads: number;
  /** See `Screenshot`. */
  markSent?: Screenshot["markSent"];
  confirmCharge?: Screenshot["confirmCharge"];
}

export function isFromCache(taken: TakenOutput): boolean {
  return "entry" in taken && taken.captured === undefined;
}

/** A file of a taken output: its only file, or one of its slices. */
export interface OutputFile {
  id: string;
  bytes: number;
  /** In pixels; null for a document. */
  width: number | null;
  height: number | null;
  etag: string;
  /** Row of the whole image at which a slice starts; undefined if the output is not cut. */
  y: number | undefined;
  body: Buffer | IndexedEntry;
  /** Resolves to whether the file was stored. Never rejects. */
  isStored: Promise<boolean>;
}

/** An output's files: one, or one per slice; none if the output failed. */
export function filesOf(taken: TakenOutput): OutputFile[] {
  if ("failure" in taken) return [];
  if ("entry" in taken) {
    const { slices, ...whole } = taken.entry;
    const isStored = Promise.resolve(true);
    return slices
      ? slices.map((slice) => ({ ...slice, body: { ...whole, ...slice }, isStored }))
      : [{ ...whole, y: undefined, body: whole, isStored }];
  }
  return (taken.slices ?? [{ ...taken.screenshot, y: undefined }]).map(({ id, bytes, width, height, etag, y, image, stored }) => {
    return { id, bytes, width, height, etag, y, body: image, isStored: stored.then((key) => key !== null) };
  });
}

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
