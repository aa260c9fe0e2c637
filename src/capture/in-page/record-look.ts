/** Records how elements look at each note of the tracker. Serialized into the page. */

/** How much of an element is painted, and where; see `painted.ts`. */
interface Painted {
  amount: number;
  box: { left: number; top: number; right: number; bottom: number };
  style: CSSStyleDeclaration;
}

interface Seen {
  /**
   * Largest painted amount. The look, box and displacement come from the note with that amount; if there are several, from the one with
   * the least displacement.
   */
  best: number;
  /** The amount of an opaque element in full view at that note: less than 1 if its own transform makes it smaller. */
  full: number;
  look?: Record<string, string>;
  box: Painted["box"];
  displacement: number;
  /** Indexes of the notes at which the element alternately became, and ceased to be, fully painted. */
  toggles: number[];
  /** The states that the element had in turn. */
  states: State[];
  /** Index of the element's first note. */
  since: number;
}

interface State {
  transform: string;
  /** In CSS pixels; 0 for inline elements. */
  width: number;
  box: Painted["box"];
  /** Whether it was fully painted and in view. */
  isShown: boolean;
}

/** `moving` for an element in a transition or animation; `played` for one that a script is moving. */
type How = "moving" | "played" | undefined;

export function createSeen(since: number): Seen {
  return { best: 0, full: 1, box: { left: 0, top: 0, right: 0, bottom: 0 }, displacement: 0, toggles: [], states: [], since };
}

/**
 * Updates `seen` with an element's current look, unless it is moving. The final look of an element that a script moves is recorded early,
 * because the last pixels may take a long time.
 * @returns whether the element isn't fully painted.
 */
export function recordLook(seen: Seen, { amount, box, style }: Painted, note: number, how: How): boolean {
  const [wholeMin, nearMax] = [0.9, 0.5];
  /** Some pages show content smaller than it is, and even smaller out of view. */
  const fullAmount = () => {
    const { a, b, c, d, is2D } = new DOMMatrix(style.transform === "none" ? "" : style.transform);
    const [x = 1, y = x] = style.scale === "none" ? [] : style.scale.split(" ").map(Number);
    return is2D ? Math.min(1, Math.abs((a * d - b * c) * x * y)) : 1;
  };
  const isScaled = how !== "moving" && amount < wholeMin && amount >= 0.01 && (style.transform !== "none" || style.scale !== "none");
  const full = isScaled ? fullAmount() : 1;
  const isWhole = amount >= wholeMin * full && amount >= wholeMin * seen.best;
  // What seemed to be whole was smaller than it can be.
  if (isWhole && seen.full < 1 && amount > seen.best / wholeMin) seen.toggles = [];
  if (isWhole !== seen.toggles.length % 2 > 0) seen.toggles.push(note);
  if (how === "moving" || amount < seen.best - 0.003 || amount < 0.01) return amount < wholeMin;
  const { a, b, c, d, e, f } = new DOMMatrix(style.transform === "none" ? "" : style.transform);
  const displacement = Math.abs(a - 1) + Math.abs(b) + Math.abs(c) + Math.abs(d - 1) + (Math.abs(e) + Math.abs(f)) / 100;
  if (amount < seen.best + 0.003 && displacement > seen.displacement) return amount < wholeMin;
  const { opacity, visibility, transform, translate, scale, rotate, filter } = style;
  const other = { "clip-path": style.clipPath, "font-size": style.fontSize, "stroke-dashoffset": style.strokeDashoffset };
  const look = { opacity, visibility, transform, translate, scale, rotate, filter, ...other };
  if (how === "played" && amount >= wholeMin && displacement < nearMax) Object.assign(look, { opacity: "1", transform: "none" });
  Object.assign(seen, { best: amount, full, box, displacement, look });
  return amount < wholeMin;
}

/**
 * Adds an element's current state to `seen`, unless it is the one before or the element is moving.
 * @param top the scroll position; null if the whole page is in view.
 */
export function recordState({ states }: Seen, { amount, box, style }: Painted, top: number | null, how: How): void {
  const [wholeMin, statesMax] = [0.9, 8];
  if (how || states.length > statesMax) return;
  const { transform } = style;
  const width = Math.round(Number.parseFloat(style.width)) || 0;
  const isShown = amount >= wholeMin && (top === null || (box.bottom > top && box.top < top + innerHeight));
  const last = states.at(-1);
  if (!last || last.transform !== transform || last.width !== width) states.push({ transform, width, box, isShown });
  else if (isShown && !last.isShown) Object.assign(last, { box, isShown });
}
