/** Scripts that run in each document before its own scripts, in an isolated world; `capture/in-page` reads the state they leave there. */

interface World {
  hadNoWebgl?: boolean;
  ownWindow?: { isCaptured: boolean; wasResized: boolean };
}

/** Records whether WebGL was requested and refused, which can't be detected afterwards. */
function watchWebgl(): void {
  addEventListener(
    "webglcontextcreationerror",
    () => {
      (globalThis as World).hadNoWebgl = true;
    },
    true,
  );
}

/**
 * Hides from the page's listeners that a capture resizes its window temporarily (`capture/beyond-viewport.ts`). Must be the first listener,
 * because a window's listeners are called in the order in which they were added.
 */
function hideResizes(): void {
  const state = { isCaptured: false, wasResized: false };
  (globalThis as World).ownWindow = state;
  const hideFor = (target: EventTarget | null, size: () => string) => {
    let known = size();
    const hide = (event: Event) => {
      if (!event.isTrusted) return; // dispatched by the page itself
      const now = size();
      if (state.isCaptured && now !== known) state.wasResized = true;
      // The event for restoring the size may arrive after the capture.
      if (state.isCaptured || now === known) event.stopImmediatePropagation();
      else known = now;
    };
    target?.addEventListener("resize", hide, true);
  };
  hideFor(window, () => [innerWidth, innerHeight, devicePixelRatio].join());
  hideFor(visualViewport, () => [visualViewport?.width, visualViewport?.height, visualViewport?.scale, devicePixelRatio].join());
}

const sourceOf = (...scripts: (() => void)[]) => scripts.map((script) => `(${script})();`).join("");

/** Script sources for browsers with and without WebGL. */
export const documentStart = { withWebgl: sourceOf(hideResizes), withoutWebgl: sourceOf(hideResizes, watchWebgl) };
