/** Stops animations and videos at a reproducible position. Runs in the page, so it must be self-contained. */

/** The rules that `beginStill` or an earlier `freeze` added to each document and shadow root. */
interface Added {
  added?: WeakMap<Document | ShadowRoot, Map<string, CSSStyleSheet>>;
}

/** Rules that are safe on every page: stop animated images, and hide the caret and outline of an autofocused field. */
export const alwaysStill = {
  images: "*{image-animation:stopped!important}",
  focus: "[autofocus]:focus{outline:none!important;caret-color:transparent!important}",
};

/**
 * Additionally disables transitions, for captures beyond the viewport: Chromium briefly resizes the viewport for them, which can start
 * transitions.
 */
export const stillInAnyWindow = { ...alwaysStill, transitions: "*,*::before,*::after{transition:none!important}" };

/** Adds `rules` to a new document in advance, so that `freeze` need not change the page during the shot. */
export function beginStill(rules: typeof alwaysStill): void {
  if ((globalThis as Added).added) return; // already added for an earlier output of the same load
  const added = new Map<string, CSSStyleSheet>();
  for (const rule of Object.values(rules)) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rule);
    document.adoptedStyleSheets.push(sheet);
    added.set(rule, sheet);
  }
  (globalThis as Added).added = new WeakMap([[document, added]]);
}

/**
 * Finishes finite animations and transitions, pauses infinite ones, rewinds videos to their first frame, stops animated images, and hides
 * the caret and outline of autofocused fields, including those in open shadow roots and same-origin frames. Infinite animations are paused
 * at their start, unless it hides content that they show later, as slides and tickers do; those are paused where they show most.
 * @returns whether anything was changed, which invalidates an image captured in the meantime.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export async function freeze(still: typeof alwaysStill & { transitions?: string }): Promise<boolean> {
  const frameMs = 500;
  /** Time limit for rewinding videos; seeking is slow on a busy machine. */
  const videosMs = 4_000;
  /** Maximum number of rounds, since finishing an animation may start another. */
  const roundsMax = 5;
  /** With scripts disabled, callbacks of frames, events and timers never run. */
  const runsCallbacks = !matchMedia("(scripting: none)").matches;
  const atMost = (ms: number, moment: Promise<unknown>) =>
    runsCallbacks ? Promise.race([moment, new Promise((resolve) => setTimeout(resolve, ms))]) : undefined;
  const frame = () => atMost(frameMs, new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  const event = (target: EventTarget, name: string) => new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));

  const roots: (Document | ShadowRoot)[] = [];
  const gather = (root: Document | ShadowRoot) => {
    roots.push(root);
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot?.mode) gather(element.shadowRoot); // a form field may shadow it
      const inner = element.localName === "iframe" && (element as HTMLIFrameElement).contentDocument;
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
    if (animation.playState === "idle") return; // it has been canceled since
    if (isEndless(animation) || animation.playbackRate === 0) {
      animation.pause();
      animation.currentTime = Math.max(0, Number(animation.effect?.getComputedTiming().delay));
    } else {
      animation.finish();
    }
  };

  /** Number of points compared within a period. */
  const phases = 16;
  /** Limits the work on pages with many animations, and in deep trees. */
  const [animationsMax, ancestorsMax] = [200, 30];
  /** Minimum gain; a smaller difference may be a rounding error. */
  const gainMin = 0.1;
  const parentOf = (node: Node): Element | undefined => {
    const parent: Node | null = Reflect.get(Node.prototype, "parentNode", node); // a form field may shadow it
    return parent?.nodeType === Node.ELEMENT_NODE ? (parent as Element) : (parent as Partial<ShadowRoot> | null)?.host;
  };
  /**
   * Visible share of `target`, from 0 to 1, times the square of its opacity: two images fading into each other count less than a single
   * one.
   */
  const visibilityOf = (target: Element, pseudo: string | null): number => {
    const style = getComputedStyle(target, pseudo);
    if (style.display === "none" || style.visibility !== "visible") return 0;
    const boxOf = (element: Element) => Element.prototype.getBoundingClientRect.call(element);
    let { left, top, right, bottom } = boxOf(target);
    const { offsetWidth = right - left, offsetHeight = bottom - top } = target as Partial<HTMLElement>;
    [left, right, top] = [Math.max(left, 0), Math.min(right, innerWidth), Math.max(top, -scrollY)];
    let opacity = Number(style.opacity);
    let around = pseudo === null ? parentOf(target) : target;
    for (let level = 0; around && level < ancestorsMax; level += 1, around = parentOf(around)) {
      const { opacity: outer, overflowX, overflowY } = getComputedStyle(around);
      opacity *= Number(outer);
      if (around.localName === "body" || around.localName === "html") continue; // their overflow belongs to the window
      if (overflowX !== "visible") [left, right] = [Math.max(left, boxOf(around).left), Math.min(right, boxOf(around).right)];
      if (overflowY !== "visible") [top, bottom] = [Math.max(top, boxOf(around).top), Math.min(bottom, boxOf(around).bottom)];
    }
    const area = Math.max(0, right - left) * Math.max(0, bottom - top);
    return area > 0 ? Math.min(1, area / (offsetWidth * offsetHeight)) * opacity ** 2 : 0;
  };
  /**
   * Moves endless animations from their start to where they show most, if they show more there. Animations with the same period are treated
   * as a group, like slides.
   */
  const showMost = (animations: Animation[]) => {
    const timingOf = ({ effect }: Animation) => effect?.getComputedTiming() ?? {};
    for (const [durationMs, group] of Map.groupBy(animations.slice(0, animationsMax), (one) => Number(timingOf(one).duration))) {
      const total = () =>
        group.reduce((sum, { effect }) => {
          const { target, pseudoElement } = effect as KeyframeEffect;
          return target ? sum + visibilityOf(target, pseudoElement) : sum;
        }, 0);
      const starts = group.map(({ currentTime }) => currentTime);
      let most = total() + gainMin;
      if (!(durationMs > 0) || most > group.length) continue;
      const startTime = Math.max(0, ...group.map((one) => Number(timingOf(one).delay)));
      const periodMs = durationMs * (group.some((one) => timingOf(one).direction?.startsWith("alternate")) ? 2 : 1);
      let positions = starts;
      for (let phase = 0; phase < phases; phase += 1) {
        const position = startTime + (phase * periodMs) / phases;
        for (const animation of group) animation.currentTime = position;
        const sum = total();
        if (sum > most) [most, positions] = [sum, group.map(() => position)];
      }
      for (const [index, animation] of group.entries()) animation.currentTime = positions[index] ?? null;
    }
  };
  let hadToAct = false;
  for (let round = 0; round < roundsMax; round += 1) {
    const moving = roots.flatMap((root) => root.getAnimations()).filter(moves);
    if (moving.length === 0) break;
    hadToAct = true;
    // The compositor ignores a seek to the position at which it started an animation, even if the animation has moved on: seek elsewhere
    // first.
    moving.forEach(hold);
    await frame();
    moving.forEach(stop);
    showMost(moving.filter((animation) => animation.playState === "paused" && isEndless(animation)));
    // The compositor keeps drawing its own animations until the next frame.
    await frame();
  }

  const stopVideo = async (video: HTMLVideoElement) => {
    const hasMoved = !video.paused || video.ended; // an ended video is also paused
    video.pause(); // also keeps a loading video from starting
    if (video.readyState < 2 && video.preload !== "none" && video.currentSrc && !video.error) await event(video, "loadeddata");
    if (!hasMoved || video.srcObject) return; // a live stream can't be rewound
    // Chromium drops a video frame that arrives before the previous one was drawn, and never draws it.
    for (let frames = 0; frames < 3; frames += 1) await frame();
    const first = new Promise<void>((resolve) => {
      // "seeked" fires before the frame is shown, and an earlier frame may still be shown after it.
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

  const own = globalThis as Added;
  own.added ??= new WeakMap();
  for (const root of roots) {
    const { activeElement } = root;
    const isField = activeElement?.matches(":is(input, textarea, [contenteditable]):not([autofocus])") ?? false;
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
      const sheet = new (view as unknown as typeof globalThis).CSSStyleSheet(); // a document can adopt only style sheets that it has created
      sheet.replaceSync(rule);
      root.adoptedStyleSheets.push(sheet);
      added.set(rule, sheet);
    }
  }
  return hadToAct;
}
