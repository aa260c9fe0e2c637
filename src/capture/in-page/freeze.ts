/** Stops what moves on a page, always in the same place. Runs in the page, so it may use nothing from outside of itself. */

/** By which `freeze` knows in the next call what the last one, or `beginStill`, has added to a page. */
interface Added {
  added?: WeakMap<Document | ShadowRoot, Map<string, CSSStyleSheet>>;
}

/** What no page needs to be asked for: images that move, and the caret and the ring of a field that is focused with the first frame. */
export const alwaysStill = {
  images: "*{image-animation:stopped!important}",
  focus: "[autofocus]:focus{outline:none!important;caret-color:transparent!important}",
};

/**
 * And for a picture of more than the window: for that Chromium changes the window for a moment, which begins what a page shows at other
 * widths, and is seen under way.
 */
export const stillInAnyWindow = { ...alwaysStill, transitions: "*,*::before,*::after{transition:none!important}" };

/** Adds what is always still to the document, at its beginning: so `freeze` need not, which comes when the picture is taken. */
export function beginStill(rules: typeof alwaysStill): void {
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
 * Finishes animations and transitions that have an end and pauses the others at their start, sets videos to their first frame,
 * stops animated images, hides the caret and the ring of a field that the page focused by itself. Also in open shadow roots and
 * in frames of the same origin. Says whether there was anything to do: then a picture that was taken meanwhile shows it.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialised into the page, so it can call nothing outside itself
export async function freeze(still: typeof alwaysStill & { transitions?: string }): Promise<boolean> {
  const frameMs = 500;
  /** Seeking is slow on a busy machine. */
  const videosMs = 4_000;
  /** The end of one animation may begin another. */
  const roundsMax = 5;
  /** Where scripts were switched off, nobody is told of a frame, an event or a timer. */
  const isTold = !matchMedia("(scripting: none)").matches;
  const atMost = (ms: number, moment: Promise<unknown>) =>
    isTold ? Promise.race([moment, new Promise((resolve) => setTimeout(resolve, ms))]) : undefined;
  const frame = () => atMost(frameMs, new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  const event = (target: EventTarget, name: string) => new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));

  const roots: (Document | ShadowRoot)[] = [];
  const gather = (root: Document | ShadowRoot) => {
    roots.push(root);
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) gather(element.shadowRoot);
      const inner = element.localName === "iframe" && (element as HTMLIFrameElement).contentDocument;
      if (inner) gather(inner);
    }
  };
  gather(document);

  /** What is driven by scrolling stands still already. */
  const moves = ({ timeline, effect, playState }: Animation) => effect && timeline && !("axis" in timeline) && playState === "running";
  const hold = (animation: Animation) => {
    const { currentTime, effect } = animation;
    animation.pause();
    animation.currentTime = Math.max(Number(currentTime), Number(effect?.getComputedTiming().delay)) + 1;
  };
  const stop = (animation: Animation) => {
    if (animation.playState === "idle") return; // cancelled meanwhile
    const { endTime, delay } = animation.effect?.getComputedTiming() ?? {};
    if (endTime === Number.POSITIVE_INFINITY || animation.playbackRate === 0) {
      animation.pause();
      animation.currentTime = Math.max(0, Number(delay));
    } else {
      animation.finish();
    }
  };
  let hadToAct = false;
  for (let round = 0; round < roundsMax; round += 1) {
    const moving = roots.flatMap((root) => root.getAnimations()).filter(moves);
    if (moving.length === 0) break;
    hadToAct = true;
    // Where the compositor was told an animation begins is no news to it, though it has moved on since: so first to another place.
    moving.forEach(hold);
    await frame();
    moving.forEach(stop);
    // Until a frame has told the compositor, it goes on drawing what it moves by itself.
    await frame();
  }

  const stopVideo = async (video: HTMLVideoElement) => {
    const hasMoved = !video.paused || video.ended; // one that ends is paused by that
    video.pause(); // also one that would begin to play when it has loaded
    if (video.readyState < 2 && video.preload !== "none" && video.currentSrc && !video.error) await event(video, "loadeddata");
    if (!hasMoved || video.srcObject) return; // what comes live has no beginning
    // Chromium draws a picture only when it has drawn the one before; one that comes earlier is lost, and none follows it.
    for (let frames = 0; frames < 3; frames += 1) await frame();
    const first = new Promise<void>((resolve) => {
      // "seeked" comes before the frame is shown, and one that was under way may be shown after it.
      const shown: VideoFrameRequestCallback = (_, { mediaTime }) =>
        mediaTime < 0.05 ? resolve() : void video.requestVideoFrameCallback(shown);
      video.requestVideoFrameCallback(shown);
    });
    video.currentTime = 0; // also when it is, for one that begins again still shows its last frame
    await first;
    await frame(); // "shown" is when it is handed over to be drawn
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
      const sheet = new (view as unknown as typeof globalThis).CSSStyleSheet(); // a document adopts only sheets of its own
      sheet.replaceSync(rule);
      root.adoptedStyleSheets.push(sheet);
      added.set(rule, sheet);
    }
  }
  return hadToAct;
}
