/** Shows window-sized parts, stacked or side by side, that the wheel pages through. Runs in the page; changes can be undone (`undo.ts`). */

interface World {
  undo?: (() => void)[];
  /** In the order of the document. */
  stacked?: HTMLElement[];
  /** Styles that the elements of a part had while it was in view. */
  looks?: Map<Element, Record<string, string>>;
  /** Size of each part and its layer while it was in view, and where the first one was then. */
  sizes?: Map<Element, { width: string; height: string; "z-index": string }>;
  first?: { left: number; top: number };
  /** Positions of those that stay visible while the parts that have been in view are hidden: backgrounds, not parts. */
  layers?: number[];
  stay?: (event: NavigateEvent) => void;
}

/**
 * Whether at least three window-sized siblings, each containing text, lie so that only one is visible: it covers the others, they are hidden,
 * or they are beside the window. Layers that are visible together, as on a map, don't count, nor do fixed ones beside the window, such as
 * menus.
 */
export function findStacked(): boolean {
  const [inspectedMax, childrenMax, sizeMin, partsMin] = [2_000, 100, 0.9, 3];
  const isPart = (element: Element) => {
    const { width, height, top, left } = Element.prototype.getBoundingClientRect.call(element); // a form field may shadow it
    const isInPlace = Math.abs(top) < innerHeight / 2 && Math.abs(left) < innerWidth / 2;
    const isLarge = width >= innerWidth * sizeMin && height >= innerHeight * sizeMin;
    if (!isLarge || (Reflect.get(Node.prototype, "textContent", element) ?? "").trim() === "") return false;
    return isInPlace || (!isInView(element) && getComputedStyle(element).position !== "fixed");
  };
  const isInView = (element: Element) => {
    const { top, bottom, left, right } = Element.prototype.getBoundingClientRect.call(element);
    return bottom >= 1 && right >= 1 && top <= innerHeight - 1 && left <= innerWidth - 1;
  };
  const isShown = (element: Element) =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true }); // a form field may shadow it
  const covers = (element: Element) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    return backgroundImage !== "none" || !/^(transparent|rgba\(.*\))$/.test(backgroundColor);
  };
  /** Whether the part in the middle of the window is the only one that is seen. */
  const isOneSeen = (parts: Element[]) => {
    const under = document.elementsFromPoint(innerWidth / 2, innerHeight / 2);
    const shown = parts.filter((part) => isShown(part) && isInView(part));
    const top = under.find((element) => shown.some((part) => Node.prototype.contains.call(part, element)));
    return shown.length === 1 || shown.some((part) => Node.prototype.contains.call(part, top ?? null) && covers(part));
  };
  const world = globalThis.tintypeOwn as World;
  for (const holder of [...document.querySelectorAll("body, body *")].slice(0, inspectedMax)) {
    const children: HTMLCollection = Reflect.get(Element.prototype, "children", holder); // a form field may shadow it
    const parts = children.length >= partsMin ? [...children].slice(0, childrenMax).filter(isPart) : [];
    world.stacked = parts as HTMLElement[];
    if (parts.length >= partsMin && isOneSeen(parts)) return true;
  }
  return false;
}

/**
 * Waits up to `ms` until another part than `before` is in the middle of the window.
 * @returns the position of the part that is there then, -1 if there is none; and the number of parts, without layers.
 */
export async function partInView(before: number, ms: number): Promise<{ part: number; count: number }> {
  const pollMs = 50;
  const { stacked = [], layers = [] } = globalThis.tintypeOwn as World;
  const isShown = (element: Element) =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const shown = () => {
    for (const element of document.elementsFromPoint(innerWidth / 2, innerHeight / 2).filter(isShown)) {
      const index = stacked.findIndex((part) => Node.prototype.contains.call(part, element));
      if (index !== -1) return index;
    }
    return -1;
  };
  for (let waitedMs = 0; waitedMs < ms && shown() === before; waitedMs += pollMs)
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  return { part: shown(), count: stacked.length - layers.length };
}

/** Keeps the page from leaving its document, or lets it do so again: some pages go to another one when the wheel turns. */
export function stayHere(stays: boolean): void {
  const world = globalThis.tintypeOwn as World;
  world.stay ??= (event) => {
    if (!event.destination.sameDocument) event.preventDefault();
  };
  if (stays) navigation.addEventListener("navigate", world.stay);
  else navigation.removeEventListener("navigate", world.stay);
}

/** Finishes transitions in the part at `index`, and notes how its elements look, as they may be hidden again once it is no longer in view. */
export function notePart(index: number): void {
  const elementsMax = 2_000;
  const world = globalThis.tintypeOwn as World;
  world.looks ??= new Map();
  world.sizes ??= new Map();
  const part = world.stacked?.[index];
  // A state that is read after another animation has been finished would calculate all styles again.
  const isMoving = (one: Animation) => one instanceof CSSTransition && one.playState === "running" && one.playbackRate !== 0;
  const animations = part ? Element.prototype.getAnimations.call(part, { subtree: true }) : [];
  for (const animation of animations.filter(isMoving)) animation.finish();
  for (const element of part ? [...Element.prototype.querySelectorAll.call(part, "*")].slice(0, elementsMax) : []) {
    const { opacity, visibility, transform } = getComputedStyle(element);
    world.looks.set(element, { opacity, visibility, transform });
  }
  if (!part) return;
  const { left, top } = Element.prototype.getBoundingClientRect.call(part);
  const { width, height, zIndex } = getComputedStyle(part); // sizes as `box-sizing` counts them
  world.first ??= { left, top };
  const { sizes } = world;
  sizes.set(part, { width, height, "z-index": zIndex });
  const isShown = (element: Element) =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const found = world.stacked ?? [];
  const hides = found.some((other) => sizes.has(other) && !isShown(other));
  world.layers = hides ? [...found.keys()].filter((at) => found[at] && !sizes.has(found[at]) && isShown(found[at])) : [];
}

/**
 * Places the parts at the positions `seen` one below another, each in the size it had in view, below what is above the first.
 * @returns whether that is the whole page: the others are hidden, as a menu or a dialog is, and none has been removed from the document.
 */
export function placeStacked(seen: number[]): boolean {
  const world = globalThis.tintypeOwn as World;
  const { stacked: found = [], sizes, layers = [], first = { left: 0, top: 0 } } = world;
  const [parts, holders] = ["data-tintype-part", "data-tintype-parts"];
  const stacked = found.filter((part, index) => seen.includes(index) && document.contains(part));
  const isShown = (element: Element) =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const isWhole = stacked.length === seen.length && !found.some((part, index) => ![...seen, ...layers].includes(index) && isShown(part));
  const above = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element); // a form field may shadow it
  const around: { holder: Element; height: number }[] = [];
  for (let holder = stacked[0] ? above(stacked[0]) : null; holder; holder = above(holder))
    around.push({ holder, height: Number.parseFloat(getComputedStyle(holder).height) || 0 });
  const sheet = new CSSStyleSheet();
  const rule = (selector: string, values: Record<string, string>) => {
    const declarations = Object.entries(values).map(([name, value]) => `${name}: ${value} !important;`);
    sheet.insertRule(`${selector} { ${declarations.join(" ")} }`, sheet.cssRules.length);
  };
  document.adoptedStyleSheets.push(sheet);
  world.undo ??= [];
  world.undo.push(() => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    for (const part of stacked) Element.prototype.removeAttribute.call(part, parts);
    for (const { holder } of around) Element.prototype.removeAttribute.call(holder, holders);
  });
  for (const [index, part] of stacked.entries()) {
    Element.prototype.setAttribute.call(part, parts, String(index));
    rule(`[${parts}="${index}"]`, { ...sizes?.get(part), opacity: "1", visibility: "visible" });
  }
  rule(`[${parts}]`, { transform: "none", translate: "none", transition: "none", animation: "none" });
  let bottom = first.top; // of the part placed last
  const places = stacked.map((part, index) => {
    const { height } = Element.prototype.getBoundingClientRect.call(part);
    const [before, after] = [getComputedStyle(part).marginTop, getComputedStyle(part).marginBottom].map((px) =>
      Math.max(0, Number.parseFloat(px) || 0),
    ) as [number, number];
    // Visitors never see what extends below the window, and it would cover the next part.
    const hidden = Math.max(0, height - (innerHeight - first.top));
    const top = index === 0 ? bottom : bottom + before;
    bottom = top + height - hidden + after;
    return { top, hidden, end: bottom };
  });
  const added = bottom - (places[0]?.end ?? bottom);
  for (const [index, { holder, height }] of around.entries()) {
    Element.prototype.setAttribute.call(holder, holders, String(index));
    const least = (holder === document.documentElement ? Math.max(height, innerHeight) : height) + added;
    rule(`[${holders}="${index}"]`, { "min-height": `${least}px` });
  }
  rule(`[${holders}]`, { overflow: "visible", height: "auto", "max-height": "none", transition: "none" });
  for (const [index, part] of stacked.entries()) {
    const { left, top } = Element.prototype.getBoundingClientRect.call(part);
    const { top: to = top, hidden = 0 } = places[index] ?? {};
    const place = { translate: `${first.left - left}px ${to - top}px` };
    rule(`[${parts}="${index}"]`, { ...place, "clip-path": hidden > 0 ? `inset(0 0 ${hidden}px 0)` : "none" });
  }
  return isWhole;
}

/** Keeps elements of the parts as they looked while their part was in view. */
export function keepLooks(): void {
  const world = globalThis.tintypeOwn as World;
  const looking = "data-tintype-look";
  const isMoving = (one: Animation) => one instanceof CSSTransition && one.playState === "running" && one.playbackRate !== 0;
  const animations = (world.stacked ?? []).flatMap((part) => Element.prototype.getAnimations.call(part, { subtree: true }));
  for (const animation of animations.filter(isMoving)) animation.finish();
  const changed = [...(world.looks ?? [])].filter(([element, look]) => {
    const now = getComputedStyle(element);
    return Object.entries(look).some(([name, value]) => now.getPropertyValue(name) !== value);
  });
  const sheet = new CSSStyleSheet();
  for (const [index, [element, look]] of changed.entries()) {
    Element.prototype.setAttribute.call(element, looking, String(index));
    const declarations = Object.entries({ ...look, transition: "none", animation: "none" });
    sheet.insertRule(`[${looking}="${index}"] { ${declarations.map(([name, value]) => `${name}: ${value} !important;`).join(" ")} }`);
  }
  document.adoptedStyleSheets.push(sheet);
  world.undo ??= [];
  world.undo.push(() => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    for (const [element] of changed) Element.prototype.removeAttribute.call(element, looking);
  });
}
