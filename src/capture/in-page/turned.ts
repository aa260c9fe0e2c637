/** Puts back what turns of the wheel have changed. Runs in the page, so these functions must be self-contained. */

interface World {
  stacked?: HTMLElement[];
  /** Where elements were scrolled to before the wheel could scroll them. */
  positions?: Map<Element, { left: number; top: number }>;
}

/** Notes where the part at `index`, the elements around it and those in the middle of the window are scrolled to. */
export function notePositions(index: number): void {
  const elementsMax = 2_000;
  const world = globalThis.tintypeOwn as World;
  world.positions ??= new Map();
  const part = world.stacked?.[index];
  const elements: Element[] = part ? [...Element.prototype.querySelectorAll.call(part, "*")].slice(0, elementsMax) : [];
  for (const inner of [part, document.elementFromPoint(innerWidth / 2, innerHeight / 2)])
    for (let element = inner; element; element = Reflect.get(Node.prototype, "parentElement", element) as Element | null)
      elements.push(element); // a form field may shadow its form's members
  for (const element of elements) {
    const [left, top] = ["scrollLeft", "scrollTop"].map((name) => Reflect.get(Element.prototype, name, element) as number);
    if (!world.positions.has(element)) world.positions.set(element, { left: left ?? 0, top: top ?? 0 });
  }
}

/**
 * Scrolls on to its end what the wheel has scrolled in the middle of the window: many scripts page on only from there.
 * @returns whether the wheel has scrolled anything.
 */
export function scrollOn(): boolean {
  const { positions } = globalThis.tintypeOwn as World;
  let hasScrolled = false;
  let element = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  for (; element; element = Reflect.get(Node.prototype, "parentElement", element) as Element | null) {
    const noted = positions?.get(element);
    if (!noted || Math.abs((Reflect.get(Element.prototype, "scrollTop", element) as number) - noted.top) < 1) continue;
    hasScrolled = true;
    const top = Reflect.get(Element.prototype, "scrollHeight", element) as number;
    Reflect.apply(Element.prototype.scrollTo, element, [{ top, behavior: "instant" }]);
  }
  return hasScrolled;
}

/** Scrolls everything back to where it was. */
export function scrollBack(): void {
  for (const [element, { left, top }] of (globalThis.tintypeOwn as World).positions ?? []) {
    const [nowLeft, nowTop] = ["scrollLeft", "scrollTop"].map((name) => Reflect.get(Element.prototype, name, element) as number);
    if (nowLeft !== left || nowTop !== top) Reflect.apply(Element.prototype.scrollTo, element, [{ left, top, behavior: "instant" }]);
  }
}
