/**
 * Keeps content visible that animations hide only seconds after the page has loaded, unless they make room for other content. The functions
 * are serialized into the page and receive one another as arguments.
 */

/** Whether an element is in the normal flow, and so doesn't cover other content, and isn't in a fixed element. */
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

/**
 * Whether another element is visible in `box`, not counting ancestors and descendants of `element`. True if `box` is outside the window, where
 * this can't be determined, and if more elements lie there than `budget` has left, from which they are subtracted.
 */
export function isReplaced(element: Element, { left, top, width, height }: DOMRect, budget: { elements: number }): boolean {
  const shares = [0.1, 0.5, 0.9];
  const page: Document = Reflect.get(Node.prototype, "ownerDocument", element) ?? document; // that of a frame, for example
  const contains = (one: Element, other: Element) => Node.prototype.contains.call(one, other);
  return shares.some((x) =>
    shares.some((y) => {
      if (budget.elements <= 0) return true;
      const all = page.elementsFromPoint(left + x * width, top + y * height);
      budget.elements -= all.length;
      const isVisible = (one: Element) => Element.prototype.checkVisibility.call(one, { opacityProperty: true });
      return all.length === 0 || all.some((one) => !contains(element, one) && !contains(one, element) && isVisible(one));
    }),
  );
}

/**
 * Call this before finishing `animations`.
 * @param parts `visibilityOf` from `visibility.ts`, and the functions above.
 * @returns a function to call once they are finished. It rewinds those that started late and have hidden their target.
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
  const [lateMs, exitsMax] = [4_000, 200];
  const heightOf = () => (document.scrollingElement ?? document.documentElement).scrollHeight;
  const height = heightOf();
  const late = animations.filter(({ currentTime, playbackRate, effect }) => {
    const { delay = 0, endTime } = effect?.getComputedTiming() ?? {};
    return playbackRate > 0 && endTime !== Number.POSITIVE_INFINITY && delay >= lateMs && Number(currentTime) < delay;
  });
  if (late.length > exitsMax) return () => {}; // all or none, so that the same content always looks the same
  const exits = late.flatMap((animation) => {
    const { target, pseudoElement } = animation.effect as KeyframeEffect;
    if (!target || pseudoElement || !isInFlow(target)) return [];
    const box = Element.prototype.getBoundingClientRect.call(target);
    return [{ animation, time: animation.currentTime, target, before: visibilityOf(target, null), box }];
  });
  return () => {
    if (heightOf() !== height) return; // an exit that changes the layout makes room for other content
    const budget = { elements: 50_000 };
    const hidden = exits.filter(({ target, before, box }) => visibilityOf(target, null) < before / 2 && !isReplaced(target, box, budget));
    for (const { animation, time } of hidden) {
      animation.pause();
      animation.currentTime = time;
    }
  };
}
