/** Measures how much of an element is painted. The functions are serialized into the page and receive one another as arguments. */

interface Painted {
  /**
   * Share of the element's own box that is rendered, times its opacity: from 0 to 1, including the effect of its ancestors. An element
   * whose text has the size 0 counts half, because its background may be painted. For an SVG line that a script draws from its start to its
   * end, also times the share that is drawn.
   */
  amount: number;
  /** CSS pixels from the document's top left corner, even while the document is scaled down. */
  box: { left: number; top: number; right: number; bottom: number };
  /** Area of the element's own box in square CSS pixels, regardless of transforms. */
  size: number;
  style: CSSStyleDeclaration;
}

type Measure = (element: Element) => Painted;

/**
 * Share of a box of this size that `clip-path` and `filter` leave visible. Shapes other than `inset()`, `circle()` and `polygon()` are
 * ignored.
 */
export function shareLeft({ clipPath, filter }: CSSStyleDeclaration, width: number, height: number): number {
  const lengthMax = 500;
  let share = 1;
  if (filter.length + clipPath.length > lengthMax) return share;
  if (filter !== "none") {
    const opacity = /opacity\(([\d.]+)\)/.exec(filter)?.[1];
    share = Number(opacity ?? 1) / (1 + Number(/blur\(([\d.]+)px\)/.exec(filter)?.[1] ?? 0) / 20);
  }
  const [, shape, values = ""] = /^(inset|circle|polygon)\(([^()]*)\)/.exec(clipPath) ?? [];
  const pixels = (value: string | undefined, of: number) => (Number.parseFloat(value ?? "0") || 0) * (value?.endsWith("%") ? of / 100 : 1);
  if (shape === "inset") {
    const [top, right = top, bottom = top, left = right] = (values.split(" round ")[0] ?? "").split(" ");
    const shown = [width - pixels(left, width) - pixels(right, width), height - pixels(top, height) - pixels(bottom, height)];
    share *= shown.reduce((product, length, at) => product * Math.min(1, Math.max(0, length) / (at ? height : width)), 1);
  } else if (shape === "circle" && /^[\d.]/.test(values)) {
    share *= Math.min(1, (Math.PI * pixels(values.split(" ")[0], Math.hypot(width, height) / Math.SQRT2) ** 2) / (width * height));
  } else if (shape === "polygon") {
    const points = values.split(",").map((point) => point.trim().split(" "));
    const corners = points.map(([x, y]) => [pixels(x, width), pixels(y, height)] as const);
    const twice = corners.reduce((sum, [x, y], at) => {
      const [nextX, nextY] = corners[(at + 1) % corners.length] ?? [0, 0];
      return sum + x * nextY - nextX * y;
    }, 0);
    share *= Math.min(1, Math.abs(twice) / 2 / (width * height));
  }
  return share;
}

/** Effect of an element's ancestors: the amount that they leave visible, and where they clip it. */
type Around = Painted["box"] & { amount: number };

/** Returns a function that determines how an element and its ancestors affect its content, and caches the results. */
export function createAround(page: DOMRect, scale: number, left: typeof shareLeft): (element: Element) => Around {
  const root = document.documentElement;
  const slotOf = (node: Element): Node | null => Reflect.get(Element.prototype, "assignedSlot", node);
  const parentOf = (node: Element): Element | null => {
    const parent: Node | null = slotOf(node) ?? Reflect.get(Node.prototype, "parentNode", node);
    return parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
  };
  // The root element is excluded, because `passOver` makes it transparent.
  const outside: Around = { amount: 1, left: page.left, top: page.top, right: page.right, bottom: Number.POSITIVE_INFINITY };
  const known = new Map<Element, Around>([[root, outside]]);
  const within = (element: Element | null): Around => {
    if (!element) return outside;
    const before = known.get(element);
    if (before) return before;
    const found = { ...within(parentOf(element)) };
    const style = getComputedStyle(element);
    const box = Element.prototype.getBoundingClientRect.call(element);
    found.amount *= Number(style.opacity) * left(style, box.width / scale, box.height / scale);
    if (element !== document.body && style.display !== "contents") {
      if (style.overflowX !== "visible") [found.left, found.right] = [Math.max(found.left, box.left), Math.min(found.right, box.right)];
      if (style.overflowY !== "visible") [found.top, found.bottom] = [Math.max(found.top, box.top), Math.min(found.bottom, box.bottom)];
    }
    known.set(element, found);
    return found;
  };
  return (element) => within(parentOf(element));
}

/** Returns a function that measures elements in their current state. */
export function createMeasure(left: typeof shareLeft, aroundOf: typeof createAround): Measure {
  const root = document.documentElement as HTMLHtmlElement;
  const page = root.getBoundingClientRect();
  const scale = page.width / root.offsetWidth || 1;
  const around = aroundOf(page, scale, left);
  const isText = (node: Node) =>
    Reflect.get(Node.prototype, "nodeType", node) === Node.TEXT_NODE && /\S/.test(Reflect.get(Node.prototype, "nodeValue", node) ?? "");
  /** White space often has the size 0, so that there are no gaps between inline blocks. */
  const textLeft = (element: Element, { fontSize }: CSSStyleDeclaration) =>
    fontSize === "0px" && [...(Reflect.get(Node.prototype, "childNodes", element) as NodeList)].some(isText) ? 0.5 : 1;
  /** Such a line is a single dash, at least as long as the line, which is moved along it from outside. */
  const lineLeft = (element: Element, { strokeDasharray, strokeDashoffset }: CSSStyleDeclaration, box: DOMRect) => {
    if (strokeDasharray === "none" || !(element instanceof SVGGeometryElement)) return 1;
    const dash = Number.parseFloat(strokeDasharray);
    const isOne = dash * scale >= Math.max(box.width, box.height);
    return isOne ? 1 - Math.min(1, Math.abs(Number.parseFloat(strokeDashoffset)) / dash) : 1;
  };
  const sideOf = (element: HTMLElement, side: "offsetWidth" | "offsetHeight"): number =>
    Reflect.get(HTMLElement.prototype, side, element) * scale;
  return (element) => {
    const style = getComputedStyle(element);
    const box = Element.prototype.getBoundingClientRect.call(element); // a form field may shadow `getBoundingClientRect`
    const hasSides = element instanceof HTMLElement;
    const [width, height] = hasSides ? [sideOf(element, "offsetWidth"), sideOf(element, "offsetHeight")] : [box.width, box.height];
    const outer = around(element);
    const shownWidth = Math.min(box.right, outer.right) - Math.max(box.left, outer.left);
    const shownHeight = Math.min(box.bottom, outer.bottom) - Math.max(box.top, outer.top);
    const isTurned =
      style.backfaceVisibility === "hidden" && style.transform.startsWith("matrix3d") && new DOMMatrix(style.transform).m33 < 0;
    const isHidden = style.visibility !== "visible" || isTurned || (box.width === 0 && !Element.prototype.checkVisibility.call(element));
    const area = Math.max(0, shownWidth) * Math.max(0, shownHeight);
    // An element without its own box still shows its content.
    const share = isHidden ? 0 : width * height === 0 ? 1 : Math.min(1, area / (width * height));
    const drawn = left(style, width / scale, height / scale) * textLeft(element, style) * lineLeft(element, style, box);
    return {
      amount: share * outer.amount * Number(style.opacity) * drawn,
      box: {
        left: (box.left - page.left) / scale,
        top: (box.top - page.top) / scale,
        right: (box.right - page.left) / scale,
        bottom: (box.bottom - page.top) / scale,
      },
      size: (width * height) / scale ** 2,
      style,
    };
  };
}
