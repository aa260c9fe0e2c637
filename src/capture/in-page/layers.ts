/** Follows layers that are fixed to the window while scripts move them as the page is scrolled. Each function runs in the page. */

interface Layer {
  /** Where it was visible at the stops: scroll position, and upper edge in CSS pixels from the top of the document. */
  spots: { at: number; top: number; isLarge: boolean }[];
  /** Styles of the layer and its content in the middle of the window, if it scrolls with the document. */
  looks?: Map<HTMLElement, Record<string, string>>;
  /** CSS pixels from the document's top left corner. */
  box?: { left: number; top: number; width: number; height: number };
}

interface World {
  layers?: Map<HTMLElement, Layer>;
  undo?: (() => void)[];
}

/** Records which layers are visible at the current scroll position, and where. */
export function noteLayers(): void {
  const [inspectedMax, layersMax, visibleMin, largeMin] = [20_000, 100, 0.02, 0.25];
  const world = globalThis as World;
  world.layers ??= new Map();
  for (const element of [...document.querySelectorAll<HTMLElement>("body *")].slice(0, inspectedMax)) {
    if (getComputedStyle(element).position !== "fixed" || element.offsetParent !== null) continue; // else it scrolls with an ancestor
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const [width, height] = [Math.min(right, innerWidth) - Math.max(left, 0), Math.min(bottom, innerHeight) - Math.max(top, 0)];
    const share = (Math.max(0, width) * Math.max(0, height)) / (innerWidth * innerHeight);
    const layer = world.layers.get(element) ?? { spots: [] };
    if (world.layers.size < layersMax) world.layers.set(element, layer);
    if (share >= visibleMin && element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      layer.spots.push({ at: scrollY, top: top + scrollY, isLarge: share >= largeMin });
  }
}

/**
 * Finds layers that seem to scroll with the document.
 * @returns their numbers, and for each the scroll position at which it is in the middle of the window; `via` is another one at which it has
 *   to be seen first, if it hasn't been yet.
 */
export function findCarried(bottom: number): { index: number; at: number; via?: number }[] {
  const [sameMax, otherMin, carriedMax] = [3, 10, 12];
  const layers = [...((globalThis as World).layers ?? [])];
  return layers
    .flatMap(([element, { spots }], index) => {
      const [first] = spots;
      const isStill = new Set(spots.map(({ at, top }) => Math.round(top - at))).size === 1 && spots.length > 1;
      if (!first || isStill || spots.some(({ top }) => Math.abs(top - first.top) > sameMax)) return [];
      const at = Math.round(Math.min(bottom, Math.max(0, first.top + element.offsetHeight / 2 - innerHeight / 2)));
      if (spots.some((spot) => Math.abs(at - spot.at) >= otherMin)) return { index, at };
      return { index, at, via: at + 2 * otherMin <= bottom ? at + 2 * otherMin : at - 2 * otherMin };
    })
    .slice(0, carriedMax);
}

/** Records how a layer looks now, if it has the same place in the document as at another scroll position. */
export function recordCarried(index: number): void {
  const [sameMax, contentMax] = [3, 300];
  const [element, layer] = [...((globalThis as World).layers ?? [])][index] ?? [];
  if (!element || !layer) return;
  const { left, top, width, height } = element.getBoundingClientRect();
  const isCarried = layer.spots.some((spot) => Math.abs(top + scrollY - spot.top) <= sameMax && Math.abs(scrollY - spot.at) > sameMax);
  if (!isCarried) return;
  const names = ["display", "opacity", "visibility", "transform", "translate", "background-position"];
  const content = [...element.querySelectorAll<HTMLElement>("*")].slice(0, contentMax);
  const lookOf = (one: HTMLElement) => Object.fromEntries(names.map((name) => [name, getComputedStyle(one).getPropertyValue(name)]));
  layer.box = { left: left + scrollX, top: top + scrollY, width, height };
  layer.looks = new Map([element, ...content].map((one) => [one, lookOf(one)]));
}

/**
 * Places the layers that scroll with the document where a visitor sees them, with the recorded looks. Call this with the page scrolled to
 * the top.
 */
export function placeCarried(): void {
  const sheet = new CSSStyleSheet();
  for (const [index, [element, { looks, box }]] of [...((globalThis as World).layers ?? [])].entries()) {
    if (!looks || !box || !element.isConnected) continue;
    const rule = (one: HTMLElement, name: string, look: Record<string, string>) => {
      one.setAttribute("data-held", name);
      const text = Object.entries(look).map(([property, value]) => `${property}: ${value} !important;`);
      sheet.insertRule(`[data-held="${name}"] { ${text.join(" ")} transition: none !important; }`, sheet.cssRules.length);
    };
    const placed = { position: "absolute", inset: "auto", margin: "0", width: `${box.width}px`, height: `${box.height}px` };
    for (const [at, [one, look]] of [...looks].entries()) {
      const style = getComputedStyle(one);
      const changed = Object.entries(look).filter(([name, value]) => style.getPropertyValue(name) !== value);
      if (one !== element && changed.length > 0) rule(one, `layer-${index}-${at}`, Object.fromEntries(changed));
    }
    const look = { ...looks.get(element), ...placed, "box-sizing": "border-box", transform: "none" };
    if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
    rule(element, `layer-${index}`, { ...look, translate: "0px 0px" });
    const { left, top } = element.getBoundingClientRect();
    rule(element, `layer-${index}`, { ...look, translate: `${box.left - left - scrollX}px ${box.top - top - scrollY}px` });
  }
}

/** Whether the page shows large layers in the same place at different scroll positions, of which the image can show only one. */
export function layersAlternate(): boolean {
  const content = "img, svg, canvas, video, picture, [style*='url(']";
  const shown = [...((globalThis as World).layers ?? [])].flatMap(([element, { spots, looks }]) => {
    const hasContent = (element.textContent ?? "").trim() !== "" || element.querySelector(content);
    return looks || !hasContent ? [] : [new Set(spots.filter(({ isLarge }) => isLarge).map(({ at }) => at))];
  });
  const lacks = (one: Set<number>, other: Set<number>) => [...one].some((at) => !other.has(at));
  return shown.some((one, index) => shown.slice(index + 1).some((other) => lacks(one, other) && lacks(other, one)));
}
