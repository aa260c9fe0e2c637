/** Serializes the document. Runs in the page, so it must be self-contained. */

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
  const collect = (root: ParentNode) => {
    // A form's fields can shadow its own properties, but a form can't have a shadow root.
    for (const { shadowRoot } of root.querySelectorAll(":not(form)"))
      if (shadowRoot) {
        shadowRoots.push(shadowRoot);
        collect(shadowRoot);
      }
  };
  const element = isElement ? globalThis.tintypeElement : document.documentElement;
  if (!element) throw new Error("there is no document");
  if (document.contentType !== "text/html" && element.namespaceURI !== "http://www.w3.org/1999/xhtml") {
    const xml = new XMLSerializer().serializeToString(isElement ? element : document);
    globalThis.tintypeText = xml.replace(/^<\?xml [^>]{0,200}\?>/, (said) => said.replace(/encoding="[^"]*"/, 'encoding="UTF-8"'));
    return;
  }
  collect(element);
  if (element.shadowRoot) {
    shadowRoots.push(element.shadowRoot);
    collect(element.shadowRoot);
  }
  const removeMarks = adopted.mark(shadowRoots);
  const shell = element.cloneNode(false) as Element;
  const inner = element.getHTML({ shadowRoots });
  removeMarks();
  const end = `</${element.localName}>`;
  if (shell.getAttribute("style") === "") shell.removeAttribute("style"); // left behind by a temporary change
  const own = shell.outerHTML;
  let html = adopted.fill(own.endsWith(end) ? own.slice(0, -end.length) + inner + end : own, isElement);
  for (const meta of document.querySelectorAll('meta[charset]:not([charset="utf-8" i]), meta[http-equiv="content-type" i]')) {
    const utf8 = meta.cloneNode() as Element;
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
  const collect = (root: ParentNode) => {
    for (const element of root.querySelectorAll(":not(form)")) {
      const inner = documentIn(element);
      if (!element.shadowRoot && !inner && !isSlotted(element)) continue;
      for (let node: Node | null = element; node && !holders.has(node); node = node.parentNode) holders.add(node);
      if (element.shadowRoot) collect(element.shadowRoot);
      if (inner) collect(inner);
    }
  };
  const documentIn = (element: Element): Document | null =>
    element.localName === "iframe" || element.localName === "frame" ? (element as HTMLIFrameElement).contentDocument : null;
  const isSlotted = (node: Node): node is HTMLSlotElement =>
    (node as Element).localName === "slot" &&
    (node as Element).namespaceURI === xhtml &&
    (node as HTMLSlotElement).assignedNodes().length > 0;
  const shown = (node: Element): Node[] =>
    isSlotted(node) ? node.assignedNodes({ flatten: true }) : [...(node.shadowRoot ?? node).childNodes];
  const textOf = (node: Node): string => {
    if (node.nodeType === Node.TEXT_NODE || node.nodeType === Node.CDATA_SECTION_NODE) return (node as Text).data.replace(/\s+/g, " ");
    if (node.nodeType !== Node.ELEMENT_NODE) return "";
    const element = node as Element;
    const isHtml = Reflect.get(Element.prototype, "namespaceURI", element) === xhtml;
    if (
      !isHtml &&
      /^(title|desc|defs|metadata|style|script|symbol|clipPath|mask|marker|pattern)$/.test(element.localName) &&
      isSvg(element)
    )
      return "";
    const { display } = getComputedStyle(element);
    if (display === "none") return "";
    const inner = isHtml && holders.has(node) ? documentIn(element) : null;
    if (inner) return around(inner.body ? textOf(inner.body) : "", "block");
    // `innerText` exists only for HTML. It is read from the prototype, because a form field may shadow it.
    if (isHtml && !holders.has(node) && display !== "contents")
      return around(Reflect.get(HTMLElement.prototype, "innerText", element), display);
    const isApart = element.localName === "tspan" && ["x", "y", "dy"].some((name) => element.hasAttribute(name));
    return (isApart ? " " : "") + around(shown(element).map(textOf).join(""), display);
  };
  const isSvg = ({ namespaceURI }: Element) => namespaceURI === "http://www.w3.org/2000/svg";
  const around = (text: string, display: string) => (/^(inline|contents)/.test(display) ? text : `\n${text}\n`);
  const root = isElement ? globalThis.tintypeElement : (document.body ?? document.documentElement);
  if (!root) throw new Error("there is no document");
  collect(isElement ? (root.getRootNode() as ParentNode & Node) : document);
  globalThis.tintypeText = textOf(root)
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
