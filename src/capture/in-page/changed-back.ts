/** Finds content that style sheets moved, widened or colored while it was in view, and then changed back. Serialized into the page. */

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
    seen: Map<Element, { states: State[]; colors: { look: Record<string, string>; isShown: boolean }[]; box: Box }>;
    measure(): (element: Element) => { box: Box; style: CSSStyleDeclaration };
    hasOldClasses(element: Element): boolean;
  };
  colorsTakenBack: typeof colorsTakenBack;
  commonArea(one: Box, other: Box): number;
  isTaken(element: Element, box: Box, boxOf: (element: Element) => Box, common: Parts["commonArea"]): boolean;
}

/**
 * The colors that an element had while it was in view, unless it had others in view as well, which it does if entries or parts are
 * highlighted in turn. Only a class of an element below the top of the page counts: one at the top may color its backgrounds for a while.
 */
export function colorsTakenBack(
  element: Element,
  { tracker: { seen, hasOldClasses }, of }: { tracker: Parts["tracker"]; of: ReturnType<Parts["tracker"]["measure"]> },
): Record<string, string> {
  const shown = (seen.get(element)?.colors ?? []).filter(({ isShown }) => isShown);
  const [{ look } = { look: {} }] = shown;
  const now = getComputedStyle(element);
  if (shown.length !== 1 || Object.entries(look).every(([name, value]) => now.getPropertyValue(name) === value)) return {};
  if (!hasOldClasses(element)) return {};
  const isAtTop = (above: Element | null): boolean =>
    above !== null &&
    ((hasOldClasses(above) && of(above).box.top < innerHeight / 2) || isAtTop(Reflect.get(Node.prototype, "parentElement", above)));
  return isAtTop(element) ? {} : look;
}

/**
 * Finds elements below the first viewport that had one state out of view, another in view, and now have the first again. Those that had
 * more states in view are excluded, because they move with the scroll position or in turn, and so are those whose place is taken.
 * @returns what to restore of each.
 */
export function findChangedBack(parts: Parts): [Element, look: Record<string, string>][] {
  const { tracker, isTaken, commonArea } = parts;
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
  const movedBack = (element: Element, states: State[]): Record<string, string> => {
    const at = states.findLastIndex(({ isShown }) => isShown);
    const shown = states[at];
    if (!shown || states.length > statesMax || shown.box.top < innerHeight) return {};
    const { style } = of(element);
    const now = { transform: style.transform, width: Math.round(Number.parseFloat(style.width)) || 0 };
    const isLike = (one: State, other: typeof now) => one.transform === other.transform && one.width === other.width;
    if (isLike(shown, now)) return {};
    // Otherwise it may just have been changed late.
    if (!states.slice(0, at).some((state) => isLike(state, now)) && !tracker.hasOldClasses(element)) return {};
    if (states.some((state) => state.isShown && !isLike(state, now) && !isLike(state, shown))) return {};
    const look: Record<string, string> = {};
    // Scripts that move content with the scroll position set its inline style, or a variable of an element around it.
    const own = ownOf(element);
    if (!own?.transform && hasMoved(now.transform, shown.transform)) look.transform = shown.transform;
    if (!own?.width && now.width < shown.width / 2 && shown.width - now.width > movedMinPx)
      Object.assign(look, { width: `${shown.width}px`, "max-width": "none" });
    const isVaried = Element.prototype.closest.call(element, '[style*="--"]') !== null;
    const isEmpty = Object.keys(look).length === 0;
    return isEmpty || isVaried || isTaken(element, shown.box, (other) => of(other).box, commonArea) ? {} : look;
  };
  return [...tracker.seen].flatMap(([element, { states }]): [Element, Record<string, string>][] => {
    if (!Reflect.get(Node.prototype, "isConnected", element)) return [];
    const look = { ...movedBack(element, states), ...parts.colorsTakenBack(element, { tracker, of }) };
    return Object.keys(look).length === 0 ? [] : [[element, look]];
  });
}
