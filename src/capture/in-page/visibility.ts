/** Measures how visible an element is. Runs in the page, so it must be self-contained. */

/**
 * Returns the visible share of `target`, from 0 to 1, times the square of its opacity, so that two images in a crossfade score lower than a
 * single opaque one.
 * @param pseudo the pseudo-element to measure, such as `::before`; null for the element itself.
 */
export function visibilityOf(target: Element, pseudo: string | null): number {
  const ancestorsMax = 30;
  const parentOf = (node: Node): Element | undefined =>
    Reflect.get(Node.prototype, "parentElement", node) ?? (Node.prototype.getRootNode.call(node) as Partial<ShadowRoot>).host;
  const nameOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element); // a form field may shadow it
  const style = getComputedStyle(target, pseudo);
  if (style.display === "none" || style.visibility !== "visible") return 0;
  const boxOf = (element: Element) => Element.prototype.getBoundingClientRect.call(element);
  let { left, top, right, bottom } = boxOf(target);
  const sideOf = (name: string) => Reflect.get(target instanceof HTMLFormElement ? HTMLElement.prototype : target, name, target);
  const whole = (sideOf("offsetWidth") ?? right - left) * (sideOf("offsetHeight") ?? bottom - top);
  [left, right, top] = [Math.max(left, 0), Math.min(right, innerWidth), Math.max(top, -scrollY)];
  let opacity = Number(style.opacity);
  let around = pseudo === null ? parentOf(target) : target;
  for (let level = 0; around && level < ancestorsMax; level += 1, around = parentOf(around)) {
    const { opacity: outer, overflowX, overflowY } = getComputedStyle(around);
    opacity *= Number(outer);
    if (/^(body|html)$/.test(nameOf(around))) continue; // their overflow belongs to the window
    if (overflowX !== "visible") [left, right] = [Math.max(left, boxOf(around).left), Math.min(right, boxOf(around).right)];
    if (overflowY !== "visible") [top, bottom] = [Math.max(top, boxOf(around).top), Math.min(bottom, boxOf(around).bottom)];
  }
  const area = Math.max(0, right - left) * Math.max(0, bottom - top);
  return area > 0 ? Math.min(1, area / whole) * opacity ** 2 : 0;
}
