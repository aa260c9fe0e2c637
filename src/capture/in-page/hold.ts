/** Scrolls and waits for the page's reaction. Each function runs in the page, so it must be self-contained. */

interface World {
  /** Set by `expandMainScroller`. */
  mainScroller?: Element;
  /** Set by `findHidden`. */
  reveals?: { hidden: Set<Element> };
  tracker?: { isPlaying(amount: number): boolean; seen: Map<Element, { best: number }> };
  /** Time until which timers that the page started on loading or on an earlier scroll may be pending. */
  timersUntil?: number;
}

/** Timing of a stop; durations are in milliseconds. */
export interface Hold {
  least: number;
  /** Maximum wait for the first or next change on pages that may have slow handlers. */
  patient: number;
  /** The same maximum while content in view is hidden and the page has started timers, which may be about to show it. */
  late: number;
  /** Whether only content that has been shown before counts as hidden. */
  again: boolean;
  /** Whether to treat the page as having slow handlers even if it doesn't start a timer. */
  isPatient: boolean;
  most: number;
  /**
   * Share of the content that must be painted before the stop ends if scripts move it into view: from 0 (no wait) to 1. The wait takes at
   * most `most`.
   */
  played: number;
}

export interface Stop {
  /** Whether the page's content has changed. */
  changed: boolean;
  /** Whether the stop waited for a slow handler that didn't change anything. */
  inVain: boolean;
  /** Whether scripts were still moving content into view. */
  isPlaying: boolean;
  /** Time spent waiting for those scripts. */
  playedMs: number;
}

/**
 * Scrolls to `top` and waits there for throttled and polling handlers: for `hold.least`, and longer if nothing has changed yet or content
 * in view is still hidden, provided that the page has requested timers or several frames. Then waits for scripts that move content into
 * view.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export async function scrollToAndHold(top: number, hold: Hold): Promise<Stop> {
  const [inspectedMax, wholeMin] = [300, 0.97];
  const tickMs = 30;
  const frameMs = 1_000;
  const world = globalThis.tintypeOwn as World;
  // A throttled scroll handler starts no timer while an earlier one is pending, and acts when that one ends.
  const { timersUntil = 0 } = world;
  const mayAwaitTimer = () => performance.now() < timersUntil;
  let changed = false;
  let changedSinceTick = false;
  const isFixed = (element: Element | null): boolean => {
    for (let above = element; above; above = Reflect.get(Node.prototype, "parentElement", above))
      if (/fixed|sticky/.test(getComputedStyle(above).position)) return true;
    return false;
  };
  const changes = new MutationObserver((records) => {
    const isContent = records.some(({ target }) => {
      const element = target instanceof Element ? target : (target as Text).parentElement;
      return element && element !== document.body && element !== document.documentElement && !isFixed(element);
    });
    if (isContent) [changed, changedSinceTick] = [true, true];
  });
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  // Timer ids are sequential in a document, so they show whether the page has started timers since.
  let ownTimers = 0;
  const later = (ms: number, resolve: () => void) => {
    ownTimers += 1;
    return setTimeout(resolve, ms) as unknown as number;
  };
  const firstTimer = later(0, () => {});
  const hasTimers = () => later(0, () => {}) - firstTimer >= ownTimers;
  // The same is true of frame callback ids. A script that requests several animates something; a throttled scroll handler requests one.
  const framesMin = 3;
  let ownFrames = 0;
  const onFrame = (draw: () => void) => {
    ownFrames += 1;
    return requestAnimationFrame(draw);
  };
  const firstFrame = onFrame(() => {});
  const hasFrames = () => {
    const id = onFrame(() => {});
    cancelAnimationFrame(id);
    return id - firstFrame - ownFrames + 1 >= framesMin;
  };
  const drawn = () =>
    new Promise<void>((resolve) => {
      onFrame(() => later(0, resolve)); // once the page's own scripts have drawn this frame
      later(frameMs, resolve); // a page that draws nothing gets no frames, and on a busy machine they are late
    });
  // Time is counted in ticks: on a busy machine timers are late, but the page's own timers are just as late, and run in the same order.
  let [heldMs, unchangedMs] = [0, 0];
  const tick = async () => {
    await new Promise<void>((resolve) => later(tickMs, resolve));
    heldMs += tickMs;
    unchangedMs = changedSinceTick ? 0 : unchangedMs + tickMs;
    changedSinceTick = false;
  };

  scrollTo({ top, behavior: "instant" });
  // The main scroller's content is now part of the document, so the scroller doesn't receive scroll events of its own.
  if (world.mainScroller) EventTarget.prototype.dispatchEvent.call(world.mainScroller, new Event("scroll"));
  // The scroll event is dispatched with the next frame, which is when a handler starts its timer.
  await drawn();
  while (heldMs < hold.least) await tick();

  const hidden = [...(world.reveals?.hidden ?? [])].filter((element) => {
    const { top, bottom, width, height } = Element.prototype.getBoundingClientRect.call(element);
    if (hold.again && (world.tracker?.seen.get(element)?.best ?? 0) < wholeMin) return false;
    return width * height > 100 && top < innerHeight && bottom > 0 && /static|relative/.test(getComputedStyle(element).position);
  });
  const isHidden = (element: Element) =>
    !Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const hides = () => hidden.slice(0, inspectedMax).some(isHidden);
  const unchangedMax = () => (hold.late > hold.patient && hides() && hasTimers() ? hold.late : hold.patient);
  let waited = false;
  const mayChange = () => hold.isPatient || mayAwaitTimer() || hasTimers() || hasFrames();
  while ((!changed || hides()) && mayChange() && unchangedMs <= unchangedMax() && heldMs <= hold.most) {
    waited = true;
    await tick();
  }
  /** Whether a script is still animating content in view after the latest frame. */
  const isPlaying = async () => {
    if (hold.played === 0) return false;
    await drawn();
    return world.tracker?.isPlaying(hold.played) ?? false;
  };
  const playedFrom = performance.now(); // animations take real time
  let plays = await isPlaying();
  while (plays && performance.now() - playedFrom < hold.most - heldMs) {
    await new Promise<void>((resolve) => later(tickMs, resolve));
    plays = await isPlaying();
  }
  changes.disconnect();
  world.timersUntil = hasTimers() ? performance.now() + hold.patient : 0;
  return { changed, inVain: waited && !changed, isPlaying: plays, playedMs: performance.now() - playedFrom };
}

/**
 * Finds content that was hidden before the page was scrolled and has not been fully painted since, in groups that fit into the viewport.
 * @returns the scroll positions that center these groups, from top to bottom.
 */
export function findUnshown(bottom: number): number[] {
  const [inspectedMax, areaMin, wholeMin, groupShare] = [2_000, 2_000, 0.97, 0.7];
  const { reveals, tracker } = globalThis.tintypeOwn as World;
  const isShown = (element: Element) => (tracker?.seen.get(element)?.best ?? 0) >= wholeMin;
  const areas = [...(reveals?.hidden ?? [])].slice(0, inspectedMax).flatMap((element) => {
    if (
      !Reflect.get(Node.prototype, "isConnected", element) ||
      isShown(element) ||
      !/static|relative/.test(getComputedStyle(element).position)
    )
      return [];
    const { top, height, width } = Element.prototype.getBoundingClientRect.call(element);
    return width * height < areaMin || !Element.prototype.checkVisibility.call(element)
      ? []
      : { top: top + scrollY, bottom: top + scrollY + height };
  });
  const groups: { top: number; bottom: number }[] = [];
  for (const area of areas.sort((one, other) => one.top - other.top)) {
    const last = groups.at(-1);
    if (last && Math.max(last.bottom, area.bottom) - last.top <= innerHeight * groupShare) last.bottom = Math.max(last.bottom, area.bottom);
    else groups.push(area);
  }
  return groups.map((group) => Math.round(Math.min(bottom, Math.max(0, (group.top + group.bottom - innerHeight) / 2))));
}

/**
 * Whether large content in at least three viewports below the first is hidden and has never been shown, in a document that scrolls. Slides
 * and tabs, which are hidden where another is shown, don't count.
 */
export function findNeverShown(): boolean {
  const [inspectedMax, childrenMax, shareMin, viewportsMin] = [2_000, 100, 0.04, 3];
  const { reveals, tracker } = globalThis.tintypeOwn as World;
  const isLocked = (element: Element) => element && /hidden|clip/.test(getComputedStyle(element).overflowY);
  if ([document.documentElement, document.body].some(isLocked)) return false;
  const isSeen = (element: Element) => Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const takesPlaceOf = (one: DOMRect) => (sibling: Element) => {
    const { left, right, top, bottom } = Element.prototype.getBoundingClientRect.call(sibling);
    const [width, height] = [Math.min(right, one.right) - Math.max(left, one.left), Math.min(bottom, one.bottom) - Math.max(top, one.top)];
    return Math.max(0, width) * Math.max(0, height) > (one.width * one.height) / 2 && isSeen(sibling);
  };
  const viewports = [...(reveals?.hidden ?? [])].slice(0, inspectedMax).flatMap((element) => {
    const box = Element.prototype.getBoundingClientRect.call(element);
    const isLarge = box.width * box.height > innerWidth * innerHeight * shareMin && box.top + scrollY >= innerHeight;
    if (!isLarge || (tracker?.seen.get(element)?.best ?? 0) > 0.5 || !Element.prototype.checkVisibility.call(element) || isSeen(element))
      return [];
    if (!/static|relative/.test(getComputedStyle(element).position)) return [];
    // A form field may shadow its form's members.
    const parent: Element | null = Reflect.get(Node.prototype, "parentElement", element);
    const siblings: Element[] = parent ? [...Reflect.get(Element.prototype, "children", parent)].slice(0, childrenMax) : [];
    return siblings.some(takesPlaceOf(box)) ? [] : Math.floor((box.top + scrollY) / innerHeight);
  });
  return new Set(viewports).size >= viewportsMin;
}
