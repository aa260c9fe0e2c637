/**
 * What a visitor sees of a page, as one image: everything that was ever revealed, fully visible, each element once, in order, at rest.
 * Scrolling slowly to the bottom by wheel loads and reveals everything. On the way back up, a narrow band of the viewport is captured at
 * each stop once it is stable. The band is in the upper half: there, reveal libraries have revealed their content and not hidden it
 * again; fixed headers are above the band, fixed buttons below. The top of the page is captured last, where the page is at rest. Sticky
 * elements are moved to their place in the flow before, and fixed elements are shown at the top only.
 * Two visits capture bands of different heights. Where they differ, the page has no single correct rendering (parallax, random or
 * endless movement), and those blocks don't count.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { ElementHandle, Page } from "puppeteer-core";
import { type Blocks, blockSize, blocksIn } from "../blocks.ts";
import { blankImage, paste } from "../images.ts";
import { markFixed, settleSticky } from "./fixed.ts";
import { documentScroller, elementScroller, movedScroller } from "./scroller.ts";
import { calm, still } from "./still.ts";
import { join, type Visit } from "./strips.ts";
import { type Band, scrollDown, scrollUp } from "./travel.ts";

export const viewport = { width: 1280, height: 720 } as const;

/** How a page scrolls, unless the wheel scrolls the document. */
export interface Scrolling {
  /** Selector of content moved by a script. */
  moved?: string;
  /** Expression for its offset in pixels, if its position doesn't reveal it. */
  movedBy?: string;
  /** Selectors of inner scrollers in a document that doesn't scroll. `>>>` enters a shadow root. */
  inside?: string[];
  /** The page snaps to full viewports. */
  snaps?: true;
  /** The page shows one viewport at a time and can't be scrolled in order. */
  never?: true;
}

/** One band height for each visit; they differ so that visits stop at different positions. */
export const bands: Band[] = [
  { top: 100, height: 240 },
  { top: 180, height: 170 },
];
const wholeWindow: Band = { top: 0, height: viewport.height };

/** Pixels per wheel event. */
const slowSteps = { down: 100, up: 240 };
const restMs = 4_000;

/** @throws {Error} if the page can't be scrolled as `scrolling` says. */
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
    paste(top.image, cut, image, cut.x, cut.y); // content that reaches below the uppermost band, such as a sidebar
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

/** The viewport with each scroller at full height; content below moves down by as much as the tallest one has grown. */
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
  // Next to a scroller, the area below its lower edge is unknown: a border would be longer, the next column would not.
  const known = Math.min(...contents.map(({ view }) => view.y + view.height));
  const unsure = blocksIn(base.width, { x: 0, y: known, width: base.width, height: whole.height - known });
  paste(base, { x: 0, y: 0, width: base.width, height: base.height }, whole, 0, 0);
  for (const { view, visit } of contents) {
    const below = { x: view.x, y: view.y + view.height, width: view.width, height: base.height - view.y - view.height };
    paste(base, below, whole, view.x, below.y + growth);
    paste(visit.image, { x: 0, y: 0, width: view.width, height: visit.image.height }, whole, view.x, view.y);
    // The content is not aligned to the blocks of the whole image, so its blocks are mapped by area.
    const left = Math.ceil(view.x / blockSize) * blockSize;
    const width = Math.floor((view.x + view.width) / blockSize) * blockSize - left;
    for (const block of blocksIn(base.width, { x: left, y: view.y, width, height: visit.image.height + below.height }))
      unsure.delete(block);
  }
  return { image: whole, unsure };
}

async function existing(page: Page, selector: string): Promise<ElementHandle<Element>> {
  const found = await page.waitForSelector(selector, { timeout: 5_000 }).catch(() => null);
  if (!found) throw new Error(`${selector} matches nothing`);
  return found as ElementHandle<Element>;
}

/** The areas that elements cover in the whole document. */
async function blocksOf(page: Page, selector: string): Promise<Blocks> {
  const areas = await page.$$eval(selector, (elements) =>
    elements.map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x: x + scrollX, y: y + scrollY, width, height };
    }),
  );
  return new Set(areas.flatMap((area) => [...blocksIn(viewport.width, area)]));
}
