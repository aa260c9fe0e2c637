/** Finds elements by CSS selectors. */

/** The box of the first visible match, in CSS pixels from the document's corner. `reveal`: what scrolls around the element is scrolled to it, the page itself is not. */
export function firstVisible(
  css: string,
  reveal: boolean,
): { x: number; y: number; width: number; height: number } | "invalid" | undefined {
  let elements: Element[];
  try {
    elements = [...document.querySelectorAll(css)];
  } catch {
    return "invalid";
  }
  const page = document.scrollingElement ?? document.documentElement;
  // A page that runs from right to left is scrolled to its right edge at first, and counts from there.
  const toTheLeft = getComputedStyle(document.body ?? page).direction === "rtl" ? page.scrollWidth - innerWidth : 0;
  for (const element of elements) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (reveal) {
      const [left, top] = [scrollX, scrollY];
      element.scrollIntoView({ block: "start", inline: "nearest", behavior: "instant" });
      scrollTo({ left, top, behavior: "instant" });
    }
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const x = Math.max(0, Math.floor(left + scrollX + toTheLeft));
    const y = Math.max(0, Math.floor(top + scrollY));
    const width = Math.ceil(right + scrollX + toTheLeft) - x;
    const height = Math.ceil(bottom + scrollY) - y;
    if (right > left && bottom > top && width > 0 && height > 0) return { x, y, width, height };
  }
  return undefined;
}

/** Waits until an element that matches is visible. */
export async function untilVisible(css: string): Promise<"visible" | "invalid"> {
  try {
    document.querySelector(css);
  } catch {
    return "invalid";
  }
  const isVisible = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0;
  while (![...document.querySelectorAll(css)].some(isVisible)) await new Promise((resolve) => setTimeout(resolve, 50));
  return "visible";
}

interface Scrolled {
  from: [number, number];
  to: [number, number];
}

/** Waits for the first visible match and scrolls it into view. */
export async function bringIntoView(
  css: string,
  patienceMs: number,
): Promise<{ x: number; y: number; scrolled?: Scrolled } | "invalid" | undefined> {
  try {
    document.querySelector(css);
  } catch {
    return "invalid";
  }
  for (const end = performance.now() + patienceMs; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 30))) {
    const element = [...document.querySelectorAll(css)].find(
      (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && one.getClientRects().length > 0,
    );
    if (!element) continue;
    const from: [number, number] = [scrollX, scrollY];
    const box = () => element.getBoundingClientRect();
    const { top, left, bottom, right } = box();
    const isOut = top < 0 || left < 0 || bottom > innerHeight || right > innerWidth;
    if (isOut) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const { x, y, width, height } = box();
    return { x: x + width / 2, y: y + height / 2, ...(isOut ? { scrolled: { from, to: [scrollX, scrollY] } } : {}) };
  }
  return undefined;
}

/** Undoes the scrolling that the click needed, unless the page has scrolled since. */
export function scrollBack({ from, to }: Scrolled): void {
  if (scrollX === to[0] && scrollY === to[1]) scrollTo({ left: from[0], top: from[1], behavior: "instant" });
}

/** Whether anything matches one of `selectors`; invalid ones match nothing. */
export function anyMatches(selectors: string[]): boolean {
  return selectors.some((selector) => {
    try {
      return document.querySelector(selector) !== null;
    } catch {
      return false;
    }
  });
}

/** The first of `selectors` that the browser does not accept. */
export function firstInvalid(selectors: string[]): string | undefined {
  return selectors.find((selector) => {
    try {
      document.createDocumentFragment().querySelector(selector);
      return false;
    } catch {
      return true;
    }
  });
}
