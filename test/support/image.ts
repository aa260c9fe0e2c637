/** Reads images: their size, and pixels of PNGs. */

import { imageSize } from "image-size";
import { PNG } from "pngjs";

interface ImageHeader {
  type: string;
  width: number;
  height: number;
}

/** Format and size, from the image's header. */
export function describeImage(bytes: Uint8Array): ImageHeader {
  const { type = "", width, height } = imageSize(bytes);
  return { type, width, height };
}

/** `#rrggbb`, or `#rrggbbaa` if not opaque. */
export function pixelAt(png: Uint8Array, x: number, y: number): string {
  return readPixels(png)(x, y);
}

/** `pixelAt` for many points of one image, which is decoded once. */
export function readPixels(png: Uint8Array): (x: number, y: number) => string {
  const { data, width } = PNG.sync.read(Buffer.from(png));
  return (x, y) => {
    const pixel = data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4);
    return `#${pixel.subarray(0, pixel[3] === 255 ? 3 : 4).toString("hex")}`;
  };
}

/** Share of visibly different pixels, 0 to 1; 1 for images of different sizes. */
export function differingShare(one: Uint8Array, other: Uint8Array): number {
  const [a, b] = [one, other].map((png) => PNG.sync.read(Buffer.from(png)));
  if (!a || !b || a.width !== b.width || a.height !== b.height) return 1;
  let differing = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const differs = [0, 1, 2].some((channel) => Math.abs((a.data[at + channel] ?? 0) - (b.data[at + channel] ?? 0)) > 16);
    if (differs) differing += 1;
  }
  return differing / (a.width * a.height);
}
