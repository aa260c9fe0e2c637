/** Detects blank images, which a page may give briefly before it shows its content. */

import type { Tab } from "../browser/tab.ts";
import type { CapturedImage } from "./capture-image.ts";
import { type Appearance, inspectImage, untilContent } from "./in-page/blank.ts";
import type { Shot } from "./option-group.ts";

/**
 * Inspects an image that `mayBeBlank`.
 * @returns undefined if it has more than one colour.
 */
export async function inspectIfUniform(
  tab: Tab,
  { bytes }: Pick<CapturedImage, "bytes">,
  { format, clip, viewport }: Shot,
): Promise<Appearance | undefined> {
  const appearance: Appearance = await tab.evaluate(
    inspectImage,
    bytes.toString("base64"),
    `image/${format}`,
    clip ?? { x: 0, y: 0, ...viewport, isViewport: true },
  );
  return appearance.colour === undefined ? undefined : appearance;
}

/** Whether the image is white or transparent and the page has no content, as before its first paint. */
export function isBlank({ colour, hasContent }: Appearance): boolean {
  return !hasContent && /^#(ffffffff|......00)$/.test(colour ?? "");
}

/** Whether the page has text, an image or the like within `ms`. */
export async function contentAppears(tab: Tab, ms: number): Promise<boolean> {
  return await tab.within(ms, tab.waitFor(untilContent, ms));
}
