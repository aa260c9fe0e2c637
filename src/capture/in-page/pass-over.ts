/** Shows a page all of itself for a moment, so that what loads only when it is seen begins to load. */

/** Heights of the document. */
interface Passed {
  before: number;
  after: number;
}

interface World {
  pass?: { leave: () => void; finish: () => Promise<Passed | undefined> };
}

/** What has arrived has had its effect on the layout. */
export async function nextFrame(): Promise<number> {
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 250); // a page that draws nothing has no frames
  });
  return (document.scrollingElement ?? document.documentElement).scrollHeight;
}

/**
 * For one frame the document is made so small that the whole region is in view: observers of intersections and
 * the browser's own lazy loading then see all of it at once, and nothing is laid out anew, as it would be in a taller window. Listeners
 * of scroll events that ask where things are see the same. Those that compare offsets with the scroll position get theirs from a jump
 * to the bottom. That takes two frames however long the page is, where scrolling by screens takes one for each.
 * Without a region it is the whole document, which is then left scrolled to its top.
 * `holds`: the document stays small until `finishPass`.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialised into the page, so it can call nothing outside itself
export async function passOver(
  region: { x: number; y: number; width: number; height: number } | null,
  holds: boolean,
): Promise<Passed | undefined> {
  const root = document.documentElement;
  const page = document.scrollingElement ?? root;
  const [x, y] = [scrollX, scrollY];
  const go = (left: number, top: number) => {
    scrollTo({ left, top, behavior: "instant" });
    dispatchEvent(new Event("scroll"));
    document.dispatchEvent(new Event("scroll", { bubbles: true }));
  };
  const before = page.scrollHeight;
  const [width, height] = [page.scrollWidth, page.scrollHeight];
  if (!region && width <= innerWidth && height <= innerHeight) {
    (globalThis as World).pass = { leave: () => {}, finish: async () => ({ before, after: before }) };
    return holds ? undefined : { before, after: before };
  }

  const toTheLeft = getComputedStyle(document.body ?? page).direction === "rtl" ? width - innerWidth : 0;
  const { left, top, scale } = region
    ? { left: region.x - toTheLeft, top: region.y, scale: Math.min(1, innerWidth / region.width, innerHeight / region.height) }
    : { left: -toTheLeft, top: 0, scale: Math.min(innerWidth / width, innerHeight / height) };
  const changed = {
    animation: "none",
    transition: "none",
    opacity: "0", // nothing is painted: at such a scale a sticky element alone would cost gigabytes
    "transform-origin": "0 0",
    transform: `scale(${scale}) translate(${-left}px, ${-top}px)`,
  };
  const hadStyle = root.hasAttribute("style");
  const own = Object.keys(changed).map((name) => [name, root.style.getPropertyValue(name), root.style.getPropertyPriority(name)] as const);
  let isLeft = false;
  const leave = () => {
    isLeft = true;
    const restore = (name: string) => {
      const [, value = "", priority] = own.find(([changedName]) => changedName === name) ?? [];
      root.style.setProperty(name, value, priority);
    };
    restore("transform");
    restore("opacity");
    root.getBoundingClientRect(); // the page's own transitions must not see that
    Object.keys(changed).forEach(restore);
    if (!hadStyle) root.removeAttribute("style");
  };
  const finish = async () => {
    if (isLeft) return undefined;
    leave();
    go(x, region ? y : page.scrollHeight);
    await new Promise<void>((resolve) => {
      requestAnimationFrame(() => setTimeout(resolve));
      setTimeout(resolve, 250);
    });
    if (!region) go(0, 0);
    return { before, after: page.scrollHeight };
  };
  (globalThis as World).pass = { leave, finish };
  scrollTo({ left: 0, top: 0, behavior: "instant" });
  for (const [name, value] of Object.entries(changed)) root.style.setProperty(name, value, "important");
  go(0, 0);
  await new Promise<void>((resolve) => {
    const observer = new IntersectionObserver(() => {
      observer.disconnect();
      setTimeout(resolve); // the page's observers are told in the same task
    });
    observer.observe(root);
    setTimeout(resolve, 250); // a page that draws nothing has no frames
  });
  return holds ? undefined : await finish();
}

/** Ends a pass that holds; its result. */
export async function finishPass(): Promise<Passed | undefined> {
  return await (globalThis as World).pass?.finish();
}

/** Ends a pass where it is. */
export function leavePass(): true {
  (globalThis as World).pass?.leave();
  return true;
}

/** Scrolls the window to `top` and stays there for handlers that are throttled or poll. Resolves with whether content of the page changed. */
export async function scrollToAndHold(top: number, holdMs: number): Promise<boolean> {
  let changed = false;
  const isFixed = (element: Element | null): boolean => {
    for (let above = element; above; above = above.parentElement) if (/fixed|sticky/.test(getComputedStyle(above).position)) return true;
    return false;
  };
  const changes = new MutationObserver((records) => {
    changed ||= records.some(({ target }) => {
      const element = target instanceof Element ? target : target.parentElement;
      return element && element !== document.body && element !== document.documentElement && !isFixed(element);
    });
  });
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  scrollTo({ top, behavior: "instant" });
  await new Promise((resolve) => setTimeout(resolve, holdMs));
  changes.disconnect();
  return changed;
}
