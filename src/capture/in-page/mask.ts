/** Covers elements, and removes their content from documents. Runs in each frame, so it must be self-contained. */

export interface Mask {
  selectors: string[];
  /** CSS declarations of the cover. */
  cover: [property: string, value: string][];
  /**
   * `cover`: nothing of the elements is drawn but a cover, and the layout stays as it is. `hide`: additionally, their text is hidden from
   * whatever reads the page, and their attributes are removed. `remove`: their content is removed; `source` also removes inline scripts.
   */
  extent: "cover" | "hide" | "remove" | "source";
}

/** Returns which selectors match something, and whether anything was covered that had not been before. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export function mask({ selectors, cover, extent }: Mask): { found: boolean[]; isNew: boolean } {
  /** The style sheets that each document and shadow root has, and the elements that keep their sizes. */
  const world = globalThis as { covered?: WeakMap<Document | ShadowRoot, Set<string>>; pinned?: WeakSet<Element> };
  const { covered = new WeakMap(), pinned = new WeakSet() } = world;
  Object.assign(world, { covered, pinned });
  let isNew = false;
  // A selector may end within brackets; as the browser writes it, it is complete.
  const writer = new CSSStyleSheet();
  const rule = writer.cssRules[writer.insertRule("a{}")] as CSSStyleRule;
  const written = selectors.map((selector) => {
    rule.selectorText = selector;
    return rule.selectorText;
  });
  // Table rows paint only within their cells. The last selector matches nothing: it raises the specificity above the page's.
  const named = `:is(${written.join()})`;
  const cells = `${named}>:is(td,th),${named}>tr>:is(td,th)`;
  const any = `:is(${named},${cells},${"#tintype".repeat(9)}:not(*))`;
  const hidden = "{visibility:hidden!important;clip-path:inset(100%)!important;transition:none!important}";
  const clear =
    "{color:transparent!important;-webkit-text-fill-color:transparent!important;text-shadow:none!important;background:none!important}";
  const coverText = cover.map(([property, value]) => `${property}:${value}!important;`).join("");
  const everything = `*,*::before,*::after${hidden}`;
  const rules = `${any} *,${any} *::before,${any} *::after,${any}::before,${any}::after${hidden}
    :is(${cells},${"#tintype".repeat(9)}:not(*)){visibility:inherit!important;clip-path:none!important}
    ${any}::file-selector-button,${any}::-webkit-media-controls${hidden}
    ${any}::placeholder,${any}::marker${clear}
    ${any}{${coverText}}`;
  const adopt = (root: Document | ShadowRoot, css: string) => {
    const own = covered.get(root) ?? new Set();
    if (own.has(css)) return;
    covered.set(root, own.add(css));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets.push(sheet);
    isNew = true;
  };

  // Form fields shadow the form's own members, which are therefore read from the prototypes.
  const is = (element: Element, selector: string) => Element.prototype.matches.call(element, selector);
  const all = (element: Element) => Element.prototype.querySelectorAll.call(element, "*");
  const set = (element: Element, declarations: [string, string][]) => {
    const { prototype } = element instanceof HTMLElement ? HTMLElement : element instanceof SVGElement ? SVGElement : MathMLElement;
    const style: CSSStyleDeclaration = Reflect.get(prototype, "style", element);
    for (const [property, value] of declarations) style.setProperty(property, value, "important");
  };

  const hideAll = (element: Element) =>
    set(element, Object.entries({ transition: "none", visibility: "hidden", "clip-path": "inset(100%)", opacity: "0" }));

  const drawn =
    "iframe, object, embed, img, video, audio, canvas, progress, meter, input:is([type=image i], [type=checkbox i], [type=radio i])";
  const isBroken = (element: Element) => element instanceof HTMLImageElement && element.naturalWidth === 0;
  const controls = "select, button, input:is([type=submit i], [type=button i], [type=reset i])";
  /** Keeps the size of an element that the browser lays out differently once it is covered. `isEmpty` leaves no room for its content. */
  const pin = (element: Element, isEmpty: boolean) => {
    if (pinned.has(element)) return;
    pinned.add(element);
    const own = getComputedStyle(element);
    const sum = (...names: string[]) => names.reduce((total, name) => total + (Number.parseFloat(own.getPropertyValue(name)) || 0), 0);
    const borders = sum("border-top-width", "border-bottom-width");
    const isBorderBox = own.boxSizing === "border-box";
    const width = sum("width", ...(isBorderBox ? [] : ["padding-left", "padding-right", "border-left-width", "border-right-width"]));
    const height = sum("height", ...(isBorderBox ? [] : ["padding-top", "padding-bottom"])) + (isBorderBox ? 0 : borders);
    const length = (pixels: number) => `${pixels + 0.008}px`; // they were rounded to six digits; Chromium cuts off at 1/64
    // Chromium aligns the lower edges of its own check boxes without their margins.
    const alignment = is(element, "input") && own.verticalAlign === "baseline" ? { "vertical-align": `-${own.marginBottom}` } : {};
    const inside = isEmpty
      ? { appearance: "none", padding: `${Math.max(0, height - borders)}px 0 0`, ...alignment }
      : { "line-height": own.lineHeight };
    set(
      element,
      Object.entries({ transition: "none", "box-sizing": "border-box", width: length(width), height: length(height), ...inside }),
    );
    isNew = true;
  };
  /** Outermost matches, all that is in them, and nodes of other trees that their slots show. */
  const outer = new Set<Element>();
  const inner = new Set<Element>();
  const slotted = new Set<ChildNode>();
  const found = selectors.map(() => false);
  const addInner = (element: Element) => {
    inner.add(element);
    for (const one of all(element)) inner.add(one);
  };
  const roots: (Document | ShadowRoot)[] = [];
  const enter = (root: Document | ShadowRoot, isInside: boolean) => {
    roots.push(root);
    for (const element of isInside ? [] : root.querySelectorAll(any))
      if (is(element, `${controls}, ${drawn}`) && !isBroken(element)) pin(element, is(element, drawn));
    adopt(root, isInside ? everything : rules);
    for (const [index, selector] of written.entries()) if (root.querySelector(selector)) found[index] = true;
    for (const element of root.querySelectorAll("*")) {
      if (isInside) inner.add(element);
      if (!inner.has(element) && is(element, any) && !is(element, "tr, thead, tbody, tfoot")) {
        // The text of an option is shown by its list; shapes have no background.
        outer.add((is(element, "option, optgroup") && element.closest("select")) || element);
        if (element instanceof SVGElement && element.ownerSVGElement) addInner(element);
        else for (const one of all(element)) inner.add(one);
      }
      const isWithin = inner.has(element) || outer.has(element);
      if (element.shadowRoot?.mode) enter(element.shadowRoot, isWithin);
      if (!isWithin || !(element instanceof HTMLSlotElement)) continue;
      for (const node of element.assignedNodes({ flatten: true })) {
        slotted.add(node as ChildNode);
        if (node instanceof Element) addInner(node);
      }
    }
  };
  enter(document, false);

  /** Whether an element's content may be in a closed shadow root, which can't be read. */
  const isClosed = (element: Element) => {
    const content = document.createRange();
    content.selectNodeContents(element);
    return element.localName.includes("-") && !element.shadowRoot && content.getClientRects().length === 0;
  };
  for (const element of outer) {
    if (isClosed(element) || is(element, "input:is([type=range i], [type=color i])")) hideAll(element);
    const { webkitTextFillColor, backgroundImage } = getComputedStyle(element);
    // The page's own style attribute or cascade layers may take precedence.
    if (webkitTextFillColor !== "rgba(0, 0, 0, 0)" || backgroundImage.includes("url(")) set(element, cover);
    // Where the page styles neither, a rule for them would change the layout.
    for (const pseudo of ["::first-letter", "::first-line"]) {
      const own = getComputedStyle(element, pseudo);
      if (own.webkitTextFillColor !== "rgba(0, 0, 0, 0)" || own.textShadow !== "none")
        adopt(Node.prototype.getRootNode.call(element) as Document | ShadowRoot, `${any}${pseudo}${clear}`);
    }
  }
  for (const element of inner)
    if (getComputedStyle(element).visibility !== "hidden") {
      hideAll(element);
      isNew = true;
    }

  const replacement = (element: Element) => {
    const isPlain =
      element instanceof HTMLElement && !/-|^(iframe|object|embed|img|video|audio|canvas|input|select|textarea)$/.test(element.localName);
    const own = document.createElement(isPlain ? element.localName : "span");
    for (const name of ["id", "class", "role", "lang", "dir", "colspan", "rowspan"]) {
      const value = Element.prototype.getAttribute.call(element, name);
      if (value !== null) own.setAttribute(name, value);
    }
    return own;
  };
  const remove = (element: Element) => {
    const rows = is(element, "table") ? [...Element.prototype.querySelectorAll.call(element, "td, th, caption")] : [];
    if (rows.length > 0) return rows.forEach(remove);
    const own = replacement(is(element, "html") ? document.body : element);
    if (!is(element, "head, head *")) own.textContent = "█████";
    const { tintypeElement: kept } = globalThis;
    if (kept && Node.prototype.contains.call(element, kept)) globalThis.tintypeElement = own;
    Element.prototype.replaceWith.call(is(element, "html") ? document.body : element, own);
  };
  const says = /^(alt|title|value|placeholder|label|summary|content|datetime|cite|download|aria-.+)$/i;
  const hide = (element: Element) => {
    globalThis.tintypeMasked?.add(element);
    if (is(element, `${controls}, ${drawn}`)) pin(element, false);
    if (is(element, `input, textarea, ${controls}, ${drawn}`)) {
      if (!is(element, "button")) hideAll(element);
      if (is(element, "select")) Element.prototype.replaceChildren.call(element);
    }
    for (const name of Element.prototype.getAttributeNames.call(element)) {
      if (says.test(name)) Element.prototype.removeAttribute.call(element, name);
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
      holder.append(node);
    }
  };
  for (const element of outer) if (is(element, "head, head *")) remove(element); // it isn't drawn
  if (extent === "hide") {
    globalThis.tintypeMasked ??= new WeakSet<Element>();
    const shown = [...outer].map((element): [Element, string] => [element, getComputedStyle(element).visibility]);
    // What the page adds while it is printed is hidden by this rule only.
    for (const root of roots) adopt(root, `${any}{visibility:hidden!important}`);
    for (const [element, visibility] of shown) set(element, [["visibility", visibility]]);
    for (const element of [...outer, ...inner]) hide(element);
    // A hidden element still names others that refer to it.
    for (const root of roots)
      for (const name of ["aria-labelledby", "aria-describedby"])
        for (const element of root.querySelectorAll(`[${name}]`)) {
          const ids = (Element.prototype.getAttribute.call(element, name) ?? "").split(/\s+/);
          const isMasked = (one: Element | null) => one !== null && globalThis.tintypeMasked?.has(one);
          if (ids.some((id) => isMasked(root.getElementById(id)))) Element.prototype.removeAttribute.call(element, name);
        }
  }
  if (extent === "remove" || extent === "source") {
    for (const node of slotted) node.remove();
    for (const element of outer) if (element.isConnected && !inner.has(element)) remove(element);
    for (const element of inner) if (element instanceof SVGElement && element.isConnected) element.remove();
  }
  if (extent === "source")
    for (const root of roots) {
      for (const script of root.querySelectorAll("script:not([src]), noscript")) script.textContent = "";
      for (const frame of root.querySelectorAll("iframe[srcdoc]")) frame.removeAttribute("srcdoc");
    }
  return { found, isNew };
}
