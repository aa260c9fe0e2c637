/** Keeps changes of its window from a page while it is captured. Runs in the page, so it may use nothing from outside of itself. */

interface World {
  /** Set by `browser/document-start.ts`. */
  ownWindow?: { isCaptured: boolean; wasResized: boolean };
}

/** Call before a capture for which the window changes. */
export function hideResizes(): void {
  const { ownWindow } = globalThis as World;
  if (ownWindow) Object.assign(ownWindow, { isCaptured: true, wasResized: false });
}

/** Call after the capture. Whether the page was laid out for another size in between. */
export function showResizes(): boolean {
  const { ownWindow } = globalThis as World;
  if (!ownWindow) return false;
  ownWindow.isCaptured = false;
  return ownWindow.wasResized;
}
