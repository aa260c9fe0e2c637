/** Runs in the page: repositions fixed elements for an image of the full page. Its changes can be undone (`undo.ts`). */

interface World {
  undo?: (() => void)[];
}

/**
 * Moves elements fixed to the bottom of the window to the bottom of the page, at most `heightMax` CSS pixels down, and extends translucent
 * layers, such as those behind dialogs, over the whole page, since a visitor sees both at every scroll position. The page must be scrolled
 * to the top.
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
  // A fixed element within a transformed one, for example, scrolls with the page and has an `offsetParent`.
  const isFixed = (element: HTMLElement) => getComputedStyle(element).position === "fixed" && element.offsetParent === null;
  const fixed = [...document.querySelectorAll<HTMLElement>("body *")].filter(isFixed);
  const alphaOf = (colour: string) => Number(/^rgba\(.*, ([\d.]+)\)$/.exec(colour)?.[1] ?? 1);
  const isVeil = (colour: string) => alphaOf(colour) > 1 - opaqueMin && alphaOf(colour) < opaqueMin;
  for (const element of fixed) {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const { backgroundColor, boxShadow, translate } = getComputedStyle(element);
    const coversWindow = left <= 1 && top <= 1 && right >= innerWidth - 1 && bottom >= innerHeight - 1;
    // A shadow is painted only around the layer and doesn't move its content.
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
