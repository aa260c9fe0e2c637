/** Undoes changes made to the page for a capture beyond the viewport, before another output of the same load. Runs in the page. */

/** Globals of the isolated world, where the functions that run in the page keep their state. */
interface World {
  /** Functions that undo changes, added by the functions that make them. */
  undo?: (() => void)[];
  /** Scroll position of each element that was scrolled. */
  scrolled?: Map<Element, [left: number, top: number]>;
  mainScroller?: unknown;
  hiddenHeight?: unknown;
  backdrops?: unknown;
  reveals?: unknown;
  tracker?: { roots: Set<Document | ShadowRoot>; stop(): void };
  present?: unknown;
  unreachable?: unknown;
  stacked?: unknown;
  looks?: unknown;
  sizes?: unknown;
  first?: unknown;
  layers?: unknown;
  positions?: unknown;
}

/** Records the scroll positions, for `undoChanges`. */
export function noteScrolled(): void {
  const scrolled = new Map<Element, [number, number]>();
  // A form field may shadow its form's members. Getters are as fast as the members, which matters for every element of a page.
  const getter = (name: string) => Object.getOwnPropertyDescriptor(Element.prototype, name)?.get as () => number;
  const [leftOf, topOf] = [getter("scrollLeft"), getter("scrollTop")];
  for (const element of document.querySelectorAll("*"))
    if (leftOf.call(element) !== 0 || topOf.call(element) !== 0) scrolled.set(element, [leftOf.call(element), topOf.call(element)]);
  (globalThis.tintypeOwn as World).scrolled = scrolled;
}

export function undoChanges(): void {
  const world = globalThis.tintypeOwn as World;
  for (const undo of (world.undo ?? []).reverse()) undo();
  for (const root of [document, ...(world.tracker?.roots ?? [])])
    for (const element of root.querySelectorAll("[data-held]")) Element.prototype.removeAttribute.call(element, "data-held");
  world.tracker?.stop();
  delete world.tracker;
  for (const element of document.querySelectorAll('[style=""]')) Element.prototype.removeAttribute.call(element, "style");
  delete world.undo;
  delete world.mainScroller;
  delete world.hiddenHeight;
  delete world.backdrops;
  delete world.reveals;
  delete world.present;
  delete world.unreachable;
  delete world.stacked;
  delete world.looks;
  delete world.sizes;
  delete world.first;
  delete world.layers;
  delete world.positions;
  // As in `noteScrolled`.
  const getter = (name: string) => Object.getOwnPropertyDescriptor(Element.prototype, name)?.get as () => number;
  const [leftOf, topOf] = [getter("scrollLeft"), getter("scrollTop")];
  for (const element of document.querySelectorAll("*")) {
    const [left, top] = world.scrolled?.get(element) ?? [0, 0];
    if (leftOf.call(element) !== left || topOf.call(element) !== top)
      Reflect.apply(Element.prototype.scrollTo, element, [{ left, top, behavior: "instant" }]);
  }
}
