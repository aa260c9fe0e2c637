/**
 * Finds hidden content, and keeps visible what scrolling has revealed. Pages hide content until it is scrolled to, and some hide it
 * again afterwards; a full-page screenshot shows each element as it was when visible. Each function runs in the page; their shared state
 * is global in their isolated world.
 */

type Look = Record<"opacity" | "visibility" | "transform" | "translate" | "scale" | "rotate" | "filter" | "clip-path", string>;

interface World {
  reveals?: {
    /** For `pass-over.ts`, which sees the document scrolled to its bottom. */
    findHidden(): void;
    /** Elements that took up space but were invisible when first inspected. */
    hidden: Set<Element>;
    /** Their styles at their highest opacity. */
    looks: Map<Element, Look>;
    /** Those of them that the page has hidden again. */
    hiding: Set<Element>;
    held: Set<Element>;
  };
  /** Elements that were visible before scrolling, in the viewport if they were fixed. */
  present?: WeakSet<Element>;
  unreachable?: Element[];
}

export interface Hidden {
  any: boolean;
  /** Top of the first in the normal flow and below the viewport, in CSS pixels from the top of the document; 0 if there is none. */
  below: number;
  /** Height of the document in CSS pixels. */
  height: number;
  windowHeight: number;
}

/**
 * Finds elements that take up space but are invisible, and adds them to those found before. Once the document is scrolled, those of its
 * first window are left out: they may be hidden only while they are out of view.
 */
export function findHidden(): Hidden {
  const inspectedMax = 20_000;
  const world = globalThis as World;
  world.reveals ??= { findHidden, hidden: new Set(), looks: new Map(), hiding: new Set(), held: new Set() };
  const { hidden } = world.reveals;
  // Only scripts reveal content on scroll, apart from scroll timelines, which `unroll` handles.
  const sizes = { height: (document.scrollingElement ?? document.documentElement).scrollHeight, windowHeight: innerHeight };
  if (document.scripts.length === 0 || !document.body) return { any: false, below: 0, ...sizes };
  const isLeftOut = (element: Element) => scrollY > 0 && element.getBoundingClientRect().top + scrollY < innerHeight;
  let below = 0;
  const elements = document.body.getElementsByTagName("*");
  for (let index = 0; index < Math.min(elements.length, inspectedMax); index += 1) {
    const element = elements[index] as Element;
    if (element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || !element.checkVisibility()) continue;
    const { opacity, visibility, position } = getComputedStyle(element);
    const isInherited = opacity !== "0" && element.parentElement && getComputedStyle(element.parentElement).visibility !== "visible";
    if (isInherited || (opacity !== "0" && visibility === "visible")) continue;
    if (isLeftOut(element)) continue;
    hidden.add(element);
    const { width, height, top } = element.getBoundingClientRect();
    if ((position === "static" || position === "relative") && width * height > 100 && top > innerHeight) below ||= top + scrollY;
  }
  // Where content is hidden, other content may be on its way: scripts set its opacity.
  if (hidden.size > 0)
    for (const element of document.body.querySelectorAll<HTMLElement>('[style*="opacity"]'))
      if (Number(element.style.opacity || 1) < 1 && !isLeftOut(element) && /static|relative/.test(getComputedStyle(element).position))
        hidden.add(element);
  return { any: hidden.size > 0, below, ...sizes };
}

/**
 * Finishes CSS animations and transitions, and records the styles of hidden elements that have become visible, and which of them are hidden
 * again.
 */
export function noteRevealed(): void {
  const { hidden, looks, hiding } = (globalThis as World).reveals ?? { hidden: [], looks: new Map<Element, Look>(), hiding: new Set() };
  const endsSoon = (animation: Animation) => {
    const ends = animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY && animation.playbackRate !== 0;
    // A script may restart its animation when it finishes: `untilStill` waits for those.
    const isStyled = animation instanceof CSSTransition || animation instanceof CSSAnimation;
    return ends && isStyled && animation.playState === "running" && animation.timeline === document.timeline;
  };
  for (const animation of document.getAnimations().filter(endsSoon)) animation.finish();
  for (const element of hidden) {
    const { opacity, visibility, transform, translate, scale, rotate, filter, clipPath } = getComputedStyle(element);
    if (visibility !== "visible" || Number(opacity) < Math.max(0.01, Number(looks.get(element)?.opacity ?? 0))) {
      if (looks.has(element)) hiding.add(element);
      continue;
    }
    looks.set(element, { opacity, visibility, transform, translate, scale, rotate, filter, "clip-path": clipPath });
  }
}

/**
 * Restores the recorded styles of revealed elements that are less visible now, or were before and may be so again in a moment, except fixed
 * and sticky ones, and those that the page hides in the upper half of the viewport. Call it when the page is scrolled to its top.
 */
export function keepRevealed(): void {
  const none = { looks: new Map<Element, Look>(), hiding: new Set<Element>(), held: new Set<Element>() };
  const { looks, hiding, held } = (globalThis as World).reveals ?? none;
  const fixed = new Map<Element, boolean>();
  const isFixed = (element: Element | null): boolean => {
    if (!element) return false;
    const known = fixed.get(element) ?? (/fixed|sticky/.test(getComputedStyle(element).position) || isFixed(element.parentElement));
    fixed.set(element, known);
    return known;
  };
  // All are inspected before any is changed: each change would cost a layout.
  const hiddenAgain = [...looks].filter(([element, look]) => {
    if (held.has(element) || !element.isConnected) return false;
    const { opacity, visibility } = getComputedStyle(element);
    const isLess = hiding.has(element) || visibility !== "visible" || Number(opacity) < Number(look.opacity) - 0.003;
    return isLess && !isFixed(element) && element.getBoundingClientRect().top >= innerHeight / 2;
  });
  if (hiddenAgain.length === 0) return;
  // One rule for each look: the cost of styles is that of elements times rules.
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
    element.setAttribute("data-held", name);
  }
  document.adoptedStyleSheets.push(sheet);
}

/**
 * Finds large elements in the page's flow, below the viewport, that are hidden still, where the document can't be scrolled by its visitors.
 * @returns whether there are any. `showUnreachable` shows them.
 */
export function findUnreachable(): boolean {
  const { hidden, looks } = (globalThis as World).reveals ?? { hidden: new Set<Element>(), looks: new Map<Element, Look>() };
  const isLocked = [document.documentElement, document.body].some(
    (element) => element && /hidden|clip/.test(getComputedStyle(element).overflowY),
  );
  if (!isLocked) return false;
  const unreachable = [...hidden].filter((element) => {
    const { width, height, top } = element.getBoundingClientRect();
    const isLarge = width > innerWidth / 2 && height > innerHeight / 4 && top >= innerHeight;
    const { position, opacity, visibility } = getComputedStyle(element);
    return isLarge && !looks.has(element) && /static|relative/.test(position) && (opacity === "0" || visibility !== "visible");
  });
  (globalThis as World).unreachable = unreachable;
  return unreachable.length > 0;
}

export function showUnreachable(): void {
  for (const element of (globalThis as World).unreachable ?? []) element.setAttribute("data-held", "shown");
  const sheet = new CSSStyleSheet();
  sheet.insertRule('[data-held="shown"] { opacity: 1 !important; visibility: visible !important; transition: none !important; }');
  document.adoptedStyleSheets.push(sheet);
}

/** Whether an element below the viewport names an image in one of its attributes that it has not loaded, for a script to load. */
export function awaitsImages(): boolean {
  const imageUrl = /\.(avif|gif|jpe?g|png|svg|webp)\b/i;
  return [...document.querySelectorAll("img, picture, source, [data-src], [data-bg], [data-background], [style]")].some((element) => {
    if (element.getBoundingClientRect().top < innerHeight) return false;
    const { currentSrc = "", naturalWidth = 0 } = element as Partial<HTMLImageElement>;
    if (!currentSrc.startsWith("data:") && naturalWidth > 1) return false;
    return [...element.attributes].some(({ name, value }) => name.startsWith("data-") && imageUrl.test(value));
  });
}

/** Records the elements that are visible before the page is scrolled. */
export function notePresent(): void {
  const visible = [...document.querySelectorAll("body *")].filter((element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    if (getComputedStyle(element).position !== "fixed") return true;
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  });
  (globalThis as World).present ??= new WeakSet(visible);
}

/** Hides fixed elements that appeared on scroll, such as a back-to-top button or a dialog. */
export function hideArrivals(): void {
  const { present } = globalThis as World;
  if (!present) return;
  /** A fixed element in a transformed one, for example, scrolls with it: it is content. */
  const isLaidOutInThePage = (element: Element) => {
    for (let above = element.parentElement; above; above = above.parentElement) {
      const { transform, perspective, filter, backdropFilter, contain, willChange, containerType } = getComputedStyle(above);
      if ([transform, perspective, filter, backdropFilter].some((value) => value !== "none")) return true;
      if (/paint|layout|strict|content/.test(contain) || /transform|perspective|filter/.test(willChange) || containerType !== "normal")
        return true;
    }
    return false;
  };
  const arrived = [...document.querySelectorAll("body *")].filter(
    (element) => !present.has(element) && getComputedStyle(element).position === "fixed" && !isLaidOutInThePage(element),
  );
  for (const element of arrived) element.setAttribute("data-held", "hidden");
  const sheet = new CSSStyleSheet();
  sheet.insertRule(
    '[data-held="hidden"], [data-held="hidden"] *, [data-held="hidden"]::backdrop { visibility: hidden !important; transition: none !important; }',
  );
  if (arrived.length > 0) document.adoptedStyleSheets.push(sheet);
}
