/** Lists elements that a person can use or read, or that match selectors. Runs in the page, so these functions must be self-contained. */

/** The parts of axe-core used here. */
export interface Axe {
  setup(): void;
  teardown(): void;
  utils: { getNodeFromTree(element: Element): object | null };
  commons: { aria: { getRole(node: object): string | null }; text: { accessibleTextVirtual(node: object): string } };
}

interface Frame {
  /** The part of the page that the image shows, in CSS pixels from the document's top left corner; null for the viewport. */
  clip: { x: number; y: number; width: number; height: number } | null;
  /** Image pixels per CSS pixel. */
  scale: number;
  elementsMax: number;
}

export interface Shown {
  element: Element;
  /** The part of the element that is inside the frame, in CSS pixels from the frame's top left corner. */
  box: { x: number; y: number; width: number; height: number };
  isUsable: boolean;
}

interface Listed {
  /** Position of the viewport's top left corner in the frame, in CSS pixels. */
  origin: { x: number; y: number };
  /** Size of the frame, in CSS pixels. */
  size: { width: number; height: number };
  /** Elements in the frame that are not covered, in document order. */
  found: Shown[];
  isComplete: boolean;
}

export function shownElements({ clip, elementsMax }: Frame): Listed {
  const page = document.scrollingElement ?? document.documentElement;
  const { direction, writingMode } = getComputedStyle(document.body ?? page);
  // A right-to-left page starts scrolled to its right edge, where its scroll offset is 0.
  const isFromRight = writingMode === "horizontal-tb" ? direction === "rtl" : writingMode.endsWith("-rl");
  const left = scrollX + (isFromRight ? page.scrollWidth - innerWidth : 0);
  const frame = clip ?? { x: left, y: scrollY, width: innerWidth, height: innerHeight };
  const usable =
    "a[href], area[href], button, input:not([type=hidden]), select, textarea, summary, option, [contenteditable=''], [contenteditable=true], [tabindex]:not([tabindex='-1']), [onclick], [role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=menuitem], [role=option], [role=slider], [role=textbox], [role=combobox], [role=searchbox]";
  // A form's fields can shadow its own members, such as `children`, so members are read from the prototypes.
  const is = (element: Element, selector: string) => Element.prototype.matches.call(element, selector);
  const isSeen = (element: Element) => Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const nodesOf = (parent: Node): ChildNode[] => Reflect.get(Node.prototype, "childNodes", parent) as never;
  const hasOwnText = (element: Element) => [...nodesOf(element)].some((node) => node instanceof Text && node.data.trim() !== "");
  const isPicture = (element: Element) => is(element, "img[alt]:not([alt='']), [role=img], svg[aria-label]");

  const boxOf = (element: Element) => {
    // If a link wraps, the center of its bounding box may lie outside the link, so its largest rectangle is used.
    const [rectangle] = [...Element.prototype.getClientRects.call(element)].sort((a, b) => b.width * b.height - a.width * a.height);
    if (!rectangle || rectangle.width < 1 || rectangle.height < 1) return undefined;
    const [x, y] = [rectangle.left + left - frame.x, rectangle.top + scrollY - frame.y];
    const [right, bottom] = [Math.min(x + rectangle.width, frame.width), Math.min(y + rectangle.height, frame.height)];
    const box = { x: Math.max(x, 0), y: Math.max(y, 0), width: right - Math.max(x, 0), height: bottom - Math.max(y, 0) };
    return box.width >= 1 && box.height >= 1 ? box : undefined;
  };
  const isCovered = (element: Element, { x, y, width, height }: Shown["box"]) => {
    const [middleX, middleY] = [x + frame.x + width / 2 - left, y + frame.y + height / 2 - scrollY];
    // A point outside the window can't be tested.
    if (middleX < 0 || middleY < 0 || middleX >= innerWidth || middleY >= innerHeight) return false;
    const hit = (Node.prototype.getRootNode.call(element) as Document | ShadowRoot).elementFromPoint(middleX, middleY);
    const contains = (outer: Node | null, inner: Node) => outer !== null && Node.prototype.contains.call(outer, inner);
    if (hit === null || contains(element, hit) || contains(hit, element)) return false;
    return !contains(Element.prototype.closest.call(hit, "label"), element);
  };

  const found: Shown[] = [];
  let isComplete = true;
  const visit = (parent: Node, within: Shown | undefined): void => {
    for (const element of nodesOf(parent)) {
      if (!isComplete) return;
      if (!(element instanceof Element) || getComputedStyle(element).display === "none") continue;
      const isUsable = is(element, usable);
      const isRead =
        !within?.isUsable &&
        (isPicture(element) || (hasOwnText(element) && !(within && /^inline/.test(getComputedStyle(element).display))));
      const box = isUsable || isRead ? boxOf(element) : undefined;
      const shown = box && isSeen(element) && !isCovered(element, box) ? { element, box, isUsable } : undefined;
      if (shown) isComplete = found.length < elementsMax && found.push(shown) > 0;
      if (element.shadowRoot?.mode) visit(element.shadowRoot, shown ?? within);
      visit(element, shown ?? within);
    }
  };
  visit(document, undefined);
  const origin = { x: left - frame.x, y: scrollY - frame.y };
  return { origin, size: { width: frame.width, height: frame.height }, found, isComplete };
}

type TreeOf = (
  elements: Element[],
  frame: { origin: Listed["origin"]; size: Listed["size"]; scale: number },
) => { tree: { selector: string }[]; nodeOf(element: Element): number };

/** Stores the elements in `tintypeText` as JSON. Returns whether all of them are listed. */
export function keepElements({ origin, size, found, isComplete }: Listed, axe: Axe, { scale }: Frame, treeOf: TreeOf): boolean {
  const short = (text: string) => text.slice(0, 3_000).replace(/\s+/g, " ").trim().slice(0, 300);
  const addressMax = 2_048;
  const pixels = (length: number) => Math.round(length * scale);
  // Fallback for elements that axe-core can't reach or fails on, such as forms whose fields shadow their members.
  const roles: Record<string, string> = { a: "link", button: "button", input: "textbox", select: "combobox", textarea: "textbox" };
  const tagOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element);
  const attributeOf = (element: Element, name: string) => Element.prototype.getAttribute.call(element, name);
  // biome-ignore lint/performance/useDomNodeTextContent: hidden text is left out
  const labelOf = (element: Element) => attributeOf(element, "aria-label") ?? (element as HTMLInputElement).labels?.[0]?.innerText;
  const attempt = <T>(read: () => T) => {
    try {
      return read();
    } catch {
      return undefined;
    }
  };
  const { tree, nodeOf } = treeOf(
    found.map(({ element }) => element),
    { origin, size, scale },
  );
  attempt(() => axe.setup());
  const elements = found.map(({ element, box }) => {
    const node = attempt(() => axe.utils.getNodeFromTree(element));
    const isHtml = element instanceof HTMLElement;
    const text: string = Reflect.get((isHtml ? HTMLElement : Node).prototype, isHtml ? "innerText" : "textContent", element) ?? "";
    const isLink = element instanceof HTMLAnchorElement || element instanceof HTMLAreaElement;
    const href = isLink ? attributeOf(element, "href") : null;
    const address = href === null || href.length > addressMax ? undefined : URL.parse(href, document.baseURI)?.href;
    return {
      role: (node ? attempt(() => axe.commons.aria.getRole(node)) : roles[tagOf(element)]) || "text",
      name: short((node && attempt(() => axe.commons.text.accessibleTextVirtual(node))) ?? labelOf(element) ?? text),
      tag: tagOf(element),
      text: short(text),
      href: address !== undefined && address.length <= addressMax ? address : null,
      box: { x: pixels(box.x), y: pixels(box.y), width: pixels(box.width), height: pixels(box.height) },
      selector: tree[nodeOf(element)]?.selector,
      node: nodeOf(element),
    };
  });
  attempt(() => axe.teardown());
  globalThis.tintypeText = JSON.stringify({ width: pixels(size.width), height: pixels(size.height), elements, tree });
  return isComplete;
}

interface Bounds {
  elementsMax: number;
  /** Maximum total length of the elements' JSON, in characters. */
  lengthMax: number;
}

/** Stores the matches in `tintypeText` as JSON. Returns whether all of them fit, or the first invalid selector. */
export function keepMatches(selectors: string[], { elementsMax, lengthMax }: Bounds): { isComplete: boolean; wrong?: string } {
  const fragment = document.createDocumentFragment();
  for (const selector of selectors)
    try {
      fragment.querySelector(selector);
    } catch {
      return { isComplete: true, wrong: selector };
    }
  const roots: (Document | ShadowRoot)[] = [document]; // a form field may shadow `shadowRoot`, but has no `mode`
  for (const root of roots) for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot?.mode) roots.push(shadowRoot);
  let count = 0;
  let length = 0;
  // A form's fields can shadow its own members, so members are read from the prototypes.
  const { tintypeMasked } = globalThis;
  const isMasked = (element: Element) => tintypeMasked?.has(element) ?? false;
  const tagOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element);
  const copies = document.implementation.createHTMLDocument("");
  const htmlOf = (element: Element): string => {
    if (!tintypeMasked) return Reflect.get(Element.prototype, "innerHTML", element);
    const copy = copies.importNode(element, true);
    const within = (parent: Element, selector: string) => [...Element.prototype.querySelectorAll.call(parent, selector)];
    const originals = within(element, "*");
    for (const [index, one] of within(copy, "*").entries())
      if (isMasked(originals[index] as Element)) Element.prototype.replaceWith.call(one, copies.createElement(tagOf(one)));
    for (const one of within(copy, "script, noscript, template")) (one as HTMLTemplateElement).innerHTML = "";
    for (const frame of within(copy, "iframe")) (frame as HTMLIFrameElement).removeAttribute("srcdoc");
    return isMasked(element) || tagOf(element) === "template" ? "" : Reflect.get(Element.prototype, "innerHTML", copy);
  };
  const describe = (element: Element) => {
    const { x, y, width, height } = Element.prototype.getBoundingClientRect.call(element);
    const isHtml = element instanceof HTMLElement;
    const text: string = Reflect.get((isHtml ? HTMLElement : Node).prototype, isHtml ? "innerText" : "textContent", element) ?? "";
    const names = Element.prototype.getAttributeNames
      .call(element)
      .filter((name) => !tintypeMasked || (isMasked(element) ? /^(id|class|role|type)$/.test(name) : name !== "srcdoc"));
    const attributes = names.map((name) => ({ name, value: String(Element.prototype.getAttribute.call(element, name)) }));
    return { tag: tagOf(element), attributes, html: htmlOf(element), text, box: { x, y, width, height } };
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
