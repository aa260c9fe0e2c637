/**
 * Scrolls, and waits for what the page does about it. Each function runs in the page, so it may use nothing from outside of itself.
 */

interface World {
  /** Set by `expandMainScroller`. */
  mainScroller?: Element;
  /** Set by `findHidden`. */
  reveals?: { hidden: Set<Element> };
  tracker?: { isPlaying(): boolean };
}

/** Milliseconds at a stop. */
export interface Hold {
  least: number;
  /** How long to wait for the first or the next change, on pages that may have slow handlers. */
  patient: number;
  /** Whether the page counts as such even if it begins no timer. */
  isPatient: boolean;
  most: number;
  /** Whether to wait, also at most so long, while scripts move content into view. */
  isPlayed: boolean;
}

export interface Stop {
  /** Whether the page's content has changed. */
  changed: boolean;
  /** Whether a slow handler was waited for that changed nothing. */
  inVain: boolean;
  /** Whether scripts were still moving content into view. */
  isPlaying: boolean;
  /** How long that was waited for. */
  playedMs: number;
}

/**
 * Scrolls to `top` and waits there for throttled and polling handlers: `hold.least`, and longer while the page has begun a timer and
 * nothing has changed yet, or content in view is still hidden.
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
  // Timer ids are sequential in a document, so they show whether the page has begun any since.
  let ownTimers = 0;
  const later = (ms: number, resolve: () => void) => {
    ownTimers += 1;
    return setTimeout(resolve, ms) as unknown as number;
  };
  const firstTimer = later(0, () => {});
  const hasTimers = () => later(0, () => {}) - firstTimer >= ownTimers;

  scrollTo({ top, behavior: "instant" });
  // Its content is now part of the document, so it no longer gets scroll events of its own.
  world.mainScroller?.dispatchEvent(new Event("scroll"));
  // The scroll event comes with the next frame, and a handler's timer begins with it.
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => resolve());
    later(hold.least, resolve); // a page that draws nothing has no frames
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

/**
 * Scrolls to the bottom and waits there, at most `patientMs`, until the document grows. Resolves with its heights.
 */
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

/** Scrolls to the top, and tells the page at once. */
export function scrollToTop(): void {
  scrollTo({ top: 0, behavior: "instant" });
  dispatchEvent(new Event("scroll"));
  document.dispatchEvent(new Event("scroll", { bubbles: true }));
}
