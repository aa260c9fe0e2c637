/** Finds and shows content that scrolling alone doesn't show. Runs in the page, so these functions must be self-contained. */

interface World {
  /** Set by `findHidden`. */
  reveals?: { findHidden(): void; hidden: Set<Element> };
  tracker?: { seen: Map<Element, { look?: unknown }> };
  unreachable?: Element[];
  /** The elements around those that were found, as they were before the first turn of the wheel. */
  around?: { element: Element; top: number; isVisible: boolean }[];
}

/**
 * Finds large in-flow elements below the viewport that are still hidden, in documents that can't be scrolled.
 * @returns whether there are any. `showUnreachable` shows them.
 */
export function findUnreachable(): boolean {
  const { reveals, tracker } = globalThis.tintypeOwn as World;
  const isLocked = [document.documentElement, document.body].some(
    (element) => element && /hidden|clip/.test(getComputedStyle(element).overflowY),
  );
  if (!isLocked) return false;
  reveals?.findHidden(); // a script that starts late hides more
  const unreachable = [...(reveals?.hidden ?? [])].filter((element) => {
    const { width, height, top } = Element.prototype.getBoundingClientRect.call(element);
    const isLarge = width > innerWidth / 2 && height > innerHeight / 4 && top >= innerHeight;
    const { position, opacity, visibility } = getComputedStyle(element);
    return (
      isLarge && !tracker?.seen.get(element)?.look && /static|relative/.test(position) && (opacity === "0" || visibility !== "visible")
    );
  });
  (globalThis.tintypeOwn as World).unreachable = unreachable;
  return unreachable.length > 0;
}

/** Whether an element that covers the window cuts off more than half a window of content below it, in a document that doesn't scroll. */
export function clipsContent(): boolean {
  const shareMin = 0.9;
  const page = document.scrollingElement ?? document.documentElement;
  const sideOf = (element: Element, side: string): number => Reflect.get(Element.prototype, side, element); // a form field may shadow it
  const isCutOff = (element: Element | null): boolean => {
    if (!element || element === document.body || element === document.documentElement) return false;
    const height = sideOf(element, "clientHeight");
    const clips = height >= innerHeight * shareMin && /hidden|clip/.test(getComputedStyle(element).overflowY);
    if (clips && sideOf(element, "scrollHeight") > height + innerHeight / 2) return true;
    return isCutOff(Reflect.get(Node.prototype, "parentElement", element));
  };
  return page.scrollHeight < 1.5 * innerHeight && isCutOff(document.elementFromPoint(innerWidth / 2, innerHeight / 2));
}

/** Shows the elements that `findUnreachable` has found. */
export function showUnreachable(): void {
  for (const element of (globalThis.tintypeOwn as World).unreachable ?? [])
    Element.prototype.setAttribute.call(element, "data-held", "shown");
  const sheet = new CSSStyleSheet();
  sheet.insertRule('[data-held="shown"] { opacity: 1 !important; visibility: visible !important; transition: none !important; }');
  document.adoptedStyleSheets.push(sheet);
}

interface Incomplete {
  /** Whether content of the elements that `showUnreachable` has shown is still hidden. */
  hides: boolean;
  /** Whether a script has moved some of it more than half a viewport from its place. */
  displaces: boolean;
}

/**
 * Looks for content that appears, or takes its place, only when a script moves the page.
 * @param places whether to put displaced content in its place.
 */
export function findIncomplete(places: boolean): Incomplete {
  const [inspectedMax, areaMin, movedMinPx] = [5_000, 2_000, 20];
  const { reveals, unreachable = [], around = [] } = globalThis.tintypeOwn as World;
  const isWithin = (element: Element) => unreachable.some((outer) => outer !== element && Node.prototype.contains.call(outer, element));
  const isHidden = (element: Element) => {
    const { width, height } = Element.prototype.getBoundingClientRect.call(element);
    if (width * height < areaMin || !/static|relative/.test(getComputedStyle(element).position)) return false;
    return (
      Element.prototype.checkVisibility.call(element) &&
      !Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true })
    );
  };
  const movedBy = (element: Element) => {
    const { transform } = getComputedStyle(element);
    const { e, f } = new DOMMatrix(transform === "none" ? "" : transform);
    return Math.hypot(e, f);
  };
  const hidden = [...(reveals?.hidden ?? [])].slice(0, inspectedMax).filter(isWithin);
  const styled = [...document.querySelectorAll('[style*="transform"]')].slice(0, inspectedMax).filter(isWithin);
  const displaced = styled.filter((element) => !Element.prototype.hasAttribute.call(element, "data-held") && movedBy(element) > movedMinPx);
  const incomplete = { hides: hidden.some(isHidden), displaces: displaced.some((element) => movedBy(element) > innerHeight / 2) };
  if (!places) return incomplete;
  // The page may not have come back to its top.
  const left = around.filter(({ element, top, isVisible }) => {
    const isShown = Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
    return Math.abs(Element.prototype.getBoundingClientRect.call(element).top - top) > 1 || (isVisible && !isShown);
  });
  for (const element of displaced) Element.prototype.setAttribute.call(element, "data-held", "placed");
  for (const { element } of left) Element.prototype.setAttribute.call(element, "data-held", "kept");
  const sheet = new CSSStyleSheet();
  sheet.insertRule('[data-held="placed"], [data-held="kept"] { transform: none !important; transition: none !important; }');
  sheet.insertRule('[data-held="kept"] { opacity: 1 !important; visibility: visible !important; }');
  document.adoptedStyleSheets.push(sheet);
  return incomplete;
}

interface Turned {
  /** By how many CSS pixels the elements that `findUnreachable` has found, and those around them, have moved; 0 if that is unknown. */
  moved: number;
  /** Whether any of them are elsewhere than before. */
  hasChanged: boolean;
  /** Whether they are where they were before the first turn. */
  isAtStart: boolean;
}

/** Turns the wheel over the middle of the window by `pixels`, down if positive, and waits `ms`. */
export async function turnWheel(pixels: number, ms: number): Promise<Turned> {
  const aroundMax = 100;
  const world = globalThis.tintypeOwn as World;
  // A form's fields can shadow its own members, so these are read from the prototypes.
  const besideOf = (element: Element): Element[] => {
    const parent = Reflect.get(Node.prototype, "parentElement", element);
    return parent ? [...Reflect.get(Element.prototype, "children", parent)] : [];
  };
  world.around ??= [...new Set((world.unreachable ?? []).flatMap(besideOf))].slice(0, aroundMax).map((element) => {
    const isVisible = Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
    return { element, top: Element.prototype.getBoundingClientRect.call(element).top, isVisible };
  });
  const start = world.around;
  const tops = () => start.map(({ element }) => Element.prototype.getBoundingClientRect.call(element).top);
  const before = tops();
  const [clientX, clientY] = [innerWidth / 2, innerHeight / 2];
  const turned = { deltaY: pixels, clientX, clientY, bubbles: true, cancelable: true, composed: true };
  const middle = document.elementFromPoint(clientX, clientY) ?? document.documentElement;
  EventTarget.prototype.dispatchEvent.call(middle, new WheelEvent("wheel", turned));
  await new Promise((resolve) => setTimeout(resolve, ms));
  const after = tops();
  const isAt = (places: number[]) => after.every((top, index) => Math.abs(top - (places[index] ?? top)) < 1);
  // Elements that enter or leave the window may jump between their place and the moved one.
  const byEach = after.map((top, index) => (before[index] ?? top) - top).filter((by) => by * pixels > 1 && Math.abs(by) < 3 * innerHeight);
  const moved = byEach.sort((one, other) => Math.abs(one) - Math.abs(other))[Math.floor(byEach.length / 2)] ?? 0;
  return { moved, hasChanged: !isAt(before), isAtStart: isAt(start.map(({ top }) => top)) };
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
  const hasText = (element: Element) => {
    const nodes: Node[] = [...Reflect.get(Node.prototype, "childNodes", element)]; // a form field may shadow it
    return nodes.some((node) => Reflect.get(Node.prototype, "nodeType", node) === Node.TEXT_NODE && (node as Text).data.trim() !== "");
  };
  /** A tall area filled with one color may be the container of a list's rows, so it doesn't count as content. */
  const isPainted = (element: Element, height: number) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    return backgroundImage !== "none" || (height < 2 * innerHeight && !/^(transparent|rgba\(.*, 0\))$/.test(backgroundColor));
  };
  for (const element of elements) {
    const { top, bottom, width, height } = Element.prototype.getBoundingClientRect.call(element);
    if (width === 0 || height === 0) continue;
    if (!element.shadowRoot?.mode && !Element.prototype.matches.call(element, shows) && !hasText(element) && !isPainted(element, height))
      continue;
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
    const { top, bottom } = Element.prototype.getBoundingClientRect.call(element);
    return top + scrollY < from + bandHeight && bottom + scrollY > to - bandHeight;
  });
  const last = holders.at(-1);
  // An empty element beside the rows may give a list its height.
  const isSpacer = last && Reflect.get(Element.prototype, "childElementCount", last) === 0;
  const holder: Element | null | undefined = isSpacer ? Reflect.get(Node.prototype, "parentElement", last) : last;
  if (!holder || Element.prototype.querySelectorAll.call(holder, "*").length < rowsMin) return undefined;
  return { top: Math.round(from), bottom: Math.round(to) };
}
