/** Runs memory-intensive encodings one at a time. */

import type { ImageFormat } from "../../shared/formats.ts";
import { createPermits } from "../../shared/permits.ts";
import type { ImageSource } from "./spec.ts";

/** The encoder runs in this process, which all captures share, and needs 36 to 50 bytes per pixel: 0.7 GB for the largest image. */
const permits = createPermits(1, Number.POSITIVE_INFINITY);
/** Smaller images need at most 100 MB each, and libvips encodes at most four at a time. */
export const aloneMinPixels = 2_000_000;

/** Encodes large AVIF images one at a time, other images immediately. @throws any error from `encode`, or the one that ends the capture. */
export async function encodeInTurn(
  source: Pick<ImageSource, "tab" | "account">,
  { format, pixels }: { format: ImageFormat; pixels: number },
  encode: () => Promise<Buffer>,
): Promise<Buffer> {
  return format !== "avif" || pixels < aloneMinPixels ? await encode() : await inTurn(source, encode);
}

/** Calls `encode` when it is the account's turn. @throws any error from `encode`, or the one that ends the capture while it waits. */
export async function inTurn({ tab, account }: Pick<ImageSource, "tab" | "account">, encode: () => Promise<Buffer>): Promise<Buffer> {
  const ended = new AbortController();
  const encoding = permits.run(account, encode, { signal: ended.signal });
  try {
    return (await tab.resultWithin(Number.POSITIVE_INFINITY, encoding)) ?? (await encoding);
  } finally {
    ended.abort(new Error("The capture has ended"));
  }
}
