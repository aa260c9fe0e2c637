/** Finds out whether a page has more to do for another size of its window. Runs in the page, so it may use nothing from outside of itself. */

interface World {
  resize?: { timer: number; happened: Promise<void> };
}

/** Call before the window changes. */
export function expectResize(): void {
  const timer = setTimeout(() => {}) as unknown as number;
  clearTimeout(timer);
  const happened = new Promise<void>((resolve) => {
    addEventListener("resize", () => resolve(), { once: true });
  });
  (globalThis as World).resize = { timer, happened };
}

/**
 * Resolves once the page's listeners have run. `true`: meanwhile the page asked for timers, or keeps asking for frames, as listeners do that
 * wait for a pause before they lay out anew.
 */
export async function isStillResizing(): Promise<boolean> {
  const { resize } = globalThis as World;
  if (!resize) return true;
  // Ids are sequential in a document.
  let ownTimers = 0;
  const later = (ms: number, resolve: () => void) => {
    ownTimers += 1;
    return setTimeout(resolve, ms) as unknown as number;
  };
  const frame = () =>
    new Promise<number>((resolve) => {
      const fallback = later(100, () => resolve(Number.NaN)); // a page that draws nothing has no frames
      const id = requestAnimationFrame(() => {
        clearTimeout(fallback);
        resolve(id);
      });
    });
  await Promise.race([resize.happened, new Promise<void>((resolve) => later(100, resolve))]);
  await frame();
  // A listener may leave its work to the next frame once.
  const [one, other] = [await frame(), await frame()];
  const last = later(0, () => {});
  clearTimeout(last);
  delete (globalThis as World).resize;
  return last - resize.timer > ownTimers || !(other - one <= 1);
}
