/** Scales stored images down to a size that models accept. */

import { encodeImage } from "../shared/encode-image.ts";
import { type ImageFormat, modelBounds } from "../shared/formats.ts";

interface Image {
  format: ImageFormat;
  /** In pixels. */
  width: number;
  height: number;
  image: Buffer;
}

const quality = 80;

/** Returns the image unchanged if it fits and models accept its format; otherwise a WebP. */
export async function fitForModels(stored: Image): Promise<Pick<Image, "format" | "image">> {
  const { format, width, height, image } = stored;
  const { side, pixels, bytes } = modelBounds;
  const scale = Math.min(1, side / width, side / height, Math.sqrt(pixels / (width * height)));
  if (scale === 1 && image.length <= bytes && format !== "avif") return stored;
  const { default: sharp } = await import("sharp");
  const scaledDown = (length: number) => Math.max(1, Math.floor(length * scale + 1e-6));
  const size = { width: scaledDown(width), height: scaledDown(height) };
  // With at most 1.15 million pixels, a WebP of this quality always stays far below the byte limit.
  const scaled = sharp(image, { limitInputPixels: false, sequentialRead: true }).resize({ ...size, fit: "fill" });
  return { format: "webp", image: await encodeImage(scaled, { format: "webp", quality }).toBuffer() };
}
