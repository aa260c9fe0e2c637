/** Reads what an element shows besides its own text. Serialized into the page, so each function must be self-contained. */

/** The text in a form field; undefined for other elements, and for fields without readable text. */
export function fieldText(element: Element): string | undefined {
  const charactersMax = 10_000;
  const unread = /^(password|hidden|checkbox|radio|file|image|color|range)$/;
  // A form's fields can shadow its own members, so members are read from the prototypes.
  const name: string = Reflect.get(Element.prototype, "localName", element);
  if (Reflect.get(Element.prototype, "namespaceURI", element) !== "http://www.w3.org/1999/xhtml") return undefined;
  if (name === "select") return [...(element as HTMLSelectElement).selectedOptions].map(({ label }) => label.trim()).join(", ");
  const { type, value } = element as HTMLInputElement;
  const isField = name === "textarea" || (name === "input" && !unread.test(type));
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
  // A form's fields can shadow its own members, so members are read from the prototypes.
  const isBlock = (one: Node) => blocks.test(Reflect.get(Node.prototype, "nodeName", one).toLowerCase());
  const typeOf = (node: Node): number => Reflect.get(Node.prototype, "nodeType", node);
  const previousOf = (node: Node): Node | null => Reflect.get(Node.prototype, "previousSibling", node);
  const name: string = Reflect.get(Element.prototype, "localName", element);
  const previous = previousOf(element);
  const isSpaced = previous !== null && typeOf(previous) === Node.TEXT_NODE && (previous as Text).data.trim() === "";
  const before = isSpaced ? previousOf(previous) : previous;
  const gap = isSpaced ? "" : " ";
  const children: Element[] = [...Reflect.get(Element.prototype, "children", element)];
  if (!before || typeOf(before) !== Node.ELEMENT_NODE || isBlock(before) || children.slice(0, 3).some(isBlock)) return "";
  if (Reflect.get(Element.prototype, "namespaceURI", element) === "http://www.w3.org/2000/svg")
    return name === "tspan" && ["x", "y", "dy"].some((attribute) => Element.prototype.hasAttribute.call(element, attribute)) ? gap : "";
  const style = getComputedStyle(element);
  const { display, position } = style;
  if (/^(inline|contents|none|ruby)/.test(display)) {
    if (!display.startsWith("inline-")) return "";
    if (name.includes("-")) return gap; // its padding may be in its shadow root
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
  const parent: Element | null = Reflect.get(Node.prototype, "parentElement", element);
  const around = parent ? getComputedStyle(parent).display : "";
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
  if (!/^(table|grid|treegrid)$/.test(role) || Reflect.get(Element.prototype, "localName", element) === "table") return undefined;
  const rows = Element.prototype.querySelectorAll.call(element, "[role=row]");
  const hasColumns = [...rows].slice(0, 3).some((row) => Element.prototype.querySelectorAll.call(row, cell).length > 1);
  return rows.length > 1 && rows.length <= rowsMax && hasColumns && !Element.prototype.querySelector.call(element, "table")
    ? "table"
    : undefined;
}
