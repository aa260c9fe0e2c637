/**
 * Keeps content visible that scrolling has revealed. Pages hide content until it is scrolled to, and some hide it again afterwards; a
 * full-page screenshot shows each element as it was when visible. Each function runs in the page; their shared state is global in their
 * isolated world.
 */

type Look = Record<"opacity" | "visibility" | "transform" | "translate" | "scale" | "rotate" | "filter" | "clip-path", string>;

interface World {
  reveals?: {
    /** Elements that took up space but were invisible when first inspected. */
    hidden: Set<Element>;
    /** Their styles at their highest opacity. */
    looks: Map<Element, Look>;
    held: Set<Element>;
  };
  /** Fixed elements that were outside the viewport or invisible before scrolling. */
  absent?: Element[];
}

export interface Hidden {
  any: boolean;
  /** Whether any is in the normal flow and below the viewport. */
  below: boolean;
  /** Height of the document in CSS pixels. */
  height: number;
  windowHeight: number;
}

/** Finds elements that take up space but are invisible, and adds them to those found before. */
export function findHidden(): Hidden {
  const inspectedMax = 20_000;
  const world = globalThis as World;
  world.reveals ??= { hidden: new Set(), looks: new Map(), held: new Set() };
  const { hidden } = world.reveals;
  // Only scripts reveal content on scroll, apart from scroll timelines, which `unroll` handles.
  const sizes = { height: (document.scrollingElement ?? document.documentElement).scrollHeight, windowHeight: innerHeight };
  if (document.scripts.length === 0 || !document.body) return { any: false, below: false, ...sizes };
  let below = false;
  const elements = document.body.getElementsByTagName("*");
  for (let index = 0; index < Math.min(elements.length, inspectedMax); index += 1) {
    const element = elements[index] as Element;
    if (element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || !element.checkVisibility()) continue;
    const { opacity, visibility, position } = getComputedStyle(element);
    const isInherited = opacity !== "0" && element.parentElement && getComputedStyle(element.parentElement).visibility !== "visible";
    if (isInherited || (opacity !== "0" && visibility === "visible")) continue;
    hidden.add(element);
    const { width, height, top } = element.getBoundingClientRect();
    if ((position === "static" || position === "relative") && width * height > 100 && top > innerHeight) below = true;
  }
  return { any: hidden.size > 0, below, ...sizes };
}

/** Finishes CSS animations and transitions, and records the styles of hidden elements that have become visible. */
export function noteRevealed(): void {
  const { hidden, looks } = (globalThis as World).reveals ?? { hidden: [], looks: new Map<Element, Look>() };
  for (const animation of document.getAnimations()) {
    const ends = animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY && animation.playbackRate !== 0;
    // A script may restart its animation when it finishes: `untilStill` waits for those.
    const isStyled = animation instanceof CSSTransition || animation instanceof CSSAnimation;
    if (ends && isStyled && animation.playState === "running" && animation.timeline === document.timeline) animation.finish();
  }
  for (const element of hidden) {
    const { opacity, visibility, transform, translate, scale, rotate, filter, clipPath } = getComputedStyle(element);
    if (visibility !== "visible" || Number(opacity) < Math.max(0.01, Number(looks.get(element)?.opacity ?? 0))) continue;
    looks.set(element, { opacity, visibility, transform, translate, scale, rotate, filter, "clip-path": clipPath });
  }
}

/**
 * Restores the recorded styles of revealed elements that are less visible now, except fixed and sticky ones, and those that the page
 * hides in the upper half of the viewport. Call it when the page is scrolled to its top.
 */
export function keepRevealed(): void {
  const { looks, held } = (globalThis as World).reveals ?? { looks: new Map<Element, Look>(), held: new Set<Element>() };
  const sheet = new CSSStyleSheet();
  const isFixed = (element: Element | null): boolean => {
    for (let above = element; above; above = above.parentElement) if (/fixed|sticky/.test(getComputedStyle(above).position)) return true;
    return false;
  };
  for (const [element, look] of looks) {
    if (held.has(element) || !element.isConnected) continue;
    const { opacity, visibility } = getComputedStyle(element);
    const isLess = visibility !== "visible" || Number(opacity) < Number(look.opacity) - 0.003;
    if (!isLess || isFixed(element) || element.getBoundingClientRect().top < innerHeight / 2) continue;
    held.add(element);
    // `!important` in the last style sheet also overrides the page's animations and scripts.
    element.setAttribute("data-held", `${held.size}`);
    const rules = Object.entries(look).map(([name, value]) => `${name}: ${value} !important;`);
    sheet.insertRule(`[data-held="${held.size}"] { ${rules.join(" ")} transition: none !important; }`);
  }
  if (sheet.cssRules.length > 0) document.adoptedStyleSheets.push(sheet);
}

/** Records the fixed elements that are not visible before the page is scrolled. */
export function noteAbsent(): void {
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
  (globalThis as World).absent ??= [...document.querySelectorAll("body *")].filter((element) => {
    if (getComputedStyle(element).position !== "fixed" || isLaidOutInThePage(element)) return false;
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const isOutside = bottom <= 0 || right <= 0 || top >= innerHeight || left >= innerWidth;
    return isOutside || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  });
}

/** Hides fixed elements that appeared on scroll, such as a back-to-top button. */
export function hideArrivals(): void {
  const { absent = [] } = globalThis as World;
  for (const element of absent) element.setAttribute("data-held", "hidden");
  const sheet = new CSSStyleSheet();
  sheet.insertRule('[data-held="hidden"], [data-held="hidden"] * { visibility: hidden !important; transition: none !important; }');
  if (absent.length > 0) document.adoptedStyleSheets.push(sheet);
}
