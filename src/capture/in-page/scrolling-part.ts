/** Finds content that only scrolling within a part of the page would show. Runs in the page, so it must be self-contained. */

interface ScrollingPart {
  /** `main#feed`: the element's name, and its id or first class; at most 100 characters. */
  name: string;
  /** CSS pixels of its content that aren't shown. */
  hidden: number;
}

/**
 * The part of the window that hides most of its content, if visitors can scroll it: too narrow to be the page's main scroller, but not a
 * menu. Undefined if there is none.
 */
export function scrollingPart(): ScrollingPart | undefined {
  const [widthMin, heightMin, hiddenMin, nameMax] = [0.3, 0.5, 0.5, 100];
  const sideOf = (element: Element, side: string): number => Reflect.get(Element.prototype, side, element);
  const hiddenBy = (element: Element) => sideOf(element, "scrollHeight") - sideOf(element, "clientHeight");
  const found = new Set<Element>();
  for (const x of [0.2, 0.35, 0.5, 0.65, 0.8])
    for (const element of document.elementsFromPoint(x * innerWidth, innerHeight / 2)) found.add(element);
  // Iterating over a set includes elements added during the iteration.
  for (const { shadowRoot } of found)
    if (shadowRoot?.mode) for (const element of shadowRoot.elementsFromPoint(innerWidth / 2, innerHeight / 2)) found.add(element);
  const parts = [...found].filter(
    (element) =>
      element !== document.scrollingElement &&
      sideOf(element, "clientWidth") >= innerWidth * widthMin &&
      sideOf(element, "clientHeight") >= innerHeight * heightMin &&
      hiddenBy(element) >= innerHeight * hiddenMin &&
      /auto|scroll/.test(getComputedStyle(element).overflowY),
  );
  const [part] = parts.sort((one, other) => hiddenBy(other) - hiddenBy(one));
  if (!part) return undefined;
  const attribute = (name: string) => Element.prototype.getAttribute.call(part, name)?.trim().split(/\s/, 1)[0];
  const [id, firstClass] = [attribute("id"), attribute("class")];
  const mark = id ? `#${id}` : firstClass ? `.${firstClass}` : "";
  return { name: (Reflect.get(Element.prototype, "localName", part) + mark).slice(0, nameMax), hidden: hiddenBy(part) };
}
