/** Headers that hide as a page is scrolled down. Runs in the page, so each function must be self-contained. */

interface World {
  /** Set by `notePresent`. */
  present?: WeakSet<Element>;
}

/** Whether a wide fixed element that was in view before the page was scrolled is above the window, with the page at its top again. */
export function hasLostHeader(): boolean {
  const { present } = globalThis.tintypeOwn as World;
  if (!present || scrollY > 0) return false;
  return [...document.querySelectorAll("body *")].some((element) => {
    if (!present.has(element) || !/fixed|sticky/.test(getComputedStyle(element).position)) return false;
    const { bottom, width, height } = Element.prototype.getBoundingClientRect.call(element);
    return bottom <= 1 && height > 1 && width >= innerWidth / 2;
  });
}

/**
 * Scrolls up in two steps, as a visitor would in many: such a header may return only for a position below the one before, at which it may
 * be hidden. Waits between them, as handlers may ignore an event that follows another.
 */
export async function scrollUp(): Promise<void> {
  const pauseMs = 350;
  for (const top of [innerHeight, innerHeight / 2, 0]) {
    scrollTo({ top, behavior: "instant" });
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
