/** Finds content that style sheets moved or widened while it was in view, and then changed back. Serialized into the page. */

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** See `record-look.ts`. */
interface State {
  transform: string;
  width: number;
  box: Box;
  isShown: boolean;
}

interface Parts {
  tracker: {
    seen: Map<Element, { states: State[] }>;
    measure(): (element: Element) => { box: Box; style: CSSStyleDeclaration };
    hasOldClasses(element: Element): boolean;
  };
  commonArea(one: Box, other: Box): number;
  isTaken(element: Element, box: Box, boxOf: (element: Element) => Box, common: Parts["commonArea"]): boolean;
}

/**
 * Finds elements below the first viewport that had one state out of view, another in view, and now have the first again. Those that had
 * more states in view are excluded, because they move with the scroll position or in turn, and so are those whose place is taken.
 * @returns what to restore of each.
 */
export function findChangedBack({ tracker, isTaken, commonArea }: Parts): [Element, look: Record<string, string>][] {
  const [statesMax, movedMinPx, scaledMax] = [8, 20, 0.02];
  const of = tracker.measure();
  // A form field may shadow its form's members.
  const ownOf = (element: Element): CSSStyleDeclaration | undefined =>
    Reflect.get(element instanceof HTMLFormElement ? HTMLElement.prototype : element, "style", element);
  const hasMoved = (from: string, to: string) => {
    const [one, other] = [from, to].map((transform) => new DOMMatrix(transform === "none" ? "" : transform)) as [DOMMatrix, DOMMatrix];
    const { a, b, c, d, e, f } = one;
    const turned = Math.abs(a - other.a) + Math.abs(b - other.b) + Math.abs(c - other.c) + Math.abs(d - other.d);
    return turned < scaledMax && Math.hypot(e - other.e, f - other.f) > movedMinPx;
  };
  return [...tracker.seen].flatMap(([element, { states }]): [Element, Record<string, string>][] => {
    const at = states.findLastIndex(({ isShown }) => isShown);
    const shown = states[at];
    if (!shown || states.length > statesMax || shown.box.top < innerHeight) return [];
    if (!Reflect.get(Node.prototype, "isConnected", element)) return [];
    const { style } = of(element);
    const now = { transform: style.transform, width: Math.round(Number.parseFloat(style.width)) || 0 };
    const isLike = (one: State, other: typeof now) => one.transform === other.transform && one.width === other.width;
    if (isLike(shown, now)) return [];
    // Otherwise it may just have been changed late.
    if (!states.slice(0, at).some((state) => isLike(state, now)) && !tracker.hasOldClasses(element)) return [];
    if (states.some((state) => state.isShown && !isLike(state, now) && !isLike(state, shown))) return [];
    const look: Record<string, string> = {};
    // Scripts that move content with the scroll position set its inline style, or a variable of an element around it.
    const own = ownOf(element);
    if (!own?.transform && hasMoved(now.transform, shown.transform)) look.transform = shown.transform;
    if (!own?.width && now.width < shown.width / 2 && shown.width - now.width > movedMinPx)
      Object.assign(look, { width: `${shown.width}px`, "max-width": "none" });
    const isVaried = Element.prototype.closest.call(element, '[style*="--"]') !== null;
    return Object.keys(look).length === 0 || isVaried || isTaken(element, shown.box, (other) => of(other).box, commonArea)
      ? []
      : [[element, look]];
  });
}
