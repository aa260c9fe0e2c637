/** Builds a tree of listed elements, with a CSS selector for each. Runs in the page, so these functions must be self-contained. */

interface Selectors {
  /**
   * A short selector without names that look generated. It is unique in the element's document; in a shadow root, it may match several
   * elements if the root has several children with the same tag.
   */
  selectorOf(element: Element): string;
  classesOf(element: Element): string[];
  attributeOf(element: Element, name: string): string | null;
  tagOf(element: Element): string;
  parentOf(element: Element): Element | null;
  rootOf(element: Element): Document | ShadowRoot;
  /** Positions of the children, starting at 1. */
  positions(parent: Node): Map<Element, number>;
}

/** A form's fields can shadow its own members, so members are read from the prototypes. */
export function createSelectors(): Selectors {
  const attributeOf = (element: Element, name: string) => Element.prototype.getAttribute.call(element, name);
  const tagOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element);
  const parentOf = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element);
  const rootOf = (element: Element) => Node.prototype.getRootNode.call(element) as Document | ShadowRoot;
  const generated = /^(css|sc|jsx|jss|emotion|svelte|ember|radix|mui|headlessui|react|vue|ng|astro|w-node)[-_]/i;
  const isStable = (name: string) => name.length <= 100 && /^[a-z]+([-_]{1,2}[a-z]+)*[-_]?\d{0,2}$/i.test(name) && !generated.test(name);
  const classesOf = (element: Element) => ((attributeOf(element, "class") ?? "").match(/(?<!\S)\S{1,100}(?!\S)/g) ?? []).slice(0, 20);

  const tally = (elements: Iterable<Element>, keysOf: (element: Element) => string[]) => {
    const counts = new Map<string, number>();
    for (const element of elements) for (const key of keysOf(element)) counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  };
  const namesOf = new Map<Node, Map<string, number>>();
  const isUnique = (root: Document | ShadowRoot, name: string) => {
    const keysOf = (element: Element) => [`#${attributeOf(element, "id") ?? ""}`, ...classesOf(element).map((one) => `.${one}`)];
    const counts = namesOf.get(root) ?? tally(root.querySelectorAll("[id], [class]"), keysOf);
    namesOf.set(root, counts);
    return counts.get(name) === 1;
  };

  const siblingsOf = new Map<Node, Map<Element, number>>();
  const positions = (parent: Node) => {
    const children = Reflect.get(Element.prototype, "children", parent) as Iterable<Element>;
    const known = siblingsOf.get(parent) ?? new Map([...children].map((child, at) => [child, at + 1]));
    siblingsOf.set(parent, known);
    return known;
  };
  const kindsOf = new Map<Node, Map<string, number>>();
  const isOnlyIn = (parent: Node, kind: string) => {
    const keysOf = (child: Element) => [tagOf(child), ...new Set(classesOf(child).map((one) => `.${one}`))];
    const counts = kindsOf.get(parent) ?? tally(positions(parent).keys(), keysOf); // counted only once, since lists may be long
    kindsOf.set(parent, counts);
    return counts.get(kind) === 1;
  };
  const selectors = new Map<Element, string>();
  const selectorOf = (element: Element): string => {
    const selector = selectors.get(element) ?? makeSelector(element);
    selectors.set(element, selector);
    return selector;
  };
  const makeSelector = (element: Element): string => {
    const [root, parent, id] = [rootOf(element), parentOf(element), attributeOf(element, "id")];
    if (id && isStable(id) && isUnique(root, `#${id}`)) return `#${id}`;
    const stable = classesOf(element).filter(isStable);
    const unique = stable.find((name) => isUnique(root, `.${name}`));
    if (unique) return `.${unique}`;
    const tag = tagOf(element);
    if (!parent || tag === "body") return tag;
    const named = stable.find((name) => isOnlyIn(parent, `.${name}`));
    const kind = stable[0] ? `.${stable[0]}` : CSS.escape(tag);
    const nth = `:nth-child(${positions(parent).get(element)})`;
    return `${selectorOf(parent)} > ${named ? `.${named}` : isOnlyIn(parent, tag) ? CSS.escape(tag) : kind + nth}`;
  };
  return { selectorOf, classesOf, attributeOf, tagOf, parentOf, rootOf, positions };
}

interface TreeNode {
  selector: string;
  tag: string;
  id: string | null;
  classes: string[];
  /** Position among siblings, starting at 1. */
  nth: number;
  /** Position of the parent in the list; null if there is none. */
  parent: number | null;
  /** Alternative text and URL of a picture. */
  alt: string | null;
  src: string | null;
  box: { x: number; y: number; width: number; height: number };
}

/** The part of the page that the image shows. */
interface Frame {
  /** Position of the viewport's top left corner in the frame, in CSS pixels. */
  origin: { x: number; y: number };
  /** Size of the frame, in CSS pixels. */
  size: { width: number; height: number };
  /** Image pixels per CSS pixel. */
  scale: number;
}

/** Lists the `elements`, up to 2,000 pictures, and their ancestors, in document order. `nodeOf` returns an element's index in `tree`. */
export function elementTree(
  elements: Element[],
  { origin, size, scale }: Frame,
  { selectorOf, classesOf, attributeOf, tagOf, parentOf, rootOf, positions }: Selectors,
): { tree: TreeNode[]; nodeOf(element: Element): number } {
  const tree: TreeNode[] = [];
  /** Null for a long id, since a truncated one would match nothing. */
  const idOf = (element: Element) => {
    const id = attributeOf(element, "id");
    return id === null || id.length > 300 ? null : id;
  };
  const known = new Map<Element, number>();
  const nodeOf = (element: Element): number => {
    const at = known.get(element);
    if (at !== undefined) return at;
    const above = parentOf(element) ?? (rootOf(element) as ShadowRoot).host ?? null;
    const parent = above && nodeOf(above);
    const { left, top, right, bottom } = Element.prototype.getBoundingClientRect.call(element);
    const [x, y] = [Math.max(0, left + origin.x), Math.max(0, top + origin.y)];
    const [width, height] = [Math.min(right + origin.x, size.width) - x, Math.min(bottom + origin.y, size.height) - y];
    const isPicture = /^(img|canvas|video|iframe|object|embed|svg)$/.test(tagOf(element));
    const pixels = (length: number) => Math.round(Math.max(0, length) * scale);
    tree.push({
      selector: selectorOf(element),
      tag: tagOf(element),
      id: idOf(element),
      classes: classesOf(element),
      nth: (above && positions(above).get(element)) || 1,
      parent,
      alt: isPicture ? ((attributeOf(element, "alt") ?? attributeOf(element, "aria-label"))?.slice(0, 300) ?? null) : null,
      src:
        isPicture && !globalThis.tintypeMasked?.has(element)
          ? ((element as HTMLImageElement).currentSrc || attributeOf(element, "src"))?.slice(0, 300) || null
          : null,
      box: { x: pixels(x), y: pixels(y), width: pixels(width), height: pixels(height) },
    });
    known.set(element, tree.length - 1);
    return tree.length - 1;
  };
  const pictures = [...document.querySelectorAll("img, canvas, video, iframe, object, embed, svg")].slice(0, 2_000);
  const isShown = (picture: Element) =>
    Element.prototype.getClientRects.call(picture).length && !(parentOf(picture) as SVGElement | null)?.ownerSVGElement;
  const precedes = (one: Element, other: Element) =>
    (Node.prototype.compareDocumentPosition.call(other, one) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  let next = 0;
  for (const picture of pictures.filter(isShown)) {
    for (let element = elements[next]; element && precedes(element, picture); element = elements[++next]) nodeOf(element);
    nodeOf(picture);
  }
  for (const element of elements) nodeOf(element);
  return { tree, nodeOf };
}
