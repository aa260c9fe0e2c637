/** Finds content that scripts have moved far from its place. Each function runs in the page, so it must be self-contained. */

interface World {
  tracker?: {
    seen: Map<Element, { best: number; look?: Record<string, string>; box: { top: number } }>;
    measure(): (element: Element) => { amount: number };
  };
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
    const { top, width, height } = element.getBoundingClientRect();
    const place = top - f + scrollY;
    if (place < innerHeight || Math.hypot(e, f) < innerHeight / 2 || width * height < areaMin || position === "fixed") continue;
    return Math.max(0, Math.round(place + height / 2 - innerHeight / 2));
  }
  return 0;
}

/**
 * Whether scripts have moved content that is in view elsewhere far from where it was then: at the top of a page with parallax, content
 * further down may be in the wrong place, or over other content. Call this with the page scrolled to the top.
 */
export function findDisplaced(): boolean {
  const [inspectedMax, shownMin, wholeMin, nearShare] = [5_000, 0.5, 0.95, 0.25];
  const { tracker } = globalThis as World;
  if (!tracker) return false;
  const measure = tracker.measure();
  const movedBy = (transform: string) => {
    const { e, f } = new DOMMatrix(transform === "none" ? "" : transform);
    return Math.hypot(e, f);
  };
  return [...tracker.seen].slice(0, inspectedMax).some(([element, { best, look, box }]) => {
    if (!element.isConnected || best < shownMin || box.top < innerHeight || !look?.transform) return false;
    if (!(element as Partial<HTMLElement>).style?.transform) return false; // style sheets move content away again for other reasons
    const { transform, position } = getComputedStyle(element);
    const by = movedBy(transform);
    if (by < innerHeight / 2 || movedBy(look.transform) > by * nearShare || position === "fixed") return false;
    return best < wholeMin || measure(element).amount > 0.9; // what was in the page as a whole, and has left it, is put back
  });
}
