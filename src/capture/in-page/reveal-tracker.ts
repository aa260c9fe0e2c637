/** Tracks changes while a page is scrolled. Serialized into the page. */

/** How much of an element is painted, and where; see `painted.ts`. */
interface Painted {
  amount: number;
  box: { left: number; top: number; right: number; bottom: number };
  size: number;
  style: CSSStyleDeclaration;
}

type Measure = (element: Element) => Painted;

/** See `record-look.ts`. */
interface Seen {
  best: number;
  full: number;
  look?: Record<string, string>;
  box: Painted["box"];
  displacement: number;
  toggles: number[];
  states: State[];
  since: number;
}

interface State {
  transform: string;
  width: number;
  box: Painted["box"];
  isShown: boolean;
}

type How = "moving" | "played" | undefined;

/** See `page-changes.ts`. */
interface Changes {
  roots: Set<Document | ShadowRoot>;
  /** Starts observing a document or an open shadow root. */
  watch(root: Document | ShadowRoot): void;
  /** Returns elements that may have changed since the previous call. */
  take(): Set<Element>;
  /** Targets of finite animations that are running or about to start, and elements that inherit a color in transition. */
  inMotion(): Set<Element>;
  /** Elements whose inline style was set within the last few frames, and targets of scripted animations. */
  played(): Set<Element>;
  /** Finishes CSS animations and transitions of `elements`. */
  finish(elements: ReadonlyMap<Element, unknown>): void;
  stop(): void;
}

/** See `old-classes.ts`. */
interface Classes {
  watch(root: Document | ShadowRoot): void;
  areOld(element: Element): boolean;
  stop(): void;
}

interface Tracker extends Pick<Changes, "roots" | "watch" | "stop"> {
  seen: Map<Element, Seen>;
  /** Scroll position at each note; null if the whole page was in view. */
  notes: (number | null)[];
  measure(): Measure;
  hasOldClasses: Classes["areOld"];
  /**
   * Records the current look of `others` and of everything that has changed since the previous note. Returns whether any of it isn't fully
   * painted, or is in a transition while the whole page is in view, and so may be about to appear, disregarding elements that are tiny,
   * fixed, sticky, or already reported.
   */
  note(others: Iterable<Element>, isWhole: boolean): boolean;
  /** Whether scripts are animating content in view whose painted amount is less than `wanted`. */
  isPlaying(wanted: number): boolean;
  /** Finishes CSS animations and transitions of recorded elements. */
  finish(): void;
}

interface Parts {
  createMeasure(left: unknown, aroundOf: unknown): Measure;
  createAround: unknown;
  shareLeft: unknown;
  createChanges(elementsOf: unknown, runningOf: unknown, classes: Classes): Changes;
  createOldClasses(): Classes;
  changedElements: unknown;
  runningAnimations: unknown;
  createSeen(since: number): Seen;
  recordLook(seen: Seen, painted: Painted, note: number, how: How): boolean;
  recordState(seen: Seen, painted: Painted, top: number | null, how: How): void;
}

/** Creates a document's tracker, which records changes in the roots passed to `watch`. */
export function createTracker(parts: Parts): Tracker {
  const { createMeasure, createAround, shareLeft, createChanges, createOldClasses, changedElements, runningAnimations } = parts;
  const { createSeen, recordLook, recordState } = parts;
  const [seenMax, playedMax] = [20_000, 300];
  const classes = createOldClasses();
  const { roots, watch, stop, take, inMotion, played, finish } = createChanges(changedElements, runningAnimations, classes);
  const seen: Tracker["seen"] = new Map();
  const notes: Tracker["notes"] = [];
  const measure = () => createMeasure(shareLeft, createAround);
  let moving = new Set<Element>();
  const tried = new WeakSet<Element>();
  /** True only once for each element: if it wasn't fully painted at an earlier note, waiting for it again is pointless. */
  const mayReveal = (element: Element, { size, style }: Painted) => {
    if (size < 100 || /fixed|sticky/.test(style.position) || tried.has(element)) return false;
    tried.add(element);
    return true;
  };
  const isContent = (element: Element) =>
    Reflect.get(Node.prototype, "isConnected", element) &&
    (Node.prototype.getRootNode.call(element) !== document || document.body?.contains(element) === true);
  return {
    seen,
    roots,
    notes,
    measure,
    watch,
    hasOldClasses: classes.areOld,
    note: (others, isWhole) => {
      const changed = take();
      const before = moving;
      moving = inMotion();
      const scripted = played();
      const of = measure();
      notes.push(isWhole ? null : scrollY);
      let isPartial = false;
      for (const element of [...new Set([...changed, ...before, ...others, ...moving])].filter(isContent)) {
        const entry = seen.get(element) ?? createSeen(notes.length - 1);
        if (seen.size < seenMax) seen.set(element, entry);
        const painted = of(element);
        const how = moving.has(element) ? "moving" : scripted.has(element) ? "played" : undefined;
        recordState(entry, painted, notes.at(-1) ?? null, how);
        const isChanging = isWhole && how === "moving" && changed.has(element);
        if ((recordLook(entry, painted, notes.length - 1, how) || isChanging) && mayReveal(element, painted)) isPartial = true;
      }
      return isPartial;
    },
    isPlaying: (wanted) => {
      const of = measure();
      return [...played()].slice(0, playedMax).some((element) => {
        const { amount, size, style } = of(element);
        const { top, bottom } = Element.prototype.getBoundingClientRect.call(element);
        return amount < wanted && size >= 100 && !/fixed|sticky/.test(style.position) && top < innerHeight && bottom > 0;
      });
    },
    finish: () => finish(seen),
    stop,
  };
}
