/** Lays out all of a frame's content that scrolls instead of the document. Runs in the page; the changes can be undone (`undo.ts`). */

interface World {
  undo?: (() => void)[];
}

/**
 * If the document shows little more than one frame of the same origin, expands the frame until all of its content is in view, down to
 * `heightMax` CSS pixels. What has a share of the window's height keeps its size.
 * @returns whether it had to grow.
 */
export function expandFrame(heightMax: number): boolean {
  const [shareMin, pinnedMax] = [0.9, 5_000];
  const world = globalThis.tintypeOwn as World;
  const force = (element: Element, values: Record<string, string>) => {
    // A form field may shadow `style`; an element of the frame is none of this document's classes.
    const style: CSSStyleDeclaration = Reflect.get(nameOf(element) === "form" ? HTMLElement.prototype : element, "style", element);
    for (const [name, value] of Object.entries(values)) {
      const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
      world.undo?.push(() => style.setProperty(name, own, priority));
      style.setProperty(name, value, "important");
    }
  };
  // A form field may shadow its form's members.
  const nameOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element);
  const sideOf = (element: Element, side: "clientHeight" | "scrollHeight"): number => Reflect.get(Element.prototype, side, element);
  const heightOf = (element: Element): number => Element.prototype.getBoundingClientRect.call(element).height;
  const parentOf = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element);
  const page = document.scrollingElement ?? document.documentElement;
  const frame = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  if (!(frame instanceof HTMLIFrameElement) || page.scrollHeight > 1.5 * innerHeight) return false;
  const { width, height } = Element.prototype.getBoundingClientRect.call(frame);
  const inner = frame.contentDocument?.scrollingElement;
  if (!inner || width < innerWidth * shareMin || height < innerHeight * shareMin) return false;
  const missing = Math.min(sideOf(inner, "scrollHeight") - sideOf(inner, "clientHeight"), heightMax - sideOf(frame, "clientHeight"));
  if (missing < 1 || /hidden|clip/.test(getComputedStyle(inner).overflowY)) return false;
  world.undo ??= [];
  const elements = [...Element.prototype.querySelectorAll.call(inner, "*")].slice(0, pinnedMax);
  // Unlike other computed values, these are `auto` unless the height is set, and lengths once shares of the window are resolved.
  const sizesOf = (element: Element) =>
    ["height", "min-height", "max-height"].map(
      (name) => [name, String(Element.prototype.computedStyleMap.call(element).get(name))] as const,
    );
  const before = elements.map(sizesOf);
  for (let holder: Element | null = frame; holder; holder = parentOf(holder)) {
    const { position } = getComputedStyle(holder);
    force(holder, { "min-height": `${heightOf(holder) + missing}px`, "max-height": "none", transition: "none" });
    if (position === "fixed") force(holder, { position: "absolute" });
  }
  for (const [index, element] of elements.entries()) {
    const now = new Map(sizesOf(element));
    const changed = (before[index] ?? []).filter(([name, value]) => value.endsWith("px") && now.get(name) !== value);
    if (changed.length > 0 && "style" in element) force(element, Object.fromEntries(changed));
  }
  return true;
}
