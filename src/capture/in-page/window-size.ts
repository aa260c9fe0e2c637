/** Hides changes to the window's size from a page during a capture. Runs in the page, so it must be self-contained. */

interface World {
  /** Set by `browser/document-start.ts`. */
  ownWindow?: { isCaptured: boolean; wasResized: boolean };
}

/** Call it before a capture that resizes the window. */
export function hideResizes(): void {
  const { ownWindow } = globalThis as World;
  if (ownWindow) Object.assign(ownWindow, { isCaptured: true, wasResized: false });
}

/** Call it after the capture. Returns whether the page was laid out for another size in the meantime. */
export function showResizes(): boolean {
  const { ownWindow } = globalThis as World;
  if (!ownWindow) return false;
  ownWindow.isCaptured = false;
  return ownWindow.wasResized;
}
