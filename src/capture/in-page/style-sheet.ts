/** Adds a style sheet to the document, after all of the page's own. Returns whether the browser accepted any of its rules. */
export function addStyleSheet(css: string): boolean {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
  return sheet.cssRules.length > 0;
}
