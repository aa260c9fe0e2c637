/** Removes the content of masked elements from the page, for documents. Each function runs in each frame, after `mask`. */

/** Hides text, links and descriptive attributes from everything that reads the page, without changing the layout. */
export function hideContent(): void {
  const { roots, outer, inner, any, adopt, is, set, hideAll, pin, drawn, controls } = globalThis.tintypeMask as NonNullable<
    typeof tintypeMask
  >;
  const descriptive = /^(alt|title|value|placeholder|label|summary|content|datetime|cite|download|aria-.+)$/i;
  const hide = (element: Element) => {
    if (is(element, `${controls}, ${drawn}`)) pin(element, false);
    if (is(element, `input, textarea, ${controls}, ${drawn}`)) {
      if (!is(element, "button")) hideAll(element);
      if (is(element, "select")) Element.prototype.replaceChildren.call(element);
    }
    for (const name of Element.prototype.getAttributeNames.call(element)) {
      if (descriptive.test(name)) Element.prototype.removeAttribute.call(element, name);
      if (/^(xlink:)?href$/i.test(name)) Element.prototype.setAttribute.call(element, name, "#");
    }
    if (element instanceof SVGElement && element.ownerSVGElement)
      for (const node of [...element.childNodes]) if (node instanceof Text) node.data = "";
    if (!outer.has(element)) return;
    for (const node of [...(Reflect.get(Node.prototype, "childNodes", element) as NodeListOf<ChildNode>)]) {
      if (!(node instanceof Text) || node.data.trim() === "" || is(element, "select, option, textarea")) continue;
      const holder = document.createElement("tintype-hidden");
      set(holder, Object.entries({ all: "unset", display: "contents", visibility: "hidden" }));
      node.replaceWith(holder);
      Element.prototype.append.call(holder, node);
    }
  };
  const { tintypeMasked: masked = new WeakSet<Element>() } = globalThis;
  globalThis.tintypeMasked = masked;
  const shown = [...outer].map((element): [Element, string] => [element, getComputedStyle(element).visibility]);
  // This also hides content that the page adds during printing.
  for (const root of roots) adopt(root, `${any}{visibility:hidden!important}`);
  for (const [element, visibility] of shown) set(element, [["visibility", visibility]]);
  const rows = roots.flatMap((root) => [...root.querySelectorAll("[tintype-mask]")]);
  for (const element of new Set([...outer, ...inner, ...rows])) {
    masked.add(element);
    hide(element);
  }
  // A hidden element still provides the accessible name of elements that refer to it.
  for (const root of roots)
    for (const name of ["aria-labelledby", "aria-describedby"])
      for (const element of root.querySelectorAll(`[${name}]`)) {
        const ids = (Element.prototype.getAttribute.call(element, name) ?? "").split(/\s+/);
        const isMasked = (one: Element | null) => one !== null && masked.has(one);
        if (ids.some((id) => isMasked(root.getElementById(id)))) Element.prototype.removeAttribute.call(element, name);
      }
}

/** Replaces masked content with block characters. @param isSource whether to also remove inline scripts and `srcdoc` documents. */
export function removeContent(isSource: boolean): void {
  const { roots, outer, inner, slotted, is } = globalThis.tintypeMask as NonNullable<typeof tintypeMask>;
  const kept = ["id", "class", "role", "lang", "dir", "colspan", "rowspan"];
  const replacement = (element: Element) => {
    const name: string = Reflect.get(Element.prototype, "localName", element);
    const isPlain = element instanceof HTMLElement && !/-|^(iframe|object|embed|img|video|audio|canvas|input|select|textarea)$/.test(name);
    const own = document.createElement(isPlain ? name : "span");
    for (const attribute of kept) {
      const value = Element.prototype.getAttribute.call(element, attribute);
      if (value !== null) Element.prototype.setAttribute.call(own, attribute, value);
    }
    return own;
  };
  const remove = (element: Element) => {
    const rows = is(element, "table") ? [...Element.prototype.querySelectorAll.call(element, "td, th, caption")] : [];
    if (rows.length > 0) return rows.forEach(remove);
    const own = replacement(is(element, "html") ? document.body : element);
    if (!is(element, "head, head *")) Element.prototype.append.call(own, "█████");
    const { tintypeElement: part } = globalThis;
    if (part && Node.prototype.contains.call(element, part)) globalThis.tintypeElement = own;
    Element.prototype.replaceWith.call(is(element, "html") ? document.body : element, own);
  };
  for (const node of slotted)
    if (node instanceof Element) Element.prototype.remove.call(node);
    else (node as Text).remove();
  for (const element of outer) if (Reflect.get(Node.prototype, "isConnected", element) && !inner.has(element)) remove(element);
  for (const element of inner) if (element instanceof SVGElement && element.isConnected) element.remove();
  for (const root of roots) {
    // Masked tables, their rows, and the root element are kept, without most of their attributes.
    for (const element of root.querySelectorAll("[tintype-mask]"))
      for (const name of Element.prototype.getAttributeNames.call(element))
        if (!kept.includes(name)) Element.prototype.removeAttribute.call(element, name);
    // Selectors don't match the contents of templates, so all templates are emptied.
    for (const template of root.querySelectorAll("template")) template.content.replaceChildren();
    if (!isSource) continue;
    for (const script of root.querySelectorAll("script:not([src]), noscript")) Element.prototype.replaceChildren.call(script);
    for (const frame of root.querySelectorAll("iframe[srcdoc]")) Element.prototype.removeAttribute.call(frame, "srcdoc");
  }
}
