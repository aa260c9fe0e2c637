/** Checks images: whether they are valid, and how much they differ from the completely loaded page. */

import pixelmatch from "pixelmatch";
import sharp from "sharp";
import { type Answer, refusal } from "./client.ts";

sharp.concurrency(1);
sharp.cache(false);

export interface DecodedImage {
  width: number;
  height: number;
  format: string;
  /** RGBA. */
  pixels: Uint8Array;
}

/** @throws if the bytes are not an image. */
export async function decode(bytes: Buffer): Promise<DecodedImage> {
  const image = sharp(bytes, { limitInputPixels: false });
  const { format } = await image.metadata();
  const { data, info } = await image.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, format: format ?? "unknown", pixels: data };
}

interface Wanted {
  width: number;
  /** The minimum, for a full page. */
  height: number;
  fullPage: boolean;
}

/** The image of a response, or what is obviously wrong with the response or image. */
export async function look(answer: Answer, wanted: Wanted): Promise<{ image: DecodedImage | undefined; wrong: string | undefined }> {
  const refused = refusal(answer);
  const image = refused === undefined ? await decode(answer.body).catch(() => undefined) : undefined;
  return { image, wrong: refused ?? (image ? flaw(image, wanted) : "not an image") };
}

function flaw(image: DecodedImage, { width, height, fullPage }: Wanted): string | undefined {
  if (image.width !== width || (fullPage ? image.height < height : image.height !== height)) return `${image.width}×${image.height}`;
  return isBlank(image) ? "blank" : undefined;
}

/** Whether nearly all pixels have the same color. */
function isBlank({ pixels }: DecodedImage): boolean {
  const colors = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
  const first = colors[0];
  let others = 0;
  for (const color of colors) if (color !== first) others += 1;
  return others < colors.length * 0.0005;
}

/** Minimum color difference that counts: JPEG artifacts at edges are not errors. */
const thresholds: Record<string, number> = { png: 0.1, jpeg: 0.25 };

/**
 * Share of pixels, 0 to 1, that differ from the closest of `references`: a page may have more than one correct
 * rendering. Pixels that exist in only one of the two images count as different.
 */
export function shareOff(image: DecodedImage, references: DecodedImage[]): number {
  return Math.min(...references.map((reference) => compare(image, reference)));
}

function compare(image: DecodedImage, reference: DecodedImage): number {
  const width = Math.min(image.width, reference.width);
  const height = Math.min(image.height, reference.height);
  const all = Math.max(image.width, reference.width) * Math.max(image.height, reference.height);
  const threshold = thresholds[image.format] ?? 0.1;
  const different = pixelmatch(cut(image, width, height), cut(reference, width, height), undefined, width, height, { threshold });
  return (different + all - width * height) / all;
}

function cut({ width, pixels }: DecodedImage, toWidth: number, toHeight: number): Uint8Array {
  if (width === toWidth) return pixels.subarray(0, toWidth * toHeight * 4);
  const rows = Buffer.alloc(toWidth * toHeight * 4);
  for (let y = 0; y < toHeight; y += 1) rows.set(pixels.subarray(y * width * 4, (y * width + toWidth) * 4), y * toWidth * 4);
  return rows;
}
