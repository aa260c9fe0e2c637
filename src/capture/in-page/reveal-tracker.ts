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

interface Changes {
  roots: Set<Document | ShadowRoot>;
  /** Starts observing a document or an open shadow root. */
  watch(root: Document | ShadowRoot): void;
  /** Returns elements that may have changed since the previous call. */
  take(): Set<Element>;
  /** Finite animations that are running or about to start, and their targets. */
  running(): [Animation, Element][];
  /** Elements whose inline style was set within the last few frames, and targets of scripted animations. */
  played(): Set<Element>;
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
   * painted and so may be about to appear, disregarding elements that are tiny, fixed, sticky, or already reported.
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
  createChanges: typeof createChanges;
  createOldClasses(): Classes;
  changedElements: typeof changedElements;
  createSeen(since: number): Seen;
  recordLook(seen: Seen, painted: Painted, note: number, how: How): boolean;
  recordState(seen: Seen, painted: Painted, top: number | null, how: How): void;
}

/**
 * Elements that an attribute change of `target` may affect: itself, its nearest ancestors, its descendants unless there are many, and some
 * siblings or cousins with the same element name.
 */
export function changedElements(target: Element): Element[] {
  const [withinMax, likeMax, aroundMax] = [300, 30, 3];
  const around: Element[] = [];
  // A form's fields can shadow its own members, so members are read from the prototypes.
  const parentOf = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element);
  const nameOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element);
  for (let above = parentOf(target); above && around.length < aroundMax; above = parentOf(above)) around.push(above);
  const within = [
    ...Element.prototype.getElementsByTagName.call(target, "*"),
    ...(target.shadowRoot?.mode ? target.shadowRoot.querySelectorAll("*") : []),
  ];
  const parent = parentOf(target);
  const siblings: Element[] = parent ? [...Reflect.get(Element.prototype, "children", parent)] : [];
  const beside = siblings.filter((element) => nameOf(element) === nameOf(target));
  const above = parent && beside.length < 2 && parentOf(parent);
  const cousins = above ? Element.prototype.getElementsByTagName.call(above, nameOf(target)) : [];
  return [target, ...around, ...(within.length > withinMax ? [] : within), ...[...beside, ...cousins].slice(0, likeMax)];
}

export function createChanges(elementsOf: typeof changedElements, classes: Classes): Changes {
  const [changedMax, framesMs, lateMs] = [20_000, 250, 4_000]; // frames are late on a busy machine
  const loads = /^(src|srcset|sizes|href|loading)$/;
  const roots: Changes["roots"] = new Set();
  const styled = new Map<Element, number>();
  let changed = new Set<Element>();
  const add = (records: MutationRecord[]) => {
    const targets = new Set<Element>();
    for (const { attributeName, target } of records) {
      if (target === document.documentElement || loads.test(attributeName ?? "")) continue; // `passOver` changes the root's style
      targets.add(target as Element);
      if (attributeName === "style" && styled.size < changedMax) styled.set(target as Element, performance.now());
    }
    for (const target of targets) for (const element of elementsOf(target)) if (changed.size < changedMax) changed.add(element);
  };
  const observer = new MutationObserver(add);
  const running: Changes["running"] = () =>
    [...roots]
      .flatMap((root) => root.getAnimations())
      .flatMap((animation) => {
        const { playState, playbackRate, timeline, effect, currentTime } = animation;
        const { endTime, delay = 0 } = effect?.getComputedTiming() ?? {};
        const ends = playbackRate !== 0 && endTime !== Number.POSITIVE_INFINITY && (delay < lateMs || Number(currentTime) >= delay);
        const { target } = (effect ?? {}) as Partial<KeyframeEffect>;
        return target && ends && playState === "running" && timeline === document.timeline ? [[animation, target]] : [];
      });
  return {
    roots,
    watch: (root) => {
      if (roots.has(root)) return;
      roots.add(root);
      observer.observe(root, { subtree: true, attributes: true });
      classes.watch(root);
    },
    take: () => {
      add(observer.takeRecords());
      const taken = changed;
      changed = new Set();
      return taken;
    },
    running,
    played: () => {
      add(observer.takeRecords());
      const since = performance.now() - framesMs;
      const isScripts = (animation: Animation) => !(animation instanceof CSSTransition || animation instanceof CSSAnimation);
      const animated = running().flatMap(([animation, target]) => (isScripts(animation) ? target : []));
      return new Set([...[...styled].flatMap(([element, at]) => (at > since ? element : [])), ...animated]);
    },
    stop: () => {
      observer.disconnect();
      classes.stop();
    },
  };
}

/** Creates a document's tracker, which records changes in the roots passed to `watch`. */
export function createTracker(parts: Parts): Tracker {
  const { createMeasure, createAround, shareLeft, createChanges, createOldClasses, changedElements, createSeen, recordLook, recordState } =
    parts;
  const [seenMax, playedMax] = [20_000, 300];
  const classes = createOldClasses();
  const { roots, watch, stop, take, running, played } = createChanges(changedElements, classes);
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
      const elements = new Set([...take(), ...moving, ...others]);
      const scripted = played();
      moving = new Set(running().map(([, target]) => target));
      const of = measure();
      notes.push(isWhole ? null : scrollY);
      let isPartial = false;
      for (const element of [...elements, ...moving].filter(isContent)) {
        const entry = seen.get(element) ?? createSeen(notes.length - 1);
        if (seen.size < seenMax) seen.set(element, entry);
        const painted = of(element);
        const how = moving.has(element) ? "moving" : scripted.has(element) ? "played" : undefined;
        recordState(entry, painted, notes.at(-1) ?? null, how);
        if (recordLook(entry, painted, notes.length - 1, how) && mayReveal(element, painted)) isPartial = true;
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
    finish: () => {
      for (const [animation, target] of running())
        if (seen.has(target) && (animation instanceof CSSTransition || animation instanceof CSSAnimation)) animation.finish();
    },
    stop,
  };
}
