/** Serializes the document. Runs in the page, so it must be self-contained. */

/** An element that isn't a form, whose fields could shadow its own members. */
interface NotForm extends Element {
  elements?: never;
}

/** Serializes adopted style sheets, which have no element, as `<style>` elements. */
interface Adopted {
  /** Marks where the style sheets of these roots belong; returns a function that removes the marks. */
  mark(roots: ShadowRoot[]): () => void;
  /** Replaces the marks with the style sheets, and appends the document's own unless the HTML is an element's. */
  fill(html: string, isElement: boolean): string;
}

/** @param ownCss rules added by the service, which are omitted, as are rules that pin or hide content during a capture. */
export function adoptedReader(ownCss: string): Adopted {
  let charactersLeft = 5_000_000;
  const own = new CSSStyleSheet();
  own.replaceSync(ownCss);
  const ownRules = new Set(Array.from(own.cssRules, ({ cssText }) => cssText));
  const adoptedBy = ({ adoptedStyleSheets }: Document | ShadowRoot): string => {
    const texts = adoptedStyleSheets.flatMap(({ cssRules }) => Array.from(cssRules, ({ cssText }) => cssText));
    const isOwn = (text: string) => ownRules.has(text) || text.includes("[data-held") || text.endsWith("{ display: none !important; }");
    const css = texts.filter((text) => !isOwn(text)).join("\n");
    charactersLeft -= css.length;
    return css === "" || charactersLeft < 0 ? "" : `<style>${css.replace(/<(?=\/style)/gi, "\\3c ")}</style>`;
  };
  const name = `adopted ${Math.random()} `;
  const styles: string[] = [];
  return {
    mark: (roots) => {
      const comments: Comment[] = [];
      for (const root of roots) {
        const style = root.adoptedStyleSheets.length > 0 ? adoptedBy(root) : "";
        if (style === "") continue;
        comments.push(new Comment(`${name}${styles.length}`));
        styles.push(style);
        root.append(comments.at(-1) as Comment);
      }
      return () => {
        for (const comment of comments) comment.remove();
      };
    },
    fill: (html, isElement) => {
      const [start = "", ...parts] = styles.length > 0 ? html.split(`<!--${name}`) : [html];
      const filled = parts.map((part) => {
        const end = part.indexOf("-->");
        return `${styles[Number(part.slice(0, end))]}${part.slice(end + 3)}`;
      });
      const whole = [start, ...filled].join("");
      const style = isElement || document.adoptedStyleSheets.length === 0 ? "" : adoptedBy(document);
      const at = style === "" ? -1 : whole.lastIndexOf("</body>");
      return at < 0 ? whole : `${whole.slice(0, at)}${style}${whole.slice(at)}`;
    },
  };
}

/**
 * Stores the HTML of the document, or of the most recently found element, in `tintypeText`. Open shadow roots become declarative
 * shadow roots. Non-HTML content, such as SVG, is stored as XML. Any charset declaration in the text is changed to UTF-8.
 */
export function serializeDocument(isElement: boolean, adopted: Adopted): void {
  const shadowRoots: ShadowRoot[] = [];
  // A form's fields can shadow its own members, so members are read from the prototypes. Fields have no `mode`.
  const collect = (elements: Iterable<Element>) => {
    for (const { shadowRoot } of elements)
      if (shadowRoot?.mode) {
        shadowRoots.push(shadowRoot);
        collect(shadowRoot.querySelectorAll("*"));
      }
  };
  const element = isElement ? globalThis.tintypeElement : document.documentElement;
  if (!element) throw new Error("there is no document");
  if (document.contentType !== "text/html" && Reflect.get(Element.prototype, "namespaceURI", element) !== "http://www.w3.org/1999/xhtml") {
    const xml = new XMLSerializer().serializeToString(isElement ? element : document);
    globalThis.tintypeText = xml.replace(/^<\?xml [^>]{0,200}\?>/, (said) => said.replace(/encoding="[^"]*"/, 'encoding="UTF-8"'));
    return;
  }
  collect([element]);
  collect(Element.prototype.querySelectorAll.call(element, "*"));
  const removeMarks = adopted.mark(shadowRoots);
  const shell = Node.prototype.cloneNode.call(element, false) as NotForm; // without fields
  const inner = Element.prototype.getHTML.call(element, { shadowRoots });
  removeMarks();
  const end = `</${shell.localName}>`;
  if (shell.getAttribute("style") === "") shell.removeAttribute("style"); // left behind by a temporary change
  const own = shell.outerHTML;
  let html = adopted.fill(own.endsWith(end) ? own.slice(0, -end.length) + inner + end : own, isElement);
  const declaring = 'meta[charset]:not([charset="utf-8" i]), meta[http-equiv="content-type" i]';
  const declarationsMax = 5; // browsers obey only the first; replacing each copies the document
  for (const meta of [...document.querySelectorAll<HTMLMetaElement>(declaring)].slice(0, declarationsMax)) {
    const utf8 = meta.cloneNode() as HTMLMetaElement;
    if (meta.hasAttribute("charset")) utf8.setAttribute("charset", "utf-8");
    else utf8.setAttribute("content", "text/html; charset=utf-8");
    html = html.replace(meta.outerHTML, () => utf8.outerHTML);
  }
  const doctype = !isElement && document.doctype ? `${new XMLSerializer().serializeToString(document.doctype)}\n` : "";
  globalThis.tintypeText = doctype + html;
}

/** Estimated size of the document in an MHTML file, in bytes: quoted-printable takes three bytes for each non-ASCII byte of UTF-8. */
export function quotedBytes(): number {
  const html = document.documentElement.outerHTML;
  const bytes = new TextEncoder().encode(html).length;
  return html.length + 5 * (bytes - html.length);
}

/**
 * Stores the visible text of the document, or of the most recently found element, in `tintypeText`, including the text of open shadow roots
 * and same-origin frames.
 */
export function collectText(isElement: boolean): void {
  const xhtml = "http://www.w3.org/1999/xhtml";
  /** Shadow hosts, slots with assigned nodes, frames, and their ancestors. Everything else is read with `innerText`. */
  const holders = new Set<Node>();
  // A form's fields can shadow its own members, so members are read from the prototypes.
  const nameOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element);
  const namespaceOf = (element: Element): string | null => Reflect.get(Element.prototype, "namespaceURI", element);
  const parentOf = (node: Node): Node | null => Reflect.get(Node.prototype, "parentNode", node);
  const collect = (root: Document | ShadowRoot) => {
    for (const element of root.querySelectorAll<NotForm>(":not(form)")) {
      const inner = documentIn(element);
      if (!element.shadowRoot && !inner && !isSlotted(element)) continue;
      for (let node: Node | null = element; node && !holders.has(node); node = parentOf(node)) holders.add(node);
      if (element.shadowRoot) collect(element.shadowRoot);
      if (inner) collect(inner);
    }
  };
  const documentIn = (element: Element): Document | null =>
    /^i?frame$/.test(nameOf(element)) ? (element as HTMLIFrameElement).contentDocument : null;
  const isSlotted = (node: Element): node is HTMLSlotElement =>
    nameOf(node) === "slot" && namespaceOf(node) === xhtml && (node as HTMLSlotElement).assignedNodes().length > 0;
  const shown = (node: Element): Node[] =>
    isSlotted(node)
      ? node.assignedNodes({ flatten: true })
      : [...Reflect.get(Node.prototype, "childNodes", node.shadowRoot?.mode ? node.shadowRoot : node)];
  const textOf = (node: Node): string => {
    const type = Reflect.get(Node.prototype, "nodeType", node);
    if (type === Node.TEXT_NODE || type === Node.CDATA_SECTION_NODE) return (node as Text).data.replace(/\s+/g, " ");
    if (type !== Node.ELEMENT_NODE) return "";
    const element = node as Element;
    const [name, namespace] = [nameOf(element), namespaceOf(element)];
    const isHtml = namespace === xhtml;
    const isSvg = namespace === "http://www.w3.org/2000/svg";
    if (isSvg && /^(title|desc|defs|metadata|style|script|symbol|clipPath|mask|marker|pattern)$/.test(name)) return "";
    const { display } = getComputedStyle(element);
    if (display === "none") return "";
    const inner = isHtml && holders.has(node) ? documentIn(element) : null;
    if (inner) return around(inner.body ? textOf(inner.body) : "", "block");
    // `innerText` exists only for HTML. It is read from the prototype, because a form field may shadow it.
    if (isHtml && !holders.has(node) && display !== "contents")
      return around(Reflect.get(HTMLElement.prototype, "innerText", element), display);
    const isApart = name === "tspan" && ["x", "y", "dy"].some((attribute) => Element.prototype.hasAttribute.call(element, attribute));
    return (isApart ? " " : "") + around(shown(element).map(textOf).join(""), display);
  };
  const around = (text: string, display: string) => (/^(inline|contents)/.test(display) ? text : `\n${text}\n`);
  const root = isElement ? globalThis.tintypeElement : (document.body ?? document.documentElement);
  if (!root) throw new Error("there is no document");
  collect(isElement ? (Node.prototype.getRootNode.call(root) as Document | ShadowRoot) : document);
  globalThis.tintypeText = textOf(root)
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
