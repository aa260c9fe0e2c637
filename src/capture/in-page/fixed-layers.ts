/** Adapts fixed elements, which `unroll` has found, to a full-page image. Runs in the page; the changes can be undone (`undo.ts`). */

interface World {
  /** The fixed elements in the document's body, from the outer to the inner. */
  fixed?: HTMLElement[];
  undo?: (() => void)[];
  backdrops?: HTMLElement[];
}

/**
 * Moves elements fixed to the bottom of the window to the bottom of the page, but not below `heightMax` CSS pixels, and extends translucent
 * layers, such as dialog backdrops, over the whole page, since a visitor sees both at every scroll position. The page must be scrolled to
 * the top.
 */
export function placeFixedLayers(heightMax: number): void {
  const [edgeMax, opaqueMin] = [40, 0.95];
  const world = globalThis.tintypeOwn as World;
  world.undo ??= [];
  const force = (element: HTMLElement, name: string, value: string) => {
    // A form field may shadow `style`.
    const style: CSSStyleDeclaration =
      element instanceof HTMLFormElement ? Reflect.get(HTMLElement.prototype, "style", element) : element.style;
    const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
    world.undo?.push(() => style.setProperty(name, own, priority));
    style.setProperty(name, value, "important");
  };
  const height = Math.min(heightMax, (document.scrollingElement ?? document.documentElement).scrollHeight);
  if (height <= innerHeight) return;
  const memberOf = (element: Element, name: string) =>
    Reflect.get(element instanceof HTMLFormElement ? HTMLElement.prototype : element, name, element);
  // A fixed element inside a transformed ancestor, for example, scrolls with the page and has an `offsetParent`.
  const isFixed = (element: HTMLElement) => getComputedStyle(element).position === "fixed" && memberOf(element, "offsetParent") === null;
  const fixed = (world.fixed ?? []).filter(isFixed);
  const alphaOf = (color: string) => Number(/^rgba\(.*, ([\d.]+)\)$/.exec(color)?.[1] ?? 1);
  const isVeil = (color: string) => alphaOf(color) > 1 - opaqueMin && alphaOf(color) < opaqueMin;
  for (const element of fixed) {
    const { left, top, right, bottom } = Element.prototype.getBoundingClientRect.call(element);
    const { backgroundColor, boxShadow, translate } = getComputedStyle(element);
    const coversWindow = left <= 1 && top <= 1 && right >= innerWidth - 1 && bottom >= innerHeight - 1;
    // A box shadow extends the layer's color without moving its content.
    if (coversWindow && isVeil(backgroundColor) && boxShadow === "none" && bottom <= innerHeight + 1)
      force(element, "box-shadow", `0 0 0 ${height}px ${backgroundColor}`);
    const isAtBottom = top >= innerHeight / 2 && bottom <= innerHeight + 1 && bottom >= innerHeight - edgeMax;
    if (!isAtBottom || translate !== "none" || fixed.some((one) => one !== element && Node.prototype.contains.call(element, one))) continue;
    force(element, "transition", "none");
    force(element, "translate", `0 ${height - innerHeight}px`);
  }
  const modal = document.querySelector<HTMLElement>("dialog:modal");
  const color = modal && getComputedStyle(modal, "::backdrop").backgroundColor;
  if (!modal || !color || !isVeil(color)) return;
  const sheet = new CSSStyleSheet();
  sheet.insertRule(`dialog:modal::backdrop { box-shadow: 0 0 0 ${height}px ${color} !important; }`);
  document.adoptedStyleSheets.push(sheet);
  world.undo.push(() => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
  });
}

/** Hides what is fixed below the window, such as a layer that has slid out of it: visitors never see it. */
export function hideBelowWindow(): void {
  const world = globalThis.tintypeOwn as World;
  world.undo ??= [];
  let inspectedLeft = 20_000;
  /** A sheet shows at most this share of the window, at its bottom. Anything higher up is content: some scripts move a fixed page. */
  const sheetShare = 0.2;
  const sheetsMax = 20;
  const boxOf = (element: Element): DOMRect => Element.prototype.getBoundingClientRect.call(element);
  const hasBox = (element: Element) => boxOf(element).width * boxOf(element).height > 0;
  const isOut = (element: Element) => boxOf(element).top >= innerHeight - 1 || !hasBox(element);
  /** Whether an element has a box, and it and all boxes within it are below the window. */
  const isBelow = (element: Element): boolean => {
    if (!hasBox(element) || !isOut(element)) return false;
    const all = [element, ...Element.prototype.getElementsByTagName.call(element, "*")];
    inspectedLeft -= all.length;
    return inspectedLeft > 0 && all.every((one) => !one.shadowRoot?.mode && isOut(one)); // a form field may shadow `shadowRoot`
  };
  /** Whether an element is a sheet of which only the tab at the window's bottom is visible. */
  const isSheet = (element: HTMLElement) => {
    const { top, bottom } = boxOf(element);
    if (top < (1 - sheetShare) * innerHeight || bottom <= innerHeight + 1) return false;
    const { clipPath, filter, rotate, scale, transform, translate } = getComputedStyle(element);
    return [clipPath, filter, rotate, scale, transform, translate].every((value) => value === "none");
  };
  // Each change would force a layout, so all are found before any is changed.
  const below: HTMLElement[] = [];
  const sheets: [HTMLElement, number][] = [];
  for (const element of world.fixed ?? []) {
    const last = below.at(-1);
    if (getComputedStyle(element).position !== "fixed" || (last && Node.prototype.contains.call(last, element))) continue;
    // A fixed element inside a transformed ancestor scrolls with the page, and has an `offsetParent`.
    if (Reflect.get(HTMLElement.prototype, "offsetParent", element) !== null) continue;
    if (isBelow(element)) below.push(element);
    else if (sheets.length < sheetsMax && isSheet(element)) sheets.push([element, boxOf(element).bottom - innerHeight]);
  }
  const force = (element: HTMLElement, values: Record<string, string>) => {
    const style: CSSStyleDeclaration = Reflect.get(HTMLElement.prototype, "style", element);
    for (const [name, value] of Object.entries(values)) {
      const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
      world.undo?.push(() => style.setProperty(name, own, priority));
      style.setProperty(name, value, "important");
    }
  };
  for (const element of below) force(element, { transition: "none", opacity: "0" });
  for (const [element, px] of sheets) force(element, { transition: "none", "clip-path": `inset(-9999px -9999px ${px}px -9999px)` });
}

/**
 * Finds backdrops: fixed elements that cover the viewport behind the content, except for narrow margins, and are empty or contain only a
 * picture as large as the viewport. The page must be scrolled to the top.
 * @returns whether there are any. `extendBackdrops` extends them.
 */
export function findBackdrops(): boolean {
  const { fixed = [] } = globalThis.tintypeOwn as World;
  const pageHeight = (document.scrollingElement ?? document.documentElement).scrollHeight;
  const points = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [x * innerWidth, y * innerHeight] as const));
  const content = "img, svg, canvas, video, iframe, object, input, button";
  const [marginShare, inspectedMax, backdropsMax] = [0.1, 1_000, 20];
  const coversWindow = (element: Element, [x, y] = [1, 1]) => {
    const { left, top, right, bottom } = Element.prototype.getBoundingClientRect.call(element); // a form field may shadow it
    return left <= x && top <= y && right >= innerWidth - x && bottom >= innerHeight - y;
  };
  /** On a longer page, a picture would be enlarged too much. */
  const mayGrow = pageHeight <= 3 * innerHeight;
  const isPicture = (element: Element) => mayGrow && Element.prototype.matches.call(element, "img, video") && coversWindow(element);
  const isBackdrop = (element: HTMLElement): boolean => {
    const margins = [marginShare * innerWidth, marginShare * innerHeight] as [number, number];
    if (!coversWindow(element, margins) || Element.prototype.getBoundingClientRect.call(element).bottom >= pageHeight) return false;
    const parts = [element, ...Element.prototype.querySelectorAll.call(element, "*")];
    if (parts.some((part) => Element.prototype.matches.call(part, content) && !isPicture(part))) return false;
    if ((Reflect.get(Node.prototype, "textContent", element) ?? "").trim() !== "") return false;
    if (Number(getComputedStyle(element).zIndex) < 0) return true;
    return points.some(([x, y]) => {
      const stack = document.elementsFromPoint(x, y);
      const above = stack[stack.findIndex((one) => Node.prototype.contains.call(element, one)) - 1];
      return above !== undefined && !fixed.some((one) => Node.prototype.contains.call(one, above));
    });
  };
  const backdrops = fixed.slice(0, inspectedMax).filter(isBackdrop).slice(0, backdropsMax);
  (globalThis.tintypeOwn as World).backdrops = backdrops;
  return backdrops.length > 0;
}

/**
 * If scripts move the page's content inside a fixed element as high as the window, which cuts it off, waits until they have moved it to
 * its beginning, and lets it extend down the page, whose height is the content's.
 */
export async function releaseContent(): Promise<void> {
  const [sideMin, stillMax, framesMax, frameMs] = [0.9, 6, 150, 100];
  const world = globalThis.tintypeOwn as World;
  const page = document.scrollingElement ?? document.documentElement;
  const boxOf = (element: Element): DOMRect => Element.prototype.getBoundingClientRect.call(element);
  const parentOf = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element);
  const isHolder = (element: Element) => {
    const [{ position, overflowY }, { width, height }] = [getComputedStyle(element), boxOf(element)];
    const content = Reflect.get(Element.prototype, "scrollHeight", element) / page.scrollHeight;
    const covers = width >= innerWidth * sideMin && height >= innerHeight * sideMin && height < innerHeight * 1.1;
    return position === "fixed" && /hidden|clip/.test(overflowY) && covers && content > sideMin && content < 1 / sideMin;
  };
  if (page.scrollHeight < 1.5 * innerHeight) return;
  let holder = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  while (holder && !isHolder(holder)) holder = parentOf(holder);
  const content = holder && Reflect.get(Element.prototype, "firstElementChild", holder);
  if (!holder || !content) return;
  let [top, stillFrames] = [Number.NaN, 0];
  for (let frame = 0; frame < framesMax && stillFrames < stillMax; frame += 1) {
    await new Promise<void>((resolve) => {
      requestAnimationFrame(() => resolve());
      setTimeout(resolve, frameMs);
    });
    const now = Math.round(boxOf(content).top);
    stillFrames = now === top ? stillFrames + 1 : 0;
    top = now;
  }
  const style: CSSStyleDeclaration = Reflect.get(HTMLElement.prototype, "style", holder);
  const own = ["overflow-x", "overflow-y"].map((name) => [name, style.getPropertyValue(name), style.getPropertyPriority(name)] as const);
  world.undo?.push(() => {
    for (const [name, value, priority] of own) style.setProperty(name, value, priority);
  });
  for (const [name] of own) style.setProperty(name, "visible", "important");
}

/** Stretches the backdrops to the height of the page, since a visitor sees them behind every part of it. */
export function extendBackdrops(): void {
  const world = globalThis.tintypeOwn as World;
  world.undo ??= [];
  // A form field may shadow its form's members.
  const memberOf = (element: Element, name: string) =>
    Reflect.get(element instanceof HTMLFormElement ? HTMLElement.prototype : element, name, element);
  const force = (element: HTMLElement, values: Record<string, string>) => {
    const style: CSSStyleDeclaration = memberOf(element, "style");
    for (const [name, value] of Object.entries(values)) {
      const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
      world.undo?.push(() => style.setProperty(name, own, priority));
      style.setProperty(name, value, "important");
    }
  };
  const pageHeight = (document.scrollingElement ?? document.documentElement).scrollHeight;
  // Longhands, because the page's own inline styles are put back afterwards.
  const placed = { position: "absolute", top: "0", right: "auto", bottom: "auto", left: "0" };
  const filled = { transform: "none", translate: "none", "min-width": "0", "max-width": "none", "object-fit": "cover" };
  for (const element of world.backdrops ?? []) {
    const inner: HTMLElement[] = [...Element.prototype.querySelectorAll.call(element, "*")] as HTMLElement[];
    const tall = inner.filter((one) => memberOf(one, "offsetHeight") >= innerHeight);
    const isPicture = Element.prototype.matches.call(element, "img, video");
    const inWindow = Element.prototype.getBoundingClientRect.call(element);
    const margin = { left: Math.max(0, inWindow.left), top: Math.max(0, inWindow.top), bottom: Math.max(0, innerHeight - inWindow.bottom) };
    const height = `${pageHeight - margin.top - margin.bottom}px`;
    force(element, { ...placed, width: `${memberOf(element, "offsetWidth")}px`, ...(isPicture ? filled : {}) });
    const { left, top } = Element.prototype.getBoundingClientRect.call(element);
    force(element, { left: `${margin.left - left}px`, top: `${margin.top - top}px` });
    for (const one of [element, ...tall]) force(one, { height, "max-height": height });
    for (const picture of Element.prototype.querySelectorAll.call(element, "img, video") as NodeListOf<HTMLElement>)
      force(picture, { ...placed, ...filled, width: "100%", height, "max-height": height });
  }
}
