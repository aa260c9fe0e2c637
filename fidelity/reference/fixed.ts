/** Fixed and sticky elements: they must appear in the reference only once. */

import type { Page } from "puppeteer-core";

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Records which elements are fixed while the page is at rest at its top, and which are in the page's flow.
 * @returns the positions of visible fixed elements: those in the lower half of the viewport, whose correct position in a full-page image
 * is debatable, and the others.
 */
export async function markFixed(page: Page): Promise<{ low: Area[]; high: Area[] }> {
  return await page.evaluate(() => {
    const isFixed = (element: Element) => getComputedStyle(element).position === "fixed";
    const sheet = document.createElement("style");
    sheet.textContent =
      "html[data-between] [data-fixed], html[data-between] [data-fixed] * { visibility: hidden !important; transition: none !important }";
    document.head.append(sheet);
    const known = new WeakSet<Element>();
    (globalThis as { knownInFlow?: WeakSet<Element> }).knownInFlow = known;
    const low: Area[] = [];
    const high: Area[] = [];
    for (const element of document.querySelectorAll("body *")) {
      const { x, y, width, height } = element.getBoundingClientRect();
      const isSeen = element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && width > 0 && height > 0;
      if (isFixed(element)) {
        const isBackground = isSeen && width * height > (innerWidth * innerHeight) / 2;
        if (!isBackground) element.setAttribute("data-fixed", "");
        if (isSeen && !isBackground && y < innerHeight) (y + height / 2 > innerHeight / 2 ? low : high).push({ x, y, width, height });
      } else if (width > 0 && height > 0) known.add(element);
    }
    return { low, high };
  });
}

/** Also hides elements that became fixed later; keeps large backgrounds and content that a script pins temporarily. */
export async function hideFixed(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((hide) => {
    const known = (globalThis as { knownInFlow?: WeakSet<Element> }).knownInFlow;
    if (known)
      for (const element of document.querySelectorAll("body *"))
        if (!known.has(element) && getComputedStyle(element).position === "fixed") {
          const { width, height } = element.getBoundingClientRect();
          if (width * height <= (innerWidth * innerHeight) / 2) element.setAttribute("data-fixed", "");
        }
    document.documentElement.toggleAttribute("data-between", hide);
  }, hidden);
}

/** Moves sticky elements to their position in the flow. */
export async function settleSticky(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll<HTMLElement>("body *")) {
      if (getComputedStyle(element).position !== "sticky") continue;
      element.style.setProperty("position", "relative", "important");
      element.style.setProperty("inset", "auto", "important");
    }
  });
}
