/** Runs in the page: places what is fixed to the window where a full page shows it. What it changes can be undone (`undo.ts`). */

interface World {
  undo?: (() => void)[];
}

/**
 * Moves what is fixed to the bottom of the window to the bottom of the page, down to `heightMax` CSS pixels, and extends translucent layers,
 * as those behind dialogs are, to all of it: visitors see both at every position of the page. The page must be scrolled to its top.
 */
export function placeFixedLayers(heightMax: number): void {
  const [edgeMax, opaqueMin] = [40, 0.95];
  const world = globalThis as World;
  world.undo ??= [];
  const force = ({ style }: HTMLElement, name: string, value: string) => {
    const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
    world.undo?.push(() => style.setProperty(name, own, priority));
    style.setProperty(name, value, "important");
  };
  const height = Math.min(heightMax, (document.scrollingElement ?? document.documentElement).scrollHeight);
  if (height <= innerHeight) return;
  // In an element with a transform, for example, a fixed element scrolls with the page, and has an `offsetParent`.
  const isFixed = (element: HTMLElement) => getComputedStyle(element).position === "fixed" && element.offsetParent === null;
  const fixed = [...document.querySelectorAll<HTMLElement>("body *")].filter(isFixed);
  const alphaOf = (colour: string) => Number(/^rgba\(.*, ([\d.]+)\)$/.exec(colour)?.[1] ?? 1);
  const isVeil = (colour: string) => alphaOf(colour) > 1 - opaqueMin && alphaOf(colour) < opaqueMin;
  for (const element of fixed) {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const { backgroundColor, boxShadow, translate } = getComputedStyle(element);
    const coversWindow = left <= 1 && top <= 1 && right >= innerWidth - 1 && bottom >= innerHeight - 1;
    // A shadow is painted around the layer only, and doesn't move what is in it.
    if (coversWindow && isVeil(backgroundColor) && boxShadow === "none" && bottom <= innerHeight + 1)
      force(element, "box-shadow", `0 0 0 ${height}px ${backgroundColor}`);
    const isAtBottom = top >= innerHeight / 2 && bottom <= innerHeight + 1 && bottom >= innerHeight - edgeMax;
    if (!isAtBottom || translate !== "none" || fixed.some((one) => one !== element && element.contains(one))) continue;
    force(element, "transition", "none");
    force(element, "translate", `0 ${height - innerHeight}px`);
  }
  const modal = document.querySelector<HTMLElement>("dialog:modal");
  const colour = modal && getComputedStyle(modal, "::backdrop").backgroundColor;
  if (!modal || !colour || !isVeil(colour)) return;
  const sheet = new CSSStyleSheet();
  sheet.insertRule(`dialog:modal::backdrop { box-shadow: 0 0 0 ${height}px ${colour} !important; }`);
  document.adoptedStyleSheets.push(sheet);
  world.undo.push(() => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
  });
}
