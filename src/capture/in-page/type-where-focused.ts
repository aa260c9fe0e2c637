/** Types into the field that has the focus, if its document has the given origin. Runs in the page, so it must be self-contained. */

/**
 * Checks and types in one step, so that neither a navigation nor a frame that takes the focus can receive the text.
 * @returns the origin of the focused document; null if it is in a frame whose document the page itself may not access. The text has been
 *   typed only if the result equals `origin`.
 */
export function typeWhereFocused(text: string, origin: string): string | null {
  // Named forms and images may shadow the document's own members, so these are read from the prototypes.
  const focused = (root: object, owner: object): Element | null =>
    Object.getOwnPropertyDescriptor(owner, "activeElement")?.get?.call(root) ?? null;
  let view: Window & { readonly origin: string } = window;
  let page = document;
  for (;;) {
    let element = focused(page, Document.prototype);
    for (let root = element?.shadowRoot; root?.mode; root = element?.shadowRoot) {
      const inside = focused(root, ShadowRoot.prototype);
      if (!inside) break;
      element = inside;
    }
    if (!/^i?frame$/.test(String(element?.localName))) break;
    const { contentDocument, contentWindow } = element as HTMLIFrameElement;
    if (!contentDocument || !contentWindow) return null;
    page = contentDocument;
    view = contentWindow;
  }
  if (view.origin === origin) Document.prototype.execCommand.call(page, "insertText", false, text);
  return view.origin;
}
