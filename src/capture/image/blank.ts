/** Detects images of a single colour, which may be blank. */

import type { Tab } from "../../browser/tab.ts";
import { type Appearance, inspectImage } from "../in-page/blank.ts";
import type { Image, ImageSpec } from "./spec.ts";

/**
 * Maximum bytes of a single-colour image from Chromium. Depends on its width and height only, not on colour and quality (measured from
 * 200 × 100 to 1280 × 5000); one line of text adds a thousand bytes.
 */
const uniformBytesMax = {
  jpeg: (pixels: number) => 850 + pixels * 0.0061,
  png: (pixels: number, rows: number) => 800 + pixels * 0.0155 + rows * 3.7,
  webp: (pixels: number) => 700 + pixels * 0.0019,
  avif: (pixels: number) => 700 + pixels * 0.0002,
};
/** Larger images are not inspected, to save memory. */
const inspectedPixelsMax = 16_000_000;

type Inspected = Omit<Image, "width" | "height"> & { width: number | null; height: number | null };

/** Whether an image is small enough in bytes to have a single colour; false for a document, which has no size. */
export function mayBeUniform({ bytes, width, height, slices }: Inspected, { format }: ImageSpec): boolean {
  if (slices && slices.length > 1) return false;
  if (width === null || height === null) return false;
  const pixels = width * height;
  return pixels <= inspectedPixelsMax && bytes.length <= uniformBytesMax[format](pixels, height);
}

/** Looks at the pixels of an image that `mayBeUniform`. @returns undefined if it has more than one colour. */
export async function inspectIfUniform(tab: Tab, image: Inspected, shot: ImageSpec): Promise<Appearance | undefined> {
  if (!mayBeUniform(image, shot)) return undefined;
  const { format, clip, viewport } = shot;
  const appearance: Appearance = await tab.evaluate(
    inspectImage,
    image.bytes.toString("base64"),
    `image/${format}`,
    clip ?? { x: 0, y: 0, ...viewport, isViewport: true },
  );
  return appearance.colour === undefined ? undefined : appearance;
}
