/** Runs in the page: extends backdrops down the page. Its changes can be undone (`undo.ts`). */

interface World {
  undo?: (() => void)[];
}

/**
 * Stretches fixed, empty elements that cover the viewport behind the content to the height of the page, since a visitor sees them behind
 * every part of it. The page must be scrolled to the top.
 */
export function extendBackdrops(): void {
  const world = globalThis as World;
  world.undo ??= [];
  const force = ({ style }: HTMLElement, name: string, value: string) => {
    const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
    world.undo?.push(() => style.setProperty(name, own, priority));
    style.setProperty(name, value, "important");
  };
  const fixed = [...document.querySelectorAll<HTMLElement>("body *")].filter((element) => getComputedStyle(element).position === "fixed");
  const pageHeight = (document.scrollingElement ?? document.documentElement).scrollHeight;
  const points = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [x * innerWidth, y * innerHeight] as const));
  const content = "img, svg, canvas, video, iframe, object, input, button";
  const isBackdrop = (element: HTMLElement): boolean => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    if (left > 1 || top > 1 || right < innerWidth - 1 || bottom < innerHeight - 1 || bottom >= pageHeight) return false;
    if (element.matches(content) || element.querySelector(content) || (element.textContent ?? "").trim() !== "") return false;
    if (Number(getComputedStyle(element).zIndex) < 0) return true;
    return points.some(([x, y]) => {
      const stack = document.elementsFromPoint(x, y);
      const above = stack[stack.findIndex((one) => element.contains(one)) - 1];
      return above !== undefined && !fixed.some((one) => one.contains(above));
    });
  };
  for (const element of fixed.filter(isBackdrop)) {
    const tall = [...element.querySelectorAll<HTMLElement>("*")].filter(({ offsetHeight }) => offsetHeight >= innerHeight);
    for (const [name, value] of [
      ["position", "absolute"],
      ["inset", "0 auto auto 0"],
      ["width", `${element.offsetWidth}px`],
    ] as const)
      force(element, name, value);
    const { left, top } = element.getBoundingClientRect();
    force(element, "inset", `${-top}px auto auto ${-left}px`);
    for (const one of [element, ...tall]) for (const name of ["height", "max-height"]) force(one, name, `${pageHeight}px`);
  }
}
