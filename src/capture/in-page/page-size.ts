/** Measures the page. Runs in the page. */

interface World {
  mainScroller?: Element;
  /** Set by `expandMainScroller`. */
  hiddenHeight?: number;
  /** Set by `untilStill`. */
  keepsChanging?: boolean;
}

export interface PageSize {
  /** Width in CSS pixels, without overflow that can't be scrolled to. */
  width: number;
  /** Height in CSS pixels. */
  height: number;
  elements: number;
  /** Whether the page has cross-origin frames. */
  hasForeignFrames: boolean;
  /** Address of a frame that fills the window, or most of a frameset, and scrolls or is cross-origin; at most 500 characters. */
  fillingFrame: string | undefined;
  /** Whether the page was still changing when the capture last stopped waiting for it. */
  keepsChanging: boolean;
}

export function pageSize(): PageSize {
  const inspectedMax = 20_000;
  const page = document.scrollingElement ?? document.documentElement;
  const { mainScroller, hiddenHeight = 0, keepsChanging = false } = globalThis.tintypeOwn as World;
  /** Bottom edge of the lowest element that no transform has moved. */
  const layoutHeight = () => {
    const tops = new Map<Element | null, number>();
    let lowest = 0;
    for (const element of [...document.querySelectorAll("body, body *")].slice(0, inspectedMax)) {
      if (!(element instanceof HTMLElement)) continue;
      // A form field may shadow its form's members.
      const offsetParent: Element | null = Reflect.get(HTMLElement.prototype, "offsetParent", element); // precedes it in the document
      const border = offsetParent ? Reflect.get(Element.prototype, "clientTop", offsetParent) : 0;
      tops.set(element, Reflect.get(HTMLElement.prototype, "offsetTop", element) + (tops.get(offsetParent) ?? 0) + border);
      const { top, bottom } = Element.prototype.getBoundingClientRect.call(element);
      if (Math.abs(top + scrollY - (tops.get(element) ?? 0)) < 2) lowest = Math.max(lowest, bottom + scrollY);
    }
    return Math.ceil(lowest);
  };
  const isForeign = (view: Window): boolean => {
    try {
      return Array.from({ length: view.document ? view.length : 0 }, (_, index) => view[index] as Window).some(isForeign);
    } catch {
      return true;
    }
  };
  const fillingFrame = (isFrameset: boolean): string | undefined => {
    const [shareMin, addressMax] = [isFrameset ? 0.4 : 0.81, 500]; // 0.9 of each side
    for (const frame of [...document.querySelectorAll<HTMLIFrameElement | HTMLFrameElement>("iframe, frame")].slice(0, 100)) {
      const { left, top, right, bottom } = Element.prototype.getBoundingClientRect.call(frame);
      const seen = (Math.min(right, innerWidth) - Math.max(left, 0)) * (Math.min(bottom, innerHeight) - Math.max(top, 0));
      if (right <= 0 || bottom <= 0 || seen < innerWidth * innerHeight * shareMin) continue;
      const inner = frame.contentDocument?.scrollingElement;
      // An element of the frame is none of this document's classes, and a form field may shadow its form's members.
      const sideOf = (side: string): number => Reflect.get(Element.prototype, side, inner ?? frame);
      if (!inner || (isFrameset && sideOf("scrollHeight") > sideOf("clientHeight"))) return frame.src.slice(0, addressMax);
    }
    return undefined;
  };
  const [root, body] = [document.documentElement, document.body].map((element) => element && getComputedStyle(element).overflowX);
  const cut = root === "hidden" || root === "clip" || (root === "visible" && (body === "hidden" || body === "clip"));
  const width = cut ? innerWidth : Math.max(innerWidth, page.scrollWidth);
  const isLocked = [page, document.body].some((element) => element && /hidden|clip/.test(getComputedStyle(element).overflowY));
  const mayBeShort = isLocked && !mainScroller && page.scrollHeight > innerHeight + innerHeight / 2;
  const lowest = mayBeShort ? layoutHeight() : page.scrollHeight;
  // If a document is locked, a visitor can't scroll to content that transforms have moved far below it, such as a presentation's slides.
  const height = Math.max(innerHeight, lowest < page.scrollHeight - innerHeight / 2 ? lowest : page.scrollHeight) + hiddenHeight;
  const elements = document.getElementsByTagName("*").length;
  const hasForeignFrames = isForeign(window);
  const isFrameset = document.body instanceof HTMLFrameSetElement;
  const filling = (hasForeignFrames || isFrameset) && height < 1.5 * innerHeight ? fillingFrame(isFrameset) : undefined;
  return { width, height, elements, hasForeignFrames, fillingFrame: filling, keepsChanging };
}
