/** Files of a taken output: one, or one per slice. */

import type { CachedImage } from "../take/cache.ts";
import type { TakenOutput } from "./taken-outputs.ts";

export interface OutputFile {
  id: string;
  bytes: number;
  width: number | null;
  height: number | null;
  etag: string;
  /** First row of a slice in the whole image; undefined if the output is not cut. */
  y: number | undefined;
  body: Buffer | CachedImage;
  /** Resolves with whether the file was stored. */
  stored: Promise<boolean>;
}

/** Empty for a failed output. */
export function filesOf(taken: TakenOutput): OutputFile[] {
  if ("failure" in taken) return [];
  if ("cached" in taken) {
    const { slices, ...whole } = taken.cached;
    const stored = Promise.resolve(true);
    return slices
      ? slices.map((slice) => ({ ...slice, body: { ...whole, ...slice }, stored }))
      : [{ ...whole, y: undefined, body: whole, stored }];
  }
  return (taken.slices ?? [{ ...taken.screenshot, y: undefined }]).map(({ id, bytes, width, height, etag, y, image, stored }) => {
    return { id, bytes, width, height, etag, y, body: image, stored: stored.then((key) => key !== null) };
  });
}
