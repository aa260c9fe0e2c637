/** Expands the element that scrolls in the document's place. Runs in the page; changes can be undone (`undo.ts`). */

interface World {
  mainScroller?: Element;
  /** CSS pixels that the main scroller hides although it has been expanded. */
  hiddenHeight?: number;
  undo?: (() => void)[];
}

/**
 * If one large element scrolls instead of the document, as in many web applications, expands it and its ancestors until all of its content
 * is in the document, down to `heightMax` CSS pixels. Call it again once the page has reacted, for lists whose length isn't known until
 * then.
 * @param orCut whether the element may also hide its overflow, as do those that scripts scroll, or whose content they move.
 * @returns whether anything had to grow.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export function expandMainScroller(heightMax: number, orCut: boolean): boolean {
  const page = document.scrollingElement ?? document.documentElement;
  const world = globalThis.tintypeOwn as World;
  world.undo ??= [];
  const force = (element: HTMLElement, name: string, value: string) => {
    const style: CSSStyleDeclaration = // a form field may shadow `style`
      element instanceof HTMLFormElement ? Reflect.get(HTMLElement.prototype, "style", element) : element.style;
    const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
    world.undo?.push(() => style.setProperty(name, own, priority));
    style.setProperty(name, value, "important");
  };
  const hiddenBy = (element: Element) =>
    Reflect.get(Element.prototype, "scrollHeight", element) - Reflect.get(Element.prototype, "clientHeight", element);
  const above = (element: Element): Element | null => {
    const root = Node.prototype.getRootNode.call(element);
    const slot: Element | null = Reflect.get(Element.prototype, "assignedSlot", element);
    return slot ?? Reflect.get(Node.prototype, "parentElement", element) ?? (root instanceof ShadowRoot ? root.host : null);
  };
  const under = (x: number, y: number): Set<Element> => {
    const found = new Set(document.elementsFromPoint(x, y));
    // Iterating over a set includes elements added during the iteration.
    for (const { shadowRoot } of found) if (shadowRoot?.mode) for (const element of shadowRoot.elementsFromPoint(x, y)) found.add(element);
    return found;
  };
  const isMain = (element: Element) => {
    if (
      element === document.documentElement ||
      Reflect.get(Element.prototype, "clientWidth", element) < innerWidth / 2 ||
      Reflect.get(Element.prototype, "clientHeight", element) < innerHeight / 2
    )
      return false;
    const { overflowY } = getComputedStyle(element);
    // A body with hidden overflow is usually locked by a dialog or a banner.
    const scrolls = overflowY === "auto" || overflowY === "scroll" || (element === document.body ? page !== element : orCut);
    return scrolls && overflowY !== "visible" && hiddenBy(element) > Math.max(1, page.scrollHeight - innerHeight);
  };
  if (!world.mainScroller && page.scrollHeight > 2 * innerHeight) return false;
  // Some pages lock scrolling by fixing the body.
  if (document.body && getComputedStyle(document.body).position === "fixed") force(document.body, "position", "static");

  const points = [0.25, 0.5, 0.75].flatMap((x) => [0.25, 0.5, 0.75].map((y) => [x * innerWidth, y * innerHeight] as const));
  const candidates = [document.body, ...points.flatMap(([x, y]) => [...under(x, y)])].filter((element) => element && isMain(element));
  const main = world.mainScroller ?? candidates.sort((one, other) => hiddenBy(other) - hiddenBy(one))[0];
  if (!main) return false;
  world.mainScroller = main;
  world.undo.push(() => Element.prototype.removeAttribute.call(main, "data-expanded"));
  Element.prototype.setAttribute.call(main, "data-expanded", ""); // for `listensToScroll`, which runs in another world

  const holders: HTMLElement[] = [];
  for (let element: Element | null = main; element; element = above(element)) holders.push(element as HTMLElement);
  const childrenMax = 300;
  const ownHeights = holders.map((element) => Number.parseFloat(getComputedStyle(element).height) || 0);
  /** Pins children whose height is a share of the scroller's to what it was before the scroller grew: it could never contain them. */
  const pinShares = () => {
    for (const [index, element] of holders.entries()) force(element, "min-height", `${ownHeights[index]}px`);
    const isShare = (child: Element) =>
      ["height", "min-height"].some((name) => String(Element.prototype.computedStyleMap.call(child).get(name)).includes("%"));
    const shares = ([...Reflect.get(Element.prototype, "children", main)] as HTMLElement[]).slice(0, childrenMax).filter(isShare);
    // The same for rows that are a share of its height.
    if (String(Element.prototype.computedStyleMap.call(main).get("grid-template-rows")).includes("%"))
      force(main as HTMLElement, "grid-template-rows", getComputedStyle(main).gridTemplateRows);
    for (const [child, height] of shares.map((child) => [child, Element.prototype.getBoundingClientRect.call(child).height] as const))
      for (const name of ["height", "min-height"]) force(child, name, `${height}px`);
  };
  for (let round = 0, expected = Number.POSITIVE_INFINITY; round < 3; round += 1) {
    if (round === 0 || hiddenBy(main) > expected) pinShares();
    const missing = Math.min(hiddenBy(main), heightMax - Reflect.get(Element.prototype, "clientHeight", main));
    // `pageSize` includes what exceeds the maximum, so that a warning says that it is cut off.
    world.hiddenHeight = missing < 1 ? Math.max(0, hiddenBy(main)) : 0;
    if (missing < 1) return round > 0;
    expected = hiddenBy(main) - missing * 0.9;
    const computed = holders.map((element) => getComputedStyle(element));
    const heights = computed.map(({ height }) => Number.parseFloat(height) || 0);
    for (const [index, element] of holders.entries()) {
      // min-height works where height doesn't: in flex columns, in grids, and on elements with both `top` and `bottom`.
      force(element, "min-height", `${(heights[index] ?? 0) + missing}px`);
      force(element, "max-height", "none");
      force(element, "transition", "none");
      // Fixed elements don't count toward the document's height.
      if (computed[index]?.position === "fixed") force(element, "position", "absolute");
    }
  }
  return true;
}
