/** Reads code as displayed, line by line. Runs in the page, so it must be self-contained. */

type CodeOf = (element: Element) => { text: string; language: string } | undefined;

/** Returns a function that reads `pre`, its obsolete variants and tables of code lines, and returns undefined for all other elements. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export function codeReader(): CodeOf {
  /** Number of elements that may still be read; code that contains more is read as plain text, ignoring styles. */
  let elementsLeft = 50_000;
  const gutterMax = 20_000;
  const rowsMax = 5_000;

  const isGrid = (display: string) => /^(inline-)?(grid|flex)$|^table(-row)?(-group)?$/.test(display);
  const isLine = (display: string) => /^(block|flow-root|flex|grid|list-item|table|table-row)$/.test(display);
  const areNumbers = (element: Element) => /^[\d\s]+$/.test((element.textContent ?? "").slice(0, gutterMax));
  /** Whether an element contains only line numbers. */
  const isGutter = (element: Element, style: CSSStyleDeclaration): boolean => {
    if (!areNumbers(element)) return false;
    if (style.userSelect === "none") return true;
    if (style.display === "inline") return false; // a number within a line of code
    if (style.display === "table-cell") return element.parentElement?.childElementCount !== 1 && element.nextElementSibling !== null;
    const numbers = linesOf(element).trim().split(/\s+/).map(Number);
    return (
      numbers.length > 1 && numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1) && !isAlone(element)
    );
  };
  const isAlone = ({ parentElement, textContent }: Element) => parentElement?.textContent?.trim() === textContent?.trim();

  const linesOf = (container: Element): string => {
    let text = "";
    const endLine = () => {
      if (text !== "" && !text.endsWith("\n")) text += "\n";
    };
    const read = (parent: Element, style: CSSStyleDeclaration) => {
      const whitespace = style.getPropertyValue("white-space-collapse");
      for (const node of parent.shadowRoot?.childNodes ?? parent.childNodes) {
        if (node.nodeType === Node.TEXT_NODE) {
          const { data } = node as Text;
          if (!(isGrid(style.display) && /^\s*$/.test(data))) text += whitespace === "collapse" ? data.replace(/\s+/g, " ") : data;
        } else if (node.nodeType === Node.ELEMENT_NODE) readElement(node as Element);
      }
    };
    const readElement = (element: Element) => {
      elementsLeft -= 1;
      if (element.localName === "br") text += "\n";
      if (element.matches("br, button, script, style, template, svg, title")) return;
      const style = getComputedStyle(element);
      const { display } = style;
      if (display === "none" || isGutter(element, style)) return;
      if (display === "table-cell" && text !== "" && !text.endsWith("\n")) text += "\t";
      if (!isLine(display)) return read(element, style);
      endLine();
      const before = text;
      read(element, style);
      if (text !== before) endLine();
      else if (element.getBoundingClientRect().height > 1) text += "\n"; // an empty line
    };
    if (elementsLeft < container.querySelectorAll("*").length) return container.textContent ?? "";
    read(container, getComputedStyle(container));
    return text;
  };

  const languageOf = (pre: Element): string => {
    const { parentElement: around } = pre;
    for (const element of [pre.querySelector("code"), pre, pre.firstElementChild, around, around?.parentElement]) {
      const classes = element?.getAttribute("class")?.slice(0, 1_000) ?? "";
      const language = /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]+)/.exec(classes)?.[1];
      const named = language ?? element?.getAttribute("data-language") ?? element?.getAttribute("data-lang");
      if (named && /^[\w+#-]{1,40}$/.test(named)) return named;
    }
    return "";
  };

  /** The lines of a table with code in one column and line numbers in the others. Undefined for other tables and very long ones. */
  const tableOf = (table: HTMLTableElement): string | undefined => {
    const rows = [...table.rows];
    const last = rows[0]?.cells[rows[0].cells.length - 1];
    const isPre = (element: Element) => getComputedStyle(element).whiteSpace.startsWith("pre");
    if (!last || rows.length > rowsMax || !(table.querySelector("pre") || isPre(last)) || table.querySelector("table")) return undefined;
    const lines: string[] = [];
    let hasGutter = false;
    for (const { cells } of rows) {
      const isCode = (cell: Element) => (cell.textContent ?? "").trim() !== "" && !isGutter(cell, getComputedStyle(cell));
      const [cell, ...others] = [...cells].filter(isCode);
      const pre = cell?.querySelector("pre");
      if (others.length > 0) return undefined;
      if (cell && (pre ? pre.textContent?.trim() !== cell.textContent?.trim() : !isPre(cell))) return undefined;
      hasGutter ||= cells.length > 1;
      lines.push(cell ? linesOf(pre ?? cell).replace(/\n$/, "") : "");
    }
    return hasGutter ? lines.join("\n") : undefined;
  };

  return (element) => {
    const isTable = element.localName === "table";
    if (!/^(pre|xmp|listing)$/.test(element.localName) && !isTable) return undefined;
    const text = isTable ? tableOf(element as HTMLTableElement) : linesOf(element);
    return text === undefined ? undefined : { text, language: languageOf(element) };
  };
}
