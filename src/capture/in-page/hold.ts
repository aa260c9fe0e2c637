/** Scrolls and waits for the page's reaction. Each function runs in the page, so it must be self-contained. */

interface World {
  /** Set by `expandMainScroller`. */
  mainScroller?: Element;
  /** Set by `findHidden`. */
  reveals?: { hidden: Set<Element> };
  tracker?: { isPlaying(): boolean };
}

/** In milliseconds per stop. */
export interface Hold {
  least: number;
  /** Maximum wait for the first or next change on pages that may have slow handlers. */
  patient: number;
  /** Whether to treat the page as having slow handlers even if it doesn't start a timer. */
  isPatient: boolean;
  most: number;
  /** Whether to wait, within the same limit, while scripts move content into view. */
  isPlayed: boolean;
}

export interface Stop {
  /** Whether the page's content has changed. */
  changed: boolean;
  /** Whether the stop waited for a slow handler that didn't change anything. */
  inVain: boolean;
  /** Whether scripts were still moving content into view. */
  isPlaying: boolean;
  /** Time spent waiting for such scripts. */
  playedMs: number;
}

/**
 * Scrolls to `top` and waits there for throttled and polling handlers: for `hold.least`, and longer if the page has started a timer and
 * nothing has changed yet, or if content in view is still hidden.
 */
export async function scrollToAndHold(top: number, hold: Hold): Promise<Stop> {
  const inspectedMax = 300;
  const lookEveryMs = 30;
  const world = globalThis as World;
  const began = performance.now();
  let changed = false;
  let changedAt = began;
  const isFixed = (element: Element | null): boolean => {
    for (let above = element; above; above = above.parentElement) if (/fixed|sticky/.test(getComputedStyle(above).position)) return true;
    return false;
  };
  const changes = new MutationObserver((records) => {
    const isContent = records.some(({ target }) => {
      const element = target instanceof Element ? target : target.parentElement;
      return element && element !== document.body && element !== document.documentElement && !isFixed(element);
    });
    if (!isContent) return;
    changed = true;
    changedAt = performance.now();
  });
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  // Timer ids are sequential in a document, so they show whether the page has started any since.
  let ownTimers = 0;
  const later = (ms: number, resolve: () => void) => {
    ownTimers += 1;
    return setTimeout(resolve, ms) as unknown as number;
  };
  const firstTimer = later(0, () => {});
  const hasTimers = () => later(0, () => {}) - firstTimer >= ownTimers;

  scrollTo({ top, behavior: "instant" });
  // The scroller's content is now part of the document, so it doesn't receive scroll events of its own.
  world.mainScroller?.dispatchEvent(new Event("scroll"));
  // The scroll event is dispatched with the next frame, which is when a handler starts its timer.
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => resolve());
    later(hold.least, resolve); // a page that doesn't draw anything gets no frames
  });
  await new Promise<void>((resolve) => later(hold.least, resolve));

  const hidden = [...(world.reveals?.hidden ?? [])].filter((element) => {
    const { top, bottom, width, height } = element.getBoundingClientRect();
    return width * height > 100 && top < innerHeight && bottom > 0 && /static|relative/.test(getComputedStyle(element).position);
  });
  const isHidden = (element: Element) => !element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const waits = () => !changed || hidden.slice(0, inspectedMax).some(isHidden);
  let waited = false;
  while (waits() && (hold.isPatient || hasTimers())) {
    const now = performance.now();
    if (now > changedAt + hold.patient || now > began + hold.most) break;
    waited = true;
    await new Promise<void>((resolve) => later(lookEveryMs, resolve));
  }
  const isPlaying = () => hold.isPlayed && (world.tracker?.isPlaying() ?? false);
  const playedSince = performance.now();
  while (isPlaying() && performance.now() < began + hold.most) await new Promise<void>((resolve) => later(lookEveryMs, resolve));
  changes.disconnect();
  return { changed, inVain: waited && !changed, isPlaying: isPlaying(), playedMs: performance.now() - playedSince };
}

/** Scrolls to the bottom and waits there, for at most `patientMs`, until the document grows. Resolves with the heights before and after. */
export async function holdAtBottom(patientMs: number): Promise<{ before: number; after: number }> {
  const lookEveryMs = 20;
  const page = document.scrollingElement ?? document.documentElement;
  const before = page.scrollHeight;
  scrollTo({ top: before, behavior: "instant" });
  (globalThis as World).mainScroller?.dispatchEvent(new Event("scroll"));
  dispatchEvent(new Event("scroll"));
  document.dispatchEvent(new Event("scroll", { bubbles: true }));
  const end = performance.now() + patientMs;
  while (page.scrollHeight <= before && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  return { before, after: page.scrollHeight };
}

/** Scrolls to the top and dispatches the scroll event immediately. */
export function scrollToTop(): void {
  scrollTo({ top: 0, behavior: "instant" });
  dispatchEvent(new Event("scroll"));
  document.dispatchEvent(new Event("scroll", { bubbles: true }));
}
