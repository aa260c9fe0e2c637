/** Finds content that a cut should not go through. Runs in the page, so it must be self-contained. */

/** CSS pixels from the top of the document. */
export type Extent = [top: number, bottom: number];

/** Lines of text, elements that should stay whole, and the page's scroll position in CSS pixels. */
export function contentBoxes(): { lines: Extent[]; blocks: Extent[]; scrolled: number } {
  const nodesMax = 50_000;
  const boxesMax = 40_000;
  /** Deadline. Where content hasn't been inspected by then, cuts are chosen by pixels alone. */
  const end = performance.now() + 2_000;
  const lines: Extent[] = [];
  const blocks: Extent[] = [];
  const range = document.createRange();
  const rounded = (at: number) => Math.round(at * 100) / 100; // keeps the serialized result short
  const add = (to: Extent[], { top, bottom, width }: DOMRect) => {
    if (width >= 1 && bottom - top >= 1 && to.length < boxesMax) to.push([rounded(top + scrollY), rounded(bottom + scrollY)]);
  };
  const whole = "img, svg, canvas, video, iframe, embed, object, button, input, select, textarea, tr, h1, h2, h3, h4, h5, h6";
  /** Text that is only for screen readers is often in one-pixel boxes. */
  const isShown = (element: Element) =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true }) &&
    Element.prototype.getBoundingClientRect.call(element).height > 3;
  let visited = 0;
  const visit = (root: Document | ShadowRoot) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && visited < nodesMax && performance.now() < end; node = walker.nextNode()) {
      visited += 1;
      if (node instanceof Element) {
        if (Element.prototype.matches.call(node, whole) && isShown(node)) add(blocks, Element.prototype.getBoundingClientRect.call(node));
        if (node.shadowRoot?.mode) visit(node.shadowRoot); // a form field may shadow `shadowRoot`
        continue;
      }
      const { data, parentElement } = node as Text;
      if (data.trim() && parentElement && isShown(parentElement)) {
        range.selectNodeContents(node);
        for (const line of range.getClientRects()) add(lines, line);
      }
    }
  };
  visit(document);
  return { lines, blocks, scrolled: scrollY };
}
