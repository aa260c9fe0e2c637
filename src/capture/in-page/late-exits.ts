/**
 * Keeps visible what the page's own animations hide only seconds after loading, and what doesn't give way to other content: visitors see it
 * first. The functions are serialized into the page and receive one another as arguments.
 */

/** Whether an element is in the flow of the page, so that it can't lie over other content, and not in something that is fixed. */
export function isInFlow(element: Element): boolean {
  const ancestorsMax = 100;
  if (!/^(static|relative)$/.test(getComputedStyle(element).position)) return false;
  let around: Element | null = element;
  for (let level = 0; around && level < ancestorsMax; level += 1) {
    if (getComputedStyle(around).position === "fixed") return false;
    const root: Node = Node.prototype.getRootNode.call(around);
    around = Reflect.get(Node.prototype, "parentElement", around) ?? (root instanceof ShadowRoot ? root.host : null);
  }
  return true;
}

/** Whether something other than `element` and what it is in is visible in `box`, or may be: `box` may be outside the window. */
export function isReplaced(element: Element, { left, top, width, height }: DOMRect): boolean {
  const shares = [0.1, 0.5, 0.9];
  const page: Document = Reflect.get(Node.prototype, "ownerDocument", element) ?? document; // that of a frame, for example
  const contains = (one: Element, other: Element) => Node.prototype.contains.call(one, other);
  return shares.some((x) =>
    shares.some((y) => {
      const all = page.elementsFromPoint(left + x * width, top + y * height);
      const isVisible = (one: Element) => Element.prototype.checkVisibility.call(one, { opacityProperty: true });
      return all.length === 0 || all.some((one) => !contains(element, one) && !contains(one, element) && isVisible(one));
    }),
  );
}

/**
 * Finds animations that begin late, before they are finished.
 * @param parts `visibilityOf` from `visibility.ts`, and the functions above.
 * @returns a function that returns what these animations have hidden in the meantime to its state before.
 */
export function lateExits(
  animations: Animation[],
  parts: {
    visibilityOf(target: Element, pseudo: string | null): number;
    isInFlow: typeof isInFlow;
    isReplaced: typeof isReplaced;
  },
): () => void {
  const { visibilityOf, isInFlow, isReplaced } = parts;
  const lateMs = 4_000;
  const heightOf = () => (document.scrollingElement ?? document.documentElement).scrollHeight;
  const height = heightOf();
  const exits = animations.flatMap((animation) => {
    const { currentTime: time, playbackRate, effect } = animation;
    const { target, pseudoElement } = effect as KeyframeEffect;
    const { delay = 0, endTime } = effect?.getComputedTiming() ?? {};
    const isLate = playbackRate > 0 && endTime !== Number.POSITIVE_INFINITY && delay >= lateMs && Number(time) < delay;
    if (!isLate || !target || pseudoElement || !isInFlow(target)) return [];
    return [{ animation, time, target, before: visibilityOf(target, null), box: Element.prototype.getBoundingClientRect.call(target) }];
  });
  return () => {
    if (heightOf() !== height) return;
    const hidden = exits.filter(({ target, before, box }) => visibilityOf(target, null) < before / 2 && !isReplaced(target, box));
    for (const { animation, time } of hidden) {
      animation.pause();
      animation.currentTime = time;
    }
  };
}
