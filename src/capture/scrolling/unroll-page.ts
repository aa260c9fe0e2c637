/** Lays out the whole page for the image. */

import { extendBackdrops, placeFixedLayers } from "../in-page/fixed-layers.ts";
import { keepRevealed } from "../in-page/reveals.ts";
import { pageSize, unroll } from "../in-page/unroll.ts";
import type { Work } from "../option-group.ts";

/**
 * Resolves with the size of the page. Revealed content that is hidden again may be displaced, and may therefore extend beyond the page.
 * @param imageHeight maximum height of an image of the whole page, in CSS pixels.
 */
export async function unrollPage({ tab, shot }: Work, imageHeight?: number): Promise<{ width: number; height: number }> {
  if (shot.hidContent) await tab.evaluateBoth(unroll, keepRevealed);
  else if (shot.changesOnScroll) await tab.evaluate(keepRevealed);
  const [hasFixed, { hasForeignFrames, elements, ...size }] = await tab.evaluateBoth(unroll, pageSize);
  if (hasFixed) await tab.evaluate(extendBackdrops);
  if (hasFixed && imageHeight !== undefined) await tab.evaluate(placeFixedLayers, imageHeight);
  Object.assign(shot, { hasForeignFrames, elements });
  return size;
}
