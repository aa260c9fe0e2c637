/** Looks at pictures that may be blank, which pages with more to show sometimes give for a moment. */

import type { Tab } from "../browser/tab.ts";
import { look, type Sight, untilContent } from "./in-page/blank.ts";
import type { Shot } from "./option-group.ts";
import type { Picture } from "./shoot.ts";

/**
 * What a picture shows and should show. Call it for those that `mayBeBlank`.
 * @returns undefined for a picture that isn't blank, or can't be looked at.
 */
export async function lookAtBlank(
  tab: Tab,
  { bytes }: Pick<Picture, "bytes">,
  { format, clip, viewport }: Shot,
): Promise<Sight | undefined> {
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
