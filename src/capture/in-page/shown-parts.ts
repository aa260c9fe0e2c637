/** Reads what an element shows besides its own text. Serialized into the page, so each function must be self-contained. */

/** The text in a form field; undefined for other elements, and for fields without readable text. */
export function fieldText(element: Element): string | undefined {
  const charactersMax = 10_000;
  const unread = /^(password|hidden|checkbox|radio|file|image|color|range)$/;
  if (element.namespaceURI !== "http://www.w3.org/1999/xhtml") return undefined;
  if (element.localName === "select")
    return [...(element as HTMLSelectElement).selectedOptions].map(({ label }) => label.trim()).join(", ");
  const { type, value } = element as HTMLInputElement;
  const isField = element.localName === "textarea" || (element.localName === "input" && !unread.test(type));
  return isField ? value.slice(0, charactersMax) : undefined;
}

/**
 * The separator to insert between an inline element and the element directly before it: a line break if the element begins a line, a space
 * if there is a visible gap, otherwise nothing. Nothing is inserted if there is text between them, and no space if there already is one.
 */
export function separatorBefore(element: Element): "\n" | " " | "" {
  const gapMin = 3;
  const blocks =
    /^(address|article|aside|blockquote|br|dd|details|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|ul)$/;
  const isBlock = (one: Node) => blocks.test(one.nodeName.toLowerCase());
  const previous = element.previousSibling;
  const isSpaced = previous?.nodeType === Node.TEXT_NODE && (previous as Text).data.trim() === "";
  const before = isSpaced ? previous.previousSibling : previous;
  const gap = isSpaced ? "" : " ";
  if (before?.nodeType !== Node.ELEMENT_NODE || isBlock(before) || [...element.children].slice(0, 3).some(isBlock)) return "";
  if (element.namespaceURI === "http://www.w3.org/2000/svg")
    return element.localName === "tspan" && ["x", "y", "dy"].some((name) => element.hasAttribute(name)) ? gap : "";
  const style = getComputedStyle(element);
  const { display, position } = style;
  if (/^(inline|contents|none|ruby)/.test(display)) {
    if (!display.startsWith("inline-")) return "";
    if (element.localName.includes("-")) return gap; // its padding may be in its shadow root
    const last = getComputedStyle(before as Element);
    const lengths = [
      style.marginLeft,
      style.borderLeftWidth,
      style.paddingLeft,
      last.marginRight,
      last.borderRightWidth,
      last.paddingRight,
    ];
    return lengths.reduce((sum, length) => sum + (Number.parseFloat(length) || 0), 0) >= gapMin ? gap : "";
  }
  const around = element.parentElement ? getComputedStyle(element.parentElement).display : "";
  return /^(absolute|fixed)$/.test(position) || /(flex|grid)$/.test(around) || style.float !== "none" ? gap : "\n";
}

/**
 * The HTML tag name for an element that is part of a table built from ARIA roles; `""` for an element between these parts, which is copied
 * without its own tag; undefined outside such tables.
 * @param within tag name of the enclosing part of the table.
 */
export function tablePartOf(element: Element, within: string | undefined): string | undefined {
  const rowsMax = 5_000;
  const cell = "[role=cell], [role=gridcell], [role=columnheader], [role=rowheader]";
  const role = Element.prototype.getAttribute.call(element, "role") ?? "";
  if (within === "tr") return /header$/.test(role) ? "th" : /cell$/.test(role) ? "td" : "";
  if (within === "table" || within === "tbody") return role === "row" ? "tr" : role === "rowgroup" && within === "table" ? "tbody" : "";
  if (!/^(table|grid|treegrid)$/.test(role) || element.localName === "table") return undefined;
  const rows = Element.prototype.querySelectorAll.call(element, "[role=row]");
  const hasColumns = [...rows].slice(0, 3).some((row) => row.querySelectorAll(cell).length > 1);
  return rows.length > 1 && rows.length <= rowsMax && hasColumns && !element.querySelector("table") ? "table" : undefined;
}
