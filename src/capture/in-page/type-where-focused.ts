/** Types into the field that has the focus, if its document has the given origin. Runs in the page, so it must be self-contained. */

/**
 * Checks and types in one step, so that neither a newly loaded document nor a frame that takes the focus can receive the text.
 * @returns `origin`: the focused document's origin; null if it is in a frame whose document the page itself may not access. The text has
 *   been typed only if this equals the argument. `isForPassword`: whether the field may be for a password; also true if it can't be
 *   inspected.
 */
export function typeWhereFocused(text: string, origin: string): { origin: string | null; isForPassword: boolean } {
  // Named forms and images may shadow the document's own members, so its members are read from the prototypes.
  const focused = (root: object, owner: object): Element | null =>
    Object.getOwnPropertyDescriptor(owner, "activeElement")?.get?.call(root) ?? null;
  let view: Window & { readonly origin: string } = window;
  let page = document;
  let element: Element | null;
  for (;;) {
    element = focused(page, Document.prototype);
    for (let root = element?.shadowRoot; root?.mode; root = element?.shadowRoot) {
      const inside = focused(root, ShadowRoot.prototype);
      if (!inside) break;
      element = inside;
    }
    if (!element || !/^i?frame$/.test(Reflect.get(Element.prototype, "localName", element))) break;
    const { contentDocument, contentWindow } = element as HTMLIFrameElement;
    if (!contentDocument || !contentWindow) return { origin: null, isForPassword: true };
    page = contentDocument;
    view = contentWindow;
  }
  if (view.origin === origin) Document.prototype.execCommand.call(page, "insertText", false, text);
  const is = (selector: string) => element !== null && Element.prototype.matches.call(element, selector);
  const passwords = "input:is([type=password i], [autocomplete*=password i], [autocomplete*=one-time-code i])";
  return { origin: view.origin, isForPassword: is(passwords) || !is("input, textarea, [contenteditable]") };
}
