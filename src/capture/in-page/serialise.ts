/** Serialises the document. Runs in the page, so it may use nothing from outside of itself. */

/** Keeps the HTML of the document, or of the element found last, with open shadow roots as declarative ones. */
export function serialiseDocument(isElement: boolean): void {
  const shadowRoots: ShadowRoot[] = [];
  const collect = (root: ParentNode) => {
    // A form's own properties are hidden by fields of the same name; it can't have a shadow root.
    for (const { shadowRoot } of root.querySelectorAll(":not(form)"))
      if (shadowRoot) {
        shadowRoots.push(shadowRoot);
        collect(shadowRoot);
      }
  };
  const element = isElement ? globalThis.tintypeElement : document.documentElement;
  if (!element) throw new Error("there is no document");
  collect(element);
  if (element.shadowRoot) {
    shadowRoots.push(element.shadowRoot);
    collect(element.shadowRoot);
  }
  const shell = element.cloneNode(false) as Element;
  const inner = element.getHTML({ shadowRoots });
  const end = `</${element.localName}>`;
  if (shell.getAttribute("style") === "") shell.removeAttribute("style"); // what a passing change left behind
  const own = shell.outerHTML;
  const html = own.endsWith(end) ? own.slice(0, -end.length) + inner + end : own;
  const doctype = !isElement && document.doctype ? `${new XMLSerializer().serializeToString(document.doctype)}\n` : "";
  globalThis.tintypeText = doctype + html;
}

/** At most how many bytes the document takes in an MHTML file, which needs three for each byte that is not ASCII. */
export function quotedBytes(): number {
  const html = document.documentElement.outerHTML;
  const bytes = new TextEncoder().encode(html).length;
  return html.length + 5 * (bytes - html.length);
}

/** Keeps the text that the document, or the element found last, shows; also what open shadow roots show, in its place. */
export function collectText(isElement: boolean): void {
  /** Shadow hosts, slots that show other elements, and their ancestors. Everything else is read by the browser. */
  const holders = new Set<Node>();
  const collect = (root: ParentNode) => {
    for (const element of root.querySelectorAll(":not(form)")) {
      if (!element.shadowRoot && !isSlotted(element)) continue;
      for (let node: Node | null = element; node && !holders.has(node); node = node.parentNode) holders.add(node);
      if (element.shadowRoot) collect(element.shadowRoot);
    }
  };
  const isSlotted = (node: Node): node is HTMLSlotElement => node instanceof HTMLSlotElement && node.assignedNodes().length > 0;
  const shown = (node: Element): Node[] =>
    isSlotted(node) ? node.assignedNodes({ flatten: true }) : [...(node.shadowRoot ?? node).childNodes];
  const textOf = (node: Node): string => {
    if (node instanceof Text) return node.data.replace(/\s+/g, " ");
    if (!(node instanceof HTMLElement)) return "";
    const { display } = getComputedStyle(node);
    if (display === "none") return "";
    // biome-ignore lint/performance/useDomNodeTextContent: hidden text and the page's line breaks make the difference
    if (!holders.has(node) && display !== "contents") return around(node.innerText, display);
    return around(shown(node).map(textOf).join(""), display);
  };
  const around = (text: string, display: string) => (/^(inline|contents)/.test(display) ? text : `\n${text}\n`);
  const root = isElement ? globalThis.tintypeElement : (document.body ?? document.documentElement);
  if (!root) throw new Error("there is no document");
  collect(isElement ? (root.getRootNode() as ParentNode & Node) : document);
  globalThis.tintypeText = textOf(root)
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
