/** Handles cross-origin frames outside the viewport. Runs in the page, so it must be self-contained. */

/** In CSS pixels from the document's top left corner, with the document scrolled to the top. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface World {
  moving?: { sheet: CSSStyleSheet; fixed: [element: Element, left: number, top: number][] };
}

/** Boxes of all visible frames that show or contain a cross-origin document, and the size of the viewport. */
export function foreignFrames(): { frames: Box[]; viewport: { width: number; height: number } } {
  const frames: Box[] = [];
  const isForeign = (frame: Element): boolean => {
    const { contentDocument } = frame as HTMLIFrameElement;
    if (!contentDocument) return true;
    return [...contentDocument.querySelectorAll("iframe, frame, object, embed")].some(isForeign);
  };
  const inspect = (root: Document | ShadowRoot) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot?.mode) inspect(element.shadowRoot); // a form field may shadow it
      if (!element.matches("iframe, frame, object, embed") || !isForeign(element)) continue;
      const { left, top, width, height } = element.getBoundingClientRect();
      if (width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        frames.push({ x: left + scrollX, y: top + scrollY, width, height });
    }
  };
  inspect(document);
  return { frames, viewport: { width: innerWidth, height: innerHeight } };
}

/**
 * Moves the document so that its point `x`, `y` is in the viewport's top left corner, without a scroll event. Elements fixed to the
 * viewport would be displaced, so they are hidden until `restoreDocument`.
 */
export function moveDocument(x: number, y: number): void {
  const world = globalThis as World;
  if (!world.moving) {
    const isFixed = (element: Element) => getComputedStyle(element).position === "fixed";
    const fixed = [...document.querySelectorAll("*")].filter(isFixed).map((element): [Element, number, number] => {
      const { left, top } = element.getBoundingClientRect();
      return [element, left, top];
    });
    world.moving = { sheet: new CSSStyleSheet(), fixed };
    document.adoptedStyleSheets.push(world.moving.sheet);
  }
  const { sheet, fixed } = world.moving;
  sheet.replaceSync(`:root { translate: ${-x}px ${-y}px !important; transition: none !important; animation: none !important; }`);
  for (const [element, left, top] of fixed) {
    const now = element.getBoundingClientRect();
    const isInPlace = Math.abs(now.left - left + x) < 1 && Math.abs(now.top - top + y) < 1;
    if (!isInPlace) element.setAttribute("data-held", "displaced");
  }
  sheet.insertRule('[data-held="displaced"], [data-held="displaced"] * { visibility: hidden !important; transition: none !important; }');
}

/** Undoes `moveDocument`. */
export function restoreDocument(): void {
  const { moving } = globalThis as World;
  if (!moving) return;
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== moving.sheet);
  for (const [element] of moving.fixed) if (element.getAttribute("data-held") === "displaced") element.removeAttribute("data-held");
  delete (globalThis as World).moving;
}
