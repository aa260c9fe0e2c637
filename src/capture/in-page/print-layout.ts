/**
 * Lays the page out for paper, on which nothing can be scrolled. Runs in the page, so it must be self-contained. Call it in a window as
 * wide as the paper.
 */

interface World {
  printed?: (() => void)[];
  mainScroller?: Element;
}

/** Whether anything in the page scrolls on its own, or may be wider than the paper. */
export function mayScroll(): boolean {
  const elementsMax = 20_000;
  if ((globalThis as World).mainScroller || document.querySelector("table, pre")) return true;
  const elements = document.querySelectorAll<HTMLElement>("body, body :not(form)");
  for (let index = 0; index < Math.min(elements.length, elementsMax); index += 1) {
    const { scrollHeight = 0, clientHeight = 0 } = elements[index] ?? {};
    if (clientHeight > 0 && scrollHeight > clientHeight + innerHeight / 4) return true;
  }
  return false;
}

/**
 * Shows the full content of large scrolling elements, wraps code that is wider than the paper, and shows wide tables in full.
 * @returns the width of the content in CSS pixels.
 */
export function openScrollers(): number {
  const elementsMax = 20_000;
  const world = globalThis as World;
  const changes: (() => void)[] = [];
  world.printed = changes;
  const page = document.scrollingElement ?? document.documentElement;
  const force = (element: Element, values: Record<string, string>) => {
    const { style } = element as HTMLElement;
    for (const [name, value] of Object.entries(values)) {
      const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
      changes.push(() => style.setProperty(name, own, priority));
      style.setProperty(name, value, "important");
    }
  };
  const above = (element: Element): Element | null => {
    const root = element.getRootNode();
    return element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  };
  /** Gives an element, and all ancestors that clip it, the height of its content. */
  const open = (scroller: Element) => {
    for (let element: Element | null = scroller; element; element = above(element)) {
      const { position, overflowY } = getComputedStyle(element);
      const holder = above(element);
      const isInColumn = holder !== null && getComputedStyle(holder).flexDirection.startsWith("column");
      force(element, { height: "auto", "min-height": "auto", "max-height": "none" });
      if (overflowY !== "visible") force(element, { overflow: "visible" });
      if (isInColumn) force(element, { flex: "none" });
      if (position === "fixed" || position === "absolute") force(element, { position: "relative", inset: "auto" });
    }
    const missing = scroller.scrollHeight - scroller.clientHeight;
    if (missing > 1) force(scroller, { "min-height": `${scroller.scrollHeight}px` });
  };
  const elements: Element[] = [];
  const collect = (root: Document | ShadowRoot) => {
    for (const element of root.querySelectorAll(":not(form)")) {
      if (elements.length >= elementsMax) return;
      if (element.clientWidth > 0) elements.push(element);
      if (element.shadowRoot) collect(element.shadowRoot);
    }
  };
  collect(document);
  const scrolls = (overflow: string) => overflow === "auto" || overflow === "scroll";
  for (const element of elements) {
    if (element.scrollHeight <= element.clientHeight + 1 && element.scrollWidth <= element.clientWidth + 1) continue;
    if (/^(textarea|select|input|iframe|html)$/.test(element.localName)) continue;
    const { overflowX, overflowY, whiteSpace } = getComputedStyle(element);
    const isLarge = element.clientWidth >= innerWidth / 3 && element.clientHeight >= innerHeight / 3;
    const isWide = element.scrollWidth > element.clientWidth + 1 && scrolls(overflowX);
    const isMain = element === world.mainScroller || (isLarge && (scrolls(overflowY) || (element === document.body && page !== element)));
    if (isMain && overflowY !== "visible" && element.scrollHeight > element.clientHeight + 1) open(element);
    if (isWide && whiteSpace === "pre") force(element, { "white-space": "pre-wrap", "overflow-wrap": "anywhere" });
    else if (isWide && element.querySelector("table") && element.clientWidth >= innerWidth / 3) force(element, { overflow: "visible" });
  }
  // A scroller expanded for an image keeps the height that its content had in a wider window.
  if (world.mainScroller && changes.length === 0) open(world.mainScroller);
  return Math.max(
    page.scrollWidth,
    ...[...document.querySelectorAll("table")].slice(0, 500).map((table) => table.getBoundingClientRect().right + scrollX),
  );
}

export function closeScrollers(): void {
  const world = globalThis as World;
  for (const undo of (world.printed ?? []).reverse()) undo();
  delete world.printed;
}
