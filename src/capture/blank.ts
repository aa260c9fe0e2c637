/** Looks at pictures that may be blank, which pages with more to show sometimes give for a moment. */

import type { Tab } from "../browser/tab.ts";
import { look, type Sight, untilContent } from "./in-page/blank.ts";
import type { Shot } from "./option-group.ts";
import type { Picture } from "./shoot.ts";

/**
 * Chromium's images of one colour have a size that follows from their width and height, whatever the colour and quality (measured from
 * 200 × 100 to 1280 × 5000); one line of text adds a thousand bytes.
 */
const uniformBytesMax = {
  jpeg: (pixels: number) => 850 + pixels * 0.0061,
  png: (pixels: number, rows: number) => 800 + pixels * 0.0155 + rows * 3.7,
  webp: (pixels: number) => 700 + pixels * 0.0019,
};
/** Past this, to look would cost more memory than the answer is worth. */
const pixelsMax = 16_000_000;

/**
 * What a picture shows and should show. Only pictures of few bytes are looked at, so it costs others nothing.
 * @returns undefined for a picture that isn't blank, or can't be looked at.
 */
export async function lookAtBlank(
  tab: Tab,
  { bytes, width, height }: Picture,
  { format, clip, viewport }: Shot,
): Promise<Sight | undefined> {
  const pixels = width * height;
  if (pixels > pixelsMax || bytes.length > uniformBytesMax[format](pixels, height)) return undefined;
  const sight: Sight = await tab.evaluate(
    look,
    bytes.toString("base64"),
    `image/${format}`,
    clip ?? { x: 0, y: 0, ...viewport, isViewport: true },
  );
  return sight.colour === undefined ? undefined : sight;
}

/** White, or nothing at all: what a page shows before it shows anything. */
export function isEmpty({ colour, hasContent }: Sight): boolean {
  return !hasContent && /^#(ffffffff|......00)$/.test(colour ?? "");
}

/** Whether text, an image or the like comes into view within `ms`. */
export async function contentComes(tab: Tab, ms: number): Promise<boolean> {
  return await tab.within(ms, tab.waitFor(untilContent, ms));
}
