/** Reads the elements that match selectors. Runs in the page, so it may use nothing from outside of itself. */

interface Bounds {
  elementsMax: number;
  /** Maximum characters of all elements together, as JSON. */
  lengthMax: number;
}

/** Keeps JSON with the elements; returns whether it has all of them, and the first selector that is none. */
export function keepMatches(selectors: string[], { elementsMax, lengthMax }: Bounds): { isComplete: boolean; wrong?: string } {
  const fragment = document.createDocumentFragment();
  for (const selector of selectors)
    try {
      fragment.querySelector(selector);
    } catch {
      return { isComplete: true, wrong: selector };
    }
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot?.mode) roots.push(shadowRoot); // not a form's field of this name
  let count = 0;
  let length = 0;
  // A form's own members are hidden by fields of the same name: they are taken from the prototypes.
  const describe = (element: Element) => {
    const { x, y, width, height } = Element.prototype.getBoundingClientRect.call(element);
    const html: string = Reflect.get(Element.prototype, "innerHTML", element);
    const text: string =
      element instanceof HTMLElement ? Reflect.get(HTMLElement.prototype, "innerText", element) : (element.textContent ?? "");
    const names: string[] = Element.prototype.getAttributeNames.call(element);
    const attributes = names.map((name) => ({ name, value: String(Element.prototype.getAttribute.call(element, name)) }));
    return { tag: String(Reflect.get(Element.prototype, "localName", element)), attributes, html, text, box: { x, y, width, height } };
  };
  let isComplete = true;
  const lists = selectors.map((selector) => {
    const elements: string[] = [];
    for (const root of roots)
      for (const element of root.querySelectorAll(selector)) {
        if (isComplete && count < elementsMax) {
          const described = JSON.stringify(describe(element));
          length += described.length;
          if (length <= lengthMax) {
            count += 1;
            elements.push(described);
            continue;
          }
        }
        isComplete = false;
        break;
      }
    return `{"selector":${JSON.stringify(selector)},"elements":[${elements.join(",")}]}`;
  });
  globalThis.tintypeText = `{"matches":[${lists.join(",")}]}`;
  return { isComplete };
}
