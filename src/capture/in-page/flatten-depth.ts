/** Projects layers at different depths without perspective. Runs in the page, so it must be self-contained; changes can be undone (`undo.ts`). */

interface World {
  /** Set by `expandMainScroller`. */
  mainScroller?: Element;
  undo?: (() => void)[];
}

/**
 * Gives layers that scroll at different speeds, because they are at different depths in an expanded scroller, their size in the middle of the
 * window: perspective from the middle of the whole content would move them away from where they belong. Their order is kept.
 */
export function flattenDepth(): void {
  const inspectedMax = 20_000;
  const { mainScroller, undo } = globalThis.tintypeOwn as World;
  const distance = mainScroller ? Number.parseFloat(getComputedStyle(mainScroller).perspective) : Number.NaN;
  if (!mainScroller || !undo || !(distance > 0)) return;
  const force = (element: HTMLElement, name: string, value: string) => {
    const style: CSSStyleDeclaration = Reflect.get(HTMLElement.prototype, "style", element); // a form field may shadow it
    const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
    undo.push(() => style.setProperty(name, own, priority));
    style.setProperty(name, value, "important");
  };
  const childrenOf = (element: Element, depth: number) =>
    [...Reflect.get(Element.prototype, "children", element)].map((child: Element) => ({ child, depth }));
  // Iterating over an array includes elements added during the iteration.
  const layers = childrenOf(mainScroller, 0);
  for (const { child, depth } of layers) {
    if (layers.length > inspectedMax) break;
    if (!(child instanceof HTMLElement)) continue;
    const { transform, transformStyle } = getComputedStyle(child);
    const matrix = new DOMMatrix(transform === "none" ? "" : transform);
    const size = distance / (distance - depth - matrix.m43);
    if (transformStyle === "preserve-3d") layers.push(...childrenOf(child, depth + matrix.m43));
    const isTurned = [matrix.m13, matrix.m23, matrix.m31, matrix.m32].some((share) => share !== 0);
    if (size === 1 || !(size > 0) || !Number.isFinite(size) || isTurned) continue;
    const { m11, m12, m21, m22, m41, m42, m43 } = matrix;
    const flat = [m11 * size, m12 * size, 0, 0, m21 * size, m22 * size, 0, 0, 0, 0, 1, 0, m41 * size, m42 * size, m43, 1];
    force(child, "transform", `matrix3d(${flat.join()})`);
  }
  force(mainScroller as HTMLElement, "perspective", "none");
}
