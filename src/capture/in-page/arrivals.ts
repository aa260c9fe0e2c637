/** Hides fixed elements that appear only as the page is scrolled. Runs in the page, so the functions must be self-contained. */

interface World {
  /** Elements that were visible before scrolling; fixed ones only if they or something in them were in the viewport. */
  present?: WeakSet<Element>;
}

/** Records the elements that are visible before the page is scrolled. */
export function notePresent(): void {
  const partsMax = 100;
  const isInWindow = (element: Element) => {
    const { top, bottom, left, right } = Element.prototype.getBoundingClientRect.call(element);
    return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth && (bottom - top) * (right - left) > 0;
  };
  const visible = [...document.querySelectorAll("body *")].filter((element) => {
    if (!Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true })) return false;
    if (getComputedStyle(element).position !== "fixed") return true;
    // Something may stick out of a menu that is outside.
    return [element, ...[...Element.prototype.getElementsByTagName.call(element, "*")].slice(0, partsMax)].some(isInWindow);
  });
  (globalThis.tintypeOwn as World).present ??= new WeakSet(visible);
}

/** Hides fixed elements that appeared on scroll, such as a back-to-top button or a dialog. */
export function hideArrivals(): void {
  const { present } = globalThis.tintypeOwn as World;
  if (!present) return;
  /** Whether a fixed element scrolls with the page, as one within a transformed element does, and so belongs to the content. */
  const isLaidOutInThePage = (element: Element) => {
    // A form field may shadow `parentElement`.
    const parentOf = (one: Element): Element | null => Reflect.get(Node.prototype, "parentElement", one);
    for (let above = parentOf(element); above; above = parentOf(above)) {
      const { transform, perspective, filter, backdropFilter, contain, willChange, containerType } = getComputedStyle(above);
      if ([transform, perspective, filter, backdropFilter].some((value) => value !== "none")) return true;
      if (/paint|layout|strict|content/.test(contain) || /transform|perspective|filter/.test(willChange) || containerType !== "normal")
        return true;
    }
    return false;
  };
  const arrived = [...document.querySelectorAll("body *")].filter(
    (element) => !present.has(element) && getComputedStyle(element).position === "fixed" && !isLaidOutInThePage(element),
  );
  for (const element of arrived) Element.prototype.setAttribute.call(element, "data-held", "hidden");
  const sheet = new CSSStyleSheet();
  sheet.insertRule(
    '[data-held="hidden"], [data-held="hidden"] *, [data-held="hidden"]::backdrop { visibility: hidden !important; transition: none !important; }',
  );
  if (arrived.length > 0) document.adoptedStyleSheets.push(sheet);
}
