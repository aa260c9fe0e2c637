/** Brings into being what a page loads only when it is scrolled to. */

import type { Tab } from "../browser/tab.ts";
import type { Work } from "./option-group.ts";
import { watchTraffic } from "./traffic.ts";

/** CSS pixels from the document's top left corner. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** For what scrolling made the page ask for to arrive, on top of the time for scrolling. */
const loadingMs = 5_000;
/** A page whose scroll handlers take longer is taken as it is. */
const passMs = 3_000;

/**
 * Goes through the whole page until nothing new comes of it: no request, no growth. A page that grows is followed for `durationMs`
 * or down to `heightMax` CSS pixels, whichever ends first.
 */
export async function scrollThrough({ tab, warn }: Work, { durationMs, heightMax }: { durationMs: number; heightMax: number }) {
  const traffic = await watchTraffic(tab);
  const started = performance.now();
  const leftMs = () => Math.max(0, started + durationMs + loadingMs - performance.now());
  let height = 0;
  for (let pass = 1; ; pass += 1) {
    const begun = traffic.begun();
    const seen = await goOver(tab, Math.min(passMs, leftMs()), null);
    if (!seen) return warn("the page did not let itself be scrolled to its end");
    const grew = seen.after > (height || seen.before);
    if (traffic.begun() === begun && !grew) return undefined;
    const settled = await tab.resultWithin(leftMs(), settle(tab, traffic.none));
    if (settled === undefined) return warn("the page still loaded what scrolling brought when its picture was taken");
    if (settled >= heightMax) return undefined;
    // Twice at least: what the first pass brought may itself load only when it is seen.
    if (pass > 1 && performance.now() > started + durationMs) {
      if (settled > seen.after || grew) warn(`the page went on growing while it was scrolled and was captured at ${settled} CSS pixels`);
      return undefined;
    }
    height = seen.after;
  }
}

/** Lets the page load what belongs into `region`, and leaves it scrolled as it was. */
export async function showRegion({ tab, warn }: Work, region: Region): Promise<void> {
  const traffic = await watchTraffic(tab);
  const started = performance.now();
  if (!(await goOver(tab, passMs, region))) return;
  const left = loadingMs - (performance.now() - started);
  if (traffic.begun() > 0 && (await tab.resultWithin(left, settle(tab, traffic.none))) === undefined)
    warn("the page still loaded what the picture shows when it was taken");
}

/** One pass; a page that is too slow for it has its own look again before anything else is done. */
async function goOver(tab: Tab, ms: number, region: Region | null) {
  const seen = await tab.resultWithin(ms, tab.waitFor(passOver, region));
  if (!seen) await tab.within(passMs, tab.waitFor(leavePass));
  return seen;
}

/** What the answers bring may ask for more. Resolves with the page's height. */
async function settle(tab: Tab, noneUnderWay: () => Promise<void>): Promise<number> {
  for (;;) {
    await noneUnderWay();
    const height = await tab.waitFor(nextFrame);
    if (await tab.within(1, noneUnderWay())) return height;
  }
}

/** Runs in the page: what has arrived has had its effect on the layout. */
async function nextFrame(): Promise<number> {
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 250); // a page that draws nothing has no frames
  });
  return (document.scrollingElement ?? document.documentElement).scrollHeight;
}

/**
 * Runs in the page. For one frame the document is made so small that the whole region is in view: observers of intersections and
 * the browser's own lazy loading then see all of it at once, and nothing is laid out anew, as it would be in a taller window. Listeners
 * of scroll events that ask where things are see the same. Those that compare offsets with the scroll position get theirs from a jump
 * to the bottom. That takes two frames however long the page is, where scrolling by screens takes one for each.
 * Without a region it is the whole document, which is then left scrolled to its top.
 */
async function passOver(region: { x: number; y: number; width: number; height: number } | null) {
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
  if (!region && width <= innerWidth && height <= innerHeight) return { before, after: before };

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
  (globalThis as { leavePass?: () => void }).leavePass = leave;
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
  if (isLeft) return undefined;
  leave();
  go(x, region ? y : page.scrollHeight);
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 250);
  });
  if (!region) go(0, 0);
  return { before, after: page.scrollHeight };
}

/** Runs in the page, in the world that `passOver` runs in: ends it where it is. */
function leavePass(): true {
  (globalThis as { leavePass?: () => void }).leavePass?.();
  return true;
}
