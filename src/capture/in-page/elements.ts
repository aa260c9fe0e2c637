/** Finds elements by CSS selectors. */

export interface FoundElement {
  /** Bounding box in CSS pixels from the document's top left corner, rounded outward. */
  box: { x: number; y: number; width: number; height: number };
  /** The element's center, in viewport coordinates. */
  middle: { x: number; y: number };
  /** The window's scroll position before and after, if the element was scrolled into view. */
  scrolled?: { from: [number, number]; to: [number, number] };
}

export interface ElementSearch {
  /** Maximum wait for a match, in milliseconds; by default, checks only once. */
  waitMs?: number;
  /** `inside`: scroll the element's scrollable ancestors, but not the window. `window`: scroll the element into view if it isn't yet. */
  scroll?: "inside" | "window";
  /** If no match is visible, accept an invisible one that takes up space. */
  orHidden?: boolean;
  /** Accept an element without area, such as a marker. */
  orEmpty?: boolean;
  /** Keep the element for later scripts, as `tintypeElement`. */
  keep?: boolean;
}

/** Finds the first visible match, in the document and then in its open shadow roots. Returns undefined if there is none. */
export async function findElement(
  css: string,
  { waitMs = 0, scroll, orHidden, orEmpty, keep }: ElementSearch,
): Promise<FoundElement | "invalid" | undefined> {
  try {
    document.createDocumentFragment().querySelector(css);
  } catch {
    return "invalid";
  }
  const matches = function* (root: Document | ShadowRoot): Generator<Element> {
    yield* root.querySelectorAll(css);
    // A form field may shadow `shadowRoot`, but has no `mode`.
    for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot?.mode) yield* matches(shadowRoot);
  };
  const page = document.scrollingElement ?? document.documentElement;
  // A right-to-left page starts scrolled to its right edge, where its scroll offset is 0.
  const { direction, writingMode } = getComputedStyle(document.body ?? page);
  const toTheLeft = (writingMode === "horizontal-tb" ? direction === "rtl" : writingMode.endsWith("-rl"))
    ? page.scrollWidth - innerWidth
    : 0;
  // A form's fields can shadow its own members, so members are read from the prototypes.
  const boxOf = (element: Element) => Element.prototype.getBoundingClientRect.call(element);
  const scrollTowards = (element: Element, options: ScrollIntoViewOptions) => Element.prototype.scrollIntoView.call(element, options);
  const takesSpace = (element: Element) => {
    const { width, height, right, bottom } = boxOf(element);
    return width > 0 && height > 0 && right + scrollX + toTheLeft > 0 && bottom + scrollY > 0;
  };
  const isVisible = (element: Element) =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const first = (isMatch: (element: Element) => boolean) => {
    for (const element of matches(document)) if (isMatch(element) && (orEmpty || takesSpace(element))) return element;
    return undefined;
  };
  const find = () => first(isVisible) ?? (orHidden ? first(() => true) : undefined);
  let element = find();
  for (const end = performance.now() + waitMs; !element && performance.now() < end; element = find())
    await new Promise((resolve) => setTimeout(resolve, 30));
  if (!element) return undefined;
  if (keep) globalThis.tintypeElement = element;

  const from: [number, number] = [scrollX, scrollY];
  if (scroll === "inside") {
    scrollTowards(element, { block: "start", inline: "nearest", behavior: "instant" });
    scrollTo({ left: from[0], top: from[1], behavior: "instant" });
  }
  const before = boxOf(element);
  const isOut = before.top < 0 || before.left < 0 || before.bottom > innerHeight || before.right > innerWidth;
  if (scroll === "window" && isOut) scrollTowards(element, { block: "center", inline: "center", behavior: "instant" });

  const { left, top, right, bottom, width, height } = boxOf(element);
  const [x, y] = [Math.max(0, Math.floor(left + scrollX + toTheLeft)), Math.max(0, Math.floor(top + scrollY))];
  return {
    box: { x, y, width: Math.ceil(right + scrollX + toTheLeft) - x, height: Math.ceil(bottom + scrollY) - y },
    middle: { x: left + width / 2, y: top + height / 2 },
    ...(scroll === "window" && isOut ? { scrolled: { from, to: [scrollX, scrollY] } } : {}),
  };
}

/** Restores the scroll position from before a click, unless the page has been scrolled since. */
export function scrollBack({ from, to }: NonNullable<FoundElement["scrolled"]>): void {
  if (scrollX === to[0] && scrollY === to[1]) scrollTo({ left: from[0], top: from[1], behavior: "instant" });
}

/** Whether anything matches one of `selectors`; invalid ones are ignored. */
export function anyMatches(selectors: string[]): boolean {
  return selectors.some((selector) => {
    try {
      return document.querySelector(selector) !== null;
    } catch {
      return false;
    }
  });
}

/** The first of `selectors` that the browser rejects. */
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
