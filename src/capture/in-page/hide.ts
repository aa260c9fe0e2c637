/**
 * Collects the names that filter lists match, and hides elements with adopted style sheets, which the page's Content-Security-Policy
 * doesn't restrict.
 */

/** `selectors` are separate, because an unsupported one invalidates the whole rule. */
export interface CssRule {
  selectors: string[];
  style: string;
}

/** Names and sources found in a page. */
export interface Seen {
  classes: string[];
  ids: string[];
  hrefs: string[];
  url: string;
  /** Frames, and images that failed to load. */
  sources: { url: string; type: "sub_frame" | "image" }[];
  /** Whether rules have been applied to this document before. */
  known: boolean;
}

/** Returns undefined if the document hasn't changed since the last call. @param max maximum number of names of each kind. */
export function seen(max: number): Seen | undefined {
  const world = globalThis.tintypeOwn as { hiding?: CSSStyleSheet; changed?: boolean };
  const known = world.hiding !== undefined;
  if (known && !world.changed) return undefined;
  if (world.changed === undefined) {
    const note = () => {
      world.changed = true;
    };
    new MutationObserver(note).observe(document, { subtree: true, childList: true, attributeFilter: ["class", "id", "src"] });
  }
  world.changed = false;
  const classes = new Set<string>();
  const ids = new Set<string>();
  const hrefs = new Set<string>();
  let charactersLeft = 500_000; // looking these names up in the lists blocks the event loop
  const add = (names: Set<string>, name: string) => {
    if (name === "" || name.length >= 500 || name.length > charactersLeft || names.size >= max || names.has(name)) return;
    names.add(name);
    charactersLeft -= name.length;
  };
  for (const element of document.querySelectorAll("[class],[id],a[href]")) {
    // A form's fields can shadow its own members, so members are read from the prototype.
    const names: DOMTokenList = Reflect.get(Element.prototype, "classList", element);
    for (const name of names) add(classes, name);
    add(ids, Reflect.get(Element.prototype, "id", element));
    if (element instanceof HTMLAnchorElement) add(hrefs, element.getAttribute("href") ?? "");
  }
  const frames = new Set<string>();
  const images = new Set<string>();
  for (const frame of document.querySelectorAll<HTMLIFrameElement>("iframe[src],embed[src]")) add(frames, frame.src);
  for (const image of document.images) if (image.naturalWidth === 0) add(images, image.currentSrc || image.src);
  return {
    url: location.href.slice(0, 10_000),
    classes: [...classes],
    ids: [...ids],
    hrefs: [...hrefs],
    sources: [
      ...[...frames].map((url) => ({ url, type: "sub_frame" as const })),
      ...[...images].map((url) => ({ url, type: "image" as const })),
    ],
    known,
  };
}

interface Hidden {
  /** Rules for the document only. */
  rules: CssRule[];
  /** Rules for the document, its open shadow roots and same-origin frames. */
  everywhere: CssRule[];
  /** URLs of frames and images to hide. */
  sources: string[];
  /** Rules that hide banners. If one matches, scrolling is unlocked. */
  banners: CssRule[];
  /** Whether to unlock scrolling even if no banner matches. */
  unlock: boolean;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export function apply({ rules, everywhere, sources, banners, unlock }: Hidden): boolean {
  const force = (element: HTMLElement, property: string, value: string) => {
    // A form field may shadow `style`.
    const style: CSSStyleDeclaration =
      element instanceof HTMLFormElement ? Reflect.get(HTMLElement.prototype, "style", element) : element.style;
    style.setProperty(property, value, "important");
  };
  const addTo = (sheet: CSSStyleSheet, { selectors, style }: CssRule) => {
    const insert = (text: string) => {
      try {
        sheet.insertRule(`${text} { ${style} }`, sheet.cssRules.length);
        return true;
      } catch {
        return false;
      }
    };
    if (!insert(selectors.join(","))) selectors.forEach(insert);
  };
  const adoptInto = (root: Document | ShadowRoot, sheet: CSSStyleSheet) => {
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
  };

  const world = globalThis.tintypeOwn as { hiding?: CSSStyleSheet; changed?: boolean };
  if (world.changed === undefined) return false; // the rules are for the previous document, and `seen` has not read this one
  world.hiding ??= new CSSStyleSheet();
  const sheet = world.hiding;
  for (const rule of rules) addTo(sheet, rule);
  adoptInto(document, sheet);

  const blocked = new Set(sources);
  for (const element of document.querySelectorAll<HTMLElement & { src: string; currentSrc?: string }>("iframe[src],embed[src],img"))
    if (blocked.has(element.currentSrc || element.src)) force(element, "display", "none");

  const descend = (view: typeof globalThis) => {
    const own = new view.CSSStyleSheet();
    for (const rule of everywhere) addTo(own, rule);
    adoptInto(view.document, own);
    for (const element of view.document.querySelectorAll("*")) into(element, own);
  };
  const into = (element: Element, own: CSSStyleSheet) => {
    // A form field may shadow `shadowRoot`.
    if (element.shadowRoot?.mode) {
      adoptInto(element.shadowRoot, own);
      for (const inner of element.shadowRoot.querySelectorAll("*")) into(inner, own);
    }
    // Documents of cross-origin frames are not accessible.
    const frame = element as HTMLIFrameElement;
    if (Reflect.get(Element.prototype, "localName", element) === "iframe" && frame.contentDocument?.documentElement)
      descend(frame.contentWindow as unknown as typeof globalThis);
  };
  if (everywhere.length > 0) descend(globalThis);

  const isThere = (selector: string) => {
    try {
      return document.querySelector(selector) !== null;
    } catch {
      return false;
    }
  };
  const found = banners.some(({ selectors }) => selectors.some(isThere));
  if (!found && !unlock) return false;
  for (const element of [document.documentElement, document.body]) {
    if (!element) continue;
    const { overflowY, position } = getComputedStyle(element);
    if (overflowY === "hidden" || overflowY === "clip") force(element, "overflow-y", element === document.body ? "visible" : "auto");
    if (position === "fixed") {
      force(element, "position", "static");
      force(element, "top", "auto");
    }
  }
  return found;
}
