/** Scrollable content: the document, an element, or content that a script moves. */

import { setTimeout as pause } from "node:timers/promises";
import type { ElementHandle, Page } from "puppeteer-core";

/** Integer pixels. */
export interface Position {
  /** Scroll position. */
  y: number;
  /** Height of its content. */
  height: number;
  /** The row from which others are counted: the end of the content, not counting content that is displaced until it is revealed. */
  end: number;
  /** The part of the viewport that shows the content. */
  view: { x: number; y: number; width: number; height: number };
}

export interface Scroller {
  read(): Promise<Position>;
  /** Scrolls it by wheel. */
  wheel(deltaY: number): Promise<void>;
}

const stepMs = 150;
const steadyMs = 120;

/** Wheel events are sent at the right edge, where they hover over as little as possible. */
export function documentScroller(page: Page, viewport: { width: number; height: number }): Scroller {
  const view = { x: 0, y: 0, ...viewport };
  return {
    async read() {
      const { y, scrollHeight, end } = await page.evaluate(() => {
        const { scrollHeight } = document.scrollingElement ?? document.documentElement;
        /** The lower edge in the document; undefined for fixed elements. Unlike a rectangle, an offset isn't affected by transforms. */
        const bottomOf = (element: HTMLElement) => {
          let bottom = element.offsetHeight;
          for (let at: Element | null = element; at instanceof HTMLElement; at = at.offsetParent) {
            bottom += at.offsetTop;
            if (at.offsetParent === null && at !== document.body) return undefined;
          }
          return bottom;
        };
        let end = 0;
        for (const element of document.querySelectorAll<HTMLElement>("body, body *")) {
          const bottom = element instanceof HTMLElement ? (bottomOf(element) ?? 0) : 0;
          if (bottom > end && bottom <= scrollHeight) end = bottom;
        }
        return { y: scrollY, scrollHeight, end };
      });
      const height = Math.max(scrollHeight, viewport.height);
      return { y: Math.round(y), height, end, view };
    },
    wheel: (deltaY) => wheelAt(page, { x: viewport.width - 2, y: viewport.height / 2 }, deltaY),
  };
}

/** Content that a script moves in a document that doesn't scroll; its offset follows from its position, or an expression. */
export function movedScroller(
  page: Page,
  content: ElementHandle<Element>,
  viewport: { width: number; height: number },
  movedBy?: string,
): Scroller {
  const view = { x: 0, y: 0, ...viewport };
  return {
    async read() {
      const { top, height } = await content.evaluate((element) => {
        const { top, height } = element.getBoundingClientRect();
        return { top, height: Math.max(height, element.scrollHeight) };
      });
      const y = movedBy === undefined ? -top : Number(await page.evaluate(movedBy));
      return { y: Math.max(0, Math.round(y)), height: Math.round(height), end: Math.round(height), view };
    },
    wheel: (deltaY) => wheelAt(page, { x: viewport.width / 2, y: viewport.height / 2 }, deltaY),
  };
}

/** An element with content that overflows it. */
export function elementScroller(page: Page, element: ElementHandle<Element>): Scroller {
  const read = () =>
    element.evaluate((scrolling) => {
      const { left, top } = scrolling.getBoundingClientRect();
      const view = {
        x: Math.round(left + scrolling.clientLeft),
        y: Math.round(top + scrolling.clientTop),
        width: scrolling.clientWidth,
        height: scrolling.clientHeight,
      };
      return { y: Math.round(scrolling.scrollTop), height: scrolling.scrollHeight, end: scrolling.scrollHeight, view };
    });
  return {
    read,
    async wheel(deltaY) {
      const { view } = await read();
      await wheelAt(page, { x: view.x + view.width - 4, y: view.y + view.height / 2 }, deltaY);
    },
  };
}

async function wheelAt(page: Page, { x, y }: { x: number; y: number }, deltaY: number): Promise<void> {
  await page.mouse.move(x, y);
  await page.mouse.wheel({ deltaY });
  await pause(stepMs);
}

/** The position once it is stable, but after two seconds at most. */
export async function atRest(scroller: Scroller): Promise<Position> {
  let last = await scroller.read();
  for (let waited = 0; waited < 2_000; waited += steadyMs) {
    await pause(steadyMs);
    const now = await scroller.read();
    if (now.y === last.y && now.height === last.height) return now;
    last = now;
  }
  return last;
}
