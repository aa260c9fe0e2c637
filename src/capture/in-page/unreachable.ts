/** Finds content that scrolling alone doesn't show. Runs in the page, so these functions must be self-contained. */

interface World {
  /** Set by `findHidden`. */
  reveals?: { hidden: Set<Element> };
  tracker?: { seen: Map<Element, { look?: unknown }> };
  unreachable?: Element[];
}

/**
 * Finds large in-flow elements below the viewport that are still hidden, in documents that can't be scrolled.
 * @returns whether there are any. `showUnreachable` shows them.
 */
export function findUnreachable(): boolean {
  const { reveals, tracker } = globalThis as World;
  const isLocked = [document.documentElement, document.body].some(
    (element) => element && /hidden|clip/.test(getComputedStyle(element).overflowY),
  );
  if (!isLocked) return false;
  const unreachable = [...(reveals?.hidden ?? [])].filter((element) => {
    const { width, height, top } = element.getBoundingClientRect();
    const isLarge = width > innerWidth / 2 && height > innerHeight / 4 && top >= innerHeight;
    const { position, opacity, visibility } = getComputedStyle(element);
    return (
      isLarge && !tracker?.seen.get(element)?.look && /static|relative/.test(position) && (opacity === "0" || visibility !== "visible")
    );
  });
  (globalThis as World).unreachable = unreachable;
  return unreachable.length > 0;
}

export function showUnreachable(): void {
  for (const element of (globalThis as World).unreachable ?? []) element.setAttribute("data-held", "shown");
  const sheet = new CSSStyleSheet();
  sheet.insertRule('[data-held="shown"] { opacity: 1 !important; visibility: visible !important; transition: none !important; }');
  document.adoptedStyleSheets.push(sheet);
}

/** Whether at least three siblings of the window's size, each with text of its own, are in the same place, so that only one is seen. */
export function findStacked(): boolean {
  const [inspectedMax, childrenMax, sizeMin, partsMin] = [2_000, 100, 0.9, 3];
  const isPart = (element: Element) => {
    const { width, height, top, left } = element.getBoundingClientRect();
    const isInPlace = Math.abs(top) < innerHeight / 2 && Math.abs(left) < innerWidth / 2;
    return isInPlace && width >= innerWidth * sizeMin && height >= innerHeight * sizeMin && (element.textContent ?? "").trim() !== "";
  };
  const holders = [...document.querySelectorAll("body, body *")].slice(0, inspectedMax);
  return holders.some(
    ({ children }) => children.length >= partsMin && [...children].slice(0, childrenMax).filter(isPart).length >= partsMin,
  );
}

/**
 * The longest vertical stretch without content below the rows of a list, in CSS pixels, if it is more than two viewports tall. Undefined if
 * there is none, and for documents with more than 10,000 elements or less than three viewports tall.
 */
export function longestEmptyPart(): { top: number; bottom: number } | undefined {
  const elementsMax = 10_000;
  const rowsMin = 3;
  const shows = "img, svg, canvas, video, iframe, object, embed, input, textarea, select, button, hr, math";
  const page = document.scrollingElement ?? document.documentElement;
  const elements = document.body?.querySelectorAll<HTMLElement>("*");
  const bandHeight = innerHeight / 4;
  const bands = Math.ceil(page.scrollHeight / bandHeight);
  if (!elements || elements.length > elementsMax || page.scrollHeight < 3 * innerHeight) return undefined;
  const isCovered = new Uint8Array(bands);
  const hasText = ({ childNodes }: Element) =>
    [...childNodes].some((node) => node.nodeType === Node.TEXT_NODE && (node.nodeValue ?? "").trim() !== "");
  /** A tall area filled with one color may be the container of a list's rows, so it doesn't count as content. */
  const isPainted = (element: Element, height: number) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    return backgroundImage !== "none" || (height < 2 * innerHeight && !/^(transparent|rgba\(.*, 0\))$/.test(backgroundColor));
  };
  for (const element of elements) {
    const { top, bottom, width, height } = element.getBoundingClientRect();
    if (width === 0 || height === 0) continue;
    if (!element.shadowRoot && !element.matches(shows) && !hasText(element) && !isPainted(element, height)) continue;
    const [first, last] = [top, bottom].map((y) => Math.floor((y + scrollY) / bandHeight)) as [number, number];
    isCovered.fill(1, Math.max(0, first), Math.min(bands, last + 1));
  }
  let longest = { from: 0, count: 0 };
  for (let from = 0, index = 0; index <= bands; index += 1) {
    if (index < bands && !isCovered[index]) continue;
    if (index - from > longest.count) longest = { from, count: index - from };
    from = index + 1;
  }
  const [from, to] = [longest.from * bandHeight, Math.min(page.scrollHeight, (longest.from + longest.count) * bandHeight)];
  if (to - from <= 2 * innerHeight) return undefined;
  // An empty area without rows above it is presumably intentional.
  const holders = [...elements].filter((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top + scrollY < from + bandHeight && bottom + scrollY > to - bandHeight;
  });
  if ((holders.at(-1)?.querySelectorAll("*").length ?? 0) < rowsMin) return undefined;
  return { top: Math.round(from), bottom: Math.round(to) };
}
