/** Finds content that scripts have moved far from its place. Each function runs in the page, so it must be self-contained. */

interface World {
  tracker?: {
    seen: Map<Element, { best: number; look?: Record<string, string>; box: { top: number } }>;
    measure(): (element: Element) => { amount: number };
  };
  /** Content that scripts have moved far from where it was in view. */
  displaced?: Element[];
}

/**
 * Finds content below the viewport that a script has moved by more than half a viewport's height, and may put in its place once that is in
 * view.
 * @returns the scroll position that centers the first such place; 0 if there is none.
 */
export function findFarMoved(): number {
  const [inspectedMax, areaMin] = [2_000, 2_000];
  for (const element of [...document.querySelectorAll('[style*="transform"]')].slice(0, inspectedMax)) {
    const { transform, position } = getComputedStyle(element);
    const { e, f } = new DOMMatrix(transform === "none" ? "" : transform);
    const { top, width, height } = Element.prototype.getBoundingClientRect.call(element);
    const place = top - f + scrollY;
    if (place < innerHeight || Math.hypot(e, f) < innerHeight / 2 || width * height < areaMin || position === "fixed") continue;
    return Math.max(0, Math.round(place + height / 2 - innerHeight / 2));
  }
  return 0;
}

/**
 * Finds content that scripts have moved far from where it was in view, and notes it for `keepRevealed`, which puts it back: at the top of a
 * page with parallax, content further down may be in the wrong place, or over other content. Call this with the page scrolled to the top.
 * @returns whether some of it can't be put back, because it is in a fixed or sticky element.
 */
export function findDisplaced(): boolean {
  const [inspectedMax, shownMin, wholeMin, nearShare] = [5_000, 0.5, 0.95, 0.25];
  const world = globalThis.tintypeOwn as World;
  const { tracker } = world;
  if (!tracker) return false;
  const measure = tracker.measure();
  // A form field may shadow `style`.
  const styleOf = (element: Element): CSSStyleDeclaration | undefined =>
    Reflect.get(element instanceof HTMLFormElement ? HTMLElement.prototype : element, "style", element);
  const movedBy = (transform: string) => {
    const { e, f } = new DOMMatrix(transform === "none" ? "" : transform);
    return Math.hypot(e, f);
  };
  const displaced = [...tracker.seen].slice(0, inspectedMax).filter(([element, { best, look, box }]) => {
    if (!Reflect.get(Node.prototype, "isConnected", element) || best < shownMin || box.top < innerHeight || !look?.transform) return false;
    if (!styleOf(element)?.transform) return false; // style sheets move content away again for other reasons
    const { transform, position } = getComputedStyle(element);
    const by = movedBy(transform);
    if (by < innerHeight / 2 || movedBy(look.transform) > by * nearShare || position === "fixed") return false;
    return best < wholeMin || measure(element).amount > 0.9; // what was in the page as a whole, and has left it, is put back
  });
  world.displaced = displaced.map(([element]) => element);
  const isFixed = (element: Element) => {
    for (let above: Element | null = element; above; above = Reflect.get(Node.prototype, "parentElement", above))
      if (/fixed|sticky/.test(getComputedStyle(above).position)) return true;
    return false;
  };
  return world.displaced.some(isFixed);
}
