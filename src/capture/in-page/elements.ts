/** Finds elements by CSS selectors. */

export interface Found {
  /** In CSS pixels from the document's top left corner, in whole pixels around the element. */
  box: { x: number; y: number; width: number; height: number };
  /** The element's middle in the window. */
  middle: { x: number; y: number };
  /** The window's scrolling, if it was changed. */
  scrolled?: { from: [number, number]; to: [number, number] };
}

export interface Search {
  /** For how long a match is waited for, in milliseconds; one look unless given. */
  waitMs?: number;
  /** What is scrolled: everything around the element except the window, or only the window and only if the element is not in it. */
  scroll?: "inside" | "window";
  /** Also takes an element that takes up space and is invisible, where none is visible. */
  orHidden?: boolean;
}

/**
 * Finds the first visible element that matches: in the document, then in its open shadow roots. Undefined if there is none.
 */
export async function findElement(css: string, { waitMs = 0, scroll, orHidden }: Search): Promise<Found | "invalid" | undefined> {
  try {
    document.createDocumentFragment().querySelector(css);
  } catch {
    return "invalid";
  }
  const matches = function* (root: Document | ShadowRoot): Generator<Element> {
    yield* root.querySelectorAll(css);
    for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot) yield* matches(shadowRoot);
  };
  const page = document.scrollingElement ?? document.documentElement;
  // A page that runs from right to left is scrolled to its right edge at first, and counts from there.
  const toTheLeft = getComputedStyle(document.body ?? page).direction === "rtl" ? page.scrollWidth - innerWidth : 0;
  const takesSpace = (element: Element) => {
    const { width, height, right, bottom } = element.getBoundingClientRect();
    return width > 0 && height > 0 && right + scrollX + toTheLeft > 0 && bottom + scrollY > 0;
  };
  const isVisible = (element: Element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const first = (isMatch: (element: Element) => boolean) => {
    for (const element of matches(document)) if (isMatch(element) && takesSpace(element)) return element;
    return undefined;
  };
  const find = () => first(isVisible) ?? (orHidden ? first(() => true) : undefined);
  let element = find();
  for (const end = performance.now() + waitMs; !element && performance.now() < end; element = find())
    await new Promise((resolve) => setTimeout(resolve, 30));
  if (!element) return undefined;

  const from: [number, number] = [scrollX, scrollY];
  if (scroll === "inside") {
    element.scrollIntoView({ block: "start", inline: "nearest", behavior: "instant" });
    scrollTo({ left: from[0], top: from[1], behavior: "instant" });
  }
  const before = element.getBoundingClientRect();
  const isOut = before.top < 0 || before.left < 0 || before.bottom > innerHeight || before.right > innerWidth;
  if (scroll === "window" && isOut) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });

  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  const [x, y] = [Math.max(0, Math.floor(left + scrollX + toTheLeft)), Math.max(0, Math.floor(top + scrollY))];
  return {
    box: { x, y, width: Math.ceil(right + scrollX + toTheLeft) - x, height: Math.ceil(bottom + scrollY) - y },
    middle: { x: left + width / 2, y: top + height / 2 },
    ...(scroll === "window" && isOut ? { scrolled: { from, to: [scrollX, scrollY] } } : {}),
  };
}

/** Undoes the scrolling that the click needed, unless the page has scrolled since. */
export function scrollBack({ from, to }: NonNullable<Found["scrolled"]>): void {
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
