/** Decoded images. */

import sharp from "sharp";

/** RGBA on white, four bytes a pixel. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array;
  /** Whether the format may have changed pixels to save space. */
  isLossy: boolean;
}

/** @throws {Error} If libvips can't read it. */
export async function decode(image: Buffer): Promise<Pixels> {
  const source = sharp(image, { limitInputPixels: false });
  const { format } = await source.metadata();
  const { data, info } = await source
    .flatten({ background: "#fff" })
    .toColourspace("srgb")
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data, isLossy: format !== "png" };
}
