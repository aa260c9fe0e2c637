/** Locates listed elements in the document, with a CSS selector for each. Runs in the page, so it must be self-contained. */

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

/** The functions of `createSelectors` used here. */
interface Selectors {
  selectorOf(element: Element): string;
  classesOf(element: Element): string[];
  attributeOf(element: Element, name: string): string | null;
  tagOf(element: Element): string;
  parentOf(element: Element): Element | null;
  rootOf(element: Element): Document | ShadowRoot;
  positions(parent: Node): Map<Element, number>;
}

interface Frame {
  /** Position of the viewport's top left corner in the frame, in CSS pixels. */
  origin: { x: number; y: number };
  /** Size of the frame, in CSS pixels. */
  size: { width: number; height: number };
  /** Image pixels per CSS pixel. */
  scale: number;
}

/** Lists the `elements`, their containers, and all pictures, in document order. `nodeOf` returns the position of an element. */
export function elementTree(
  elements: Element[],
  { origin, size, scale }: Frame,
  { selectorOf, classesOf, attributeOf, tagOf, parentOf, rootOf, positions }: Selectors,
): { tree: TreeNode[]; nodeOf(element: Element): number } {
  const tree: TreeNode[] = [];
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
      id: attributeOf(element, "id"),
      classes: classesOf(element),
      nth: (above && positions(above).get(element)) || 1,
      parent,
      alt: isPicture ? (attributeOf(element, "alt") ?? attributeOf(element, "aria-label")) : null,
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
