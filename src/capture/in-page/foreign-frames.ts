/** Handles cross-origin frames outside the viewport. Runs in the page, so it must be self-contained. */

/** CSS pixels from the document's top left corner, with the document scrolled to the top. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Fixed {
  element: HTMLElement;
  style: CSSStyleDeclaration;
  /** Position in the document. */
  left: number;
  top: number;
  /** The element's own inline styles that were replaced: names, values and priorities. */
  own: [name: string, value: string, priority: string][];
}

interface World {
  moving?: { sheet: CSSStyleSheet; fixed: Fixed[] };
}

/** Boxes of visible frames outside the viewport that show or contain a cross-origin document, at most 1,000, and the viewport's size. */
export function foreignFrames(): { frames: Box[]; viewport: { width: number; height: number } } {
  const framesMax = 1_000;
  const frames: Box[] = [];
  const isForeign = (frame: Element): boolean => {
    const { contentDocument } = frame as HTMLIFrameElement;
    if (!contentDocument) return true;
    return [...contentDocument.querySelectorAll("iframe, frame, object, embed")].some(isForeign);
  };
  const inspect = (root: Document | ShadowRoot) => {
    for (const element of root.querySelectorAll("*")) {
      if (frames.length === framesMax) return;
      if (element.shadowRoot?.mode) inspect(element.shadowRoot); // a form field may shadow `shadowRoot`
      if (!Element.prototype.matches.call(element, "iframe, frame, object, embed") || !isForeign(element)) continue;
      const { left, top, width, height } = Element.prototype.getBoundingClientRect.call(element);
      if (left + scrollX < innerWidth && top + scrollY < innerHeight) continue;
      if (width > 1 && height > 1 && Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true }))
        frames.push({ x: left + scrollX, y: top + scrollY, width, height });
    }
  };
  inspect(document);
  return { frames, viewport: { width: innerWidth, height: innerHeight } };
}

/**
 * Moves the document so that its point `x`, `y` is in the viewport's top left corner, without firing a scroll event. Elements fixed to the
 * viewport keep their position in the document, or are hidden until `restoreDocument` if that is impossible.
 */
export function moveDocument(x: number, y: number): void {
  const world = globalThis.tintypeOwn as World;
  if (!world.moving) {
    const isFixed = (element: Element) => getComputedStyle(element).position === "fixed";
    const fixed = [...document.querySelectorAll<HTMLElement>("*")].filter(isFixed).map((element): Fixed => {
      const { left, top } = Element.prototype.getBoundingClientRect.call(element);
      // A form field may shadow `style`.
      const style: CSSStyleDeclaration =
        element instanceof HTMLFormElement ? Reflect.get(HTMLElement.prototype, "style", element) : element.style;
      const own = ["translate", "transition"].map((name): Fixed["own"][number] => {
        return [name, style.getPropertyValue(name), style.getPropertyPriority(name)];
      });
      return { element, style, left, top, own };
    });
    world.moving = { sheet: new CSSStyleSheet(), fixed };
    document.adoptedStyleSheets.push(world.moving.sheet);
  }
  const { sheet, fixed } = world.moving;
  sheet.replaceSync(`:root { translate: ${-x}px ${-y}px !important; transition: none !important; animation: none !important; }`);
  for (const { element, style, left, top } of fixed) {
    const offset = () => {
      const now = Element.prototype.getBoundingClientRect.call(element);
      return { right: left - x - now.left, down: top - y - now.top };
    };
    const { right, down } = offset();
    const { translate } = getComputedStyle(element);
    // A translated root is the containing block of fixed elements, so their position depends on its size.
    if (/^(none|-?[\d.]+px( -?[\d.]+px)?)$/.test(translate)) {
      const [own = 0, ownDown = 0] = translate === "none" ? [] : translate.split(" ").map(Number.parseFloat);
      style.setProperty("transition", "none", "important");
      style.setProperty("translate", `${own + right}px ${ownDown + down}px`, "important");
    }
    const missed = offset();
    if (Math.abs(missed.right) >= 1 || Math.abs(missed.down) >= 1) Element.prototype.setAttribute.call(element, "data-held", "displaced");
    else if (Element.prototype.getAttribute.call(element, "data-held") === "displaced")
      Element.prototype.removeAttribute.call(element, "data-held");
  }
  sheet.insertRule('[data-held="displaced"], [data-held="displaced"] * { visibility: hidden !important; transition: none !important; }');
}

/** Undoes `moveDocument`. */
export function restoreDocument(): void {
  const { moving } = globalThis.tintypeOwn as World;
  if (!moving) return;
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== moving.sheet);
  for (const { element, style, own } of moving.fixed) {
    if (Element.prototype.getAttribute.call(element, "data-held") === "displaced")
      Element.prototype.removeAttribute.call(element, "data-held");
    for (const one of own) style.setProperty(...one);
  }
  delete (globalThis.tintypeOwn as World).moving;
}
