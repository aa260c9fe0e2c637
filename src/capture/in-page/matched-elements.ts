/** Reads the elements that match selectors. Runs in the page, so it must be self-contained. */

interface Bounds {
  elementsMax: number;
  /** Maximum number of characters of all elements together, as JSON. */
  lengthMax: number;
}

/** Keeps the elements as JSON; returns whether all of them fit, and the first invalid selector. */
export function keepMatches(selectors: string[], { elementsMax, lengthMax }: Bounds): { isComplete: boolean; wrong?: string } {
  const fragment = document.createDocumentFragment();
  for (const selector of selectors)
    try {
      fragment.querySelector(selector);
    } catch {
      return { isComplete: true, wrong: selector };
    }
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot?.mode) roots.push(shadowRoot); // a form field may shadow it
  let count = 0;
  let length = 0;
  // Form fields shadow the form's own members, so these are read from the prototypes.
  const { tintypeMasked } = globalThis;
  const isMasked = (element: Element) => tintypeMasked?.has(element) ?? false;
  const copies = document.implementation.createHTMLDocument("");
  const htmlOf = (element: Element): string => {
    if (!tintypeMasked) return Reflect.get(Element.prototype, "innerHTML", element);
    const copy = copies.importNode(element, true);
    const originals = [...Element.prototype.querySelectorAll.call(element, "*")];
    for (const [index, one] of [...Element.prototype.querySelectorAll.call(copy, "*")].entries()) {
      if (isMasked(originals[index] as Element)) one.replaceWith(copies.createElement(one.localName));
    }
    for (const one of Element.prototype.querySelectorAll.call(copy, "script, noscript, template")) one.innerHTML = "";
    for (const frame of Element.prototype.querySelectorAll.call(copy, "iframe")) frame.removeAttribute("srcdoc");
    return isMasked(element) || element.localName === "template" ? "" : Reflect.get(Element.prototype, "innerHTML", copy);
  };
  const describe = (element: Element) => {
    const { x, y, width, height } = Element.prototype.getBoundingClientRect.call(element);
    const html = htmlOf(element);
    const text: string =
      element instanceof HTMLElement ? Reflect.get(HTMLElement.prototype, "innerText", element) : (element.textContent ?? "");
    const allNames: string[] = Element.prototype.getAttributeNames.call(element);
    const names = allNames.filter(
      (name) => !tintypeMasked || (isMasked(element) ? /^(id|class|role|type)$/.test(name) : name !== "srcdoc"),
    );
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
