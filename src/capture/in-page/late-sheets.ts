/** Shows a page that waits for style sheets. Runs in the page, so it must be self-contained. */

/**
 * Drops style sheets that haven't arrived if Chromium has drawn nothing so far: it may be waiting for them, and so are scripts after them.
 * @returns whether any were dropped.
 */
export function dropLateSheets(): boolean {
  if (performance.getEntriesByName("first-paint").length > 0) return false;
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel~="stylesheet" i]')].filter(
    ({ sheet, disabled }) => !sheet && !disabled,
  );
  for (const link of links) link.disabled = true;
  const isLate = (rule: CSSRule) => rule instanceof CSSImportRule && !rule.styleSheet;
  const styles = [...document.querySelectorAll<HTMLStyleElement>("style")].filter(({ sheet }) => [...(sheet?.cssRules ?? [])].some(isLate));
  for (const style of styles) {
    // Chromium keeps waiting for a rule that has been deleted.
    const rules = [...(style.sheet?.cssRules ?? [])].filter((rule) => !isLate(rule));
    const copy = Node.prototype.cloneNode.call(style);
    Reflect.set(Node.prototype, "textContent", rules.map(({ cssText }) => cssText).join("\n"), copy);
    Element.prototype.replaceWith.call(style, copy);
  }
  return links.length + styles.length > 0;
}
