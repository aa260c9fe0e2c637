/** Finds content that a page showed while it was scrolled and then hid again. Serialized into the page. */

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The tracker's record of an element; see `record-look.ts`. */
interface Seen {
  best: number;
  full: number;
  look?: Record<string, string>;
  box: Box;
  displacement: number;
  toggles: number[];
  since: number;
}

interface Tracker {
  seen: Map<Element, Seen>;
  notes: (number | null)[];
  measure(): (element: Element) => { amount: number; box: Box; style: CSSStyleDeclaration };
}

interface Parts {
  tracker: Tracker;
  isTaken: typeof isTaken;
  commonArea: typeof commonArea;
  areAlternating: typeof areAlternating;
}

/** Intersection area in square pixels. */
export function commonArea(one: Box, other: Box): number {
  const [width, height] = [
    Math.min(one.right, other.right) - Math.max(one.left, other.left),
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
  ];
  return Math.max(0, width) * Math.max(0, height);
}

/**
 * Whether the page shows only one of two elements at a time, as with slides, tabs and highlighted navigation entries: they share a position
 * or a viewport, and were never both fully visible.
 */
export function areAlternating(one: Seen, other: Seen, notes: Tracker["notes"], common: typeof commonArea): boolean {
  const isWholeAt = ({ toggles }: Seen, note: number) => toggles.filter((toggle) => toggle <= note).length % 2 > 0;
  const isInViewAt = ({ box }: Seen, note: number) => {
    const top = notes[note] ?? null;
    const margin = (box.bottom - box.top) / 5;
    return top === null || (box.top >= top - margin && box.bottom <= top + innerHeight + margin);
  };
  if (one.toggles.length === 0 || other.toggles.length === 0) return false;
  const numbers = [...notes.keys()];
  if (numbers.some((note) => isWholeAt(one, note) && isWholeAt(other, note))) return false;
  const smaller = Math.min(common(one.box, one.box), common(other.box, other.box));
  if (common(one.box, other.box) > smaller / 2) return true;
  const height = Math.max(one.box.bottom, other.box.bottom) - Math.min(one.box.top, other.box.top);
  if (height > innerHeight) return false;
  // Large neighbors may come into view one after another, so while one is visible, the other must be in view.
  const isAlone = (whole: Seen, not: Seen) =>
    numbers.some((note) => isWholeAt(whole, note) && not.since <= note && (height < innerHeight / 4 || isInViewAt(not, note)));
  return isAlone(one, other) && isAlone(other, one);
}

/** Whether another element has taken the place that an element had: a slide that has moved on, or a part of a gallery that has shrunk. */
export function isTaken(element: Element, box: Box, boxOf: (element: Element) => Box, common: typeof commonArea): boolean {
  const siblingsMax = 50;
  const parent: Element | null = Reflect.get(Node.prototype, "parentElement", element);
  const siblings: Element[] = parent ? [...Reflect.get(Element.prototype, "children", parent)] : [];
  return siblings.slice(0, siblingsMax).some((sibling) => sibling !== element && common(boxOf(sibling), box) > common(box, box) / 2);
}

/**
 * Finds elements that were fully painted but whose own style now makes them less visible, or that style sheets have moved away again, and
 * initially invisible elements (`hidden`) that are now less visible than before. Excludes elements that alternate with other content,
 * popups, and slide tracks that have moved on.
 */
export function findTakenBack(
  { tracker, isTaken: taken, commonArea: common, areAlternating: alternate }: Parts,
  hidden: Set<Element>,
  hiding: Set<Element>,
): [Element, look: Record<string, string>][] {
  const [wholeMin, lessMin, nearMax, childrenMax] = [0.95, 0.05, 20, 50];
  const [settledMax, movedMinPx, smallMax] = [0.02, 20, 0.5];
  const { seen, notes, measure } = tracker;
  const of = measure();
  const shown = [...seen].filter(
    ([element, { toggles, look }]) =>
      Reflect.get(Node.prototype, "isConnected", element) && (toggles.length > 0 || (look && hidden.has(element))),
  );
  const precedes = (one: Node, other: Node) =>
    (Node.prototype.compareDocumentPosition.call(one, other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  shown.sort(([one], [other]) => (precedes(one, other) ? -1 : 1));
  const looksSame = (look: Record<string, string>, style: CSSStyleDeclaration) =>
    Object.entries(look).every(([name, value]) => style.getPropertyValue(name) === value);
  /** Whether a style sheet has moved the element away. Scripts that move content with the scroll position set its inline style instead. */
  const isMoved = (element: Element, { displacement }: Seen, { transform }: CSSStyleDeclaration) => {
    // A form field may shadow `style`.
    const own = Reflect.get(element instanceof HTMLFormElement ? HTMLElement.prototype : element, "style", element);
    if (displacement > settledMax || transform === "none" || own?.transform) return false;
    const { e, f } = new DOMMatrix(transform);
    return Math.hypot(e, f) > movedMinPx;
  };
  const isLess = ([element, seen]: [Element, Seen]) => {
    const { best, full, look, box } = seen;
    const { amount, style } = of(element);
    if (!look || (hidden.has(element) && hiding.has(element))) return look !== undefined;
    if (looksSame(look, style)) return false;
    if (hidden.has(element))
      return style.visibility !== "visible" || Number(style.opacity) < Number(look.opacity) - 0.003 || amount < best - lessMin;
    // What is shown smaller than it is may have several sizes, as slides do.
    if (full < 1) return best >= wholeMin * full && amount < best * smallMax && !taken(element, box, (other) => of(other).box, common);
    return best >= wholeMin && (amount < best - lessMin || isMoved(element, seen, style));
  };
  /** Whether the element is a slide track that has moved on: one of its slides is now at the track's former position. */
  const isFilled = ([element, { box, look }]: [Element, Seen]) => {
    if (Number(getComputedStyle(element).opacity) < Number(look?.opacity) - lessMin) return false;
    const children: Element[] = [...Reflect.get(Element.prototype, "children", element)]; // a form field may shadow `children`
    return children.slice(0, childrenMax).some((child) => {
      const painted = of(child);
      return painted.amount > 0.5 && common(painted.box, box) > common(box, box) / 2;
    });
  };
  /** Whether the element is positioned outside its container, as menus and tooltips are. */
  const isPopup = ([element, { box }]: [Element, Seen]) => {
    const around: Element | null = element instanceof HTMLElement ? Reflect.get(HTMLElement.prototype, "offsetParent", element) : null;
    if (!around || around === document.body || getComputedStyle(element).position !== "absolute") return false;
    const outer = of(around).box;
    return common(outer, outer) > 0 && common(box, outer) < common(box, box) / 2;
  };
  const alternates = ([element, entry]: [Element, Seen], index: number) =>
    shown.slice(Math.max(0, index - nearMax), index + nearMax + 1).some(([near, other]) => {
      const isNested = Node.prototype.contains.call(near, element) || Node.prototype.contains.call(element, near);
      return !isNested && alternate(entry, other, notes, common);
    });
  return shown
    .filter((one, index) => isLess(one) && !isFilled(one) && !isPopup(one) && !alternates(one, index))
    .map(([element, { look }]) => [element, look ?? {}]);
}
