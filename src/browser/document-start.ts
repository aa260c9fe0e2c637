/** Scripts that run in each document before its own scripts, in an isolated world; `capture/in-page` reads the state they leave there. */

interface World {
  hadNoWebgl?: boolean;
}

/** Records whether WebGL was requested and refused, which can't be detected afterwards. */
function watchWebgl(): void {
  addEventListener(
    "webglcontextcreationerror",
    () => {
      if (!Object.hasOwn(globalThis, "tintypeOwn")) globalThis.tintypeOwn = {}; // an element's id is not an own property
      (globalThis.tintypeOwn as World).hadNoWebgl = true;
    },
    true,
  );
}

/**
 * Hides resize events if the size hasn't changed: Chromium dispatches them when it captures part of the page. Must be the first listener,
 * because a window's listeners are called in the order in which they were added.
 */
function hideResizes(): void {
  const hideFor = (target: Window | VisualViewport | null, size: () => string) => {
    let known = size();
    const hide = (event: Event) => {
      if (!event.isTrusted) return; // dispatched by the page itself
      const now = size();
      if (now === known) event.stopImmediatePropagation();
      known = now;
    };
    target?.addEventListener("resize", hide, true);
  };
  hideFor(window, () => [innerWidth, innerHeight, devicePixelRatio].join());
  hideFor(visualViewport, () => [visualViewport?.width, visualViewport?.height, visualViewport?.scale, devicePixelRatio].join());
}

const sourceOf = (...scripts: (() => void)[]) => scripts.map((script) => `(${script})();`).join("");

/** Source of the script for browsers with or without WebGL. */
export const documentStart = (webgl: boolean) => sourceOf(hideResizes, ...(webgl ? [] : [watchWebgl]));
