/** Copies the visible page into an inert document. Runs in the page, so it must be self-contained. */

interface FlatCopy {
  /** An HTML document, regardless of the page's type. Its body has the content without hidden elements or scripts. */
  copy: Document;
  /** Whether a cross-origin frame takes up a large part of the window. */
  hasForeignFrame: boolean;
  /** Whether the page has more nodes than can be copied. */
  isCut: boolean;
}

interface Readers {
  /** Returns the lines of an element that shows code. */
  codeOf(element: Element): { text: string; language: string } | undefined;
  /** Returns the TeX of a formula element. */
  formulaOf(element: Element): { tex: string; isBlock: boolean } | undefined;
  /** Functions from `shown-parts.ts`. */
  fieldText(element: Element): string | undefined;
  separatorBefore(element: Element): "\n" | " " | "";
  tablePartOf(element: Element, within: string | undefined): string | undefined;
}

/**
 * Copies `root` as shown. Inlines open shadow roots, with their slotted content, and same-origin frames. Replaces formulas with their TeX,
 * code with its lines, and form fields with their text. Tables built from ARIA roles become HTML tables. Custom and other non-HTML elements
 * become blocks or spans, depending on how they are displayed.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export function flatCopy(root: Element, { codeOf, formulaOf, fieldText, separatorBefore, tablePartOf }: Readers): FlatCopy {
  const nodesMax = 500_000;
  /** Maximum depth, because the libraries that read the copy are recursive. */
  const levelsMax = 300;
  const framesMax = 100;
  const unseen = new Set("script style noscript template canvas link meta head".split(" "));
  const undrawn = new Set("title desc defs metadata symbol clipPath mask marker pattern".split(" "));
  const inlines = /^(a|b|button|del|em|i|label|small|span|strong)$/;
  const xhtml = "http://www.w3.org/1999/xhtml";
  const copy = document.implementation.createHTMLDocument(document.title);
  let [hasForeignFrame, nodes, frames] = [false, 0, 0];

  // A form's fields can shadow its own members, so members are read from the prototypes.
  const attributeOf = (element: Element, name: string) => Element.prototype.getAttribute.call(element, name);
  const near = (element: Element, side: string): Element | null => Reflect.get(Element.prototype, side, element);
  const typeOf = (node: Node | null): number | null => node && Reflect.get(Node.prototype, "nodeType", node);
  const nameOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element);
  const namespaceOf = (element: Element): string => Reflect.get(Element.prototype, "namespaceURI", element) ?? "";
  const isRendered = (element: Element) =>
    Element.prototype.checkVisibility.call(element) || getComputedStyle(element).display === "contents";
  const childrenOf = (element: Element): Node[] => {
    const slotted = nameOf(element) === "slot" && namespaceOf(element) === xhtml ? (element as HTMLSlotElement).assignedNodes() : [];
    if (slotted.length > 0) return slotted;
    const shadow: ShadowRoot | null = Reflect.get(Element.prototype, "shadowRoot", element);
    return [...Reflect.get(Node.prototype, "childNodes", shadow ?? element)];
  };
  /** The document in a frame; undefined if it can't be read. */
  const documentIn = (frame: HTMLIFrameElement): Document | undefined => {
    const { width, height } = frame.getBoundingClientRect();
    const inner = frames < framesMax && width * height > 1 ? frame.contentDocument : null;
    if (!frame.contentDocument && width * height > (innerWidth * innerHeight) / 5) hasForeignFrame = true;
    frames += 1;
    return inner ?? undefined;
  };
  /** Whether an element renders a formula whose MathML, if it isn't hidden, or source is next to it. */
  const isDrawing = (element: Element): boolean => {
    if (nameOf(element) === "form") return false;
    const isSource = ({ localName, type }: HTMLScriptElement) => localName === "script" && type.startsWith("math/tex");
    const next = near(element, "nextElementSibling");
    const beyond = next && near(next, "nextElementSibling");
    if ((next && isSource(next as HTMLScriptElement)) || (beyond && isSource(beyond as HTMLScriptElement)))
      return /^(span|div)$/.test(nameOf(element)) && /math|mjx/i.test(`${attributeOf(element, "id")} ${attributeOf(element, "class")}`);
    const around = attributeOf(element, "aria-hidden") === "true" ? near(element, "parentElement") : null;
    const beside: Element[] = around ? [...Reflect.get(Element.prototype, "children", around)] : [];
    const mathIn = (other: Element) => (nameOf(other) === "math" ? other : Element.prototype.querySelector.call(other, "math"));
    return beside.length < 9 && beside.some((other) => other !== element && [mathIn(other) ?? []].flat().some(isRendered));
  };
  /** Whether an `aside` is a footnote (https://www.w3.org/TR/epub-ssv-11/#notes) or a box such as "Tip", which are part of the text. */
  const notes = /(^|[\s_-])((foot|end|rear|side|margin)?notes?|tip|hint|warning|caution|important|danger|callout|admonition)([\s_-]|$)/i;
  const isNote = (element: Element) =>
    nameOf(element) === "aside" && ["epub:type", "role", "class"].some((name) => notes.test(attributeOf(element, name) ?? ""));
  const shell = (element: Element, into: Element): Element => {
    if (isNote(element)) return copy.createElement("div");
    if (nameOf(element) === "span" && getComputedStyle(element).textDecorationLine.includes("line-through"))
      return copy.createElement("del");
    if (namespaceOf(element) === xhtml && !nameOf(element).includes("-")) return copy.importNode(element, false);
    if (nameOf(element) === "a" && namespaceOf(element).endsWith("/svg")) {
      const link = copy.createElement("a");
      link.setAttribute("href", (element as SVGAElement).href.baseVal);
      return link;
    }
    const { display, position } = getComputedStyle(element);
    // An absolutely positioned part of a line, such as text for screen readers, still belongs to that line.
    const isInline = /^(inline|contents|none|ruby)/.test(display) || (nameOf(into) === "span" && /^(absolute|fixed)$/.test(position));
    const own = copy.createElement(isInline ? "span" : "div");
    for (const name of ["id", "class", "role", "lang", "dir"]) {
      const value = attributeOf(element, name);
      if (value !== null && value.length < 1_000) Element.prototype.setAttribute.call(own, name, value);
    }
    return own;
  };
  const absolute = (element: Element, base: string) => {
    for (const name of ["href", "src"]) {
      const address = URL.parse(attributeOf(element, name) ?? "//", base); // without a host, it can't be parsed
      if (address) Element.prototype.setAttribute.call(element, name, address.href);
    }
  };
  const textElement = (name: "code" | "pre", text: string, attribute: string, value: string) => {
    const element = copy.createElement(name);
    Element.prototype.setAttribute.call(element, attribute, value);
    Element.prototype.append.call(element, text);
    return element;
  };

  const wide = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\u3000-\u303f\uff00-\uffef]$/u;
  /** Removes line breaks between Chinese or Japanese characters, since the browser renders no space for them. */
  const joined = (text: string): string => {
    const [first = "", ...lines] = text.split("\n");
    const pieces = [first];
    for (const line of lines) {
      const [before, after] = [pieces.at(-1)?.trimEnd() ?? "", line.trimStart()];
      const isJoined = wide.test(before.slice(-1)) && wide.test(after.slice(0, 1));
      if (isJoined) pieces[pieces.length - 1] = before;
      pieces.push(isJoined ? after : `\n${line}`);
    }
    return pieces.join("");
  };
  const put = (text: string, into: Element) => {
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) Node.prototype.appendChild.call(into, copy.createElement("br"));
      Node.prototype.appendChild.call(into, copy.createTextNode(line));
    }
  };
  /** Writes text, keeping line breaks where the page shows them. */
  const write = (node: Text, into: Element) => {
    const around = node.data.trim().includes("\n") ? node.parentElement : null;
    const whitespace = around ? getComputedStyle(around).getPropertyValue("white-space-collapse") : "collapse";
    if (whitespace !== "collapse") put(node.data.trim(), into);
    else Node.prototype.appendChild.call(into, copy.createTextNode(joined(node.data)));
  };
  /** Copied parts of tables built from ARIA roles. */
  const tableParts = new Set<Element>();

  interface Level {
    nodes: Node[];
    next: number;
    into: Element;
    /** Whether the nodes are within an element that a reader can expand. */
    isOpenable: boolean;
    /** Base URL of links in a frame. */
    base: string | undefined;
  }
  const isOpenable = Element.prototype.closest.call(root, "details") !== null;
  const levels: Level[] = [{ nodes: [root], next: 0, into: copy.body, isOpenable, base: undefined }];
  const enter = (element: Element, { into, isOpenable: inOpenable, base }: Level): Level | undefined => {
    const localName = nameOf(element);
    const isRoot = element === root;
    const mayBeHidden = isRoot || inOpenable || localName === "frame" || localName === "script";
    if ((!mayBeHidden && !isRendered(element)) || isDrawing(element)) return undefined;
    const formula = formulaOf(element);
    if (formula) {
      const { tex, isBlock } = formula;
      Element.prototype.append.call(into, textElement(isBlock ? "pre" : "code", tex, "data-tintype-tex", isBlock ? "block" : "inline"));
      return undefined;
    }
    if (
      unseen.has(localName) ||
      (undrawn.has(localName) && /\/(xhtml|svg)$/.test(namespaceOf(element))) ||
      (localName === "svg" && !isRoot)
    )
      return undefined;
    const code = codeOf(element);
    if (code) {
      Element.prototype.append.call(into, textElement("pre", code.text, "class", code.language && `language-${code.language}`));
      return undefined;
    }
    const opens = inOpenable || localName === "details";
    if (localName === "iframe" || localName === "frame") {
      const inner = documentIn(element as HTMLIFrameElement);
      const body = inner && (inner.body ?? inner.documentElement);
      if (!body) return undefined;
      const block = copy.createElement("div");
      Element.prototype.append.call(into, block);
      return { nodes: childrenOf(body), next: 0, into: block, isOpenable: false, base: inner.baseURI };
    }
    const isSlot = localName === "slot" || localName === "frameset" || (isRoot && localName === "body");
    if (isSlot || levels.length > levelsMax) return { nodes: childrenOf(element), next: 0, into, isOpenable: opens, base };
    const part = tablePartOf(element, tableParts.has(into) ? nameOf(into) : undefined);
    if (part === "") return { nodes: childrenOf(element), next: 0, into, isOpenable: opens, base };
    const value = fieldText(element);
    const own = part ? copy.createElement(part) : value === undefined ? shell(element, into) : copy.createElement("span");
    if (part) tableParts.add(own);
    const separator = inlines.test(nameOf(own)) ? separatorBefore(element) : "";
    if (separator) put(separator, into);
    if (base) absolute(own, base);
    Node.prototype.appendChild.call(into, own);
    if (value !== undefined) {
      const gapAt = (side: string) => (typeOf(Reflect.get(Node.prototype, side, element)) === Node.TEXT_NODE ? "" : " ");
      put(`${gapAt("previousSibling")}${value.trim()}${gapAt("nextSibling")}`, own);
      return undefined;
    }
    return { nodes: childrenOf(element), next: 0, into: own, isOpenable: opens, base };
  };

  for (let level = levels.at(-1); level && nodes < nodesMax; level = levels.at(-1)) {
    const node = level.nodes[level.next];
    level.next += 1;
    nodes += 1;
    if (!node) levels.pop();
    else if (typeOf(node) === Node.TEXT_NODE || typeOf(node) === Node.CDATA_SECTION_NODE) write(node as Text, level.into);
    else if (typeOf(node) === Node.ELEMENT_NODE) {
      const inner = enter(node as Element, level);
      if (inner) levels.push(inner);
    }
  }
  // The libraries don't expect fields that shadow a form's members.
  for (const field of copy.querySelectorAll("form [name], form [id], [form]"))
    for (const name of ["name", "id", "form"]) Element.prototype.removeAttribute.call(field, name);
  for (const meta of [...document.querySelectorAll("head > meta")].slice(0, 200))
    Node.prototype.appendChild.call(copy.head, copy.importNode(meta, false));
  return { copy, hasForeignFrame, isCut: nodes >= nodesMax };
}
