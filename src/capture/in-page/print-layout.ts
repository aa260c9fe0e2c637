/**
 * Lays the page out for paper, where nothing can be scrolled, measures it, and sets print rules. Runs in the page, so these functions must
 * be self-contained.
 */

/** An element that isn't a form, whose fields could shadow its own members. */
interface NotForm extends Element {
  elements?: never;
}

interface World {
  printed?: (() => void)[];
  mainScroller?: Element;
  /** Height of each element in CSS pixels, and its computed `height`. */
  heights?: Map<HTMLElement & NotForm, [pixels: number, own: string]>;
  held?: (() => void)[];
  pageRule?: CSSStyleSheet;
}

/** Whether the page may contain scrollable elements, or content wider than the paper. */
export function mayScroll(): boolean {
  const elementsMax = 20_000;
  if ((globalThis.tintypeOwn as World).mainScroller || document.querySelector("table, pre")) return true;
  const elements = document.querySelectorAll<NotForm>("body, body :not(form)");
  for (let index = 0; index < Math.min(elements.length, elementsMax); index += 1) {
    const { scrollHeight = 0, clientHeight = 0 } = elements[index] ?? {};
    if (clientHeight > 0 && scrollHeight > clientHeight + innerHeight / 4) return true;
  }
  return false;
}

/**
 * Shows the full content of large scrolling elements, wraps code that is wider than the paper, and shows wide tables in full. Call it in a
 * window as wide as the paper.
 * @returns the width of the content in CSS pixels.
 */
export function openScrollers(): number {
  const elementsMax = 20_000;
  const world = globalThis.tintypeOwn as World;
  const changes: (() => void)[] = [];
  world.printed = changes;
  const page = document.scrollingElement ?? document.documentElement;
  const force = (element: Element, values: Record<string, string>) => {
    const style: CSSStyleDeclaration =
      element instanceof HTMLFormElement ? Reflect.get(HTMLElement.prototype, "style", element) : (element as HTMLElement).style;
    for (const [name, value] of Object.entries(values)) {
      const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
      changes.push(() => style.setProperty(name, own, priority));
      style.setProperty(name, value, "important");
    }
  };
  const above = (element: Element): Element | null => {
    const root = Node.prototype.getRootNode.call(element);
    const slot: Element | null = Reflect.get(Element.prototype, "assignedSlot", element);
    return slot ?? Reflect.get(Node.prototype, "parentElement", element) ?? (root instanceof ShadowRoot ? root.host : null);
  };
  /** Lets an element and all its ancestors grow to the height of their content. */
  const open = (scroller: Element) => {
    for (let element: Element | null = scroller; element; element = above(element)) {
      const { position, overflowY } = getComputedStyle(element);
      const holder = above(element);
      const isInColumn = holder !== null && getComputedStyle(holder).flexDirection.startsWith("column");
      force(element, { height: "auto", "min-height": "auto", "max-height": "none" });
      if (overflowY !== "visible") force(element, { overflow: "visible" });
      if (isInColumn) force(element, { flex: "none" });
      if (position === "fixed" || position === "absolute") force(element, { position: "relative", inset: "auto" });
    }
    const height = Reflect.get(Element.prototype, "scrollHeight", scroller);
    if (height - Reflect.get(Element.prototype, "clientHeight", scroller) > 1) force(scroller, { "min-height": `${height}px` });
  };
  const elements: NotForm[] = [];
  const collect = (root: Document | ShadowRoot) => {
    for (const element of root.querySelectorAll<NotForm>(":not(form)")) {
      if (elements.length >= elementsMax) return;
      if (element.clientWidth > 0) elements.push(element);
      if (element.shadowRoot) collect(element.shadowRoot);
    }
  };
  collect(document);
  const scrolls = (overflow: string) => overflow === "auto" || overflow === "scroll";
  for (const element of elements) {
    if (element.scrollHeight <= element.clientHeight + 1 && element.scrollWidth <= element.clientWidth + 1) continue;
    if (/^(textarea|select|input|iframe|html)$/.test(element.localName)) continue;
    const { overflowX, overflowY, whiteSpace } = getComputedStyle(element);
    const isLarge = element.clientWidth >= innerWidth / 3 && element.clientHeight >= innerHeight / 3;
    const isWide = element.scrollWidth > element.clientWidth + 1 && scrolls(overflowX);
    const isMain = element === world.mainScroller || (isLarge && (scrolls(overflowY) || (element === document.body && page !== element)));
    if (isMain && overflowY !== "visible" && element.scrollHeight > element.clientHeight + 1) open(element);
    if (isWide && whiteSpace === "pre") force(element, { "white-space": "pre-wrap", "overflow-wrap": "anywhere" });
    else if (isWide && element.querySelector("table") && element.clientWidth >= innerWidth / 3) force(element, { overflow: "visible" });
  }
  // A scroller expanded for an image keeps the height that its content had in a wider window.
  if (world.mainScroller && changes.length === 0) open(world.mainScroller);
  const ends = [...document.querySelectorAll("table")].slice(0, 500).map((table) => table.getBoundingClientRect().right + scrollX);
  return Math.max(page.scrollWidth, ...ends);
}

export function closeScrollers(): void {
  const world = globalThis.tintypeOwn as World;
  for (const undo of (world.printed ?? []).reverse()) undo();
  delete world.printed;
}

/** CSS pixels from the top of the document to the end of its content, in the current window. */
export function printedHeight(): number {
  const { documentElement: root, body } = document;
  const page = document.scrollingElement ?? root;
  const whole = page.scrollHeight;
  if (whole > innerHeight) return whole;
  // A document that is shorter than the window ends where its body does.
  const ends = [root, body].map((element) => (element ? Element.prototype.getBoundingClientRect.call(element).bottom : 0));
  return Math.min(whole, Math.max(1, ...ends) + scrollY);
}

/** Records the heights of elements, for `holdHeights`. */
export function noteHeights(): void {
  const elementsMax = 20_000;
  const elements = [...document.querySelectorAll<NotForm & HTMLElement>("body, body :not(form)")].slice(0, elementsMax);
  const isHeld = (element: HTMLElement & NotForm) => element.style !== undefined;
  (globalThis.tintypeOwn as World).heights = new Map(
    elements.filter(isHeld).map((element) => [element, [element.getBoundingClientRect().height, getComputedStyle(element).height]]),
  );
}

/**
 * Call this after making the window taller than it was for `noteHeights`. Elements that have grown with the window would be as tall as the
 * paper, so they are held at their recorded heights until `releaseHeights`.
 */
export function holdHeights(): void {
  const roundsMax = 6;
  const world = globalThis.tintypeOwn as World;
  const held: (() => void)[] = [];
  world.held = held;
  const force = (element: HTMLElement, name: string, value: string) => {
    // A form field may shadow `style`.
    const style: CSSStyleDeclaration =
      element instanceof HTMLFormElement ? Reflect.get(HTMLElement.prototype, "style", element) : element.style;
    const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
    held.push(() => style.setProperty(name, own, priority));
    style.setProperty(name, value, "important");
  };
  for (let round = 0; round < roundsMax; round += 1) {
    const changed = [...(world.heights ?? [])].filter(([element, [pixels]]) => element.getBoundingClientRect().height > pixels + 1);
    const parentOf = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element);
    if (changed.length === 0) return;
    // An element may have grown only because of a descendant.
    const above = new Set<Element>();
    for (const [element] of changed)
      for (let holder = parentOf(element); holder && !above.has(holder); holder = parentOf(holder)) above.add(holder);
    for (const [element, [, height]] of changed) {
      if (above.has(element)) continue;
      force(element, "min-height", "0");
      force(element, "height", height);
    }
  }
}

export function releaseHeights(): void {
  const world = globalThis.tintypeOwn as World;
  for (const release of (world.held ?? []).reverse()) release();
  delete world.held;
  delete world.heights;
}

/** Adds print rules after all of the page's own, replacing the previous call's rules; if `css` is empty, only removes them. */
export function setPageRule(css: string): void {
  const world = globalThis.tintypeOwn as World;
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== world.pageRule);
  delete world.pageRule;
  if (css === "") return;
  world.pageRule = new CSSStyleSheet();
  world.pageRule.replaceSync(css);
  document.adoptedStyleSheets.push(world.pageRule);
}

/** Whether the page's own style sheets set the margins of all pages. Cross-origin style sheets can't be read. */
export function hasPageMargin(): boolean {
  const [sheetsMax, rulesMax] = [200, 20_000];
  let left = rulesMax;
  const isIn = (rules: CSSRuleList): boolean => {
    for (const rule of rules) {
      left -= 1;
      if (left < 0) return false;
      if (rule instanceof CSSPageRule && rule.selectorText === "" && rule.style.marginTop !== "") return true;
      if (rule instanceof CSSMediaRule && /print|all/.test(rule.conditionText) && isIn(rule.cssRules)) return true;
    }
    return false;
  };
  return [...document.styleSheets].slice(0, sheetsMax).some((sheet) => {
    try {
      return !sheet.disabled && isIn(sheet.cssRules);
    } catch {
      return false;
    }
  });
}
