/** Finds the element selected by the `selector` option, and lays out the whole page for the image. */

import type { Tab } from "../browser/tab.ts";
import { AppError, wrongParameter } from "../shared/errors.ts";
import { type ElementSearch, type FoundElement, findElement } from "./in-page/elements.ts";
import { extendBackdrops, findBackdrops, hideBelowWindow, placeFixedLayers, releaseContent } from "./in-page/fixed-layers.ts";
import { unloadedImages } from "./in-page/lazy-images.ts";
import { pageSize } from "./in-page/page-size.ts";
import { keepRevealed } from "./in-page/reveals.ts";
import { scrollingPart } from "./in-page/scrolling-part.ts";
import { unroll } from "./in-page/unroll.ts";
import type { ShotSettings, Work } from "./option-group.ts";

/** @throws {AppError} `invalid_parameters` if `selector` is not a CSS selector. */
export async function findPart(tab: Tab, selector: string, search: ElementSearch): Promise<FoundElement | undefined> {
  const found = await tab.evaluate(findElement, selector, search);
  if (found !== "invalid") return found;
  throw wrongParameter("selector", `is ${JSON.stringify(selector)}, which is not a CSS selector`, "a CSS selector");
}

interface Selected {
  selector?: string | undefined;
  error_on_selector_not_found: boolean;
}

/**
 * Determines what a document contains: a single element if `selector` is set, otherwise the whole page, regardless of what is in view.
 * @throws {AppError} `selector_not_found`; `invalid_parameters` if `selector` is not a CSS selector.
 */
export async function frameDocument(
  { selector, error_on_selector_not_found }: Selected,
  { tab, shot, warn }: Work,
  clip: ShotSettings["clip"],
): Promise<void> {
  if (clip) shot.clip = clip;
  if (!selector) return;
  shot.isElement = (await findPart(tab, selector, { keep: true })) !== undefined;
  if (shot.isElement) return;
  if (error_on_selector_not_found) throw new AppError("selector_not_found");
  warn("no visible element matches the selector: the document contains the whole page");
}

/**
 * Lays out the whole page and resolves with its size. Revealed content that the page has hidden again may be displaced, and therefore
 * extend beyond that size.
 * @param imageHeight maximum height of an image of the whole page, in CSS pixels; undefined if only a part of the page is captured.
 */
export async function unrollPage({ tab, shot, warn }: Work, imageHeight?: number): Promise<{ width: number; height: number }> {
  if (shot.hidContent) await tab.evaluateBoth(unroll, keepRevealed);
  else if (shot.changesOnScroll) await tab.evaluate(keepRevealed);
  const [{ hasFixed, hasLayers }, measured] = await tab.evaluateBoth(unroll, pageSize);
  const { hasForeignFrames, fillingFrame, elements, keepsChanging, ...size } = measured;
  const isImage = imageHeight !== undefined && !shot.motion;
  if (keepsChanging && isImage) await warnIfMoving(tab, warn);
  const [unloaded, hasBackdrops] = await Promise.all([isImage ? tab.evaluate(unloadedImages) : 0, hasFixed && tab.evaluate(findBackdrops)]);
  if (unloaded > 0) warn(unloadedWarning(unloaded));
  if (shot.movesLayers && isImage) warn(scrolledLayers);
  if (fillingFrame && imageHeight !== undefined)
    warn(`a frame fills the page, and what a visitor reaches by scrolling in it is not in the screenshot: capture ${fillingFrame} instead`);
  if (imageHeight !== undefined && size.height < shot.viewport.height * appMax) await warnIfScrolling(tab, warn);
  if (hasBackdrops) await tab.evaluate(extendBackdrops);
  if (hasFixed && imageHeight !== undefined) {
    await tab.resultWithin(releasedMs, tab.waitFor(releaseContent));
    await tab.evaluate(hideBelowWindow);
    await tab.evaluate(placeFixedLayers, imageHeight);
  }
  Object.assign(shot, { hasForeignFrames, hasLayers, elements });
  return size;
}

const unloadedWarning = (count: number) =>
  `${count === 1 ? "an image has" : `${count} images have`} not been loaded: if scripts load them only some time after the page, a delay can help`;

/** Height, in windows, below which a page may be an application whose parts scroll. */
const appMax = 1.5;

async function warnIfScrolling(tab: Tab, warn: Work["warn"]): Promise<void> {
  const part = await tab.evaluate(scrollingPart);
  if (part)
    warn(
      `${part.name} scrolls by itself, and ${part.hidden} CSS pixels of its content are not in the screenshot: a larger height shows more of it`,
    );
}

/** Timeout for scripts that move the content of a fixed element back to its beginning. */
const releasedMs = 3_000;

const scrolledLayers =
  "scripts move fixed layers as the page scrolls: the screenshot shows them as they are at the top of the page; a recording with scroll=down shows what a visitor sees";

/** Timeout for checking whether the page keeps moving. */
const watchedMs = 3_000;

async function warnIfMoving(tab: Tab, warn: Work["warn"]): Promise<void> {
  const { keepsMoving } = await import("./in-page/moving.ts"); // loaded on demand, since most pages don't move
  if (await tab.resultWithin(watchedMs, tab.waitFor(keepsMoving)))
    warn("scripts keep moving a large part of the page: the screenshot shows a single moment, and the next screenshot will differ");
}
