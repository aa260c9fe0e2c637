/** Lets the browser draw what has changed. Runs in the page, so it may use nothing from outside of itself. */

/** Resolves once a frame has been drawn and the page has handled what it caused, such as observers. */
export async function drawn(): Promise<void> {
  const [frameMs, idleMs] = [250, 1_000]; // idle is late on a busy machine only
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, frameMs); // a page that draws nothing has no frames
  });
  await new Promise<void>((resolve) => requestIdleCallback(() => resolve(), { timeout: idleMs }));
}
