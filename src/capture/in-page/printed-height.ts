/** Measures the document in the current window. Runs in the page, so it must be self-contained. */

/** CSS pixels from the top of the document to the end of its content. */
export function printedHeight(): number {
  const { documentElement: root, body } = document;
  const page = document.scrollingElement ?? root;
  const whole = page.scrollHeight;
  if (whole > innerHeight) return whole;
  // A document that is shorter than the window ends with its body.
  const ends = [root, body].map((element) => element?.getBoundingClientRect().bottom ?? 0);
  return Math.min(whole, Math.max(1, ...ends) + scrollY);
}

interface World {
  /** Height of each element in CSS pixels, and its inline value. */
  heights?: Map<HTMLElement, [pixels: number, own: string]>;
  held?: (() => void)[];
}

/** Records the heights of elements, for `holdHeights`. */
export function noteHeights(): void {
  const elementsMax = 20_000;
  const elements = [...document.querySelectorAll<HTMLElement>("body, body *")].slice(0, elementsMax);
  const isHeld = (element: HTMLElement) => element.style !== undefined && element.localName !== "form";
  (globalThis as World).heights = new Map(
    elements.filter(isHeld).map((element) => [element, [element.getBoundingClientRect().height, getComputedStyle(element).height]]),
  );
}

/**
 * Call this in a taller window. Elements that have grown would be as tall as the paper. They are held at their recorded heights until
 * `releaseHeights`.
 */
export function holdHeights(): void {
  const roundsMax = 6;
  const world = globalThis as World;
  const held: (() => void)[] = [];
  world.held = held;
  const force = ({ style }: HTMLElement, name: string, value: string) => {
    const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
    held.push(() => style.setProperty(name, own, priority));
    style.setProperty(name, value, "important");
  };
  for (let round = 0; round < roundsMax; round += 1) {
    const changed = [...(world.heights ?? [])].filter(([element, [pixels]]) => element.getBoundingClientRect().height > pixels + 1);
    if (changed.length === 0) return;
    // An element may have grown because of a descendant.
    const above = new Set<Element>();
    for (const [element] of changed)
      for (let holder = element.parentElement; holder && !above.has(holder); holder = holder.parentElement) above.add(holder);
    for (const [element, [, height]] of changed) {
      if (above.has(element)) continue;
      force(element, "min-height", "0");
      force(element, "height", height);
    }
  }
}

export function releaseHeights(): void {
  const world = globalThis as World;
  for (const release of (world.held ?? []).reverse()) release();
  delete world.held;
  delete world.heights;
}
