/**
 * Finds hidden content, and keeps content visible once scrolling has revealed it. Many pages hide content until it is scrolled to, and some
 * then hide it again; a full-page screenshot shows each element as it looked while visible. Each function runs in the page; shared state is
 * global in the isolated world.
 */

interface World {
  reveals?: {
    /** Used by `pass-over.ts`, which scrolls the document to its bottom. */
    findHidden(): void;
    /** Elements that took up space but were invisible when first inspected. */
    hidden: Set<Element>;
    /** Elements in `hidden` that became visible and were hidden again. */
    hiding: Set<Element>;
    held: Set<Element>;
  };
  /** Set by `reveal-script.ts`. */
  tracker?: {
    seen: Map<Element, { best: number; look?: Record<string, string>; box: { top: number; bottom: number } }>;
    roots: Set<Document | ShadowRoot>;
    watch(root: Document | ShadowRoot): void;
    note(others: Element[], isWhole: boolean): boolean;
    finish(): void;
  };
  findTakenBack?(hidden: Set<Element>, hiding: Set<Element>): [Element, look: Record<string, string>][];
  findChangedBack?(): [Element, look: Record<string, string>][];
  /** Set by `findDisplaced`. */
  displaced?: Element[];
}

export interface HiddenElements {
  any: boolean;
  /** Top of the first hidden in-flow element below the viewport, in CSS pixels from the top of the document; 0 if there is none. */
  below: number;
  /** Height of the document in CSS pixels. */
  height: number;
  windowHeight: number;
}

/**
 * Finds elements that take up space but are invisible, and adds them to the elements found earlier. Once the document has been scrolled,
 * elements in its first viewport are excluded: they may be hidden only while out of view.
 */
export function findHidden(): HiddenElements {
  const inspectedMax = 20_000;
  const world = globalThis.tintypeOwn as World;
  world.reveals ??= { findHidden, hidden: new Set(), hiding: new Set(), held: new Set() };
  const { hidden } = world.reveals;
  // Only scripts reveal content on scroll, apart from scroll timelines, which `unroll` handles.
  const sizes = { height: (document.scrollingElement ?? document.documentElement).scrollHeight, windowHeight: innerHeight };
  if (document.scripts.length === 0 || !document.body) return { any: false, below: 0, ...sizes };
  // A form's fields can shadow its own members, so members are read from the prototypes.
  const parentOf = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element);
  const styleOf = (element: HTMLElement): CSSStyleDeclaration =>
    Reflect.get(element instanceof HTMLFormElement ? HTMLElement.prototype : element, "style", element);
  const isLeftOut = (element: Element) => scrollY > 0 && Element.prototype.getBoundingClientRect.call(element).top + scrollY < innerHeight;
  let below = 0;
  const elements: Element[] = [];
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    world.tracker?.watch(root);
    for (const element of root === document ? document.body.querySelectorAll("*") : root.querySelectorAll("*")) {
      if (elements.length === inspectedMax) break;
      elements.push(element);
      if (element.shadowRoot?.mode) roots.push(element.shadowRoot); // a form field may shadow `shadowRoot`
    }
  }
  for (const element of elements) {
    if (
      Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true }) ||
      !Element.prototype.checkVisibility.call(element)
    )
      continue;
    const { opacity, visibility, position } = getComputedStyle(element);
    const parent = parentOf(element);
    const isInherited = opacity !== "0" && parent && getComputedStyle(parent).visibility !== "visible";
    if (isInherited || (opacity !== "0" && visibility === "visible")) continue;
    if (isLeftOut(element)) continue;
    hidden.add(element);
    const { width, height, top } = Element.prototype.getBoundingClientRect.call(element);
    if ((position === "static" || position === "relative") && width * height > 100 && top > innerHeight) below ||= top + scrollY;
  }
  // If some content is hidden, other content may be fading in, with scripts setting its opacity.
  if (hidden.size > 0)
    for (const element of document.body.querySelectorAll<HTMLElement>('[style*="opacity"]'))
      if (Number(styleOf(element).opacity || 1) < 1 && !isLeftOut(element) && /static|relative/.test(getComputedStyle(element).position))
        hidden.add(element);
  return { any: hidden.size > 0, below, ...sizes };
}

/**
 * Finishes CSS animations and transitions, then records how changed elements look, which hidden elements have become visible, and which of
 * those have been hidden again.
 * @param isWhole whether the whole page is in view.
 * @returns whether anything has changed so far.
 */
export function noteRevealed(isWhole: boolean): boolean {
  const { reveals, tracker } = globalThis.tintypeOwn as World;
  if (!reveals || !tracker) return false;
  const endsSoon = (animation: Animation) => {
    const ends = animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY && animation.playbackRate !== 0;
    // Scripted animations are excluded, since a script may restart its animation when it finishes; `untilStill` waits for them.
    const isStyled = animation instanceof CSSTransition || animation instanceof CSSAnimation;
    const delay = Number(animation.effect?.getComputedTiming().delay);
    const startsLate = delay >= 4_000 && Number(animation.currentTime) < delay; // it may hide its target: `freeze` decides
    return ends && isStyled && !startsLate && animation.playState === "running" && animation.timeline === document.timeline;
  };
  const ending = [...tracker.roots].flatMap((root) => root.getAnimations()).filter(endsSoon);
  const targets = ending.flatMap(({ effect }) => (effect as KeyframeEffect).target ?? []);
  for (const animation of ending) animation.finish();
  const visible = [...reveals.hidden].filter((element) => {
    const { opacity, visibility } = getComputedStyle(element);
    const before = tracker.seen.get(element)?.look?.opacity;
    const isVisible = visibility === "visible" && Number(opacity) >= Math.max(0.01, Number(before ?? 0));
    if (!isVisible && before !== undefined) reveals.hiding.add(element);
    return isVisible;
  });
  tracker.note([...targets, ...visible], isWhole);
  return tracker.seen.size > 0;
}

/**
 * Restores the recorded looks of elements that the page has shown and hidden again, or moved far away, except fixed and sticky ones and those in the upper
 * half of the document's first viewport. Call this with the page scrolled to the top.
 */
export function keepRevealed(): void {
  const { reveals, tracker, findTakenBack, findChangedBack, displaced = [] } = globalThis.tintypeOwn as World;
  if (!reveals || !tracker || !findTakenBack || !findChangedBack) return;
  const { hidden, hiding, held } = reveals;
  tracker.finish();
  const fixed = new Map<Element, boolean>();
  const isFixed = (element: Element | null): boolean => {
    if (!element) return false;
    const root = Node.prototype.getRootNode.call(element);
    const parent: Element | null = Reflect.get(Node.prototype, "parentElement", element);
    const above = parent ?? (root instanceof ShadowRoot ? root.host : null);
    const known = fixed.get(element) ?? (/fixed|sticky/.test(getComputedStyle(element).position) || isFixed(above));
    fixed.set(element, known);
    return known;
  };
  // Inspect all of them before changing any, because otherwise each change would force a layout.
  const looks = new Map(displaced.map((element) => [element, tracker.seen.get(element)?.look ?? {}]));
  for (const [element, look] of findTakenBack(hidden, hiding)) looks.set(element, look);
  for (const [element, more] of findChangedBack()) looks.set(element, { ...more, ...looks.get(element) });
  const isBelow = (element: Element, look: Record<string, string>) => {
    const { top, bottom } = tracker.seen.get(element)?.box ?? { top: 0, bottom: 0 };
    // A long line may begin in the first window; visitors see the rest of it as they scroll.
    return top >= innerHeight / 2 || (bottom > innerHeight && getComputedStyle(element).strokeDashoffset !== look["stroke-dashoffset"]);
  };
  const hiddenAgain = [...looks].filter(([element, look]) => !held.has(element) && !isFixed(element) && isBelow(element, look));
  if (hiddenAgain.length === 0) return;
  // One rule per look, because the cost of recalculating styles is proportional to elements times rules.
  const sheet = new CSSStyleSheet();
  const names = new Map<string, string>();
  for (const [element, look] of hiddenAgain) {
    const rules = Object.entries(look)
      .map(([name, value]) => `${name}: ${value} !important;`)
      .join(" ");
    const name = names.get(rules) ?? `${held.size}`;
    // `!important` in the last style sheet also overrides the page's animations and scripts.
    if (!names.has(rules)) sheet.insertRule(`[data-held="${name}"] { ${rules} transition: none !important; }`);
    names.set(rules, name);
    held.add(element);
    Element.prototype.setAttribute.call(element, "data-held", name);
  }
  const roots = new Set(hiddenAgain.map(([element]) => Node.prototype.getRootNode.call(element) as Document | ShadowRoot));
  for (const root of roots) root.adoptedStyleSheets.push(sheet);
}
