/** What runs in every document before its scripts, in this service's own world, where `capture/in-page` finds what it leaves. */

interface World {
  hadNoWebgl?: boolean;
  ownWindow?: { isCaptured: boolean; wasResized: boolean };
}

/** Records that WebGL was requested and refused, which can't be read later. */
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
 * Hides from the page's listeners that its window changes and changes back for a capture (`capture/beyond-viewport.ts`). It has to be the
 * first listener: a window's are called in the order in which they were added.
 */
function hideResizes(): void {
  const state = { isCaptured: false, wasResized: false };
  (globalThis as World).ownWindow = state;
  const hideFor = (target: EventTarget | null, size: () => string) => {
    let known = size();
    const hide = (event: Event) => {
      if (!event.isTrusted) return; // the page's own
      const now = size();
      if (state.isCaptured && now !== known) state.wasResized = true;
      // The event of the change back may come after the capture.
      if (state.isCaptured || now === known) event.stopImmediatePropagation();
      else known = now;
    };
    target?.addEventListener("resize", hide, true);
  };
  hideFor(window, () => [innerWidth, innerHeight, devicePixelRatio].join());
  hideFor(visualViewport, () => [visualViewport?.width, visualViewport?.height, visualViewport?.scale, devicePixelRatio].join());
}

const sourceOf = (...scripts: (() => void)[]) => scripts.map((script) => `(${script})();`).join("");

/** The source of a script, with WebGL and without. */
export const documentStart = { withWebgl: sourceOf(hideResizes), withoutWebgl: sourceOf(hideResizes, watchWebgl) };
