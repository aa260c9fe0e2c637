/**
 * Keeps visible what scrolling has revealed. Pages hide content until it is scrolled to, and some hide it again when it is left: an image
 * of the whole page shows each element as it was when it was seen. Each function runs in the page; what they share is in their world.
 */

type Look = Record<"opacity" | "visibility" | "transform" | "translate" | "scale" | "rotate" | "filter" | "clip-path", string>;

interface World {
  reveals?: {
    /** Elements that took up space and were invisible when they were found. */
    hidden: Set<Element>;
    /** How those looked when they were most visible. */
    looks: Map<Element, Look>;
    held: Set<Element>;
  };
  /** Elements that are fixed to the window and were not in it. */
  absent?: Element[];
}

export interface Hidden {
  any: boolean;
  /** Whether some are in the flow of the page, below the window. */
  below: boolean;
  /** Of the document, in CSS pixels. */
  height: number;
  windowHeight: number;
}

/** Finds elements that take up space and are invisible, in addition to those it found before. */
export function findHidden(): Hidden {
  const inspectedMax = 20_000;
  const world = globalThis as World;
  world.reveals ??= { hidden: new Set(), looks: new Map(), held: new Set() };
  const { hidden } = world.reveals;
  // Only scripts reveal by scrolling; timelines of style sheets are handled apart.
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

/** Remembers how what was hidden looks now that it is seen, with the animations of style sheets at their end. */
export function noteRevealed(): void {
  const { hidden, looks } = (globalThis as World).reveals ?? { hidden: [], looks: new Map<Element, Look>() };
  for (const animation of document.getAnimations()) {
    const ends = animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY && animation.playbackRate !== 0;
    // What a script animates may begin anew when it is ended: `untilStill` waits for it.
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
 * Gives back their look to elements that were revealed and are less visible now; except what is fixed to the window, and what the page
 * hides while it is well inside the window. Call it when the page is scrolled to its top.
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
    // Neither the page's own styles nor its scripts' or animations override this.
    element.setAttribute("data-held", `${held.size}`);
    const rules = Object.entries(look).map(([name, value]) => `${name}: ${value} !important;`);
    sheet.insertRule(`[data-held="${held.size}"] { ${rules.join(" ")} transition: none !important; }`);
  }
  if (sheet.cssRules.length > 0) document.adoptedStyleSheets.push(sheet);
}

/** Remembers what is fixed to the window and is not seen in it before the page is scrolled. */
export function noteAbsent(): void {
  (globalThis as World).absent ??= [...document.querySelectorAll("body *")].filter((element) => {
    if (getComputedStyle(element).position !== "fixed") return false;
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const isOutside = bottom <= 0 || right <= 0 || top >= innerHeight || left >= innerWidth;
    return isOutside || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  });
}

/** Hides what scrolling has brought into the window, such as a button that leads back to the top. */
export function hideArrivals(): void {
  const { absent = [] } = globalThis as World;
  for (const element of absent) element.setAttribute("data-held", "hidden");
  const sheet = new CSSStyleSheet();
  sheet.insertRule('[data-held="hidden"], [data-held="hidden"] * { visibility: hidden !important; transition: none !important; }');
  if (absent.length > 0) document.adoptedStyleSheets.push(sheet);
}
