/** Re-encodes an image until its file is small enough. */

import { encodeImage } from "../../shared/encode-image.ts";
import { encodeInTurn } from "./encode-in-turn.ts";
import type { ImageSource } from "./spec.ts";
import { encodeTimeoutMs } from "./tiles.ts";

/** Fractions of the requested quality, tried in order. */
const qualityShares = [0.8, 0.6, 0.45, 0.3, 0.2];
const qualityMin = 10;
/** Extra margin, because file size shrinks more slowly than the number of pixels. */
const marginOfScale = 0.9;

interface Fitted {
  bytes: Buffer;
  width: number;
  height: number;
}

/**
 * Reduces the quality (except for PNG), then the size if that isn't enough, and adds a warning.
 * @param png the lossless image, of `width` × `height` pixels.
 */
export async function fitBytes(
  png: Buffer,
  { width, height }: Omit<Fitted, "bytes">,
  source: Pick<ImageSource, "tab" | "account" | "shot" | "warn">,
): Promise<Fitted> {
  const { shot, warn } = source;
  const { default: sharp } = await import("sharp");
  const { bytes: bytesMax = Infinity } = shot.fit;
  const encode = async (quality: number, size: { width: number; height: number }) => {
    const image = sharp(png)
      .resize({ ...size, fit: "fill" })
      .timeout({ seconds: encodeTimeoutMs / 1000 });
    const encoded = encodeImage(shot.isTransparent ? image : image.removeAlpha(), { format: shot.format, quality });
    return await encodeInTurn(source, { format: shot.format, pixels: size.width * size.height }, () => encoded.toBuffer());
  };
  let quality = shot.quality;
  let bytes = await encode(quality, { width, height });
  for (const share of shot.format === "png" ? [] : qualityShares) {
    if (bytes.length <= bytesMax) break;
    quality = Math.min(shot.quality, Math.max(qualityMin, Math.round(shot.quality * share)));
    bytes = await encode(quality, { width, height });
  }
  const size = { width, height };
  while (bytes.length > bytesMax && size.width * size.height > 1) {
    const scale = Math.min(marginOfScale, Math.sqrt(bytesMax / bytes.length) * marginOfScale);
    size.width = Math.max(1, Math.floor(size.width * scale));
    size.height = Math.max(1, Math.floor(size.height * scale));
    bytes = await encode(quality, size);
  }
  const isSmaller = size.width < width || size.height < height;
  warn(
    `to fit within ${bytesMax} bytes, the image was ${isSmaller ? `scaled to ${size.width} × ${size.height} pixels` : `encoded with quality ${quality}`}`,
  );
  return { bytes, ...size };
}
