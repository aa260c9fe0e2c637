/** Waits until a page stops changing on its own, or has painted. Runs in the page, so these functions must be self-contained. */

/** `still`: nothing changed; `changed`: something changed, but has stopped; `moving`: something was still changing at the timeout. */
export type Stillness = "still" | "changed" | "moving";

interface World {
  /** Whether the page was still changing when `untilStill` last stopped waiting for it. */
  keepsChanging?: boolean;
}

/**
 * Waits, for at most `boundMs`, until scripts have left text, styles and canvases unchanged for `quietMs` and no script-driven animation is
 * running.
 * @param isBrief whether a page that requests neither frame callbacks nor timers during two frames is considered still. Otherwise, it
 *   must stay unchanged for `quietMs`, which is long enough to notice ticking timers.
 * @param quietMs the required period without changes.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export async function untilStill(boundMs: number, isBrief: boolean, quietMs = 120): Promise<Stillness> {
  const canvasPauseMs = 25;
  const clearedAfterMs = 50;
  const canvasPixelsMax = 2_000_000;
  const end = performance.now() + boundMs;
  let changedAt = performance.now();
  let changeCount = 0;
  // Timer ids are sequential in a document, so they show whether the page has requested timers during the wait.
  let ownTimers = 0;
  const later = (ms: number, resolve: () => void) => {
    ownTimers += 1;
    return setTimeout(resolve, ms) as unknown as number;
  };
  // Uses a timer, not the clock: on a busy machine, the page's own timers are just as late, and those that are due earlier run first. The
  // task ends the wait if the page has cleared all timers.
  let isQuiet = false;
  let isOver = false;
  let quietTimer: number | undefined;
  const waitForQuiet = () => {
    const seen = changeCount;
    let hasEnded = false;
    const ended = () => {
      if (hasEnded || isOver) return;
      hasEnded = true;
      quietTimer = undefined;
      if (changeCount === seen) isQuiet = true;
      else waitForQuiet();
    };
    const ms = Math.max(1, changedAt + quietMs - performance.now());
    quietTimer = later(ms, ended);
    globalThis.scheduler?.postTask(ended, { delay: ms + clearedAfterMs });
  };
  const note = () => {
    changedAt = performance.now();
    changeCount += 1;
    isQuiet = false;
    if (quietTimer === undefined) waitForQuiet();
  };
  const changes = new MutationObserver((records) => {
    const isSeen = ({ target }: MutationRecord) => {
      const element = target instanceof Element ? target : (target as Text).parentElement;
      return element !== null && Element.prototype.checkVisibility.call(element); // a form field may shadow it
    };
    if (records.some(isSeen)) note();
  });
  changes.observe(document.body ?? document, { subtree: true, childList: true, attributes: true, characterData: true });
  const frame = () =>
    new Promise<boolean>((resolve) => {
      const fallback = later(100, () => resolve(false)); // a page that doesn't draw anything gets no frames
      const id = requestAnimationFrame(() => {
        clearTimeout(fallback);
        const next = requestAnimationFrame(() => {});
        cancelAnimationFrame(next);
        resolve(next > id + 1);
      });
    });
  const firstTimer = later(0, () => {});
  waitForQuiet();
  const hasTimers = () => {
    const id = later(0, () => {});
    clearTimeout(id);
    return id - firstTimer >= ownTimers;
  };

  const copies = new WeakMap<HTMLCanvasElement, OffscreenCanvasRenderingContext2D>();
  const copyOf = (canvas: HTMLCanvasElement) => {
    const kept = copies.get(canvas);
    if (kept && kept.canvas.width === canvas.width && kept.canvas.height === canvas.height) return kept;
    const made = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    if (!made) return undefined;
    made.globalCompositeOperation = "copy"; // so that the previous copy doesn't show through
    copies.set(canvas, made);
    return made;
  };
  const drawn = () =>
    [...document.querySelectorAll("canvas")].map((canvas) => {
      if (canvas.width * canvas.height === 0 || canvas.width * canvas.height > canvasPixelsMax) return 0;
      try {
        const context = copyOf(canvas);
        context?.drawImage(canvas, 0, 0);
        const pixels = new Uint32Array(context?.getImageData(0, 0, canvas.width, canvas.height).data.buffer ?? new ArrayBuffer(0));
        let sum = 0;
        for (let at = 0; at < pixels.length; at += 1) sum = (Math.imul(sum, 31) + (pixels[at] ?? 0)) | 0;
        return sum;
      } catch {
        return 0; // the canvas is tainted by cross-origin images
      }
    });

  const isScripts = (animation: Animation) => {
    if (animation instanceof CSSTransition || animation instanceof CSSAnimation || animation.timeline !== document.timeline) return false;
    return animation.playState === "running" && animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY;
  };

  try {
    let before = drawn().join();
    for (let idle = 0; ; ) {
      // Reading a canvas costs as much as drawing it, so it isn't read in each frame.
      if (!isBrief && before !== "") await new Promise<void>((resolve) => later(canvasPauseMs, resolve));
      const hasFrames = await frame();
      const now = drawn().join();
      if (now !== before) note();
      before = now;
      if (document.getAnimations().some(isScripts)) note();
      idle = !isBrief || hasFrames || hasTimers() || (changeCount > 0 && changedAt > performance.now() - 30) ? 0 : idle + 1;
      const isStill = idle >= 2 || isQuiet;
      if (!isStill && performance.now() <= end) continue;
      (globalThis.tintypeOwn as World).keepsChanging = !isStill;
      return !isStill ? "moving" : changeCount > 0 ? "changed" : "still";
    }
  } finally {
    isOver = true;
    changes.disconnect();
    clearTimeout(quietTimer);
  }
}

/** Resolves once a frame has been drawn and the page has handled its effects, such as observers, or after 1.25 seconds at the latest. */
export async function nextPaint(): Promise<void> {
  const [frameMs, idleMs] = [250, 1_000]; // idle callbacks are late only on a busy machine
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, frameMs); // a page that doesn't draw anything gets no frames
  });
  await new Promise<void>((resolve) => requestIdleCallback(() => resolve(), { timeout: idleMs }));
}

/**
 * Resolves once two frames have been drawn, the second with the effects of the first, or after half a second at the latest. Unlike
 * `nextPaint`, doesn't wait until a busy machine is idle.
 */
export async function twoPaints(): Promise<void> {
  const frameMs = 250; // a page that doesn't draw anything gets no frames
  for (let frame = 1; frame <= 2; frame += 1)
    await new Promise<void>((resolve) => {
      requestAnimationFrame(() => setTimeout(resolve));
      setTimeout(resolve, frameMs);
    });
}
