/**
 * Encodes images with libvips: those in formats that Chromium doesn't support, and those that are drawn, joined, cut or scaled outside
 * Chromium.
 */

import type { Sharp } from "sharp";
import type { ImageFormat } from "./formats.ts";

interface Encoding {
  format: ImageFormat;
  /** From 1 to 100, for jpeg, webp and avif. */
  quality: number;
}

/** Favors speed over size. JPEG images lose their transparency. */
export function encodeImage(image: Sharp, { format, quality }: Encoding): Sharp {
  if (format === "avif") return image.avif({ quality, effort: 0 }); // higher effort takes four times as long, for files a fifth smaller
  // Optimized coding keeps all coefficients in memory, up to a gigabyte.
  if (format === "jpeg") return image.removeAlpha().jpeg({ quality, optimizeCoding: false });
  if (format === "webp") return image.webp({ quality, effort: 2 }); // higher effort takes twice as long for the same size
  return image.png({ compressionLevel: 3 });
}
