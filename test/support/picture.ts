/** Looks at pictures: their size, and pixels of PNGs at points. */

import { imageSize } from "image-size";
import { PNG } from "pngjs";

export interface Picture {
  type: string;
  width: number;
  height: number;
}

/** Read from the picture's own header. */
export function describePicture(bytes: Uint8Array): Picture {
  const { type = "", width, height } = imageSize(bytes);
  return { type, width, height };
}

/** `#rrggbb`, or `#rrggbbaa` where it isn't opaque. */
export function pixelAt(png: Uint8Array, x: number, y: number): string {
  return readPixels(png)(x, y);
}

/** `pixelAt` for many points of one picture, which is decoded once. */
export function readPixels(png: Uint8Array): (x: number, y: number) => string {
  const { data, width } = PNG.sync.read(Buffer.from(png));
  return (x, y) => {
    const pixel = data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4);
    return `#${pixel.subarray(0, pixel[3] === 255 ? 3 : 4).toString("hex")}`;
  };
}
