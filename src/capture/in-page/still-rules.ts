/** Style rules that keep an image reproducible. `beginStill` runs in the page, so it must be self-contained. */

/** The rules that `beginStill` or an earlier `freeze` added to each document and shadow root. */
interface Added {
  added?: WeakMap<Document | ShadowRoot, Map<string, CSSStyleSheet>>;
}

/** Rules that are safe on every page: they stop animated images, and hide the caret and outline of an autofocused field. */
export const alwaysStill = {
  images: "*{image-animation:stopped!important}",
  focus: "[autofocus]:focus{outline:none!important;caret-color:transparent!important}",
};

/**
 * Additionally disables transitions, for captures beyond the viewport: Chromium briefly resizes the viewport for them, which can start
 * transitions.
 */
export const stillInAnyWindow = { ...alwaysStill, transitions: "*,*::before,*::after{transition:none!important}" };

/** Adds `rules` to a new document in advance, so that `freeze` doesn't have to change the page during the shot. */
export function beginStill(rules: typeof alwaysStill): void {
  if ((globalThis.tintypeOwn as Added).added) return; // already added for an earlier output of the same load
  const added = new Map<string, CSSStyleSheet>();
  for (const rule of Object.values(rules)) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rule);
    document.adoptedStyleSheets.push(sheet);
    added.set(rule, sheet);
  }
  (globalThis.tintypeOwn as Added).added = new WeakMap([[document, added]]);
}
