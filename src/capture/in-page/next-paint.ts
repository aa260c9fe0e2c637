/** Waits until pending changes are on the screen. Runs in the page, so it must be self-contained. */

/** Resolves once a frame has been drawn and the page has handled its effects, such as observers, but after 1.25 seconds at the latest. */
export async function nextPaint(): Promise<void> {
  const [frameMs, idleMs] = [250, 1_000]; // idle callbacks are only late on a busy machine
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, frameMs); // a page that doesn't draw anything gets no frames
  });
  await new Promise<void>((resolve) => requestIdleCallback(() => resolve(), { timeout: idleMs }));
}
