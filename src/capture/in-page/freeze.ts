/** Stops animations and videos at a reproducible position. Runs in the page, so it must be self-contained. */

interface Parts {
  /** See `visibility.ts`. */
  visibilityOf(target: Element, pseudo: string | null): number;
  /** See `late-exits.ts`. */
  lateExits(animations: Animation[]): () => void;
}

/**
 * Finishes finite animations and transitions, pauses infinite ones, rewinds videos to their first frame, stops animated images, and hides
 * carets and the outlines of autofocused fields. Includes open shadow roots and same-origin frames. Infinite animations are paused at their
 * start or, if that hides content, as with slides and tickers, where they show the most. The same applies to SMIL animations, except that
 * all animations in a drawing share one timeline, which is stopped once the finite ones have ended. For exceptions, see `late-exits.ts`.
 * @returns whether anything may have changed. If so, an image captured in the meantime is out of date.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export async function freeze(
  still: { images: string; focus: string; transitions?: string },
  { visibilityOf, lateExits }: Parts,
): Promise<boolean> {
  const frameMs = 500;
  /** Time limit for rewinding videos; seeking is slow on a busy machine. */
  const videosMs = 4_000;
  const roundsMax = 5; // finishing an animation may start another
  /** With scripts disabled, callbacks for frames, events and timers never run. */
  const runsCallbacks = !matchMedia("(scripting: none)").matches;
  const atMost = (ms: number, moment: Promise<unknown>) =>
    runsCallbacks ? Promise.race([moment, new Promise((resolve) => setTimeout(resolve, ms))]) : undefined;
  const frame = () => atMost(frameMs, new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  const loaded = (video: HTMLVideoElement) => new Promise((resolve) => video.addEventListener("loadeddata", resolve, { once: true }));
  const nameOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element); // a form field may shadow it
  const roots: (Document | ShadowRoot)[] = [];
  const drawn: SVGAnimationElement[] = [];
  const gather = (root: Document | ShadowRoot) => {
    roots.push(root);
    for (const element of root.querySelectorAll("*")) {
      const name = nameOf(element);
      if (/^(animate(Motion|Transform)?|set)$/.test(name)) drawn.push(element as SVGAnimationElement);
      if (element.shadowRoot?.mode) gather(element.shadowRoot);
      const inner = name === "iframe" && (element as HTMLIFrameElement).contentDocument;
      if (inner) gather(inner);
    }
  };
  gather(document);

  /** Scroll-driven animations don't move on their own. */
  const moves = ({ timeline, effect, playState }: Animation) => effect && timeline && !("axis" in timeline) && playState === "running";
  const hold = (animation: Animation) => {
    const { currentTime, effect } = animation;
    animation.pause();
    animation.currentTime = Math.max(Number(currentTime), Number(effect?.getComputedTiming().delay)) + 1;
  };
  const isEndless = ({ effect }: Animation) => effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY;
  const stop = (animation: Animation) => {
    if (isEndless(animation) || animation.playbackRate === 0) {
      animation.pause();
      animation.currentTime = Math.max(0, Number(animation.effect?.getComputedTiming().delay));
    } else {
      animation.finish();
    }
  };

  const [animationsMax, drawingsMax] = [200, 30];
  /** Number of points compared within a period. */
  const phases = 16;
  /** Minimum gain; a smaller difference may be a rounding error. */
  const gainMin = 0.1;
  /**
   * Seeks to the phase of a period, from 0 to 1, that shows the most. If no phase shows more than the start, calls `seek` without a phase.
   * @param whole upper bound of `total`.
   */
  const seekMost = (total: () => number, whole: number, seek: (phase?: number) => void) => {
    let [most, best] = [total() + gainMin, undefined as number | undefined];
    for (let phase = 0; phase < 1 && most < whole; phase += 1 / phases) {
      seek(phase);
      const sum = total();
      if (sum > most) [most, best] = [sum, phase];
    }
    seek(best);
  };
  /** Animations with the same period, such as slides, are treated as a group. */
  const showMost = (animations: Animation[]) => {
    const timingOf = ({ effect }: Animation) => effect?.getComputedTiming() ?? {};
    for (const [durationMs, group] of Map.groupBy(animations.slice(0, animationsMax), (one) => Number(timingOf(one).duration))) {
      if (!(durationMs > 0)) continue;
      const total = () =>
        group.reduce((sum, { effect }) => {
          const { target, pseudoElement } = effect as KeyframeEffect;
          return target ? sum + visibilityOf(target, pseudoElement) : sum;
        }, 0);
      const starts = new Map(group.map((animation) => [animation, animation.currentTime]));
      const startMs = Math.max(0, ...group.map((one) => Number(timingOf(one).delay)));
      const periodMs = durationMs * (group.some((one) => timingOf(one).direction?.startsWith("alternate")) ? 2 : 1);
      seekMost(total, group.length, (phase) => {
        for (const one of group) one.currentTime = phase === undefined ? (starts.get(one) ?? null) : startMs + phase * periodMs;
      });
    }
  };
  let hadToAct = false;
  for (let round = 0; round < roundsMax; round += 1) {
    const moving = roots.flatMap((root) => root.getAnimations()).filter(moves);
    if (moving.length === 0) break;
    hadToAct = true;
    // The compositor ignores a seek to the position at which it started an animation, even if the animation has moved on: seek elsewhere
    // first.
    const showAgain = lateExits(moving);
    moving.forEach(hold);
    await frame();
    // Some may have been canceled. Reading a state after another animation has been finished would calculate all styles again.
    moving.filter(({ playState }) => playState !== "idle").forEach(stop);
    showAgain();
    showMost(moving.filter((animation) => animation.playState === "paused" && isEndless(animation)));
    // The compositor keeps drawing its own animations until the next frame.
    await frame();
  }

  /** Finishes finite animations. Stops infinite ones at the start of a period or, if `isSearched`, where they show the most. */
  const stopDrawing = (drawing: SVGSVGElement, animations: SVGAnimationElement[], isSearched: boolean) => {
    const spans = () =>
      animations.flatMap((one) => {
        try {
          const [start, length] = [one.getStartTime(), one.localName === "set" ? 0 : one.getSimpleDuration()];
          const repeats = one.getAttribute("repeatCount") ?? "1";
          const isEndless = [repeats, one.getAttribute("repeatDur")].includes("indefinite") && length > 0;
          return { start, length, isEndless, end: start + (isEndless ? 0 : length * (Number(repeats) || 1)), target: one.targetElement };
        } catch {
          return []; // the animation hasn't started, or has no duration
        }
      });
    let [time, end] = [-1, 0];
    drawing.pauseAnimations();
    // When one animation ends, another may start.
    for (let round = 0; round < roundsMax && end > time; round += 1) {
      time = end;
      drawing.setCurrentTime(time);
      end = Math.max(time, ...spans().map((span) => span.end));
    }
    const endless = spans().filter((span) => span.isEndless);
    const targets = [...new Set(endless.flatMap(({ target }) => target ?? []))];
    const { start = 0, length: period = 1 } = endless.toSorted((one, other) => other.length - one.length)[0] ?? {};
    const from = endless.length > 0 ? start + Math.ceil((time - start) / period) * period : time;
    const visible = () => targets.reduce((sum, target) => sum + visibilityOf(target, null), 0);
    seekMost(visible, isSearched ? targets.length : 0, (phase = 0) => drawing.setCurrentTime(from + phase * period));
  };
  // The outermost `<svg>` controls the time of all animations in it.
  const drawingOf = ({ ownerSVGElement: svg }: SVGElement): SVGSVGElement | null => (svg?.ownerSVGElement ? drawingOf(svg) : svg);
  for (const [index, [drawing, animations]] of [...Map.groupBy(drawn, drawingOf)].entries()) {
    if (!drawing || drawing.animationsPaused()) continue;
    hadToAct = true;
    stopDrawing(drawing, animations.slice(0, animationsMax), index < drawingsMax);
  }

  const stopVideo = async (video: HTMLVideoElement) => {
    const hasMoved = !video.paused || video.ended; // a video that has ended is also paused
    video.pause(); // also keeps a loading video from starting
    const isLoading = video.currentSrc && !video.error && video.networkState !== HTMLMediaElement.NETWORK_NO_SOURCE; // no `<source>` works
    if (video.readyState < 2 && video.preload !== "none" && isLoading) await loaded(video);
    if (!hasMoved || video.srcObject) return; // a live stream can't be rewound
    // Chromium drops a video frame that arrives before the previous one has been drawn.
    for (let frames = 0; frames < 3; frames += 1) await frame();
    const first = new Promise<void>((resolve) => {
      // "seeked" fires before the frame is shown, and an earlier frame may still be shown after that.
      const shown: VideoFrameRequestCallback = (_, { mediaTime }) =>
        mediaTime < 0.05 ? resolve() : void video.requestVideoFrameCallback(shown);
      video.requestVideoFrameCallback(shown);
    });
    video.currentTime = 0; // even if it is already 0: a looping video may still show its last frame
    await first;
    await frame(); // the callback runs before the frame is drawn
  };
  const videos = roots.flatMap((root) => [...root.querySelectorAll("video")]);
  if (videos.length > 0) {
    hadToAct = true;
    await atMost(videosMs, Promise.all(videos.map(stopVideo)));
  }

  /** The rules that `beginStill` or an earlier call added to each document and shadow root, with their style sheets. */
  const own = globalThis.tintypeOwn as { added?: WeakMap<Document | ShadowRoot, Map<string, CSSStyleSheet>> };
  own.added ??= new WeakMap();
  for (const root of roots) {
    const { activeElement: active } = root;
    const isField = active !== null && Element.prototype.matches.call(active, ":is(input, textarea, [contenteditable]):not([autofocus])");
    const rules = [
      ...(isField ? ["*{caret-color:transparent!important}"] : []),
      ...(root.querySelector("[autofocus]") ? [still.focus] : []),
      ...(root.querySelector("img") ? [still.images] : []),
      ...(still.transitions ? [still.transitions] : []),
    ];
    const view = (root.ownerDocument ?? (root as Document)).defaultView;
    const added = own.added.get(root) ?? new Map<string, CSSStyleSheet>();
    own.added.set(root, added);
    for (const rule of rules) {
      const before = added.get(rule);
      if (!view || (before && root.adoptedStyleSheets.includes(before))) continue;
      hadToAct = true;
      const sheet = new (view as unknown as typeof globalThis).CSSStyleSheet(); // a document can adopt only style sheets that it created
      sheet.replaceSync(rule);
      root.adoptedStyleSheets.push(sheet);
      added.set(rule, sheet);
    }
  }
  return hadToAct;
}
