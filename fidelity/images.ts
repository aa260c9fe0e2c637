/** Decodes, draws and copies images. */

import sharp from "sharp";

sharp.concurrency(1);
sharp.cache(false);

export interface Image {
  width: number;
  height: number;
  /** RGBA. */
  pixels: Buffer;
}

/** @throws {Error} if the bytes are not an image. */
export async function decode(bytes: Buffer): Promise<Image> {
  const { data, info } = await sharp(bytes, { limitInputPixels: false }).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: data };
}

export async function encode({ width, height, pixels }: Image): Promise<Buffer> {
  return await sharp(pixels, { raw: { width, height, channels: 4 }, limitInputPixels: false })
    .png({ compressionLevel: 3 })
    .toBuffer();
}

/** An opaque white image. */
export function blankImage(width: number, height: number): Image {
  return { width, height, pixels: Buffer.alloc(width * height * 4, 0xff) };
}

export interface Cut {
  /** Rectangle of `from`, in pixels. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Copies a rectangle of `from` to the position `x`, `y` of `to`, clipped to both. */
export function paste(from: Image, cut: Cut, to: Image, x: number, y: number): void {
  const width = Math.min(cut.width, from.width - cut.x, to.width - x);
  for (let row = 0; row < cut.height; row += 1) {
    if (cut.y + row >= from.height || y + row >= to.height || width <= 0) return;
    const start = ((cut.y + row) * from.width + cut.x) * 4;
    from.pixels.copy(to.pixels, ((y + row) * to.width + x) * 4, start, start + width * 4);
  }
}
