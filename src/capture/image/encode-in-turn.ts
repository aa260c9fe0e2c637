/** Limits how many large images are encoded at a time, and lets accounts take turns. */

import type { ImageFormat } from "../../shared/formats.ts";
import { createPermits, type Permits } from "../../shared/permits.ts";
import type { ImageSource } from "./spec.ts";

/** The encoder runs in this process, which all captures share, and needs 36 to 50 bytes per pixel: 0.7 GB for the largest image. */
const avifPermits = createPermits(1, Number.POSITIVE_INFINITY);
/**
 * Each encoding occupies one of the process's threads for up to several seconds. The other threads read files, resolve host names and hash
 * passwords.
 */
const permits = createPermits(2, Number.POSITIVE_INFINITY);
/** Smaller images take 0.2 s, and as AVIF at most 100 MB. */
export const aloneMinPixels = 2_000_000;

/** Encodes large AVIF images one at a time, other large ones two at a time, one of each account, and small ones immediately. @throws any error from `encode`, or the one that ends the capture. */
export async function encodeInTurn(
  source: Pick<ImageSource, "tab" | "account">,
  { format, pixels }: { format: ImageFormat; pixels: number },
  encode: () => Promise<Buffer>,
): Promise<Buffer> {
  if (pixels < aloneMinPixels) return await encode();
  return await takeTurn(format === "avif" ? avifPermits : permits, source, encode);
}

/** Calls `encode`, which needs much memory, when it is the account's turn. @throws as `encodeInTurn`. */
export async function inTurn(source: Pick<ImageSource, "tab" | "account">, encode: () => Promise<Buffer>): Promise<Buffer> {
  return await takeTurn(avifPermits, source, encode);
}

async function takeTurn(
  permits: Permits,
  { tab, account }: Pick<ImageSource, "tab" | "account">,
  encode: () => Promise<Buffer>,
): Promise<Buffer> {
  const ended = new AbortController();
  const encoding = permits.run(account, encode, { signal: ended.signal });
  try {
    return (await tab.resultWithin(Number.POSITIVE_INFINITY, encoding)) ?? (await encoding);
  } finally {
    ended.abort(new Error("The capture has ended"));
  }
}
