/** Recognizes a feed that is about to load more. Runs in the page, so it must be self-contained. */

/**
 * Whether the last two viewport heights of the document contain an endlessly spinning element, or text that says that something is loading.
 */
export function awaitsMore(): boolean {
  const [inspectedMax, sideMax, textMax] = [200, 300, 60];
  const page = document.scrollingElement ?? document.documentElement;
  const busy =
    '[aria-busy="true"], [role="progressbar"], [class*="spinner" i], [class*="loading" i], [class*="loader" i], [class*="skeleton" i]';
  const endless = document.getAnimations().flatMap(({ effect, playState }) => {
    const { target } = (effect ?? {}) as Partial<KeyframeEffect>;
    return target && playState === "running" && effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY ? target : [];
  });
  return [...new Set([...document.querySelectorAll(busy), ...endless])].slice(-inspectedMax).some((element) => {
    const { top, width, height } = element.getBoundingClientRect();
    if (width * height === 0 || top + scrollY < page.scrollHeight - 2 * innerHeight) return false;
    const isSmall = (width < sideMax && height < sideMax) || (element.textContent ?? "").trim().length < textMax;
    return isSmall && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  });
}
