/** Waits at the end of a page that may grow there. Each function runs in the page, so it must be self-contained. */

interface World {
  /** Set by `expandMainScroller`. */
  mainScroller?: Element;
}

/**
 * Waits at the bottom, for at most `patientMs`, until the document is higher than `known`. Resolves with its heights, with what the main
 * scroller hides.
 */
export async function holdAtBottom(known: number, patientMs: number): Promise<{ before: number; after: number }> {
  const lookEveryMs = 20;
  const { mainScroller } = globalThis.tintypeOwn as World;
  const sideOf = (element: Element, side: string): number => Reflect.get(Element.prototype, side, element);
  const page = document.scrollingElement ?? document.documentElement;
  const heightNow = () =>
    page.scrollHeight + (mainScroller ? sideOf(mainScroller, "scrollHeight") - sideOf(mainScroller, "clientHeight") : 0);
  const before = Math.min(known, heightNow());
  scrollTo({ top: page.scrollHeight, behavior: "instant" });
  if (mainScroller) EventTarget.prototype.dispatchEvent.call(mainScroller, new Event("scroll"));
  dispatchEvent(new Event("scroll"));
  document.dispatchEvent(new Event("scroll", { bubbles: true }));
  for (let heldMs = 0; heightNow() <= before && heldMs < patientMs; heldMs += lookEveryMs)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  return { before, after: heightNow() };
}

/** Scrolls to the top and dispatches the scroll event immediately. */
export function scrollToTop(): void {
  scrollTo({ top: 0, behavior: "instant" });
  dispatchEvent(new Event("scroll"));
  document.dispatchEvent(new Event("scroll", { bubbles: true }));
}
