/** Determines whether a page is still reacting to a resize of its window. Runs in the page, so it must be self-contained. */

interface World {
  resize?: { timer: number; happened: Promise<void> };
}

/** Call before resizing the window. */
export function expectResize(): void {
  const timer = setTimeout(() => {}) as unknown as number;
  clearTimeout(timer);
  const happened = new Promise<void>((resolve) => {
    addEventListener("resize", () => resolve(), { once: true });
  });
  (globalThis.tintypeOwn as World).resize = { timer, happened };
}

/**
 * Waits until the page's resize listeners have run, or for 100 ms without a resize event. Returns whether the page has requested timers
 * since `expectResize` or keeps requesting frames, as debounced listeners do before they lay out the page again. Also returns true if that
 * can't be determined, because the document is new or draws no frames.
 */
export async function isStillResizing(): Promise<boolean> {
  const { resize } = globalThis.tintypeOwn as World;
  if (!resize) return true;
  // Timer and frame callback ids are sequential in a document.
  let ownTimers = 0;
  const later = (ms: number, resolve: () => void) => {
    ownTimers += 1;
    return setTimeout(resolve, ms) as unknown as number;
  };
  const frame = () =>
    new Promise<number>((resolve) => {
      // A page that draws nothing gets no frames, and on a busy machine they are late.
      const fallback = later(1_000, () => resolve(Number.NaN));
      const id = requestAnimationFrame(() => {
        clearTimeout(fallback);
        resolve(id);
      });
    });
  await Promise.race([resize.happened, new Promise<void>((resolve) => later(100, resolve))]);
  if (Number.isNaN(await frame())) return true;
  // A listener that defers its work by a single frame is ignored.
  const [one, other] = [await frame(), await frame()];
  const last = later(0, () => {});
  clearTimeout(last);
  delete (globalThis.tintypeOwn as World).resize;
  return last - resize.timer > ownTimers || !(other - one <= 1);
}
