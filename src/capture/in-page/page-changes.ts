/** Observes which elements of a page change, and which are moving. Serialized into the page. */

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
  stop(): void;
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
  const above = parent && beside.length < 2 ? parentOf(parent) : null;
  const cousins = above ? Element.prototype.getElementsByTagName.call(above, nameOf(target)) : [];
  return [target, ...around, ...(within.length > withinMax ? [] : within), ...[...beside, ...cousins].slice(0, likeMax)];
}

/** Finite animations in `roots` that are running or about to start, and their targets. */
export function runningAnimations(roots: Changes["roots"]): [Animation, Element][] {
  const startsLateMs = 1_000;
  return [...roots]
    .flatMap((root) => root.getAnimations())
    .flatMap((animation) => {
      const { playState, playbackRate, timeline, effect, currentTime } = animation;
      const { endTime, delay } = effect?.getComputedTiming() ?? {};
      const ends = playbackRate !== 0 && endTime !== Number.POSITIVE_INFINITY && Number(delay) - Number(currentTime) < startsLateMs;
      const { target } = (effect ?? {}) as Partial<KeyframeEffect>;
      return target && ends && playState === "running" && timeline === document.timeline ? [[animation, target]] : [];
    });
}

export function createChanges(elementsOf: typeof changedElements, runningOf: typeof runningAnimations, classes: Classes): Changes {
  const [changedMax, withinMax, framesMs] = [20_000, 300, 250]; // frames are late on a busy machine
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
  const running = () => runningOf(roots);
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
    inMotion: () => {
      const targets = new Set<Element>();
      const within = new Set<Element>();
      for (const [animation, target] of running()) {
        targets.add(target);
        if (within.has(target) || !(animation instanceof CSSTransition) || animation.transitionProperty !== "color") continue;
        const inner = Element.prototype.getElementsByTagName.call(target, "*");
        for (let at = 0; at < Math.min(inner.length, withinMax); at += 1) within.add(inner[at] as Element);
      }
      return new Set([...targets, ...within]);
    },
    finish: (elements) => {
      for (const [animation, target] of running())
        if (elements.has(target) && (animation instanceof CSSTransition || animation instanceof CSSAnimation)) animation.finish();
    },
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
