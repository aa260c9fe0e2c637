/** Scrolls the page for a recording. Runs in the page, so each function must be self-contained. */

interface World {
  scroller?: Element;
}

/** Finds what scrolls: the document, or a large element at the center of the window. Returns its sections' scroll positions in order. */
export function findSections(): { sections: number[]; bottom: number; windowHeight: number } {
  const sectionsMax = 1_000;
  const page = document.scrollingElement ?? document.documentElement;
  const hidden = (element: Element) =>
    Reflect.get(Element.prototype, "scrollHeight", element) - Reflect.get(Element.prototype, "clientHeight", element);
  const isScroller = (element: Element) =>
    Reflect.get(Element.prototype, "clientHeight", element) > innerHeight / 2 &&
    hidden(element) > 1 &&
    /auto|scroll/.test(getComputedStyle(element).overflowY);
  const inView = document.elementsFromPoint(innerWidth / 2, innerHeight / 2);
  const scroller = (page.scrollHeight > innerHeight + 1 ? undefined : inView.find(isScroller)) ?? page;
  (globalThis.tintypeOwn as World).scroller = scroller;
  const isPage = scroller === page;
  const windowHeight = isPage ? innerHeight : Reflect.get(Element.prototype, "clientHeight", scroller);
  const origin =
    (isPage ? 0 : Element.prototype.getBoundingClientRect.call(scroller).top) - Reflect.get(Element.prototype, "scrollTop", scroller);
  const tops = [...Element.prototype.querySelectorAll.call(scroller, "section, article, main > *, body > *, h1, h2")]
    .slice(0, sectionsMax)
    .flatMap((element) => {
      const { top, width, height } = Element.prototype.getBoundingClientRect.call(element);
      const isHeading = /^h\d$/i.test(Reflect.get(Element.prototype, "localName", element));
      const isLarge = width > innerWidth / 2 && height > windowHeight / 3;
      // Leave some room above a heading.
      return isLarge ? [top - origin] : isHeading && height > 0 ? [top - origin - windowHeight / 10] : [];
    });
  const bottom = Math.max(0, Reflect.get(Element.prototype, "scrollHeight", scroller) - windowHeight);
  const sections = [...new Set(tops.map(Math.round))].filter((top) => top > 0 && top < bottom).sort((one, other) => one - other);
  return { sections, bottom, windowHeight };
}

/** Scrolls to `top` without animation. */
export function scrollSectionsTo(top: number): void {
  const { scroller } = globalThis.tintypeOwn as World;
  if (scroller) Reflect.apply(Element.prototype.scrollTo, scroller, [{ top, behavior: "instant" }]);
}
