/** Briefly brings the whole page into view, which starts lazy loading. Runs in the page, so it must be self-contained. */

interface Passed {
  /** Height of the document in CSS pixels before it was scaled down. */
  before: number;
  after: number;
  /** Whether scripts have started timers since the document was scrolled to the bottom, as throttled scroll handlers do. */
  beganTimers: boolean;
  /** Whether scripts have started timers since the whole document came into view, also after it was scrolled back to the top. */
  mayAwaitTimers: boolean;
  /** Whether the tracker has recorded any changed elements. */
  hasChanged: boolean;
  /** Whether scripts moved a large layer fixed to the window when the document was scrolled to the bottom. */
  movesLayers: boolean;
}

interface World {
  /** Set by `expandMainScroller`. */
  mainScroller?: Element;
  reveals?: { findHidden(): void };
  tracker?: { seen: Map<Element, unknown>; note(others: Element[], isWhole: boolean): boolean };
  pass?: { leave: () => void; finish: () => Promise<Passed | undefined> };
  /** Read by `scrollToAndHold`. */
  timersUntil?: number;
}

/** Waits for the next frame, in which newly loaded content is laid out. Resolves with the document's height in CSS pixels. */
export async function nextFrame(): Promise<number> {
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 1_000); // a page that doesn't draw anything gets no frames, and on a busy machine they are late
  });
  return (document.scrollingElement ?? document.documentElement).scrollHeight;
}

/**
 * Scales the document down for one frame, so that the whole region is in view. Intersection observers, native lazy loading and scroll
 * listeners that measure elements then see all of it simultaneously, without the relayout that a taller viewport would cause. A jump to the
 * bottom triggers listeners that compare offsets with the scroll position. Takes at most three frames, regardless of the page's length.
 * @param region null for the whole document, which is left scrolled to the top.
 * @param holds whether the document stays scaled down until `finishPass`. It also stays scaled down if content seems to be moving into
 *   view.
 * @returns undefined if `finishPass` must be called for the result.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export async function passOver(
  region: { x: number; y: number; width: number; height: number } | null,
  holds: boolean,
): Promise<Passed | undefined> {
  /** Time until which timers that scroll handlers have started may be pending. */
  const throttleMs = 350;
  const root = document.documentElement as HTMLHtmlElement;
  const page = document.scrollingElement ?? root;
  const [x, y] = [scrollX, scrollY];
  const go = (left: number, top: number) => {
    scrollTo({ left, top, behavior: "instant" });
    dispatchEvent(new Event("scroll"));
    document.dispatchEvent(new Event("scroll", { bubbles: true }));
    const { mainScroller } = globalThis.tintypeOwn as World;
    // It no longer scrolls, and is at its end wherever the document is.
    if (mainScroller && top > 0) EventTarget.prototype.dispatchEvent.call(mainScroller, new Event("scroll"));
  };
  const seen = () =>
    new Promise<void>((resolve) => {
      const observer = new IntersectionObserver(() => {
        observer.disconnect();
        setTimeout(resolve); // so that the page's observers are called first
      });
      observer.observe(root);
      setTimeout(resolve, 1_000); // a page that doesn't draw anything gets no frames, and on a busy machine they are late
    });
  const before = page.scrollHeight;
  const [width, height] = [page.scrollWidth, page.scrollHeight];
  if (!region && width <= innerWidth && height <= innerHeight) {
    const unchanged = { before, after: before, beganTimers: false, mayAwaitTimers: false, hasChanged: false, movesLayers: false };
    (globalThis.tintypeOwn as World).pass = { leave: () => {}, finish: async () => unchanged };
    return holds ? undefined : unchanged;
  }

  const { direction, writingMode } = getComputedStyle(document.body ?? page);
  const toTheLeft = (writingMode === "horizontal-tb" ? direction === "rtl" : writingMode.endsWith("-rl")) ? width - innerWidth : 0;
  const { left, top, scale } = region
    ? { left: region.x - toTheLeft, top: region.y, scale: Math.min(1, innerWidth / region.width, innerHeight / region.height) }
    : { left: -toTheLeft, top: 0, scale: Math.min(innerWidth / width, innerHeight / height) };
  const changed = {
    animation: "none",
    transition: "none",
    opacity: "0", // nothing is painted: at such a scale, a single sticky element would take gigabytes of memory
    "transform-origin": "0 0",
    transform: `scale(${scale}) translate(${-left}px, ${-top}px)`,
  };
  const hadStyle = root.hasAttribute("style");
  const own = Object.keys(changed).map((name) => [name, root.style.getPropertyValue(name), root.style.getPropertyPriority(name)] as const);
  const styled = new Set<Node>();
  const changes = new MutationObserver((records) => {
    for (const { target } of records) styled.add(target);
  });
  const isLayer = (node: Node) => {
    const largeMin = 0.25;
    if (
      !(node instanceof HTMLElement) ||
      Reflect.get(HTMLElement.prototype, "offsetWidth", node) * Reflect.get(HTMLElement.prototype, "offsetHeight", node) <
        innerWidth * innerHeight * largeMin
    )
      return false;
    return getComputedStyle(node).position === "fixed";
  };
  let isLeft = false;
  let beganTimersInView = false;
  const leave = () => {
    isLeft = true;
    const restore = (name: string) => {
      const [, value = "", priority] = own.find(([changedName]) => changedName === name) ?? [];
      root.style.setProperty(name, value, priority);
    };
    restore("transform");
    restore("opacity");
    root.getBoundingClientRect(); // otherwise the restored styles would start transitions
    Object.keys(changed).forEach(restore);
    if (!hadStyle) root.removeAttribute("style");
  };
  const finish = async () => {
    if (isLeft) return undefined;
    leave();
    // Timer ids are sequential in a document.
    const first = setTimeout(() => {}) as unknown as number;
    if (!region) changes.observe(document, { subtree: true, attributes: true, attributeFilter: ["style"] });
    go(x, region ? y : page.scrollHeight);
    await seen();
    changes.disconnect();
    const movesLayers = [...styled].slice(0, 200).some(isLayer);
    if (!region) (globalThis.tintypeOwn as World).reveals?.findHidden(); // intermittent content may have been visible earlier
    const beganTimers = (setTimeout(() => {}) as unknown as number) > first + 3;
    if (!region) go(0, 0);
    // Navigation that highlights the section in view would otherwise still highlight the last section.
    if (!region && document.scripts.length > 0) await seen();
    const ownTimers = !region && document.scripts.length > 0 ? 6 : 4;
    const mayAwaitTimers = beganTimersInView || (setTimeout(() => {}) as unknown as number) > first + ownTimers;
    if (mayAwaitTimers) (globalThis.tintypeOwn as World).timersUntil = performance.now() + throttleMs;
    const hasChanged = ((globalThis.tintypeOwn as World).tracker?.seen.size ?? 0) > 0;
    return { before, after: page.scrollHeight, beganTimers, mayAwaitTimers, hasChanged, movesLayers };
  };
  (globalThis.tintypeOwn as World).pass = { leave, finish };
  scrollTo({ left: 0, top: 0, behavior: "instant" });
  for (const [name, value] of Object.entries(changed)) root.style.setProperty(name, value, "important");
  const firstInView = setTimeout(() => {}) as unknown as number;
  go(0, 0);
  await seen();
  beganTimersInView = (setTimeout(() => {}) as unknown as number) > firstInView + 3;
  return holds || (globalThis.tintypeOwn as World).tracker?.note([], true) ? undefined : await finish();
}

/** Ends a pass started with `holds`, and resolves with its result. */
export async function finishPass(): Promise<Passed | undefined> {
  return await (globalThis.tintypeOwn as World).pass?.finish();
}

/** Aborts a pass and restores the document's styles. */
export function leavePass(): true {
  (globalThis.tintypeOwn as World).pass?.leave();
  return true;
}
