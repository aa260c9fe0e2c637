/**
 * What a person sees of a page, as one image: everything that was ever revealed, fully visible, each once, in order, at rest.
 *
 * The wheel scrolls slowly to the bottom, which loads and reveals everything. It then goes back up, and at each stop a narrow band of
 * the window is kept once it looks the same twice. The band lies in the upper half: there the libraries that reveal have done so and
 * those that hide again haven't yet, headers that stay at the top are above it, and buttons that stay at the bottom are below. The top
 * of the page is taken last, where the page is at rest. Sticky elements are put where they belong before the way up, and what is fixed
 * to the window is shown at the top only.
 *
 * Two visits keep bands of different heights. Where they differ the page has no one right look (parallax, random or endless
 * movement), and those blocks don't count.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { ElementHandle, Page } from "puppeteer-core";
import { type Blocks, blocksIn } from "../blocks.ts";
import { blankImage, paste } from "../images.ts";
import { markFixed, settleSticky } from "./fixed.ts";
import { documentScroller, elementScroller, movedScroller } from "./scroller.ts";
import { calm, still } from "./still.ts";
import { join, type Visit } from "./strips.ts";
import { type Band, scrollDown, scrollUp } from "./travel.ts";

export const viewport = { width: 1280, height: 720 } as const;

/** How a page scrolls, where it isn't the document by wheel. */
export interface Scrolling {
  /** Selector of content that a script moves. */
  moved?: string;
  /** Expression for how far it is moved, in pixels, where its position doesn't tell. */
  movedBy?: string;
  /** Selectors of elements that scroll inside of a document that doesn't. `>>>` enters a shadow root. */
  inside?: string[];
  /** The page stops at whole windows only. */
  snaps?: true;
  /** The page shows one window at a time and has no order that the wheel could follow. */
  never?: true;
}

/** One for each of two visits, of unequal height so that they stop at different positions. */
export const bands: Band[] = [
  { top: 100, height: 240 },
  { top: 180, height: 170 },
];
const wholeWindow: Band = { top: 0, height: viewport.height };

/** Pixels of one turn of the wheel. */
const slowSteps = { down: 100, up: 240 };
const restMs = 4_000;

/** @throws {Error} when the page can't be scrolled by wheel as `scrolling` says. */
export async function visit(page: Page, scrolling: Scrolling, band: Band, ignored: string | undefined): Promise<Visit> {
  await calm(page);
  await pause(restMs);
  const taken = await take(page, scrolling, scrolling.snaps ? wholeWindow : band);
  if (ignored !== undefined) for (const block of await blocksOf(page, ignored)) taken.unsure.add(block);
  return taken;
}

async function take(page: Page, scrolling: Scrolling, band: Band): Promise<Visit> {
  if (scrolling.never) return await windowOf(page);
  if (scrolling.inside) return await unrolled(page, scrolling.inside, band);
  const scroller = scrolling.moved
    ? movedScroller(page, await existing(page, scrolling.moved), viewport, scrolling.movedBy)
    : documentScroller(page, viewport);
  const fixed = await markFixed(page);
  const steps = scrolling.snaps ? { down: viewport.height, up: viewport.height } : slowSteps;
  await scrollDown(page, scroller, steps.down);
  await settleSticky(page);
  const { image, unsure } = await scrollUp(page, scroller, band, steps.up);
  const top = await still(page);
  for (const { x, y, width, height } of fixed.high) {
    const [left, above] = [Math.max(0, Math.round(x)), Math.max(0, Math.round(y))];
    const cut = { x: left, y: above, width: Math.round(x + width) - left, height: Math.round(y + height) - above };
    paste(top.image, cut, image, cut.x, cut.y); // what reaches below the uppermost band, like a side bar
  }
  for (const { x, y, width, height } of fixed.low) {
    for (const top of [y, y + image.height - viewport.height])
      for (const block of blocksIn(image.width, { x, y: top, width, height })) unsure.add(block);
  }
  return { image, unsure };
}

async function windowOf(page: Page): Promise<Visit> {
  const { shots } = await still(page);
  return join([{ from: 0, height: viewport.height, shots }], viewport.width);
}

/** The window, with each scroller at full length, and what is below it moved down by as much as the tallest has grown. */
async function unrolled(page: Page, selectors: string[], band: Band): Promise<Visit> {
  const scrollers = await Promise.all(selectors.map(async (selector) => elementScroller(page, await existing(page, selector))));
  const contents: { view: { x: number; y: number; width: number; height: number }; visit: Visit }[] = [];
  for (const scroller of scrollers) {
    await scrollDown(page, scroller, slowSteps.down);
    const { view } = await scroller.read();
    contents.push({ view, visit: await scrollUp(page, scroller, band, slowSteps.up) });
  }
  const { image: base } = await still(page);
  const growth = Math.max(...contents.map(({ view, visit: { image } }) => image.height - view.height));
  const contentEnd = await page.evaluate(() => Math.ceil(document.body.getBoundingClientRect().bottom));
  const whole = blankImage(base.width, Math.max(base.height, Math.min(base.height, contentEnd) + growth));
  const unsure = blocksIn(base.width, { x: 0, y: base.height, width: base.width, height: whole.height - base.height });
  paste(base, { x: 0, y: 0, width: base.width, height: base.height }, whole, 0, 0);
  for (const { view, visit } of contents) {
    const below = { x: view.x, y: view.y + view.height, width: view.width, height: base.height - view.y - view.height };
    paste(base, below, whole, view.x, below.y + growth);
    paste(visit.image, { x: 0, y: 0, width: view.width, height: visit.image.height }, whole, view.x, view.y);
    // Content starts within a block of the whole image, so its own blocks don't fit: they are taken over by their area.
    for (const block of blocksIn(base.width, { ...view, height: visit.image.height + below.height })) unsure.delete(block);
  }
  return { image: whole, unsure };
}

async function existing(page: Page, selector: string): Promise<ElementHandle<Element>> {
  const found = await page.waitForSelector(selector, { timeout: 5_000 }).catch(() => null);
  if (!found) throw new Error(`${selector} matches nothing`);
  return found as ElementHandle<Element>;
}

/** What elements cover, of the whole document. */
async function blocksOf(page: Page, selector: string): Promise<Blocks> {
  const areas = await page.$$eval(selector, (elements) =>
    elements.map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x: x + scrollX, y: y + scrollY, width, height };
    }),
  );
  return new Set(areas.flatMap((area) => [...blocksIn(viewport.width, area)]));
}
